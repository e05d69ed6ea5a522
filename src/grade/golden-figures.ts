import { UNANSWERABLE_KINDS } from "./golden.ts";
import type { GoldenItem } from "./golden-item.ts";
import { auroc, quantile } from "./metrics.ts";

/** `hits` of `n` questions. */
export interface Count {
  readonly name: string;
  readonly hits: number;
  readonly n: number;
  readonly note?: string;
}

/** What is counted over judged questions (DESIGN.md, section 10). */
export function countGolden(items: readonly GoldenItem[]): Count[] {
  const answerable = items.filter(({ kind }) => kind === "answerable");
  const shown = items.filter((item) => item.shown);
  const right = answerable.filter((item) => item.right);
  const of = (name: string, some: readonly GoldenItem[], hit: (item: GoldenItem) => boolean, note?: string): Count => ({
    name,
    hits: some.filter(hit).length,
    n: some.length,
    ...(note === undefined ? {} : { note }),
  });
  return [
    of("answered.answerable", answerable, (item) => item.shown),
    of("right.answerable", answerable, (item) => item.right),
    of("page.answerable", answerable, (item) => item.page === true, "answered, and a gold page is cited"),
    of("quoted.answerable", answerable, (item) => item.quoted, "answered, and a gold quote is quoted"),
    of("wrong.shown", shown, (item) => !item.right, "of everything shown, also where nothing answers"),
    of("first.right", right, (item) => item.first === true, "right answers whose first sentence quotes gold"),
    ...UNANSWERABLE_KINDS.map((kind) =>
      of(
        `refused.${kind}`,
        items.filter((item) => item.kind === kind),
        (item) => !item.shown || item.right,
        kind === "false_premise" ? "refused, or what contradicts it is quoted" : undefined,
      ),
    ).filter(({ n }) => n > 0),
  ];
}

/** Confidence of right against wrong answers among those shown; `null` where one of both is missing. */
export function confidenceAuroc(items: readonly GoldenItem[]): number | null {
  const of = (right: boolean) => items.flatMap((item) => (item.shown && item.right === right ? (item.confidence ?? []) : []));
  return auroc(of(true), of(false));
}

/** Every figure by its name; `null` where there is nothing to count. */
export function goldenFigures(items: readonly GoldenItem[]): Record<string, number | null> {
  const shown = items.filter((item) => item.shown);
  return {
    ...Object.fromEntries(countGolden(items).map(({ name, hits, n }) => [name, n === 0 ? null : hits / n])),
    "confidence.auroc": confidenceAuroc(items),
    "words.median": quantile(
      shown.map(({ words }) => words),
      0.5,
    ),
  };
}
