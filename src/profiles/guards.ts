/** How the guards that look at an answer's text act. */
export interface GuardSettings {
  /** Personal data that no cited quote and no contact of the domain publishes. */
  readonly pii: "remove" | "warn" | "off";
  /** Another tenant's terms without the tenant's own. */
  readonly terminology: "remove" | "warn" | "off";
  /** Orders that a document gives to whoever writes the answer, or bait for whoever reads it. */
  readonly injection: "remove" | "warn" | "off";
  /** Similarity of answer and question below which the answer is flagged, as the model `of` would give it. */
  readonly relevancy: { readonly minimum: number; readonly of: string } | null;
  /** Length above which the answer is flagged; `tokens` are counted where a model wrote, answers of quotes are bounded by their sentences. */
  readonly tokens: { readonly limit: number; readonly count: "tokens" | "characters/4" } | null;
}

/** Of every profile that names no others. Relevancy is left out: answers of quotes are chosen by the question, and no threshold has been measured for ours. */
export const GUARDS: GuardSettings = {
  pii: "remove",
  terminology: "warn",
  injection: "remove",
  relevancy: null,
  tokens: { limit: 512, count: "tokens" },
};

/** Of the source designs that have no such guards: nothing is removed that they would have shown, but personal data is not shown without a word. */
export const SOURCE_GUARDS: GuardSettings = { pii: "warn", terminology: "off", injection: "off", relevancy: null, tokens: null };

/** The `validator` source reports and does not block; its thresholds are those of its table of L1 metrics. */
export const VALIDATOR_GUARDS: GuardSettings = {
  pii: "warn",
  terminology: "warn",
  injection: "off",
  relevancy: { minimum: 0.45, of: "all-MiniLM-L6-v2" },
  tokens: { limit: 512, count: "characters/4" },
};
