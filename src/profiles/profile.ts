/** The stages that run, with their settings. Profiles are data: most files in this folder export one. */
export interface Profile {
  readonly name: string;
  readonly title: string;
  readonly needs: readonly ("encoder" | "model")[];
  readonly retrieve: RetrieveSettings;
  readonly gate: GateSettings;
  /** True to compare passages with each other. This gives their consistency and agreement, and finds conflicts. */
  readonly comparePassages: boolean;
  /**
   * Effect of the web check of uncertain passages, if a web search is configured. `decides`: a confirmed passage becomes
   * verified, a contradicted one rejected. `attaches`: verdicts stay, and the web results are shown with the answer.
   * Absent: no web check.
   */
  readonly web?: "decides" | "attaches";
  /**
   * Encoder to whose cosines the thresholds of the gate and of routing refer. For another encoder they are converted by
   * quantile. `null`: no threshold is a cosine.
   */
  readonly thresholdsOf: string | null;
  readonly write: WriteSettings;
  readonly check: CheckSettings;
  /**
   * When an answered question gets a diagnostic report: its confidence is lower than `below`, or lower than the answer
   * threshold plus `margin`. If the gate compares cosines, `below` is a cosine on the scale of `thresholdsOf`. `null`: only
   * refusals and findings of checks get reports.
   */
  readonly lowConfidence: { readonly below: number } | { readonly margin: number } | null;
  /** Metrics reported for every answer, without any effect on it. Absent: no report. */
  readonly report?: readonly ReportMetric[];
  /** Maximum number of earlier turns of a session to use. */
  readonly sessionTurns: number;
  /** Caches to search for a stored answer. `semantic` and `graph` also need the permission of `rewordings` or the configuration. */
  readonly caches: readonly ("exact" | "semantic" | "graph")[];
  /**
   * Whether a paraphrase of a stored question may get its answer. `always`: the published design that the profile
   * reproduces does so. `pack`: only if the domain pack allows it (`semantic_cache`). On twenty collections that were
   * not used for training, two of three answers served in this way were wrong (2026-11-25).
   */
  readonly rewordings: "always" | "pack";
  /**
   * How a stored question is compared with a new one. In any case, exact facts must be equal and the cross-encoder must agree
   * (DESIGN.md, "Cache safety").
   */
  readonly match: MatchSettings;
  /** Every rule of the published design that the profile reproduces (docs/profiles.md), and whether it is reproduced here. */
  readonly rules: readonly SourceRule[];
}

export type MatchSettings =
  /** No further condition. */
  | { readonly type: "learned" }
  /** Each measure must reach a minimum. The cosine is on the scale of the model `of`. A weighted sum orders the accepted questions. */
  | { readonly type: "thresholds"; readonly of: string; readonly cosine: number; readonly entities: number; readonly documents: number };
/** Default `margin` of `lowConfidence`, for profiles whose published design sets none. The value is our choice. */
export const REPORT_MARGIN = 0.1;

/** A reported metric. Its value is the result of a check. */
export interface ReportMetric {
  /** Name of the metric in the published design that the profile reproduces. */
  readonly metric: string;
  readonly check: string;
  readonly threshold: number | null;
}

export interface SourceRule {
  readonly rule: string;
  readonly state: "reproduced" | "corrected" | "not built" | "ours";
  readonly why: string;
}

/** A rule that every profile has, at the end of its list. */
export const FOREIGN_LANGUAGE: SourceRule = {
  rule: "a sentence in another language than its sources is not shown",
  state: "ours",
  why: "the wording of the sentence cannot be compared with its sources; languages are detected from script and function words",
};

/** Returns the rules of a profile. @param written maps each rule to its state and reason, in the form `STATE: WHY` */
export function rulesOf(written: Readonly<Record<string, `${SourceRule["state"]}: ${string}`>>): SourceRule[] {
  const rules = Object.entries(written).map(([rule, text]) => {
    const at = text.indexOf(": ");
    return { rule, state: text.slice(0, at) as SourceRule["state"], why: text.slice(at + 2) };
  });
  return [...rules, FOREIGN_LANGUAGE];
}

