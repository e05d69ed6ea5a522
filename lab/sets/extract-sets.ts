import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { answerableSchema, readGolden } from "../../src/grading/golden.ts";
import { chunkDocument } from "../../src/ingest/chunk.ts";
import { parseFile } from "../../src/ingest/parse.ts";
import { RequestError } from "../../src/shared/errors.ts";
import type { StoredDocument, TextRange } from "../../src/shared/types.ts";
import { normalisePiece } from "../../src/text/source-map.ts";
import { markdownFiles } from "./markdown-files.ts";
import { EXPOSURES, type Exposure, foldOf, isHeldOut } from "./retrieval-sets.ts";

/** Evidence of an answer, as annotated by people. */
export type Gold =
  /** Any of these ranges of one document answers. */
  | { readonly type: "spans"; readonly document: string; readonly ranges: readonly TextRange[] }
  /** All of these values make the answer; any of these documents may contain them. */
  | { readonly type: "values"; readonly documents: ReadonlySet<string>; readonly values: readonly string[] };

export interface ExtractQuestion {
  readonly text: string;
  /** Restricts retrieval to documents of this scope; `null`: the whole set. */
  readonly scope: string | null;
  readonly gold: Gold;
  /** Unit of the bootstrap: questions about one source are not independent. */
  readonly cluster: string;
}

export interface ExtractSet {
  readonly name: string;
  readonly exposure: Exposure | "tuned";
  readonly documents: readonly StoredDocument[];
  readonly questions: readonly ExtractQuestion[];
}

export const EXTRACT_SETS = ["va-golden", "policyqa", "fairytaleqa", "covid-qa", "clapnq", "tatqa"] as const;
export type ExtractSetName = (typeof EXTRACT_SETS)[number];

/** Exposure of a set to training, including the tuning of quote selection. */
export const EXTRACT_EXPOSURES: Readonly<Record<Exposure | "tuned", string>> = {
  ...EXPOSURES,
  tuned: "the part on which the choice of quotes was tuned",
};

/** Part of a set: held out, or used to tune quote selection. */
export type ExtractPart = "held-out" | "tuning";

/**
 * Splits documents that the ranking models never saw into halves, by the first 8 hex digits of sha256("extract|set|group"), even or odd.
 * Training data of the ranking models is in neither half, because its scores are too good for tuning.
 */
function partOf(set: ExtractSetName, group: string): ExtractPart {
  return foldOf(`extract|${set}`, group) % 2 === 0 ? "tuning" : "held-out";
}

/**
 * Reads one set of questions whose answers are annotated in the documents.
 * @param data folder of sets, one folder each
 * @returns `null` if the set's folder is missing
 * @throws RequestError `golden_invalid` naming file and line
 */
export function readExtractSet(name: ExtractSetName, data: string, part: ExtractPart = "held-out"): ExtractSet | null {
  const folder = join(data, name);
  if (!existsSync(folder)) return null;
  const asks = (group: string) => isHeldOut(name, group) && partOf(name, group) === part;
  const exposure = part === "tuning" ? "tuned" : "held-out";
  switch (name) {
    case "va-golden":
      return vaGolden(data, folder);
    case "policyqa":
      return { name, exposure, ...policyQa(folder, asks) };
    case "fairytaleqa":
      return { name, exposure, ...fairytaleQa(folder, asks) };
    case "covid-qa":
      return { name, exposure: "unseen", ...covidQa(folder) };
    case "clapnq":
      return { name, exposure: "unseen", ...clapNq(folder) };
    case "tatqa":
      return { name, exposure: part === "tuning" ? "tuned" : "documents-seen", ...tatQa(folder, (uid) => partOf(name, uid) === part) };
    default:
      return name satisfies never;
  }
}

type Content = Pick<ExtractSet, "documents" | "questions">;

/** Reads questions whose answers must contain certain values, over all pages. */
function vaGolden(data: string, folder: string): ExtractSet | null {
  const root = join(data, "va-pages", "pages");
  if (!existsSync(root)) return null;
  const documents = markdownFiles(root).map((path) =>
    toDocument({ id: `pages/${path}`, scope: null, path, text: readFileSync(join(root, path), "utf8") }),
  );
  const questions = readGolden(folder, "va-answerable", answerableSchema).flatMap(({ id, question, gold_pages, key_values }) => {
    if (key_values.length === 0) return [];
    return [
      { text: question, scope: null, cluster: id, gold: { type: "values" as const, documents: new Set(gold_pages), values: key_values } },
    ];
  });
  return { name: "va-golden", exposure: "documents-seen", documents, questions };
}

