import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { createEngine, type Engine, type EngineParts } from "../../src/engine/engine.ts";
import type { ChosenFolders } from "../../src/grading/choose-sets.ts";
import { readGolden } from "../../src/grading/golden.ts";
import type { GoldenPlaces } from "../../src/grading/golden-places.ts";
import { quantile } from "../../src/grading/metrics.ts";
import { countRow, makeReport, type TableRow } from "../../src/grading/report.ts";
import { judgeAnswerable, openGoldenSet } from "../../src/grading/run-golden.ts";
import type { Config } from "../../src/shared/config.ts";
import type { Answer, StoredDocument, TextRange } from "../../src/shared/types.ts";
import { toOriginal } from "../../src/text/source-map.ts";
import type { EvaluateEvent } from "./va.ts";

const rowSchema = z.object({
  id: z.string(),
  question: z.string(),
  page: z.string(),
  /** Code points of the page's file. */
  selection: z.object({ start: z.int(), end: z.int() }),
  gold_quotes: z.array(z.string()).default([]),
  key_values: z.array(z.string()).default([]),
  unanswerable: z.boolean().default(false),
});
type Row = z.infer<typeof rowSchema>;

export interface SelectedOptions {
  /** Sets whose folder has `[prefix-]selected-text*.jsonl`. */
  readonly sets: readonly (ChosenFolders & { readonly files: readonly string[] })[];
  /** @default the domain's profile */
  readonly profile?: string | undefined;
  readonly config: Config;
  readonly parts?: EngineParts;
  readonly command: string;
  readonly signal: AbortSignal;
}

interface Judged {
  readonly set: string;
  readonly row: Row;
  readonly shown: boolean;
  readonly right: boolean;
  /** Every quote is inside the selection. */
  readonly inside: boolean;
  readonly confidence: number | null;
  readonly sentences: readonly string[];
  readonly latencyMs: number;
}

/** Evaluates questions about a selected part: correct answers, refusals if the part does not answer, and no quotes from outside. */
export async function* evaluateSelected({
  sets,
  profile,
  config,
  command,
  parts,
  signal,
}: SelectedOptions): AsyncGenerator<EvaluateEvent, void> {
  const judged: Judged[] = [];
  for (const set of sets) {
    const rows = set.files.flatMap((file) => readGolden(set.golden, file, rowSchema));
    yield { type: "progress", done: judged.length, total: judged.length + rows.length, what: `${set.name}: reading documents` };
    const documents = join(set.corpus, "pages");
    const { engine, domain, close } = await openGoldenSet(
      { ...set, documents },
      { config, domain: set.domain, signal, openEngine: (own: Config) => createEngine(own, parts) },
    );
    try {
      const pages = await loadPages(engine, domain, new Set(rows.map(({ page }) => page)));
      for (const [i, row] of rows.entries()) {
        await setImmediate();
        const document = pages.get(row.page);
        if (document === undefined) throw new Error(`${row.id}: ${row.page} is not among the documents`);
        const original = readFileSync(join(set.corpus, row.page), "utf8");
        const selected = inUnits(original, row.selection);
        const selection = { documentId: document.id, ...inNormalised(document, selected) };
        const answer = await engine.answer(row.question, { domain, selection, profile, signal });
        judged.push(judge(set.name, row, answer, original, selected));
        yield { type: "progress", done: i + 1, total: rows.length, what: `${set.name}: ${row.question}` };
      }
    } finally {
      await close();
    }
  }
  yield { type: "report", ...summarize(judged, command) };
}

async function loadPages(engine: Engine, domain: string, paths: ReadonlySet<string>): Promise<Map<string, StoredDocument>> {
  const scope = engine.scope({ domain });
  const ids = (await engine.store.documents.outlines(scope)).flatMap(({ id, path }) => (paths.has(path) ? [id] : []));
  return new Map([...(await engine.store.documents.load(scope, ids)).values()].map((document) => [document.path, document]));
}

