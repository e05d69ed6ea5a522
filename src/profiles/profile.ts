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
   * Effect of the web check of uncertain passages, if a web search is configured. `decides`: a confirmed passage
   * becomes verified, a contradicted one rejected. `attaches`: verdicts stay, and the web results are shown with the
   * answer. Absent: no web check.
   */
  readonly web?: "decides" | "attaches";
  /**
   * Encoder for whose cosines the thresholds of gate and routing were chosen. For another encoder, the thresholds are
   * converted by quantile. `null` if no threshold is a cosine.
   */
  readonly thresholdsOf: string | null;
  readonly write: WriteSettings;
  readonly check: CheckSettings;
  /**
   * An answered question gets a diagnostic report if its confidence is lower than `below`, or lower than the answer
   * threshold plus `margin`. If the gate compares cosines, `below` is a cosine on the scale of `thresholdsOf`. `null`:
   * only refusals and findings of checks are reported.
   */
  readonly lowConfidence: { readonly below: number } | { readonly margin: number } | null;
  /** Metrics reported for every answer, without any effect on it. Absent: no report. */
  readonly report?: readonly ReportMetric[];
  /** Maximum earlier turns of a session that are used. */
  readonly sessionTurns: number;
  /** Caches that a question may use; `semantic` and `graph` only where `rewordings` or the configuration allows it. */
  readonly caches: readonly ("exact" | "semantic" | "graph")[];
  /**
   * Whether a stored answer may be served for a paraphrase. `always`: the reproduced design does so. `pack`: only if the
   * domain pack allows it (`semantic_cache`). Two of three answers served for paraphrases were wrong on twenty
   * collections that were not used for training (2026-11-25).
   */
  readonly rewordings: "always" | "pack";
  /**
   * Decides whether a stored question matches. In any case, exact facts must be equal and the cross-encoder must agree
   * (DESIGN.md, "Cache safety").
   */
  readonly match: MatchSettings;
  /** Every rule of the design that the profile reproduces, and whether it is reproduced here. */
  readonly rules: readonly SourceRule[];
}

export type MatchSettings =
  /** Only exact facts and the cross-encoder decide. */
  | { readonly type: "learned" }
  /** Each measure must also reach a minimum; a weighted sum orders the accepted questions. The cosine is on the scale of the model `of`. */
  | { readonly type: "thresholds"; readonly of: string; readonly cosine: number; readonly entities: number; readonly documents: number };
/** Report margin above the answer threshold (`lowConfidence`), for profiles whose design sets none. Chosen by us. */
export const REPORT_MARGIN = 0.1;

/** A metric of a report, taken from the result of a check. */
export interface ReportMetric {
  /** Name of the metric in the reproduced design. */
  readonly metric: string;
  readonly check: string;
  readonly threshold: number | null;
}

export interface SourceRule {
  readonly rule: string;
  readonly state: "reproduced" | "corrected" | "not built" | "ours";
  readonly why: string;
}

/** Rule of every profile, because no check can verify a sentence in another language than its sources. */
export const FOREIGN_LANGUAGE: SourceRule = {
  rule: "a sentence in another language than its sources is not shown",
  state: "ours",
  why: "the wording of the sentence cannot be compared with its sources; languages are detected from script and function words",
};

export interface RetrieveSettings {
  readonly dense: boolean;
  readonly bm25: boolean;
  /** Chunks requested from each ranking. */
  readonly candidates: number;
  /**
   * Reranker of the fused ranking. `cross-encoder`: reranks by the score of the model from the Hugging Face Hub alone,
   * if it is installed.
   */
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
  /** Merges passages with similar words: `cosine` all of them, `same-facts` only if values, dates, polarity and names agree too. */
  readonly twins: "same-facts" | "cosine" | "off";
  /** Maximum passages per document that keep their rank; all further passages move to the end. `null`: no limit. */
  readonly perDocument: number | null;
  /** Where vectors of large domains are searched on PostgreSQL, unless `database.vectors` is set. @default "process" */
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
  /** Ranks passages that contain a code from the question first. */
  readonly codesFirst: boolean;
}

