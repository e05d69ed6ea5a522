import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { z } from "zod";
import type { Ask, Known, ReadSet, SetDocument } from "./ask.ts";
import { deleteSpaces } from "./detokenise.ts";
import type { Piece } from "./documents.ts";

/** Sets of the pack's answers family that may be used for training. */
export const PACK_SETS = [
  "boolq_val",
  "condaqa",
  "nq_open_dev",
  "qamr",
  "qed",
  "qnli_dev",
  "selqa",
  "sharc_dev",
  "squad2_dev",
  "squadshifts_new_wiki",
] as const;

const rowSchema = z.object({
  id: z.string(),
  group: z.string(),
  split: z.enum(["train", "dev"]),
  question: z.string(),
  passage: z.string(),
  answerable: z.boolean(),
  answers: z.array(z.tuple([z.number(), z.number()])),
  context: z.string().optional(),
  made: z.boolean().optional(),
});
type Row = z.infer<typeof rowSchema>;

/** Sets whose context is an earlier dialogue, not a title. */
const WITHOUT_TITLES = new Set(["sharc_dev"]);
/** Sets whose passages are sentences in the order of their page. */
const JOINED = new Set(["qamr", "squad2_dev", "squadshifts_new_wiki", "boolq_val", "nq_open_dev", "qed", "selqa"]);

/** Reads one set of the pack: joins its passages into documents by page, and merges the labels of equal questions. */
export function readPackSet(name: string, data: string): ReadSet {
  const source = gunzipSync(readFileSync(join(data, "reader/answers", `${name}.jsonl.gz`))).toString("utf8");
  const rows = source
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => rowSchema.parse(JSON.parse(line)))
    .sort((a, b) => numberOf(a) - numberOf(b))
    .map((row) => (name === "qed" ? withoutTokenSpaces(row) : row));
  return { name, documents: documentsOf(name, rows), asks: asksOf(name, rows) };
}

function numberOf({ id }: Row): number {
  return Number(id.slice(id.lastIndexOf("-") + 1));
}

function withoutTokenSpaces(row: Row): Row {
  const { text, map } = deleteSpaces(row.passage);
  return { ...row, passage: text, answers: row.answers.map(([start, end]) => [map(start), map(end)]) };
}

function documentsOf(name: string, rows: readonly Row[]): SetDocument[] {
  const documents = new Map<string, { title: string; pieces: Piece[]; section: string }>();
  const placed = new Set<string>();
  const ofPage = rows.filter(({ made }) => made !== true);
  for (const row of [...ofPage, ...rows.filter(({ made }) => made === true)]) {
    if (placed.has(row.passage)) continue;
    placed.add(row.passage);
    const [title = "", section = ""] = WITHOUT_TITLES.has(name) ? [] : (row.context ?? "").split(" — ");
    const isJoined = JOINED.has(name) && row.made !== true;
    const id = isJoined ? `${name}/${row.group}/${title}` : `${name}/${row.id}`;
    const document = documents.get(id) ?? { title, pieces: [], section: "" };
    if (section !== "" && section !== document.section) document.pieces.push({ type: "heading", level: 2, text: section });
    document.section = section;
    document.pieces.push({ type: "passage", key: row.passage, text: row.passage });
    documents.set(id, document);
  }
  return [...documents].map(([id, { title, pieces }]) => ({ id, title, scope: null, pieces }));
}

function asksOf(name: string, rows: readonly Row[]): Ask[] {
  const asked = new Map<string, { row: Row; known: Map<string, Known>; wordings: Set<string> }>();
  for (const row of rows) {
    const ask = asked.get(row.question) ?? { row, known: new Map(), wordings: new Set() };
    asked.set(row.question, ask);
    const before = ask.known.get(row.passage);
    if (row.answerable) for (const [start, end] of row.answers) ask.wordings.add(row.passage.slice(start, end));
    // In ShARC, a passage answers a question if at least one scenario settles it.
    if (before?.answers === true) continue;
    ask.known.set(row.passage, { key: row.passage, answers: row.answerable, spans: row.answerable ? row.answers : [] });
  }
  return [...asked.values()].map(({ row, known, wordings }) => ({
    ...{ set: name, group: row.group, split: row.split, question: row.question, scope: null },
    ...{ known: [...known.values()], wordings: [...wordings], form: "plain" },
  }));
}