function inUnits(text: string, { start, end }: TextRange): TextRange {
  const points = [...text];
  return { start: points.slice(0, start).join("").length, end: points.slice(0, end).join("").length };
}

/** Maps a range of the original to the normalised text. */
function inNormalised({ text, sourceMap }: StoredDocument, { start, end }: TextRange): TextRange {
  /** Finds the first offset for which a monotonic predicate is true, by binary search. */
  const first = (holds: (original: TextRange) => boolean) => {
    let [low, high] = [0, text.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (holds(toOriginal(sourceMap, { start: middle, end: middle + 1 }))) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  return { start: first((original) => original.end > start), end: first((original) => original.start >= end) };
}

function judge(set: string, row: Row, answer: Answer, original: string, selected: TextRange): Judged {
  const shown = answer.status === "ok";
  const ranges = row.gold_quotes.flatMap((quote) => {
    const start = original.indexOf(quote, selected.start);
    return start < 0 ? [] : [{ start, end: start + quote.length }];
  });
  const gold = new Map([[row.page, ranges]]);
  const places: GoldenPlaces = { gold: () => gold, quotes: () => [gold], contradicting: () => new Map() };
  const item = { ...row, gold_pages: [row.page], must_not: [] };
  return {
    set,
    row,
    shown,
    right: row.unanswerable ? !shown : judgeAnswerable(answer, item, places).right === true,
    inside: answer.citations.every(({ original: { start, end } }) => start >= selected.start && end <= selected.end),
    confidence: answer.confidence,
    sentences: answer.sentences.map(({ text }) => text),
    latencyMs: answer.latencyMs,
  };
}

function summarize(judged: readonly Judged[], command: string) {
  const answerable = judged.filter(({ row }) => !row.unanswerable);
  const others = judged.filter(({ row }) => row.unanswerable);
  const shown = judged.filter((one) => one.shown);
  const counts: [string, readonly Judged[], (one: Judged) => boolean, string?][] = [
    ["answered.answerable", answerable, (one) => one.shown],
    ["right.answerable", answerable, ({ right }) => right],
    ["refused.outside", others, (one) => !one.shown, "the answer stands outside of the selection"],
    ["inside", shown, ({ inside }) => inside, "answers whose every quote stands in the selection"],
  ];
  const metrics = Object.fromEntries(
    counts.map(([name, some, hit]) => [name, some.length === 0 ? null : some.filter(hit).length / some.length]),
  );
  const table: TableRow[] = counts.map(([name, some, hit, note]) => countRow(name, some.filter(hit).length, some.length, note));
  const latency = latencyOf(judged);
  table.push(...latency.table);
  const items = judged.map(({ set, row, latencyMs: _, ...rest }) => ({
    set,
    id: row.id,
    question: row.question,
    unanswerable: row.unanswerable,
    ...rest,
  }));
  const n = { answerable: answerable.length, unanswerable: others.length, shown: shown.length };
  return { report: makeReport({ name: "selected", command, n, metrics, timings: latency.timings, items }), table };
}

/** Summarizes the latencies of answers and refusals separately, because refusals are faster. */
export function latencyOf(asked: readonly { readonly shown: boolean; readonly latencyMs: number }[]) {
  const table: TableRow[] = [];
  const timings: Record<string, number | null> = {};
  for (const [what, some] of [
    ["answered", asked.filter((one) => one.shown)],
    ["refused", asked.filter((one) => !one.shown)],
  ] as const) {
    const times = some.map(({ latencyMs }) => latencyMs);
    const [p50, p95] = [quantile(times, 0.5), quantile(times, 0.95)];
    Object.assign(timings, { [`${what}.p50_ms`]: p50, [`${what}.p95_ms`]: p95 });
    const figure = p50 === null || p95 === null ? "none" : `${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms`;
    table.push({ name: `latency, ${what}`, figure, note: `n ${some.length}; the source of \`book\` allows 500 ms with a selection` });
  }
  return { table, timings };
}