/** Searches questions unchanged, as all reproduced designs do. */
export const PLAIN_QUERY: QuerySettings = { frame: false, repair: false, expand: false, codesFirst: false };

/** The gate decides from the scores of the passages whether to answer. */
export type GateSettings =
  /**
   * The default gate. The confidence of the best candidate of all passages decides whether to answer. Each passage gets
   * its verdict from the confidence of its own best candidate: `verified` and `uncertain` are the minimum confidences of
   * these verdicts. `writeFrom` is the minimum confidence at which a model may write the answer; absent: the answer threshold.
   */
  | { readonly type: "sufficiency"; readonly verified: number; readonly uncertain: number; readonly writeFrom?: number }
  /**
   * Gate of `seven-layer`, by cosine. Passages below `minimum` are dropped. If the best passage is below `weak`, the
   * answer is flagged; below `warn`, it gets a warning prefix; below `veryWeak`, the question is refused. With
   * `veryWeak: null` no question is refused; if no passage reaches `minimum`, all are used and the answer is flagged.
   */
  | {
      readonly type: "similarity";
      readonly minimum: number;
      readonly weak: number;
      readonly veryWeak: number | null;
      readonly warn: number;
    }
  /**
   * Gate of `spark`. It compares the sum `relevanceWeight·relevance + crossWeight·cross` of each passage with
   * `perPassage`, and the mean of the sums that reach `perPassage` with `aggregate`. The best `keep` passages are used.
   * `learned` has the weights and thresholds if the cross-encoder from the Hugging Face Hub is not installed. In that
   * case, `cross` is the passage's share of the confidence of the answer, in proportion to the probability of its best
   * candidate.
   */
  | {
      readonly type: "guard";
      readonly relevanceWeight: number;
      readonly crossWeight: number;
      readonly perPassage: number;
      readonly aggregate: number;
      readonly keep: number;
      readonly learned: {
        readonly relevanceWeight: number;
        readonly crossWeight: number;
        readonly perPassage: number;
        readonly aggregate: number;
      };
      /** Score to use as `cross`. The thresholds must be on the scale of this score. @default "cross" */
      readonly by?: "cross" | "probability";
    }
  /** Gate of `vg-rag`: the geometric mean of relevance, consistency and agreement. */
  | { readonly type: "v-score"; readonly verified: number; readonly rejected: number }
  /**
   * Gate of `book`. It refuses if the best cosine is below `minimum` or, with the embedded encoder, if the best
   * confidence of a passage is below `probability`. `by` selects the score to compare with `minimum`, which must be on
   * the scale of this score. @default "cosine"
   */
  | { readonly type: "best-similarity"; readonly minimum: number; readonly probability: number; readonly by?: "cosine" | "probability" }
  | { readonly type: "none" };

export interface RouteSettings {
  /** Minimum number of complex terms that selects the large model. */
  readonly complexTerms: number;
  /** Number of passages above which the large model is selected. */
  readonly passages: number;
  /** Mean similarity below which the large model is selected. */
  readonly meanSimilarity: number;
}

/** The evidence in a model's prompt. Title, headings and page are always included. */
export type GivenSettings =
  /** Whole passages. */
  | { readonly type: "passages" }
  /** Passages cut to the parts about the question, with the neighbouring sentences. */
  | { readonly type: "trimmed" }
  /** At most `most` quotes of at most `tokens` tokens each. */
  | { readonly type: "quotes"; readonly most: number; readonly tokens: number };

/** Task of a model: it writes the answer, or it selects the quotes that answer. */
export type WriteMode = "answer" | "quotes";