/** A site's policy is one document. The same question about different passages gets the union of their ranges. */
function policyQa(folder: string, asks: (group: string) => boolean): Content {
  const passages = readGolden(folder, "passages", z.object({ passage_id: z.string(), site: z.string(), text: z.string() }));
  const documents = joinedBy(
    passages.filter(({ site }) => asks(site)),
    ({ site }) => site,
  );
  const textOf = new Map(passages.map(({ passage_id, text }) => [passage_id, text]));
  const schema = z.object({
    site: z.string(),
    question: z.string(),
    passage_id: z.string(),
    answers: z.array(z.object({ text: z.string(), answer_start: z.number() })),
  });
  const asked = new Map<string, { site: string; question: string; ranges: TextRange[] }>();
  for (const { site, question, passage_id, answers } of readGolden(folder, "questions", schema)) {
    const document = documents.get(site);
    if (document === undefined) continue;
    const known = asked.get(`${site}\n${question}`) ?? { site, question, ranges: [] };
    asked.set(`${site}\n${question}`, known);
    for (const { text } of answers) known.ranges.push(...findWithin(document.text, textOf.get(passage_id) ?? "", text));
  }
  const questions = [...asked.values()].flatMap(({ site, question, ranges }) => {
    if (ranges.length === 0) return [];
    return [{ text: question, scope: site, cluster: site, gold: { type: "spans" as const, document: site, ranges } }];
  });
  return { documents: [...documents.values()], questions };
}

/** A story is one document. Only questions with a verbatim answer are used. */
function fairytaleQa(folder: string, asks: (group: string) => boolean): Content {
  const sections = readGolden(folder, "sections", z.object({ story: z.string(), section: z.number(), text: z.string() }));
  const documents = joinedBy(
    sections.filter(({ story }) => asks(story)),
    ({ story }) => story,
  );
  const textOf = new Map(sections.map(({ story, section, text }) => [`${story}#${section}`, text]));
  const schema = z.object({ story: z.string(), sections: z.array(z.number()), question: z.string(), answers: z.array(z.string()) });
  const questions = readGolden(folder, "questions", schema).flatMap(({ story, sections: gold, question, answers }) => {
    const document = documents.get(story);
    if (document === undefined) return [];
    const ranges = gold.flatMap((section) =>
      [...new Set(answers)].flatMap((answer) =>
        findWithin(document.text, textOf.get(`${story}#${section}`) ?? "", answer.replace(/\s*\.$/, "")),
      ),
    );
    return ranges.length === 0
      ? []
      : [{ text: question, scope: story, cluster: story, gold: { type: "spans" as const, document: story, ranges } }];
  });
  return { documents: [...documents.values()], questions };
}

function covidQa(folder: string): Content {
  const documents = new Map<string, StoredDocument>();
  for (const { document_id, text } of readGolden(folder, "docs", z.object({ document_id: z.number(), text: z.string() }))) {
    const id = String(document_id);
    documents.set(id, toDocument({ id, scope: id, path: "article.txt", text }));
  }
  const schema = z.object({ document_id: z.number(), question: z.string(), answer: z.string(), offset_ok: z.boolean() });
  const questions = readGolden(folder, "questions", schema).flatMap(({ document_id, question, answer, offset_ok }) => {
    const id = String(document_id);
    const ranges = offset_ok ? findWithin(documents.get(id)?.text ?? "", "", answer) : [];
    return ranges.length === 0 ? [] : [{ text: question, scope: id, cluster: id, gold: { type: "spans" as const, document: id, ranges } }];
  });
  return { documents: [...documents.values()], questions };
}

/** Gold ranges are the sentences that people used for the answer. Every passage is a document, and all are searched. */
function clapNq(folder: string): Content {
  const schema = z.object({
    id: z.string(),
    question: z.string(),
    answerable: z.boolean(),
    title: z.string(),
    passage: z.string(),
    selected_sentences: z.array(z.array(z.string())).catch([]),
  });
  const documents: StoredDocument[] = [];
  const questions: ExtractQuestion[] = [];
  for (const { id, question, answerable, title, passage, selected_sentences } of readGolden(folder, "clapnq", schema)) {
    const document = toDocument({ id, scope: null, path: "passage.txt", text: passage, title });
    documents.push(document);
    const ranges = selected_sentences.flat().flatMap((sentence) => findWithin(document.text, "", sentence));
    if (answerable && ranges.length > 0)
      questions.push({ text: question, scope: null, cluster: title, gold: { type: "spans", document: id, ranges } });
  }
  return { documents, questions };
}

