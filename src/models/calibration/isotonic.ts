/** A score with what it turned out to be. */
export interface LabelledScore {
  readonly score: number;
  readonly relevant: boolean;
}

/** A rising map from scores to probabilities: points in order, straight lines between them, constant outside. */
export interface IsotonicMap {
  readonly scores: readonly number[];
  readonly probabilities: readonly number[];
}

interface Block {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly relevant: number;
}

/**
 * Isotonic regression by pooling adjacent violators: the rising step function with the least squared error (Barlow et al., 1972; Zadrozny and Elkan, 2002).
 * Equal scores are one block from the start, so that their order does not matter.
 * @throws RangeError without pairs, or with a score that is not finite
 */
export function fitIsotonic(pairs: readonly LabelledScore[]): IsotonicMap {
  if (pairs.length === 0) throw new RangeError("Isotonic regression needs at least one labelled score.");
  if (pairs.some(({ score }) => !Number.isFinite(score))) throw new RangeError("A score is not a finite number.");
  const blocks: Block[] = [];
  for (const block of tied(pairs)) {
    let last = block;
    for (let before = blocks.at(-1); before !== undefined && rate(before) >= rate(last); before = blocks.at(-1)) {
      last = { from: before.from, to: last.to, count: before.count + last.count, relevant: before.relevant + last.relevant };
      blocks.pop();
    }
    blocks.push(last);
  }
  const points = blocks.flatMap((block) =>
    block.from === block.to ? [[block.from, rate(block)] as const] : [[block.from, rate(block)] as const, [block.to, rate(block)] as const],
  );
  return { scores: points.map(([score]) => score), probabilities: points.map(([, probability]) => probability) };
}

/** The probability of a score, 0–1. */
export function applyIsotonic({ scores, probabilities }: IsotonicMap, score: number): number {
  const above = scores.findIndex((one) => one >= score);
  if (above === 0) return probabilities[0] as number;
  if (above === -1) return probabilities.at(-1) as number;
  if (scores[above] === score) return probabilities[above] as number;
  const [x0, x1] = [scores[above - 1] as number, scores[above] as number];
  const [y0, y1] = [probabilities[above - 1] as number, probabilities[above] as number];
  return y0 + ((y1 - y0) * (score - x0)) / (x1 - x0);
}

function tied(pairs: readonly LabelledScore[]): Block[] {
  const byScore = new Map<number, { count: number; relevant: number }>();
  for (const { score, relevant } of pairs) {
    const block = byScore.get(score) ?? { count: 0, relevant: 0 };
    byScore.set(score, { count: block.count + 1, relevant: block.relevant + (relevant ? 1 : 0) });
  }
  return [...byScore].sort(([a], [b]) => a - b).map(([score, block]) => ({ from: score, to: score, ...block }));
}

function rate({ relevant, count }: Block): number {
  return relevant / count;
}
