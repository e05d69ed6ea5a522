import { readFileSync } from "node:fs";
import { z } from "zod";
import { messageOf, RequestError } from "../shared/errors.ts";
import { describeIssues } from "../text/validate.ts";
import { oneLine } from "../writing/sources.ts";
import { UNANSWERABLE_KINDS } from "./golden.ts";
import { describeItem, type GoldenItem, goldenItemSchema, SCORE_NAMES, verdictOf } from "./golden-item.ts";
import { auroc, bootstrapFigures, clusterBootstrap, mean, quantile } from "./metrics.ts";
import { countRow, decimal, type Report, signed, type TableRow, versionsOf } from "./report.ts";
import type { AskedItem, Ingested } from "./run-golden.ts";

const reportSchema = z.object({ name: z.literal("golden"), items: z.array(goldenItemSchema) });

/** Parses the judged questions of an `eval golden --json` report. @throws RequestError `baseline_invalid` */
export function readGoldenReport(path: string): GoldenItem[] {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new RequestError("baseline_invalid", `${path} could not be read (${messageOf(cause)}): ${HINT}`, { path }, { cause });
  }
  const parsed = reportSchema.safeParse(value);
  if (parsed.success) return parsed.data.items;
  const faults = describeIssues(parsed.error, reportSchema).slice(0, 3).join("; ");
  throw new RequestError("baseline_invalid", `${path} is not a report of \`eval golden\` (${faults}): ${HINT}`, { path });
}

const HINT = "use a file written by `eval golden --json FILE` with --against.";

/** A proportion: the metric is true for `hits` of `n` questions, answers or sentences. */
export interface Count {
  readonly name: string;
  readonly hits: number;
  readonly n: number;
  readonly note?: string | undefined;
}

/** Counts the metrics of judged questions (docs/evaluate.md). */
export function countGolden(all: readonly GoldenItem[]): Count[] {
  const items = all.filter(({ error }) => error === null);
  const answerable = items.filter(({ kind }) => kind === "answerable");
  const right = answerable.filter((item) => item.right === true);
  const isWrong = ({ shown, right }: GoldenItem) => (shown && right !== null ? !right : null);
  const isRefused = ({ shown, right }: GoldenItem) => !shown || right === true;
  /** Leaves out items without a verdict (`null`). */
  const of = (name: string, some: readonly GoldenItem[], verdictOf: (item: GoldenItem) => boolean | null, note?: string): Count => {
    const verdicts = some.map(verdictOf).filter((one) => one !== null);
    return { name, hits: verdicts.filter(Boolean).length, n: verdicts.length, note };
  };
  return [
    of("answered.answerable", answerable, ({ shown }) => shown),
    of("right.answerable", answerable, ({ right }) => right),
    of("page.answerable", answerable, ({ page }) => page, "answered, and a gold page is cited"),
    of("quoted.answerable", answerable, ({ quoted }) => quoted, "answered, and a gold quote is quoted"),
    of("wrong.shown", items, isWrong, "share of all answers shown, including those to unanswerable questions"),
    of("first.right", right, ({ first }) => first, "right answers whose first sentence cites a gold quote"),
    ...UNANSWERABLE_KINDS.map((kind) => {
      const note = kind === "false_premise" ? "refused, or the contradicting fact is quoted" : undefined;
      const asked = items.filter((item) => item.kind === kind);
      return of(`refused.${kind}`, asked, isRefused, note);
    }).filter(({ n }) => n > 0),
  ];
}

/** Counts sentences by fault. */
export function countFaults(items: readonly GoldenItem[]): Count[] {
  const sentences = items.reduce((sum, item) => sum + item.sentences.length, 0);
  const of = (fault: string) => items.reduce((sum, item) => sum + item.faults.filter((one) => one.fault === fault).length, 0);
  const judged = sentences - of("unscored");
  const notes = {
    fabricated: "sentences that no retrieved passage supports, apart from the stitched ones",
    stitched: "sentences put together from the words of several passages, although no single passage says them",
    misattributed: "sentences supported by another passage than the cited one",
  };
  return [
    ...Object.entries(notes).map(([name, note]) => ({ name: `faults.${name}`, hits: of(name), n: judged, note })),
    { name: "faults.unscored", hits: of("unscored"), n: sentences, note: "sentences that could not be judged; not counted elsewhere" },
  ];
}

