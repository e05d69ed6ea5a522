import { bootstrapFigures } from "./bootstrap.ts";
import { confidenceAuroc, countFaults, countGolden, countLive, goldenFigures, type MeanScore, meanScores } from "./golden-figures.ts";
import type { GoldenItem } from "./golden-item.ts";
import { mean, quantile } from "./metrics.ts";
import { countRow, decimal, type Report, type TableRow, versionsOf } from "./report.ts";
import type { Ingested } from "./run-golden.ts";

export interface MeasuredSet {
  readonly name: string;
  readonly items: readonly GoldenItem[];
  readonly latenciesMs: readonly number[];
  /** What the checks of the whole answer took of it; `null`: nothing was checked. */
  readonly checksMs: readonly (number | null)[];
  readonly ingested: Ingested;
}

interface ReportOptions {
  readonly command: string;
  readonly now: Date;
  /** Judged questions of an earlier run. */
  readonly against?: readonly GoldenItem[] | undefined;
  /** Questions of the sets, also those that a cancelled run did not come to. @default those that were asked */
  readonly questions?: number;
}

const SEED = 1;
const DRAWS = 1000;

/** The figures of all sets together, by what a question needs, and of each set (`sets`), for a file and for people. */
export function reportGolden(
  sets: readonly MeasuredSet[],
  { command, now, against, questions }: ReportOptions,
): { report: Report; table: TableRow[]; sets: TableRow[]; changes: Change[] | null } {
  const items = sets.flatMap((set) => set.items);
  const changes = against === undefined ? null : compareGolden(items, against);
  const timings = timingsOf(sets);
  const report = {
    name: "golden",
    command,
    versions: versionsOf(),
    seed: SEED,
    date: now.toISOString(),
    n: {
      questions: questions ?? items.length,
      asked: items.length,
      not_asked: items.filter(({ error }) => error !== null).length,
      answerable: items.filter(({ kind }) => kind === "answerable").length,
      unanswerable: items.filter(({ kind }) => kind !== "answerable").length,
      documents: sets.reduce((sum, { ingested }) => sum + ingested.documents, 0),
      chunks: sets.reduce((sum, { ingested }) => sum + ingested.chunks, 0),
    },
    metrics: metricsOf(sets, items, changes),
    timings: { ...timings.all, ...timings.ofEach },
    items: items.map((item) => ({ ...item })),
  };
  return { report, table: tableOf(items, timings, changes), sets: setRows(sets), changes };
}

/** Questions by what they need, in the order of its names. */
function byNeed(items: readonly GoldenItem[]): (readonly [need: string, items: readonly GoldenItem[]])[] {
  const needs = [...new Set(items.map((item) => item.needs))].filter((one) => one !== "").sort();
  return needs.map((need) => [need, items.filter((item) => item.needs === need)] as const);
}

const costsOf = (items: readonly GoldenItem[]) => items.map(({ cost_usd }) => cost_usd).filter((cost) => cost !== null);

function metricsOf(sets: readonly MeasuredSet[], items: readonly GoldenItem[], changes: readonly Change[] | null) {
  return {
    ...goldenFigures(items),
    ...boundsOf(items),
    "cost.mean_usd": mean(costsOf(items)),
    ...prefixed(sets.map(({ name, items: own }) => [name, goldenFigures(own)])),
    ...prefixed(
      byNeed(items).map(([need, own]) => {
        const { "right.answerable": right, "answered.answerable": answered } = goldenFigures(own);
        return [`needs.${need}`, { right: right ?? null, answered: answered ?? null }];
      }),
    ),
    ...Object.fromEntries(
      (changes ?? []).flatMap(({ name, difference, low, high }) => [
        [`${name}.change`, difference],
        [`${name}.change.low`, low],
        [`${name}.change.high`, high],
      ]),
    ),
  };
}

/** Milliseconds over all sets, and of each set and question. */
function timingsOf(sets: readonly MeasuredSet[]) {
  const latencies = sets.flatMap((set) => set.latenciesMs);
  const checks = sets.flatMap(({ checksMs }) => checksMs.flatMap((ms) => ms ?? []));
  return {
    /** Answers whose grading was timed. */
    checked: checks.length,
    all: {
      ask_ms_p50: quantile(latencies, 0.5),
      ask_ms_p95: quantile(latencies, 0.95),
      check_ms_p50: quantile(checks, 0.5),
      check_ms_p95: quantile(checks, 0.95),
    },
    ofEach: {
      ...Object.fromEntries(
        sets.flatMap(({ name, items: own, latenciesMs }) => own.map(({ id }, i) => [`${name}/${id}`, latenciesMs[i] ?? null])),
      ),
      ...prefixed(
        sets.map(({ name, latenciesMs, ingested }) => [
          name,
          { ask_ms_p50: quantile(latenciesMs, 0.5), ask_ms_p95: quantile(latenciesMs, 0.95), ingest_ms: ingested.ms },
        ]),
      ),
    },
  };
}

