import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { mean } from "../../src/grading/metrics.ts";
import { countRow, decimal, makeReport, type TableRow } from "../../src/grading/report.ts";
import { readQuestion } from "../../src/language/question.ts";
import { sharedEncoder } from "../../src/models/embedded-encoder.ts";
import { resolveFollowUp } from "../../src/pipeline/admit.ts";
import { Bm25Index } from "../../src/retrieval/bm25.ts";
import { FIELD_WEIGHTS } from "../../src/retrieval/indexed-windows.ts";
import { RequestError } from "../../src/shared/errors.ts";
import type { Turn } from "../../src/shared/types.ts";
import { createStemmer, tokenize } from "../../src/text/tokens.ts";
import type { EvaluateEvent } from "./va.ts";

export interface FollowUpOptions {
  /** Folder with canard*.jsonl. */
  readonly data: string;
  readonly command: string;
}

/** One line of CANARD (Elgohary, Peskov & Boyd-Graber, EMNLP 2019). */
const rowSchema = z.object({
  History: z.array(z.string()).min(2),
  Question: z.string(),
  Question_no: z.number(),
  QuAC_dialog_id: z.string(),
  Rewrite: z.string(),
});
type Row = z.infer<typeof rowSchema>;

interface Followed {
  readonly row: Row;
  readonly history: readonly Turn[];
  /** Index of the passage that answers. */
  readonly gold: number;
}

const K = 5;
const WAYS = ["last_turn", "full_history", "ours", "human"] as const;
type Way = (typeof WAYS)[number];

/**
 * Evaluates retrieval for follow-up questions: as asked, with the whole history, rewritten by us, and rewritten by people. Passages are all
 * answers of all dialogs with the titles of article and section. An answer is known only from a later turn, so the last question of a
 * dialog has none; the first is not a follow-up. Both are excluded.
 */
export async function* evaluateFollowUps({ data, command }: FollowUpOptions): AsyncGenerator<EvaluateEvent, void> {
  const rows = readRows(data);
  const embed = sharedEncoder().embedSync;
  const stem = createStemmer();
  const tokens = (text: string) => tokenize(text, stem);
  const { index, dialogs, followed } = indexAnswers(rows, tokens);
  const hits = new Map<string, number>();
  const overlaps = new Map<Way, number[]>(WAYS.map((way) => [way, []]));
  let rewritten = 0;
  const count = (key: string, hit: boolean) => hits.set(key, (hits.get(key) ?? 0) + (hit ? 1 : 0));
  const items: Record<string, unknown>[] = [];
  for (const [at, { row, history, gold }] of followed.entries()) {
    const ours = resolveFollowUp(row.Question, history, embed);
    if (ours.added.length > 0) rewritten++;
    const texts: Record<Way, string> = {
      last_turn: row.Question,
      full_history: [...history.flatMap(({ question, answer }) => [question, answer]), row.Question].join(" "),
      ours: ours.text,
      human: row.Rewrite,
    };
    const found: Record<string, boolean> = {};
    for (const way of WAYS) {
      const ranked = index.search(tokens(readQuestion(texts[way]).content), K).map(({ slot }) => slot);
      found[way] = ranked.includes(gold);
      count(`hit@${K}.${way}`, ranked.includes(gold));
      count(
        `hit@${K}.section.${way}`,
        ranked.some((slot) => dialogs[slot] === dialogs[gold]),
      );
      overlaps.get(way)?.push(overlap(tokens(texts[way]), tokens(row.Rewrite)));
    }
    items.push({ id: `${row.QuAC_dialog_id}#${row.Question_no}`, ours: ours.text, ...found });
    if (at % 200 === 0) yield { type: "progress", done: at, total: followed.length, what: row.Question };
  }
  const names = ["", "section."].flatMap((kind) => WAYS.map((way) => `hit@${K}.${kind}${way}`));
  const n = { questions: followed.length, passages: dialogs.length, rewritten };
  const metrics: Record<string, number | null> = {};
  const table: TableRow[] = [];
  for (const name of names) {
    metrics[name] = n.questions === 0 ? null : (hits.get(name) ?? 0) / n.questions;
    table.push(countRow(name, hits.get(name) ?? 0, n.questions));
  }
  for (const way of WAYS) {
    metrics[`token_f1.${way}`] = mean(overlaps.get(way) ?? []);
    table.push({
      name: `token_f1.${way}`,
      figure: decimal(metrics[`token_f1.${way}`] ?? null),
      note: "content words, against the human rewrite",
    });
  }
  table.push(countRow("rewritten", rewritten, n.questions, "the rest was left as asked"));
  const report = makeReport({
    name: "follow-ups",
    command,
    n,
    metrics,
    items,
  });
  yield { type: "report", report, table };
}

function readRows(data: string): Row[] {
  const files = existsSync(data) ? readdirSync(data).filter((name) => name.startsWith("canard") && name.endsWith(".jsonl")) : [];
  if (files.length === 0) throw new RequestError("golden_missing", `${data} holds no file canard*.jsonl. Give its folder with --data DIR.`);
  return files
    .sort()
    .flatMap((name) => readFileSync(join(data, name), "utf8").split("\n"))
    .filter((line) => line.trim() !== "")
    .map((line) => rowSchema.parse(JSON.parse(line)));
}

function indexAnswers(
  rows: readonly Row[],
  tokens: (text: string) => string[],
): { index: Bm25Index; dialogs: string[]; followed: Followed[] } {
  const index = new Bm25Index();
  const dialogs: string[] = [];
  const gold = new Map<string, number>();
  for (const { History, QuAC_dialog_id } of rows) {
    const [title = "", section = ""] = History;
    for (const [turn, { answer }] of turnsOf(History).entries()) {
      const key = `${QuAC_dialog_id}#${turn + 1}`;
      if (gold.has(key)) continue;
      const slot = index.add([
        { tokens: tokens(title), weight: FIELD_WEIGHTS.title },
        { tokens: tokens(section), weight: FIELD_WEIGHTS.headings },
        { tokens: tokens(answer), weight: FIELD_WEIGHTS.body },
      ]);
      dialogs[slot] = QuAC_dialog_id;
      gold.set(key, slot);
    }
  }
  const followed = rows.flatMap((row) => {
    const slot = gold.get(`${row.QuAC_dialog_id}#${row.Question_no}`);
    const history = turnsOf(row.History);
    return slot === undefined || history.length === 0 ? [] : [{ row, history, gold: slot }];
  });
  return { index, dialogs, followed };
}

/** Pairs questions and answers of a dialog. Each answer comes from its section of the article, which therefore counts as its citation. */
function turnsOf([title = "", section = "", ...said]: readonly string[]): Turn[] {
  const turns: Turn[] = [];
  for (let at = 0; at + 1 < said.length; at += 2) {
    turns.push({ question: said[at] as string, answer: said[at + 1] as string, titles: [title, section].filter((one) => one !== "") });
  }
  return turns;
}

/** Returns the F1 of the sets of content tokens. */
function overlap(text: readonly string[], reference: readonly string[]): number {
  const a = new Set(text);
  const b = new Set(reference);
  const shared = [...a].filter((token) => b.has(token)).length;
  return shared === 0 ? 0 : (2 * shared) / (a.size + b.size);
}