/**
 * Counts, per metric, the answers that pass it. The metrics are those by which a profile grades each answer. Leaves out
 * answers for which the metric could not be determined.
 */
export function countLive(items: readonly GoldenItem[]): Count[] {
  const names = [...new Set(items.flatMap(({ report }) => Object.keys(report?.metrics ?? {})))];
  const verdicts = (name: string) => items.flatMap(({ report }) => report?.metrics[name]?.passed ?? []);
  return names.map((name) => ({
    name: `live.${name}`,
    hits: verdicts(name).filter((passed) => passed).length,
    n: verdicts(name).length,
    note: `answers that pass; not determined for ${items.filter(({ report }) => report !== null).length - verdicts(name).length}`,
  }));
}

type MeanScore = ReturnType<typeof meanScores>[number];

/**
 * Returns the mean of every score with n and its 95 % cluster bootstrap interval. Answers without a score are excluded,
 * never counted as 0.
 */
export function meanScores(items: readonly GoldenItem[]) {
  return SCORE_NAMES.map((name) => {
    const scored = items.flatMap(({ scores, cluster }) => {
      const value = scores[name] ?? null;
      return value === null ? [] : [{ value, cluster }];
    });
    const interval = clusterBootstrap(
      scored.map(({ cluster }) => cluster),
      (indexes) => mean(indexes.flatMap((i) => scored[i]?.value ?? [])),
    );
    const { value = null, low = null, high = null } = interval ?? {};
    return { name, value, n: scored.length, unscored: items.length - scored.length, low, high };
  });
}

/** Returns how well the confidence separates right from wrong answers (AUROC); `null` if there are no right or no wrong ones. */
function confidenceAuroc(items: readonly GoldenItem[]): number | null {
  const of = (right: boolean) => items.flatMap((item) => (item.shown && item.right === right ? (item.confidence ?? []) : []));
  return auroc(of(true), of(false));
}

/** Returns all metrics by name. A metric without data is `null`. */
export function goldenFigures(items: readonly GoldenItem[]): Record<string, number | null> {
  const words = items.flatMap((item) => (item.shown ? [item.words] : []));
  const counts = [...countGolden(items), ...countFaults(items), ...countLive(items)];
  return {
    ...Object.fromEntries(counts.map(({ name, hits, n }) => [name, n === 0 ? null : hits / n])),
    ...Object.fromEntries(SCORE_NAMES.map((name) => [name, mean(items.flatMap(({ scores }) => scores[name] ?? []))])),
    "confidence.auroc": confidenceAuroc(items),
    "words.median": quantile(words, 0.5),
  };
}

export interface MeasuredSet {
  readonly name: string;
  readonly asked: readonly AskedItem[];
  readonly ingested: Ingested;
}

export function itemsOf({ asked }: Pick<MeasuredSet, "asked">): GoldenItem[] {
  return asked.map(({ item }) => item);
}

interface ReportOptions {
  readonly command: string;
  readonly now: Date;
  /** Judged questions of the earlier run to compare with. */
  readonly against?: readonly GoldenItem[] | undefined;
  /** Number of questions in the sets, including those that a cancelled run did not reach. @default the number asked */
  readonly questions?: number;
}

const SEED = 1;
const DRAWS = 1000;

/** Returns the report to write to a file, a table of metrics over all sets (`table`), and a table with one row per set (`sets`). */
export function reportGolden(sets: readonly MeasuredSet[], { command, now, against, questions }: ReportOptions) {
  const items = sets.flatMap(itemsOf);
  const changes = against === undefined ? null : compareGolden(items, against);
  const timings = timingsOf(sets);
  const report: Report = {
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
    timings,
    items: items.map((item) => ({ ...item })),
  };
  return { report, table: goldenTable(items, timings, changes), sets: setRows(sets), changes };
}