export interface RetrieveSettings {
  readonly dense: boolean;
  readonly bm25: boolean;
  /** Number of chunks to take from each ranking (dense and BM25). */
  readonly candidates: number;
  /** `cross-encoder`: rerank the fused ranking by the model from the Hugging Face Hub, if it is installed. */
  readonly reranker: "cross-encoder" | "none";
  /** Number of top chunks of the fused ranking to rerank. */
  readonly rerank: number;
  /** Number of passages for the next stage. */
  readonly passages: number;
  /** Method that fuses the dense and the BM25 ranking. */
  readonly fusion: "min-max" | "rrf";
  /** Weights of min-max fusion: `alpha` for the cosine, `beta` for BM25. */
  readonly alpha: number;
  readonly beta: number;
  readonly query: QuerySettings;
  /** Merging of passages with similar words. `cosine`: all of them. `same-facts`: only if values, dates, polarity and names agree. */
  readonly twins: "same-facts" | "cosine" | "off";
  /** Maximum number of passages of one document that stay at their ranks. All others move to the end. `null`: no limit. */
  readonly perDocument: number | null;
  /** Where vectors are on PostgreSQL if this is the server's profile and `database.vectors` is not set. @default "process" */
  readonly vectors?: "process" | "pgvector";
}

/** Changes to a question before the search. Each can be switched on. */
export interface QuerySettings {
  /** Removes words that only introduce a question ("how long", "tell me about"). */
  readonly frame: boolean;
  /** Replaces out-of-vocabulary words by the most similar word of the corpus. */
  readonly repair: boolean;
  /** Adds abbreviations and synonyms of the domain pack. */
  readonly expand: boolean;
  /** Ranks passages first that contain a code which the question names, such as a form number. */
  readonly codesFirst: boolean;
}

/** No changes, as in all published designs that profiles reproduce. */
export const PLAIN_QUERY: QuerySettings = { frame: false, repair: false, expand: false, codesFirst: false };

/** How the scores of the passages decide whether to answer. */
export type GateSettings =
  /**
   * The default gate. It answers if the best candidate of all passages reaches the answer threshold. The best candidate of
   * each passage decides the passage's verdict: `verified` and `uncertain` are the minimum confidences for these verdicts.
   * `writeFrom` is the minimum confidence at which a model may write the answer; absent: the answer threshold.
   */
  | { readonly type: "sufficiency"; readonly verified: number; readonly uncertain: number; readonly writeFrom?: number }
  /**
   * Gate of `seven-layer`, by cosine. Passages below `minimum` are dropped. If the best passage is below `weak`, the answer is
   * flagged; below `warn`, it gets a warning prefix; below `veryWeak`, the question is refused. With `veryWeak: null` no
   * question is refused: if all passages are below `minimum`, all are used, and the answer is flagged.
   */
  | {
      readonly type: "similarity";
      readonly minimum: number;
      readonly weak: number;
      readonly veryWeak: number | null;
      readonly warn: number;
    }
  /**
   * Gate of `spark`. The score of a passage is `relevanceWeight·relevance + crossWeight·cross`. It must reach `perPassage`,
   * and the mean of the scores that do must reach `aggregate`. The best `keep` passages are used. If the cross-encoder from
   * the Hugging Face Hub is not installed, the weights and thresholds in `learned` apply. Then `cross` is the passage's share
   * of the confidence of the answer, in proportion to the probability of its best candidate.
   */
  | ({
      readonly type: "guard";
      readonly keep: number;
      readonly learned: GuardWeights;
      /** Score to use as `cross`. The thresholds refer to this score. @default "cross" */
      readonly by?: "cross" | "probability";
    } & GuardWeights)
  /** Gate of `vg-rag`: the geometric mean of relevance, consistency and agreement. */
  | { readonly type: "v-score"; readonly verified: number; readonly rejected: number }
  /**
   * Gate of `book`. It refuses if the best score of a passage is below `minimum`. `by` selects this score, to whose scale
   * `minimum` belongs (default: the cosine). With the embedded encoder, it also refuses if the best confidence of a passage
   * is below `probability`.
   */
  | { readonly type: "best-similarity"; readonly minimum: number; readonly probability: number; readonly by?: "cosine" | "probability" }
  | { readonly type: "none" };

interface GuardWeights {
  readonly relevanceWeight: number;
  readonly crossWeight: number;
  readonly perPassage: number;
  readonly aggregate: number;
}

export interface RouteSettings {
  /** Number of complex terms in the question from which the large model is selected. */
  readonly complexTerms: number;
  /** The large model is selected if there are more passages than this. */
  readonly passages: number;
  /** The large model is selected if the mean similarity of the passages is lower than this. */
  readonly meanSimilarity: number;
}

/** The evidence in a model's prompt. Title, headings and page are always included. */
export type GivenSettings =
  /** Whole passages. */
  | { readonly type: "passages" }
  /** Passages cut to the sentences about the question, each with its neighbours. */
  | { readonly type: "trimmed" }
  /** At most `most` quotes of at most `tokens` tokens each. */
  | { readonly type: "quotes"; readonly most: number; readonly tokens: number };

/** What the model does: it writes the answer, or it selects the quotes that answer. */
export type WriteMode = "answer" | "quotes";

