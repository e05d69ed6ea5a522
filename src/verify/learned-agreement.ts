import type { SupportScorer } from "../models/support.ts";
import type { Passage } from "../types.ts";
import { agreementOf, type Compared, MAJORITY } from "./compare-passages.ts";

/** Support from which another passage bears a statement out: what the default profile takes for supported. */
const BEARS_OUT = 0.7;
/**
 * Where rules say nothing of two passages, the learned score of claims does: does what one says of the question bear out what the other says of it? What it
 * does not tell gives no vote: near sentences with a word exchanged may speak of another thing, so who says otherwise is told by rules alone.
 */
export async function withLearnedAgreement(
  compared: Compared,
  passages: readonly Passage[],
  support: Pick<SupportScorer, "score">,
  signal: AbortSignal,
): Promise<Compared> {
  const { unsaid } = compared;
  if (unsaid.length === 0) return compared;
  const scores = await support.score(
    unsaid.map(({ claim, evidence }) => ({ claim, evidence })),
    { signal },
  );
  const borneOut = unsaid.filter((_, i) => (scores[i]?.score ?? 0) >= BEARS_OUT);
  return {
    ...compared,
    of(passage) {
      const before = compared.of(passage);
      const own = borneOut.filter((pair) => pair.of === passage.sid).length;
      if (own === 0) return before;
      const { differ } = before.votes;
      const agree = before.votes.agree + own;
      return {
        ...before,
        votes: { agree, differ },
        agreement: agreementOf(agree, differ, passages.length),
        outlier: differ >= MAJORITY && differ > agree,
      };
    },
  };
}
