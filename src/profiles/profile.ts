/** The stages that run, with their settings. Profiles are data: most files in this folder export one. */
export interface Profile {
  readonly name: string;
  readonly title: string;
  readonly needs: readonly ("encoder" | "model")[];
  readonly retrieve: RetrieveSettings;
  readonly gate: GateSettings;
  /** Whether passages are compared with each other, for consistency, agreement and conflicts. */
  readonly comparePassages: boolean;
  /**
   * Effect of the web check of uncertain passages, where a web search is configured. `decides`: a confirmed passage becomes verified, a
   * contradicted one rejected. `attaches`: verdicts stay, and the web results are shown with the answer. Absent: no web check.
   */
  readonly web?: "decides" | "attaches";
  /** Encoder of the thresholds of gate and routing; for another one they are carried over by quantile. `null`: none is a cosine. */
  readonly thresholdsOf: string | null;
  readonly write: WriteSettings;
  readonly check: CheckSettings;
  /**
   * An answered question gets a diagnostic report below this confidence (a cosine on the scale of `thresholdsOf` if the gate compares
   * cosines), or within this margin above the answer threshold. `null`: only refusals and findings of checks are reported.
   */
  readonly lowConfidence: { readonly below: number } | { readonly margin: number } | null;
  /** Metrics reported for every answer; they block nothing. Absent: no report. */
  readonly report?: readonly ReportMetric[];
  /** Maximum earlier turns of a session that are used. */
  readonly sessionTurns: number;
  /** Caches that a question may use; `semantic` and `graph` only where `rewordings` or the configuration allows it. */
  readonly caches: readonly ("exact" | "semantic" | "graph")[];
  /**
   * Whether a stored answer may be served for a paraphrase: `always`, where a source asks for it; `pack`, only where the domain pack allows
   * it (`semantic_cache`). Two of three such hits were wrong on twenty collections that were not used for training (2026-11-25).
   */
  readonly rewordings: "always" | "pack";
  /** Decides whether a stored question matches. Exact facts must be equal and the cross-encoder must agree in any case (DESIGN.md, "Cache safety"). */
  readonly match: MatchSettings;
  /** Every rule of the source, and whether it is reproduced. */
  readonly rules: readonly SourceRule[];
}

export type MatchSettings =
  /** Exact facts and the cross-encoder alone. */
  | { readonly type: "learned" }
  /** Also a minimum of each measure; a weighted sum orders the rest. The cosine is on the scale of the model `of`. */
  | { readonly type: "thresholds"; readonly of: string; readonly cosine: number; readonly entities: number; readonly documents: number };
/** Report margin above the answer threshold, if the design that a profile reproduces sets none. Our choice. */
export const REPORT_MARGIN = 0.1;

/** A metric of a report, taken from the result of a check. */
export interface ReportMetric {
  /** Name in the source. */
  readonly metric: string;
  readonly check: string;
  readonly threshold: number | null;
}

export interface SourceRule {
  readonly rule: string;
  readonly state: "reproduced" | "corrected" | "not built" | "ours";
  readonly why: string;
}

/** Rule of every profile: no other check can verify such a sentence, and unverified sentences are not shown. */
export const FOREIGN_LANGUAGE: SourceRule = {
  rule: "a sentence in another language than its sources is not shown",
  state: "ours",
  why: "its wording cannot be compared with them; languages are detected from script and function words",
};

export interface RetrieveSettings {
  readonly dense: boolean;
  readonly bm25: boolean;
  /** Chunks requested from each ranking. */
  readonly candidates: number;
  /** Reranks the fused ranking. `cross-encoder`: by the score of the model from the Hugging Face Hub alone, if installed. */
  readonly reranker: "cross-encoder" | "none";
  /** Chunks of the fused ranking to rerank. */
  readonly rerank: number;
  /** Passages passed to the next stage. */
  readonly passages: number;
  /** Method that fuses the two rankings. */
  readonly fusion: "min-max" | "rrf";
  /** Weights of min-max fusion: `alpha` for the cosine, `beta` for BM25. */
  readonly alpha: number;
  readonly beta: number;
  readonly query: QuerySettings;
  /** Merges near-duplicates: `same-facts` if values, dates, polarity and names agree too, `cosine` by similarity of their words alone. */
  readonly twins: "same-facts" | "cosine" | "off";
  /** Passages of one document ranked before those of other documents; the rest follow. `null`: no limit. */
  readonly perDocument: number | null;
  /** Where many vectors are searched for a question, if records are in PostgreSQL and the configuration does not say. @default "process" */
  readonly vectors?: "process" | "pgvector";
}