/** Groups questions by their label `needs`, in alphabetical order. Leaves out questions without this label. */
function byNeed(items: readonly GoldenItem[]) {
  return [...Map.groupBy(items, ({ needs }) => needs)].filter(([need]) => need !== "").sort(([a], [b]) => (a < b ? -1 : 1));
}

const costsOf = (items: readonly GoldenItem[]) => items.map(({ cost_usd }) => cost_usd).filter((cost) => cost !== null);

function metricsOf(sets: readonly MeasuredSet[], items: readonly GoldenItem[], changes: readonly Change[] | null) {
  return {
    ...goldenFigures(items),
    ...prefixed(meanScores(items).map(({ name, n, low, high }) => [name, { n, low, high }])),
    "cost.mean_usd": mean(costsOf(items)),
    ...prefixed(sets.map((set) => [set.name, goldenFigures(itemsOf(set))])),
    ...prefixed(
      byNeed(items).map(([need, own]) => {
        const { "right.answerable": right, "answered.answerable": answered } = goldenFigures(own);
        return [`needs.${need}`, { right: right ?? null, answered: answered ?? null }];
      }),
    ),
    ...prefixed(
      (changes ?? []).map(({ name, difference, low, high }) => [name, { change: difference, "change.low": low, "change.high": high }]),
    ),
  };
}

/** Returns durations in milliseconds: quantiles over all sets, quantiles per set, and one value per question. */
function timingsOf(sets: readonly MeasuredSet[]): Report["timings"] {
  const latencies = (of: readonly MeasuredSet[]) => of.flatMap(({ asked }) => asked.map(({ latencyMs }) => latencyMs));
  const checks = sets.flatMap(({ asked }) => asked.flatMap(({ checkMs }) => checkMs ?? []));
  const shares = (ms: readonly number[]) => ({ ask_ms_p50: quantile(ms, 0.5), ask_ms_p95: quantile(ms, 0.95) });
  return {
    ...shares(latencies(sets)),
    check_ms_p50: quantile(checks, 0.5),
    check_ms_p95: quantile(checks, 0.95),
    ...Object.fromEntries(sets.flatMap(({ name, asked }) => asked.map(({ item, latencyMs }) => [`${name}/${item.id}`, latencyMs]))),
    ...prefixed(sets.map((set) => [set.name, { ...shares(latencies([set])), ingest_ms: set.ingested.ms }])),
  };
}

/**
 * Returns the metrics of judged questions as table rows.
 * @param changes changes since an earlier run, shown in the notes; `null`: no comparison
 */
