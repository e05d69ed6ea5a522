import type { SupportScorer } from "../models/support.ts";
import type { Passage } from "../types.ts";
import { agreementOf, type Compared, MAJORITY, type Unsaid } from "./compare-passages.ts";

/** Support from which another passage bears a statement out: what the default profile takes for supported. */
const BEARS_OUT = 0.7;
/** Chance that no word was exchanged below which a near sentence says otherwise: that of the default profile. */
const EXCHANGED = 0.2;

type Vote = "agree" | "differ" | null;

/**
 * Where rules say nothing of two passages, the learned score of claims does: does what one says of the question bear out what the other says of it, or does it
 * say nearly the same with a word exchanged? What neither tells gives no vote.
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
  const votes = unsaid.map((pair, i): { readonly pair: Unsaid; readonly vote: Vote } => {
    const scored = scores[i] ?? null;
    if (scored === null) return { pair, vote: null };
    if (scored.score >= BEARS_OUT) return { pair, vote: "agree" };
    return { pair, vote: scored.wording !== undefined && scored.wording.score < EXCHANGED ? "differ" : null };
  });
  return {
    ...compared,
    of(passage) {
      const before = compared.of(passage);
      const own = votes.filter(({ pair, vote }) => pair.of === passage.sid && vote !== null);
      if (own.length === 0) return before;
      const agree = before.votes.agree + own.filter(({ vote }) => vote === "agree").length;
      const differ = before.votes.differ + own.filter(({ vote }) => vote === "differ").length;
      return {
        ...before,
        votes: { agree, differ },
        agreement: agreementOf(agree, differ, passages.length),
        outlier: differ >= MAJORITY && differ > agree,
      };
    },
  };
}
