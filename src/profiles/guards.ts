import { type CheckSettings, type GuardSettings, PLAIN_QUERY, type RetrieveSettings, type WriteSettings } from "./profile.ts";

/** Guards of profiles that set none. Relevancy is off: quotes are selected for the question, and no threshold has been measured. */
export const GUARDS: GuardSettings = {
  pii: "remove",
  terminology: "warn",
  injection: "remove",
  relevancy: null,
  faithfulness: null,
  tokens: { limit: 512, count: "tokens" },
};

/**
 * Guards of profiles whose published design specifies none. They remove nothing that the design would show, but warn about personal data.
 */
export const SOURCE_GUARDS: GuardSettings = {
  pii: "warn",
  terminology: "off",
  injection: "off",
  relevancy: null,
  faithfulness: null,
  tokens: null,
};

/**
 * Minimum support score, from the embedded scorer, of the weakest sentence of a faithful answer. This threshold has the
 * best balanced accuracy on the validation drafts (`lab/train/entailment`).
 */
const FAITHFUL = 0.55;
/**
 * Minimum cosine of question and answer, with the embedded encoder. This threshold separates human answers from answers to other questions
 * with the best balanced accuracy. Chosen on either half of eight domains, it is .20, with balanced accuracies of .90 and .91 on the other
 * half (`./run eval relevancy`). The threshold of the published `validator` design (.45) could not be used: converted by quantile, it
 * flagged 66 of 70 right answers. The quantiles come from pairs of questions and long passages.
 */
const ON_TOPIC = 0.2;

/**
 * Guards of the `validator` profile. They remove only personal data; the other active guards only report. The published
 * design gives the thresholds for its own models (`relevancy.minimum`, `faithfulness.source`) and the token limit. The
 * thresholds for the embedded models were measured.
 */
export const VALIDATOR_GUARDS: GuardSettings = {
  pii: "remove",
  terminology: "warn",
  injection: "off",
  relevancy: { minimum: 0.45, of: "all-MiniLM-L6-v2", embedded: ON_TOPIC },
  faithfulness: { minimum: FAITHFUL, source: { model: "hallucination_evaluation_model", minimum: 0.35 } },
  tokens: { limit: 512, count: "characters/4" },
};

/**
 * Support scores below which a sentence is unsupported or unclear. Of the true sentences among the validation drafts, about
 * 5 % score below `unsupported` and 8 % below `unclear` (`lab/train/entailment`). Other checks use `unclear` too.
 */
export const SUPPORT_BANDS = { unsupported: 0.51, unclear: 0.62 } as const;

/**
 * Minimum confidence of a passage for each verdict. On the validation collections, 75 % of the passages at or above
 * `verified` answer the question (precision). Of the passages that answer it, 95 % are at or above `uncertain` (recall;
 * `lab/train/ranking`).
 */
export const VERDICT_CUTS = { verified: 0.27, uncertain: 0.07 } as const;

/**
 * Returns retrieval settings for profiles that rank by cosine only.
 * @param passages number of passages to retrieve; all of them go to the next stage
 */
export function denseOnly(passages: number): RetrieveSettings {
  return {
    ...{ dense: true, bm25: false, candidates: passages, reranker: "none", rerank: 0, passages },
    ...{ fusion: "min-max", alpha: 1, beta: 0, query: PLAIN_QUERY, twins: "off", perDocument: null },
  };
}

/** Writing settings of profiles whose published design specifies none. */
export const SOURCE_WRITING = {
  writer: "auto",
  given: { type: "passages" },
  promptTokens: 8000,
  temperature: 0.3,
  route: "small",
  compress: "rules",
  onFault: "quotes",
  sentences: { normal: 3, more: 8 },
} as const satisfies Omit<WriteSettings, "refusal" | "unreliable">;

/** Checks of profiles whose published design shows only supported sentences. */
export const STRICT_CHECKS: CheckSettings = {
  guards: SOURCE_GUARDS,
  uncited: "remove",
  values: "remove",
  claims: "remove",
  recite: true,
  support: SUPPORT_BANDS,
  urls: "remove",
  verificationScore: null,
};

/** Returns whether any check of the profile needs a support score. */
export function usesSupport({ check }: { readonly check: CheckSettings }): boolean {
  const cites = check.recite || check.uncitedSimilarity !== undefined;
  return check.support !== null || cites || (check.guards?.faithfulness ?? null) !== null;
}
