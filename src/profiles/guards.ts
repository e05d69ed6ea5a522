import { type CheckSettings, type GuardSettings, PLAIN_QUERY, type RetrieveSettings, type WriteSettings } from "./profile.ts";

/** Guards of profiles that set none. Relevancy is off, because quotes are selected for the question and no threshold has been measured. */
export const GUARDS: GuardSettings = {
  pii: "remove",
  terminology: "warn",
  injection: "remove",
  relevancy: null,
  faithfulness: null,
  tokens: { limit: 512, count: "tokens" },
};

/** Guards for reproduced designs without guards. They remove nothing that the design would show, but warn about personal data. */
export const SOURCE_GUARDS: GuardSettings = {
  pii: "warn",
  terminology: "off",
  injection: "off",
  relevancy: null,
  faithfulness: null,
  tokens: null,
};

/**
 * Minimum support score of the weakest sentence of a faithful answer, with the embedded scorer: the threshold with the best balanced
 * accuracy on the validation drafts (`lab/train/entailment`).
 */
const FAITHFUL = 0.55;
/**
 * Minimum cosine of question and answer, with the embedded encoder. The threshold separates human answers from answers
 * to other questions with the best balanced accuracy. Chosen on either half of eight domains, it is .20, with balanced
 * accuracies of .90 and .91 on the other half (`./run eval relevancy`). The threshold of the `validator` design, converted
 * by quantile, flagged 66 of 70 right answers as off topic, because the quantiles come from questions and long passages.
 */
const ON_TOPIC = 0.2;

/**
 * Guards of the `validator` profile. They remove only personal data; the other active guards only report. The thresholds
 * for the models of the reproduced design come from its table of L1 metrics; those for the embedded models were measured.
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
 * Support scores below which a sentence is unsupported or unclear. About 5 % and 12 % of the true sentences of the validation drafts score
 * lower (`lab/train/entailment`). Every profile uses them when it cites another source than the writer did.
 */
export const SUPPORT_BANDS = { unsupported: 0.51, unclear: 0.68 } as const;

/**
 * Minimum confidence for `verified` and for `uncertain`. On the validation collections, 75 % of the passages at or above
 * `verified` answer the question (precision), and 95 % of the answering passages are at or above `uncertain` (recall;
 * `lab/train/ranking`).
 */
export const VERDICT_CUTS = { verified: 0.27, uncertain: 0.07 } as const;

/**
 * Retrieval settings for profiles that rank by cosine only.
 * @param passages number of passages, both retrieved and passed on
 */
export function denseOnly(passages: number): RetrieveSettings {
  return {
    ...{ dense: true, bm25: false, candidates: passages, reranker: "none", rerank: 0, passages },
    ...{ fusion: "min-max", alpha: 1, beta: 0, query: PLAIN_QUERY, twins: "off", perDocument: null },
  };
}

/** Settings for writing, for reproduced designs that do not specify them. */
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

/** Checks of reproduced designs that show only supported sentences. */
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
