import { z } from "zod";
import { readGolden } from "../../src/grading/golden.ts";
import { wilson } from "../../src/grading/metrics.ts";
import { countRow, type TableRow } from "../../src/grading/report.ts";
import type { Serve, Served } from "./cache-end-to-end.ts";

const pairSchema = z.object({ id: z.string(), a: z.string().min(1), b: z.string().min(1), same_answer: z.boolean(), kind: z.string() });
export type GoldenPair = z.infer<typeof pairSchema>;

/** Reads question pairs of a golden folder, `va-pairs*.jsonl`. */
export function readGoldenPairs(golden: string): GoldenPair[] {
  return readGolden(golden, "va-pairs", pairSchema);
}

export interface JudgedPairs {
  readonly n: Readonly<Record<string, number>>;
  readonly metrics: Readonly<Record<string, number | null>>;
  readonly table: readonly TableRow[];
  readonly items: readonly JudgedPair[];
}

type JudgedPair = Readonly<Served> & Readonly<{ id: string; kind: string; share: boolean }>;

/**
 * Stores an approved answer for `a`, then asks `b`. `pairs.hit_rate` is the share of hits among pairs that must share an answer,
 * `pairs.false_hits` the number of hits among the others.
 * @param name prefix of the metrics: `pairs` for the decision alone, `pairs.end_to_end` through a whole engine
 */
export async function judgePairs(
  pairs: readonly GoldenPair[],
  serve: Serve,
  name = "pairs",
  onPair: (done: number) => void = () => undefined,
): Promise<JudgedPairs> {
  const items: JudgedPair[] = [];
  for (const { id, a, b, kind, same_answer } of pairs) {
    items.push({ id: name === "pairs" ? id : `${name}.${id}`, kind, share: same_answer, ...(await serve(a, b)) });
    onPair(items.length);
  }
  return { ...summarize(items, name), items };
}

/** Summarizes the pairs whose stored answer was the engine's own, and the hits by cache level. */
export function ownAnswers({ items }: Pick<JudgedPairs, "items">, name: string): JudgedPairs {
  const own = summarize(
    items.filter(({ storedAs }) => storedAs === "own"),
    `${name}.own`,
  );
  const stored = countBy(items, ({ storedAs }) => storedAs ?? "nothing");
  const levels = countBy(items, ({ level }) => level ?? "miss");
  const counts = (of: string, kinds: readonly string[], found: ReadonlyMap<string, number>) =>
    Object.fromEntries(kinds.map((kind) => [`${name}.${of}.${kind}`, found.get(kind) ?? 0]));
  const row = (title: string, of: string, found: ReadonlyMap<string, number>): TableRow => ({
    name: title,
    figure: `${found.get(of) ?? 0} of ${items.length}`,
  });
  return {
    n: own.n,
    metrics: {
      ...own.metrics,
      ...counts("stored", ["own", "approved_refused", "approved_unclean", "nothing"], stored),
      ...counts("level", ["exact", "semantic", "graph", "curated", "miss"], levels),
    },
    table: [
      ...["exact", "semantic", "graph"].map((level) => row(`${name}: served by ${level}`, level, levels)),
      row("  stored: the engine's own answer", "own", stored),
      row("  stored: approved, its own was refused", "approved_refused", stored),
      row("  stored: approved, its own was not clean", "approved_unclean", stored),
      row("  stored: nothing, no passage was found", "nothing", stored),
      ...own.table
        .filter(({ name: title }) => !title.startsWith(" "))
        .map((one) => ({ ...one, note: "only with the engine's own answer stored" })),
    ],
    items: [],
  };
}

function summarize(items: readonly JudgedPair[], name: string): Omit<JudgedPairs, "items"> {
  const of = (share: boolean) => items.filter((item) => item.share === share);
  const hits = of(true).filter(({ served }) => served).length;
  const wrong = of(false).filter(({ served }) => served);
  const bound = wilson(wrong.length, of(false).length)?.high ?? null;
  const misses = (share: boolean) =>
    countBy(
      of(share).filter(({ served }) => !served),
      ({ rule }) => rule,
    );
  const rules = (share: boolean, what: string): TableRow[] =>
    [...misses(share)].map(([rule, count]) => ({ name: `  ${what}, missed by`, figure: `${count}`, note: rule }));
  return {
    n: { [`${name}.share`]: of(true).length, [`${name}.others`]: of(false).length },
    metrics: {
      [`${name}.hit_rate`]: of(true).length === 0 ? null : hits / of(true).length,
      [`${name}.false_hits`]: wrong.length,
      [`${name}.false_rate_upper`]: bound,
      [`${name}.false_hits_upper_per_hit`]: wilson(wrong.length, hits + wrong.length)?.high ?? null,
      ...Object.fromEntries([...misses(true)].map(([rule, count]) => [`${name}.missed.${rule}`, count])),
    },
    table: [
      countRow(`${name}: may share, served`, hits, of(true).length, "aim: 33 of 50"),
      ...rules(true, "may share"),
      countRow(`${name}: must not, served`, wrong.length, of(false).length, "aim: none"),
      {
        ...countRow(`${name}: wrong of all served`, wrong.length, hits + wrong.length),
        note: "the upper end bounds a wrong answer per hit",
      },
      ...rules(false, "must not"),
    ],
  };
}

function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return new Map([...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)));
}
