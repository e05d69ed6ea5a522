import type { CheckSettings, GuardSettings } from "./profile.ts";

/** Of every profile that names no others. Relevancy is left out: answers of quotes are chosen by the question, and no threshold has been measured for ours. */
export const GUARDS: GuardSettings = {
  pii: "remove",
  terminology: "warn",
  injection: "remove",
  relevancy: null,
  faithfulness: null,
  tokens: { limit: 512, count: "tokens" },
};

/** Of the source designs that have no such guards: nothing is removed that they would have shown, but personal data is not shown without a word. */
export const SOURCE_GUARDS: GuardSettings = {
  pii: "warn",
  terminology: "off",
  injection: "off",
  relevancy: null,
  faithfulness: null,
  tokens: null,
};

/** Least support of the least sentence of a faithful answer, by the score that ships: best balanced accuracy on the validation drafts (`lab/train/entailment`). */
const FAITHFUL = 0.55;
/**
 * Least cosine of question and answer by the encoder that ships: answers that people wrote against answers to other questions (threshold of best balanced accuracy
 * .20 on each half of eight domains; .90 and .91 on the other half: `./run eval relevancy`). The quantiles by which thresholds are carried over are of
 * questions and long passages: by them 66 of 70 right answers were off topic.
 */
const ON_TOPIC = 0.2;

/** The `validator` source reports and does not block, personal data aside; its thresholds are those of its table of L1 metrics. */
export const VALIDATOR_GUARDS: GuardSettings = {
  pii: "remove",
  terminology: "warn",
  injection: "off",
  relevancy: { minimum: 0.45, of: "all-MiniLM-L6-v2", embedded: ON_TOPIC },
  faithfulness: { minimum: FAITHFUL, source: { model: "hallucination_evaluation_model", minimum: 0.35 } },
  tokens: { limit: 512, count: "characters/4" },
};

/**
 * Support scores below which a sentence is unsupported, or unclear: about 5 and 12 of 100 true sentences of the validation drafts lie below
 * (`lab/train/entailment`). They hold for `sourcebound`, and in every profile for a source that is cited in the place of the writer's.
 */
export const SUPPORT_BANDS = { unsupported: 0.51, unclear: 0.68 } as const;

/** Does anything that the profile checks rest on a support score? */
export function usesSupport({ check }: { readonly check: CheckSettings }): boolean {
  const cites = check.recite || check.uncitedSimilarity !== undefined;
  return check.support !== null || cites || (check.guards?.faithfulness ?? null) !== null;
}
