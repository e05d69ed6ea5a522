/** How the guards that look at an answer's text act. */
export interface GuardSettings {
  /** Personal data that no cited quote and no contact of the domain publishes. */
  readonly pii: "remove" | "warn" | "off";
  /** Another tenant's terms without the tenant's own. */
  readonly terminology: "remove" | "warn" | "off";
  /** Orders that a document gives to whoever writes the answer, or bait for whoever reads it. */
  readonly injection: "remove" | "warn" | "off";
  /** Similarity of answer and question below which the answer is flagged: `minimum` as the model `of` would give it, `embedded` by the encoder that ships. */
  readonly relevancy: { readonly minimum: number; readonly of: string; readonly embedded: number } | null;
  /**
   * Support of the answer by its passages below which it is flagged: `minimum` of the score that ships, `source.minimum` of a scorer whose id names `source.model`
   * (lower case), for which the source measured it.
   */
  readonly faithfulness: { readonly minimum: number; readonly source: { readonly model: string; readonly minimum: number } } | null;
  /** Length above which the answer is flagged; `tokens` are counted where a model wrote, answers of quotes are bounded by their sentences. */
  readonly tokens: { readonly limit: number; readonly count: "tokens" | "characters/4" } | null;
}
