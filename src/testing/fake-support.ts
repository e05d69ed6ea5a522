import type { SupportPair, SupportScore, SupportScorer } from "../models/support.ts";

export interface FakeSupport extends SupportScorer {
  /** The pairs that were scored, in order. */
  readonly asked: readonly SupportPair[];
}

/** Creates a scorer that records its pairs. @param judge returns the score of a pair, or `null` */
export function fakeSupport(judge: (pair: SupportPair) => (Partial<SupportScore> & Pick<SupportScore, "score">) | null): FakeSupport {
  const asked: SupportPair[] = [];
  return {
    id: "fake",
    asked,
    score: async (pairs) => {
      asked.push(...pairs);
      return pairs.map((pair) => {
        const score = judge(pair);
        return score === null ? null : { spans: [], reason: "fake", ...score };
      });
    },
  };
}