/** Changes to a question before the search. */
export interface QuerySettings {
  /** Removes words that only frame a question ("how long", "tell me about"). */
  readonly frame: boolean;
  /** Replaces out-of-vocabulary words by the most similar word of the corpus. */
  readonly repair: boolean;
  /** Adds abbreviations and synonyms of the domain pack. */
  readonly expand: boolean;
  /** Ranks passages with a code of the question first. */
  readonly codesFirst: boolean;
}

/** Searches questions unchanged, as all source designs do. */
export const PLAIN_QUERY: QuerySettings = { frame: false, repair: false, expand: false, codesFirst: false };

export type GateSettings =
  /**
   * Default. The confidence of the best candidate of all passages decides whether to answer. The confidence of its own best candidate gives
   * each passage its verdict: `verified` and `uncertain` are the minimums. `writeFrom`: minimum confidence at which a model may write the
   * answer; absent: the answer threshold.
   */
  | { readonly type: "sufficiency"; readonly verified: number; readonly uncertain: number; readonly writeFrom?: number }
  /**
   * `seven-layer`, by cosine: passages below `minimum` are dropped. A best passage below `weak` is flagged, below `veryWeak` refused; below
   * `warn` the answer gets a prefix. `veryWeak: null`: never refuses, and uses all passages, flagged, if none reaches `minimum`.
   */
  | {
      readonly type: "similarity";
      readonly minimum: number;
      readonly weak: number;
      readonly veryWeak: number | null;
      readonly warn: number;
    }
  /**
   * `spark`: thresholds on `relevanceWeight·relevance + crossWeight·cross`, per passage and on average over passing passages; the best
   * `keep` are used. `learned`: thresholds for sums in which the confidence of a passage's best candidate replaces the Hub's cross-encoder.
   */
  | {
      readonly type: "guard";
      readonly relevanceWeight: number;
      readonly crossWeight: number;
      readonly perPassage: number;
      readonly aggregate: number;
      readonly keep: number;
      readonly learned: { readonly perPassage: number; readonly aggregate: number };
      /** Score that fills the place of `cross`; the gate receives the matching thresholds. @default "cross" */
      readonly by?: "cross" | "chance";
    }
  /** `vg-rag`: geometric mean of relevance, consistency and agreement. */
  | { readonly type: "v-score"; readonly verified: number; readonly rejected: number }
  /**
   * `book`: refuses if the best cosine is below `minimum`, or, with the embedded encoder, if the best confidence of a passage is below
   * `chance`. `by` selects the score that `minimum` applies to; the gate receives the matching threshold. @default "cosine"
   */
  | { readonly type: "best-similarity"; readonly minimum: number; readonly chance: number; readonly by?: "cosine" | "chance" }
  | { readonly type: "none" };

export interface RouteSettings {
  /** Selects the large model from this number of complex terms on. */
  readonly complexTerms: number;
  /** Selects the large model for more passages than this. */
  readonly passages: number;
  /** Selects the large model for a mean similarity below this. */
  readonly meanSimilarity: number;
}

/** The evidence in a model's prompt, always with title, headings and page. */
export type GivenSettings =
  /** Whole passages. */
  | { readonly type: "passages" }
  /** Passages cut to the parts that concern the question, with their neighbours. */
  | { readonly type: "trimmed" }
  /** At most `most` quotes of at most `tokens` tokens each. */
  | { readonly type: "quotes"; readonly most: number; readonly tokens: number };

/** What a model does: it writes the answer, or it selects the quotes that answer. */
export type WriteMode = "answer" | "quotes";