export interface WriteSettings {
  /** @default "answer" */
  readonly mode?: WriteMode;
  /** `model`: a model writes, and quotes replace it if it fails. `auto`: like `model` if one is configured, otherwise `extractive`. */
  readonly writer: "extractive" | "model" | "auto";
  readonly given: GivenSettings;
  /** Maximum tokens of the prompt. The configuration of a model may set fewer. */
  readonly promptTokens: number;
  /** Additional prompt rules, one line each. */
  readonly rules?: readonly string[];
  readonly temperature: number;
  /** A fixed model, or conditions. If any of the conditions is met, the large model writes. */
  readonly route: RouteSettings | "small" | "large";
  /** How quotes for a model's prompt are selected: by rules, or by the small model, which returns their numbers. */
  readonly compress: "rules" | "model";
  /**
   * What follows after a model's sentence that fails its checks. `quotes`: quotes replace the sentence. `select`: the rest of
   * the draft is held back, and the model selects quotes; if it selects none, held sentences that passed are shown.
   * `reject`: the answer is shown only if every sentence passes, otherwise the message `unreliable`.
   */
  readonly onFault: "quotes" | "select" | "reject";
  /** Maximum sentences of an extractive answer, per level of detail. */
  readonly sentences: { readonly normal: number; readonly more: number };
  readonly refusal: string;
  /** Message instead of a written answer that fails its checks. */
  readonly unreliable: string;
}

export interface CheckSettings {
  /** @default GUARDS */
  readonly guards?: GuardSettings;
  /**
   * Names of checks. If any sentence fails one of them, even a sentence that is not shown, the whole answer is withheld.
   * Nothing is shown before all checks have ended.
   */
  readonly withhold?: readonly string[];
  /** Effect on sentences without a citation. */
  readonly uncited: "remove" | "warn" | "allow";
  /**
   * Minimum similarity of an uncited sentence and the most similar source, on the scale of the model `of`. From this value
   * on, the sentence cites that source, if the source supports it.
   */
  readonly uncitedSimilarity?: { readonly minimum: number; readonly of: string };
  /** Effect on a sentence with a value that its cited quotes do not contain, or that they state about something else. */
  readonly values: "remove" | "warn" | "off";
  /**
   * Effect on a sentence with a name that its cited quotes lack or state about something else. Table cells and values
   * that the sentence assigns to the wrong thing ("adults pay 4 euros" instead of "children pay 4 euros") only get a
   * warning. `off`: none of these is checked.
   */
  readonly claims: "remove" | "warn" | "off";
  /**
   * True to correct citations. A source that supports the sentence replaces a citation that does not. An uncited sentence
   * cites a source that contains it.
   */
  readonly recite: boolean;
  /** Support scores below which a sentence is removed (`unsupported`; 0: never) or gets a warning (`unclear`). `null`: no scoring. */
  readonly support: { readonly unsupported: number; readonly unclear: number } | null;
  /** Only for ablation runs: shows citations of sources that do not exist, `flag` with a warning. Absent: removes them with a warning. */
  readonly nowhere?: "flag" | "leave";
  /** Effect on URLs of hosts that are not on the whitelist. */
  readonly urls: "remove" | "home-page" | "off";
  /** Minimum share of citations that support their sentence. An answer with a smaller share is flagged. `null`: none. */
  readonly verificationScore: number | null;
}

export interface GuardSettings {
  /** Effect on personal data. Data that a cited quote or a contact of the domain publishes is allowed. */
  readonly pii: "remove" | "warn" | "off";
  /** Effect on a term of another tenant, unless the answer also has the corresponding term of the tenant who asks. */
  readonly terminology: "remove" | "warn" | "off";
  /** Effect on text that instructs the writing model or tries to deceive the reader. Documents may contain such text. */
  readonly injection: "remove" | "warn" | "off";
  /**
   * Flags an answer whose similarity to its question is below `minimum`, on the scale of the model `of`. With the embedded
   * encoder, the minimum is `embedded`.
   */
  readonly relevancy: { readonly minimum: number; readonly of: string; readonly embedded: number } | null;
  /**
   * Flags an answer that its passages support less than `minimum`, with the embedded scorer. If the id of the scorer contains
   * `source.model` (lower case), the minimum is `source.minimum`.
   */
  readonly faithfulness: { readonly minimum: number; readonly source: { readonly model: string; readonly minimum: number } } | null;
  /** Flags an answer that is longer than `limit`. `tokens` counts only text that a model wrote; `characters/4` counts all text. */
  readonly tokens: { readonly limit: number; readonly count: "tokens" | "characters/4" } | null;
}