function tableOf(
  items: readonly GoldenItem[],
  { all, checked }: Pick<ReturnType<typeof timingsOf>, "all" | "checked">,
  changes: readonly Change[] | null,
): TableRow[] {
  const costs = costsOf(items);
  return [
    ...countGolden(items).map(({ name, hits, n, note }) => countRow(name, hits, n, changeNote(name, note, changes))),
    {
      name: "confidence.auroc",
      figure: decimal(confidenceAuroc(items)),
      note: changeNote("confidence.auroc", "right against wrong, of those shown", changes) ?? "",
    },
    { name: "words.median", figure: String(goldenFigures(items)["words.median"] ?? "–"), note: "of an answer shown" },
    {
      name: "cost",
      figure: costs.length === 0 ? "–" : `$${mean(costs)?.toFixed(5)}`,
      note: `an answer, by list prices; known of ${costs.length} of ${items.length}`,
    },
    { name: "ask", figure: `${all.ask_ms_p50?.toFixed(0)} ms`, note: `p95 ${all.ask_ms_p95?.toFixed(0)} ms` },
    ...(checked === 0
      ? []
      : [
          {
            name: "  of it, grading",
            figure: `${all.check_ms_p50?.toFixed(1)} ms`,
            note: `p95 ${all.check_ms_p95?.toFixed(1)} ms; checks of the whole answer, n ${checked}`,
          },
        ]),
    ...meanScores(items).map((score) => scoreRow(score, changes)),
    ...[...countFaults(items), ...countLive(items)].map(({ name, hits, n, note }) => countRow(name, hits, n, note)),
    ...byNeed(items).flatMap(([need, own]) =>
      countGolden(own).flatMap(({ name, hits, n }) => (name === "right.answerable" ? [countRow(`needs.${need}`, hits, n, "right")] : [])),
    ),
  ];
}

/** n and interval of every mean, so that no figure of the file stands alone. */
function boundsOf(items: readonly GoldenItem[]): Record<string, number | null> {
  return Object.fromEntries(
    meanScores(items).flatMap(({ name, n, low, high }) => [
      [`${name}.n`, n],
      [`${name}.low`, low],
      [`${name}.high`, high],
    ]),
  );
}

function scoreRow({ name, value, n, unscored, low, high }: MeanScore, changes: readonly Change[] | null): TableRow {
  const note = unscored === 0 ? undefined : `${unscored} could not be scored`;
  return {
    name,
    figure: n === 0 ? "none" : `n ${n}`,
    ...(value === null ? {} : { interval: `${decimal(value)} [${decimal(low)}, ${decimal(high)}]` }),
    note: changeNote(name, note, changes) ?? "",
  };
}

/** One line a set, as columns. */
function setRows(sets: readonly MeasuredSet[]): TableRow[] {
  const columns = ["answered.answerable", "right.answerable", "wrong.shown", "first.right", "refused.near_miss", "refused.false_premise"];
  const heads = ["answered", "right", "wrong of shown", "first", "near miss refused", "premise refused", "AUROC"];
  const cells = sets.map(({ items }) => {
    const counts = new Map(countGolden(items).map((count) => [count.name, count]));
    return [...columns.map((name) => fraction(counts.get(name))), decimal(confidenceAuroc(items))];
  });
  const widths = heads.map((head, i) => Math.max(head.length, ...cells.map((row) => (row[i] as string).length)));
  const line = (row: readonly string[]) => row.map((cell, i) => cell.padStart(widths[i] as number)).join("  ");
  return [{ name: "", figure: line(heads) }, ...sets.map(({ name }, i) => ({ name, figure: line(cells[i] as string[]) }))];
}

function fraction(count: { hits: number; n: number } | undefined): string {
  return count === undefined || count.n === 0 ? "–" : `${count.hits} of ${count.n}`;
}

export interface Change {
  readonly name: string;
  readonly before: number;
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}

/** How each figure differs from that of an earlier run on the questions that both asked, with 95 % intervals of the paired bootstrap over pages. */
export function compareGolden(items: readonly GoldenItem[], against: readonly GoldenItem[]): Change[] {
  const earlier = new Map(against.map((item) => [`${item.domain}/${item.id}`, item]));
  const pairs = items.flatMap((item) => {
    const before = earlier.get(`${item.domain}/${item.id}`);
    return before === undefined ? [] : [{ item, before }];
  });
  const before = goldenFigures(pairs.map((pair) => pair.before));
  const changes = bootstrapFigures(
    pairs.map(({ item }) => item.cluster),
    (indexes) => {
      const drawn = indexes.flatMap((i) => pairs[i] ?? []);
      const then = goldenFigures(drawn.map((pair) => pair.before));
      const now = Object.entries(goldenFigures(drawn.map((pair) => pair.item)));
      return Object.fromEntries(now.map(([name, value]) => [name, minus(value, then[name] ?? null)]));
    },
    { draws: DRAWS, seed: SEED },
  );
  return [...changes].flatMap(([name, { value: difference, low, high }]) => {
    const was = before[name] ?? null;
    return was === null ? [] : [{ name, before: was, difference, low, high }];
  });
}

function minus(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one - other;
}

function changeNote(name: string, note: string | undefined, changes: readonly Change[] | null): string | undefined {
  const change = changes?.find((one) => one.name === name);
  if (change === undefined) return note;
  const signed = (value: number) => `${value < 0 ? "−" : "+"}${decimal(Math.abs(value))}`;
  return `before ${decimal(change.before)}, ${signed(change.difference)} [${signed(change.low)}, ${signed(change.high)}]`;
}

function prefixed(groups: readonly (readonly [string, Readonly<Record<string, number | null>>])[]): Record<string, number | null> {
  return Object.fromEntries(
    groups.flatMap(([prefix, figures]) => Object.entries(figures).map(([name, value]) => [`${prefix}.${name}`, value])),
  );
}