export interface WriteSettings {
  /** @default "answer" */
  readonly mode?: WriteMode;
  /** `model` falls back to quotes when the model fails. `auto` uses a model where one is configured, else quotes. */
  readonly writer: "extractive" | "model" | "auto";
  readonly given: GivenSettings;
  /** Maximum tokens of the prompt; a configured model may lower it. */
  readonly promptTokens: number;
  /** Additional prompt rules, one line each. */
  readonly rules?: readonly string[];
  readonly temperature: number;
  /** Selects the large model if any of these conditions holds; or names the model to use. */
  readonly route: RouteSettings | "small" | "large";
  /** Selects quotes for a model's prompt: by rules, or by the small model, which names them by number. */
  readonly compress: "rules" | "model";
  /**
   * Reaction to a model's sentence that fails its checks. `quotes`: quotes replace it. `regenerate`: the model rewrites the answer from
   * that sentence on once, then quotes replace it; nothing after the fault is shown. `reject`: nothing is shown unless the whole answer
   * passes, else `unreliable`.
   */
  readonly onFault: "quotes" | "regenerate" | "reject";
  /** Maximum sentences of an extractive answer, per level of detail. */
  readonly sentences: { readonly normal: number; readonly more: number };
  readonly refusal: string;
  /** Message if a written answer fails its checks. */
  readonly unreliable: string;
}

export interface CheckSettings {
  /** @default GUARDS */
  readonly guards?: GuardSettings;
  /** Checks that withhold the whole answer if any sentence, shown or not, fails one. Nothing is shown before all checks end. */
  readonly withhold?: readonly string[];
  /** Effect on sentences without a citation. */
  readonly uncited: "remove" | "warn" | "allow";
  /** Minimum similarity (scale of the model `of`) to cite an uncited sentence with its nearest source, if that supports it. */
  readonly uncitedSimilarity?: { readonly minimum: number; readonly of: string };
  /** Effect of values that the cited quotes lack, or give for something else: the sentence is removed, or the answer gets a warning. */
  readonly values: "remove" | "warn" | "off";
  /** The same for names, table cells and pairs of values that the cited quotes lack. */
  readonly claims: "remove" | "warn" | "off";
  /** Replaces a citation that does not support its sentence by a source that does; cites an uncited sentence if a source says it. */
  readonly recite: boolean;
  /** Support scores below which a sentence is removed (`unsupported`; 0: never) or shown with a warning (`unclear`). `null`: not scored. */
  readonly support: { readonly unsupported: number; readonly unclear: number } | null;
  /** For `ablate` only: shows citations that no source has, with a warning or without. Absent: removes them with a warning. */
  readonly nowhere?: "flag" | "leave";
  /** Effect on URLs of hosts that are not on the whitelist. */
  readonly urls: "remove" | "home-page" | "off";
  /** Minimum share of citations that support their sentence; an answer below it is flagged. */
  readonly verificationScore: number | null;
}

/** Effects of the guards, which check the text of an answer. */
export interface GuardSettings {
  /** Personal data that neither a cited quote nor a contact of the domain publishes. */
  readonly pii: "remove" | "warn" | "off";
  /** Terms of another tenant without the tenant's own. */
  readonly terminology: "remove" | "warn" | "off";
  /** Instructions from a document to the model that writes, or bait for the person who reads the answer. */
  readonly injection: "remove" | "warn" | "off";
  /** Flags an answer less similar to its question: `minimum` on the scale of the model `of`, `embedded` with the embedded encoder. */
  readonly relevancy: { readonly minimum: number; readonly of: string; readonly embedded: number } | null;
  /**
   * Support of the answer by its passages below which it is flagged: `minimum` with the embedded scorer, `source.minimum` with a scorer
   * whose id contains `source.model` (lower case).
   */
  readonly faithfulness: { readonly minimum: number; readonly source: { readonly model: string; readonly minimum: number } } | null;
  /** Flags a longer answer. `tokens` counts only text that a model wrote; extractive answers have a limit of sentences. */
  readonly tokens: { readonly limit: number; readonly count: "tokens" | "characters/4" } | null;
}