/** A table with its paragraphs is one document. Only questions with a verbatim answer are used, no computed ones. */
function tatQa(folder: string, asks: (uid: string) => boolean): Content {
  const schema = z.object({
    table: z.object({ uid: z.string(), table: z.array(z.array(z.string())) }),
    paragraphs: z.array(z.object({ order: z.number(), text: z.string() })),
    questions: z.array(
      z.object({
        question: z.string(),
        answer_type: z.string(),
        answer: z.union([z.string(), z.number(), z.array(z.union([z.string(), z.number()]))]),
      }),
    ),
  });
  const documents: StoredDocument[] = [];
  const questions: ExtractQuestion[] = [];
  for (const { table, paragraphs, questions: asked } of readGolden(folder, "tatqa", schema)) {
    const id = table.uid;
    if (!asks(id)) continue;
    const prose = [...paragraphs].sort((a, b) => a.order - b.order).map(({ text }) => text);
    const document = toDocument({ id, scope: id, path: "report.md", text: [...prose, markdownTable(table.table)].join("\n\n") });
    documents.push(document);
    for (const { question, answer_type, answer } of asked) {
      if (!answer_type.includes("span")) continue;
      const values = [answer].flat().map((value) => normalisePiece(String(value)).trim());
      const stands =
        values.length > 0 && values.every((value) => value !== "" && document.text.toLowerCase().includes(value.toLowerCase()));
      if (stands) questions.push({ text: question, scope: id, cluster: id, gold: { type: "values", documents: new Set([id]), values } });
    }
  }
  return { documents, questions };
}

function markdownTable(rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "/").replaceAll(/\s+/g, " ")).join(" | ")} |`;
  const [header = [], ...body] = rows;
  return [line(header), line(header.map(() => "---")), ...body.map(line)].join("\n");
}

/** Finds an annotated text in a document, inside the given part of it. */
function findWithin(text: string, part: string, marked: string): TextRange[] {
  const wanted = normalisePiece(marked).replaceAll(/\s+/g, " ").trim();
  if (wanted.length < 2) return [];
  const inside = normalisePiece(part).trim();
  const from = Math.max(0, text.indexOf(inside.slice(0, 60)));
  const pattern = wanted.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(" ", String.raw`\s+`);
  const whole = new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, "iu");
  const match = whole.exec(text.slice(from, part === "" ? undefined : from + inside.length + 200));
  return match === null ? [] : [{ start: from + match.index, end: from + match.index + match[0].length }];
}

/** Joins the texts of one source, in order, into one document. */
function joinedBy<T extends { readonly text: string }>(pieces: readonly T[], sourceOf: (piece: T) => string): Map<string, StoredDocument> {
  const texts = new Map<string, string[]>();
  for (const piece of pieces) {
    const id = sourceOf(piece);
    texts.set(id, [...(texts.get(id) ?? []), piece.text]);
  }
  return new Map([...texts].map(([id, some]) => [id, toDocument({ id, scope: id, path: "joined.txt", text: some.join("\n\n") })]));
}

export interface SetDocument {
  readonly id: string;
  readonly scope: string | null;
  readonly path: string;
  readonly text: string;
  readonly title?: string;
}

/** Parses and chunks a document with the product's own code. */
export function toDocument({ id, scope, path, text, title }: SetDocument): StoredDocument {
  const [parsed] = parseFile({ path, bytes: Buffer.from(text) });
  if (parsed === undefined) throw new RequestError("data_invalid", `${id} holds no document.`);
  return {
    ...parsed.metadata,
    title: title ?? (path.endsWith(".txt") || path === "report.md" ? "" : parsed.metadata.title),
    id,
    domain: "set",
    tenant: scope,
    access: "public",
    source: "set",
    path: id,
    originalHash: parsed.originalHash,
    version: "1",
    normaliser: "1",
    text: parsed.text,
    blocks: parsed.blocks,
    units: parsed.units,
    sourceMap: parsed.sourceMap,
    chunks: chunkDocument(parsed).map((chunk) => ({ ...chunk, id: `${id}-${chunk.ordinal}`, documentId: id })),
  };
}