export interface WriteSettings {
  /** @default "answer" */
  readonly mode?: WriteMode;
  /** `model` falls back to quotes when the model fails. `auto` uses a model if one is configured, otherwise quotes. */
  readonly writer: "extractive" | "model" | "auto";
  readonly given: GivenSettings;
  /** Maximum tokens of the prompt; a configured model may lower it. */
  readonly promptTokens: number;
  /** Additional prompt rules, one line each. */
  readonly rules?: readonly string[];
  readonly temperature: number;
  /** Conditions, each of which alone selects the large model; or the model to use always. */
  readonly route: RouteSettings | "small" | "large";
  /** Selects quotes for a model's prompt by rules, or lets the small model choose them by number. */
  readonly compress: "rules" | "model";
  /**
   * Reaction to a model's sentence that fails its checks. `quotes`: quotes replace the sentence. `regenerate`: the model
   * rewrites the answer once, from that sentence on; if a sentence fails again, quotes replace it. Nothing after the first
   * fault is shown. `reject`: the answer is shown only if every sentence passes, otherwise `unreliable`.
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
  /**
   * Checks that withhold the whole answer if any sentence fails one, even a sentence that is not shown. Nothing is
   * shown before all checks have ended.
   */
  readonly withhold?: readonly string[];
  /** Effect on sentences without a citation. */
  readonly uncited: "remove" | "warn" | "allow";
  /**
   * Minimum similarity (on the scale of the model `of`) at which an uncited sentence gets a citation of the most
   * similar source, if that source supports it.
   */
  readonly uncitedSimilarity?: { readonly minimum: number; readonly of: string };
  /**
   * Effect of values that are not in the cited quotes, or that the quotes give for something else. The sentence is
   * removed, or the answer gets a warning.
   */
  readonly values: "remove" | "warn" | "off";
  /** Effect of names, table cells and pairs of values that do not agree with the cited quotes. */
  readonly claims: "remove" | "warn" | "off";
  /**
   * True to replace a citation that does not support its sentence by a source that does, and to cite an uncited
   * sentence if a source contains it.
   */
  readonly recite: boolean;
  /** Support scores below which a sentence is removed (`unsupported`; 0: never) or shown with a warning (`unclear`). `null`: not scored. */
  readonly support: { readonly unsupported: number; readonly unclear: number } | null;
  /** Only for `ablate`: shows citations of sources that do not exist, `flag` with a warning. Absent: removes them with a warning. */
  readonly nowhere?: "flag" | "leave";
  /** Effect on URLs of hosts that are not on the whitelist. */
  readonly urls: "remove" | "home-page" | "off";
  /** Minimum share of citations that support their sentence; an answer below it is flagged. */
  readonly verificationScore: number | null;
}

/** Effects of the guards, which check the text of an answer. */
export interface GuardSettings {
  /** Effect of personal data that neither a cited quote nor a contact of the domain publishes. */
  readonly pii: "remove" | "warn" | "off";
  /** Effect of another tenant's term, unless the answer also uses the corresponding term of the tenant who asks. */
  readonly terminology: "remove" | "warn" | "off";
  /** Effect of instructions from a document to the writing model, or of text that tries to trick the reader of the answer. */
  readonly injection: "remove" | "warn" | "off";
  /**
   * Flags an answer that is less similar to its question than `minimum`, on the scale of the model `of`. With the
   * embedded encoder, the minimum is `embedded`.
   */
  readonly relevancy: { readonly minimum: number; readonly of: string; readonly embedded: number } | null;
  /**
   * Flags an answer if the support by its passages is below `minimum`, with the embedded scorer. With a scorer whose id
   * contains `source.model` (lower case), the minimum is `source.minimum`.
   */
  readonly faithfulness: { readonly minimum: number; readonly source: { readonly model: string; readonly minimum: number } } | null;
  /** Flags an answer longer than `limit`. `tokens` counts only text that a model wrote; quotes have a limit of sentences instead. */
  readonly tokens: { readonly limit: number; readonly count: "tokens" | "characters/4" } | null;
}
