import { clusterBootstrap } from "./bootstrap.ts";
import { UNANSWERABLE_KINDS } from "./golden.ts";
import type { GoldenItem } from "./golden-item.ts";
import { auroc, mean, quantile } from "./metrics.ts";
import { SCORES, type ScoreName } from "./score-answer.ts";

/** `hits` of `n` questions. */
export interface Count {
  readonly name: string;
  readonly hits: number;
  readonly n: number;
  readonly note?: string;
}

/** What is counted over judged questions (DESIGN.md, section 10). */
export function countGolden(all: readonly GoldenItem[]): Count[] {
  const items = all.filter(({ error }) => error === null);
  const answerable = items.filter(({ kind }) => kind === "answerable");
  const shown = items.filter((item) => item.shown && item.right !== null);
  const right = answerable.filter((item) => item.right === true);
  const of = (name: string, some: readonly GoldenItem[], hit: (item: GoldenItem) => boolean, note?: string): Count => ({
    name,
    hits: some.filter(hit).length,
    n: some.length,
    ...(note === undefined ? {} : { note }),
  });
  const told = (name: string, some: readonly GoldenItem[], verdict: (item: GoldenItem) => boolean | null, note?: string) =>
    of(
      name,
      some.filter((item) => verdict(item) !== null),
      (item) => verdict(item) === true,
      note,
    );
  return [
    of("answered.answerable", answerable, (item) => item.shown),
    told("right.answerable", answerable, ({ right }) => right),
    told("page.answerable", answerable, ({ page }) => page, "answered, and a gold page is cited"),
    told("quoted.answerable", answerable, ({ quoted }) => quoted, "answered, and a gold quote is quoted"),
    of("wrong.shown", shown, (item) => !item.right, "of everything shown, also where nothing answers"),
    told("first.right", right, ({ first }) => first, "right answers whose first sentence quotes gold"),
    ...UNANSWERABLE_KINDS.map((kind) =>
      of(
        `refused.${kind}`,
        items.filter((item) => item.kind === kind),
        (item) => !item.shown || item.right === true,
        kind === "false_premise" ? "refused, or what contradicts it is quoted" : undefined,
      ),
    ).filter(({ n }) => n > 0),
  ];
}

/** Sentences of answers by fault: each is borne out by what it cites, or is one of the three, or could not be told. */
export function countFaults(items: readonly GoldenItem[]): Count[] {
  const sentences = items.reduce((sum, item) => sum + item.sentences.length, 0);
  const of = (fault: string) => items.reduce((sum, item) => sum + item.faults.filter((one) => one.fault === fault).length, 0);
  const judged = sentences - of("unscored");
  const notes = {
    fabricated: "sentences with words or values that no passage found has together or apart",
    stitched: "sentences put together from two places and said in none",
    misattributed: "sentences that another passage bears out, not the one cited",
  };
  return [
    ...Object.entries(notes).map(([name, note]) => ({ name: `faults.${name}`, hits: of(name), n: judged, note })),
    { name: "faults.unscored", hits: of("unscored"), n: sentences, note: "sentences that could not be judged: counted nowhere else" },
  ];
}

/** Metrics of live grading: answers that passed, of those for which it could be told. Empty where no profile grades. */
export function countLive(items: readonly GoldenItem[]): Count[] {
  const names = [...new Set(items.flatMap(({ report }) => Object.keys(report?.metrics ?? {})))];
  const verdicts = (name: string) => items.flatMap(({ report }) => report?.metrics[name]?.passed ?? []);
  return names.map((name) => ({
    name: `live.${name}`,
    hits: verdicts(name).filter((passed) => passed).length,
    n: verdicts(name).length,
    note: `answers that pass; not told of ${items.filter(({ report }) => report !== null).length - verdicts(name).length}`,
  }));
}

/** A mean over the questions for which it could be scored. */
export interface MeanScore {
  readonly name: ScoreName;
  readonly value: number | null;
  readonly n: number;
  /** Questions for which it could not be scored: they count as nothing, never as 0. */
  readonly unscored: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** Every score with its mean, n and 95 % interval of the bootstrap over pages. */
export function meanScores(items: readonly GoldenItem[]): MeanScore[] {
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

const SCORE_NAMES = Object.keys(SCORES) as ScoreName[];

/** Confidence of right against wrong answers among those shown; `null` where one of both is missing. */
export function confidenceAuroc(items: readonly GoldenItem[]): number | null {
  const of = (right: boolean) => items.flatMap((item) => (item.shown && item.right === right ? (item.confidence ?? []) : []));
  return auroc(of(true), of(false));
}

/** Every figure by its name; `null` where there is nothing to count. */
export function goldenFigures(items: readonly GoldenItem[]): Record<string, number | null> {
  const shown = items.filter((item) => item.shown);
  const counts = [...countGolden(items), ...countFaults(items), ...countLive(items)];
  return {
    ...Object.fromEntries(counts.map(({ name, hits, n }) => [name, n === 0 ? null : hits / n])),
    ...Object.fromEntries(SCORE_NAMES.map((name) => [name, mean(items.flatMap(({ scores }) => scores[name] ?? []))])),
    "confidence.auroc": confidenceAuroc(items),
    "words.median": quantile(
      shown.map(({ words }) => words),
      0.5,
    ),
  };
}