export function goldenTable(items: readonly GoldenItem[], timings: Report["timings"], changes: readonly Change[] | null): TableRow[] {
  const costs = costsOf(items);
  const ms = (name: string, digits: number) => `${timings[name]?.toFixed(digits)} ms`;
  const rowOf = ({ name, hits, n, note }: Count) => countRow(name, hits, n, changeNote(name, note, changes));
  const checks = `p95 ${ms("check_ms_p95", 1)}; checks of the whole answer, with grading`;
  return [
    ...countGolden(items).map(rowOf),
    {
      name: "confidence.auroc",
      figure: decimal(confidenceAuroc(items)),
      note: changeNote("confidence.auroc", "right versus wrong answers shown", changes) ?? "",
    },
    { name: "words.median", figure: String(goldenFigures(items)["words.median"] ?? "–"), note: "per answer shown" },
    {
      name: "cost",
      figure: costs.length === 0 ? "–" : `$${mean(costs)?.toFixed(5)}`,
      note: `per answer, at list prices; known for ${costs.length} of ${items.length} answers`,
    },
    { name: "ask", figure: ms("ask_ms_p50", 0), note: `p95 ${ms("ask_ms_p95", 0)}` },
    ...(timings.check_ms_p50 == null ? [] : [{ name: "  of which checks", figure: ms("check_ms_p50", 1), note: checks }]),
    ...meanScores(items).map((score) => scoreRow(score, changes)),
    ...[...countFaults(items), ...countLive(items)].map(rowOf),
    ...byNeed(items).flatMap(([need, own]) =>
      countGolden(own).flatMap(({ name, hits, n }) => (name === "right.answerable" ? [countRow(`needs.${need}`, hits, n, "right")] : [])),
    ),
  ];
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

function setRows(sets: readonly MeasuredSet[]): TableRow[] {
  const columns = ["answered.answerable", "right.answerable", "wrong.shown", "first.right", "refused.near_miss", "refused.false_premise"];
  const heads = ["answered", "right", "wrong of shown", "first", "near miss refused", "premise refused", "AUROC"];
  const cells = sets.map(itemsOf).map((items) => {
    const counts = new Map(countGolden(items).map((count) => [count.name, count]));
    const fraction = ({ hits, n } = { hits: 0, n: 0 }) => (n === 0 ? "–" : `${hits} of ${n}`);
    return [...columns.map((name) => fraction(counts.get(name))), decimal(confidenceAuroc(items))];
  });
  const widths = heads.map((head, i) => Math.max(head.length, ...cells.map((row) => (row[i] as string).length)));
  const line = (row: readonly string[]) => row.map((cell, i) => cell.padStart(widths[i] as number)).join("  ");
  return [{ name: "", figure: line(heads) }, ...sets.map(({ name }, i) => ({ name, figure: line(cells[i] as string[]) }))];
}

export type Change = ReturnType<typeof compareGolden>[number];

/** Compares the metrics of two runs on the questions that both have, with 95 % intervals of the paired cluster bootstrap. */
export function compareGolden(items: readonly GoldenItem[], against: readonly GoldenItem[]) {
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
      const minus = (one: number | null, other: number | null) => (one === null || other === null ? null : one - other);
      return Object.fromEntries(now.map(([name, value]) => [name, minus(value, then[name] ?? null)]));
    },
    { draws: DRAWS, seed: SEED },
  );
  return [...changes].flatMap(([name, { value: difference, low, high }]) => {
    const was = before[name] ?? null;
    return was === null ? [] : [{ name, before: was, difference, low, high }];
  });
}

function changeNote(name: string, note: string | undefined, changes: readonly Change[] | null): string | undefined {
  const change = changes?.find((one) => one.name === name);
  if (change === undefined) return note;
  return `before ${decimal(change.before)}, ${signed(change.difference)} [${signed(change.low)}, ${signed(change.high)}]`;
}

function prefixed(groups: readonly (readonly [string, Readonly<Record<string, number | null>>])[]): Record<string, number | null> {
  return Object.fromEntries(
    groups.flatMap(([prefix, figures]) => Object.entries(figures).map(([name, value]) => [`${prefix}.${name}`, value])),
  );
}

/** Renders questions with answers, verdicts and labels as Markdown. */
export function renderGolden(sets: readonly MeasuredSet[]): string {
  return sets.map((set) => `# ${set.name}\n\n${itemsOf(set).map(renderItem).join("\n")}`).join("\n");
}

function renderItem(item: GoldenItem): string {
  const lines = [`## ${item.id}: ${verdictOf(item).words}`, "", `**${oneLine(item.question)}**  `, describeItem(item).join(", "), ""];
  for (const { text, citations } of item.sentences) lines.push(`- ${oneLine(text)} ${citations.map((n) => `[${n}]`).join("")}`);
  for (const { n, path, start, end, heading, quote } of item.citations)
    lines.push(`  [${n}] ${path} ${start}–${end}${heading === "" ? "" : ` › ${oneLine(heading)}`}: “${oneLine(quote)}”`);
  const { answer, quotes, pages } = item.gold;
  const wanted =
    item.kind === "answerable" ? `${oneLine(answer)} (${pages.join(", ")})` : `must be refused${answer && `. Reason: ${oneLine(answer)}`}`;
  return [...lines, "", `Gold: ${wanted}`, ...quotes.map((quote) => `> ${oneLine(quote)}`), ""].join("\n");
}
