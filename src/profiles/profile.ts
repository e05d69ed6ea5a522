/** Which stages run with which numbers. Profiles are data: every file in this folder exports one. */
export interface Profile {
  readonly name: string;
  readonly title: string;
  /** What it cannot run without. */
  readonly needs: readonly ("encoder" | "model")[];
  readonly retrieve: RetrieveSettings;
  readonly gate: GateSettings;
  /** Are passages compared with each other: consistency, agreement, conflicts? */
  readonly comparePassages: boolean;
  /**
   * What becomes of uncertain passages that were looked up on the web, where a search is configured. `decides`: confirmed ones are verified, contradicted ones
   * rejected. `attaches`: verdicts stay, and what the web said stands beside the answer. Absent: the web is not asked.
   */
  readonly web?: "decides" | "attaches";
  /**
   * Encoder on which the thresholds of gate and route were measured; with another one they are carried over by quantile. `null`: they are no cosines of
   * another model.
   */
  readonly thresholdsOf: string | null;
  readonly write: WriteSettings;
  readonly check: CheckSettings;
  /**
   * An answered question gets a diagnostic report below this confidence (a cosine on the scale of `thresholdsOf` where the gate goes by one), or with less
   * than this margin above the least that answers; `null`: only what is refused, and what checks find, is reported.
   */
  readonly lowConfidence: { readonly below: number } | { readonly margin: number } | null;
  /** What it says of every answer, metric by metric, without blocking any; absent: nothing. */
  readonly report?: readonly ReportMetric[];
  /** Turns of a session that are used. */
  readonly sessionTurns: number;
  /** Which caches it asks. */
  readonly caches: readonly ("exact" | "semantic" | "graph")[];
  /**
   * Whether a stored answer may be served for a question in other words: `always` where a source asks for it, `pack` only where the domain's pack says that it was
   * measured there (`semantic_cache`). On twenty collections that nothing was learned from two of three such hits were wrong (2026-11-25).
   */
  readonly rewordings: "always" | "pack";
  /** When a stored question is taken for the one asked; whatever it says, both must ask for the same (DESIGN.md, section 6). */
  readonly match: MatchSettings;
  /** Every rule of the source, and what became of it. */
  readonly rules: readonly SourceRule[];
}

export type MatchSettings =
  /** A learned score of cosine, entities and documents, at a threshold that is measured. */
  | { readonly type: "learned" }
  /** Every measure at least this; the weighted sum orders what is left. The cosine is one of the model `of`. */
  | { readonly type: "thresholds"; readonly of: string; readonly cosine: number; readonly entities: number; readonly documents: number };
/** Margin of the profiles whose source names none. Our choice: reports are for reading by people, and a question just above the line is the next one to fall. */
export const REPORT_MARGIN = 0.1;

/** A metric of a report, read from what a check found. */
export interface ReportMetric {
  /** Its name in the source. */
  readonly metric: string;
  /** Name of the check. */
  readonly check: string;
  readonly threshold: number | null;
}

export interface SourceRule {
  readonly rule: string;
  readonly state: "reproduced" | "corrected" | "not built" | "ours";
  readonly why: string;
}

/** Holds in every profile: no other check reads such a sentence, and nothing unchecked is shown. */
export const FOREIGN_LANGUAGE: SourceRule = {
  rule: "a sentence in another language than its sources is not shown",
  state: "ours",
  why: "its wording cannot be held against them; told by script and function words",
};

export interface RetrieveSettings {
  readonly dense: boolean;
  readonly bm25: boolean;
  /** Chunks asked of each ranking. */
  readonly candidates: number;
  /** What reorders the best of the fused ranking. `cross-encoder`: that of the hub, where it is installed; its score alone is the order. */
  readonly reranker: "cross-encoder" | "none";
  /** Chunks of the fused ranking that are reranked. */
  readonly rerank: number;
  /** Passages handed on. */
  readonly passages: number;
  /** How the two rankings become one. */
  readonly fusion: "min-max" | "rrf";
  /** Weights of min-max fusion. */
  readonly alpha: number;
  readonly beta: number;
  readonly query: QuerySettings;
  /** What makes two passages one: near-duplicate text that says the same in values, dates, polarity and names, or the bare cosine of their words. */
  readonly twins: "same-facts" | "cosine" | "off";
  /** Passages of one document that come before those of others; what is left over follows. `null`: as ranked. */
  readonly perDocument: number | null;
  /** Where many vectors are searched, where the records are in PostgreSQL and the configuration does not say. @default "process" */
  readonly vectors?: "process" | "pgvector";
}

/** How a question is read before it is searched. */
export interface QuerySettings {
  /** Words that only frame a question ("how long", "tell me about") are left out. */
  readonly frame: boolean;
  /** Words that no document holds are read as the nearest word of the corpus. */
  readonly repair: boolean;
  /** Abbreviations and synonyms of the domain pack are searched too. */
  readonly expand: boolean;
  /** Passages with a code of the question come first. */
  readonly codesFirst: boolean;
}

/** Questions are searched as they stand: none of the source designs reads them. */
export const PLAIN_QUERY: QuerySettings = { frame: false, repair: false, expand: false, codesFirst: false };

export type GateSettings =
  /** Ours: the confidence that the best candidate answers decides. By the chance of its best candidate a passage is `verified`, `uncertain` or rejected. */
  | { readonly type: "sufficiency"; readonly verified: number; readonly uncertain: number }
  /**
   * `seven-layer`: passages below `minimum` go; best below `weak` is flagged, below `veryWeak` refuses; below `warn` a prefix.
   * `veryWeak: null`: nothing refuses; where no passage reaches `minimum` all are used, flagged.
   */
  | {
      readonly type: "similarity";
      readonly minimum: number;
      readonly weak: number;
      readonly veryWeak: number | null;
      readonly warn: number;
    }
  /**
   * `spark`: `relevanceWeight·rel + crossWeight·cross`, per passage and on average of all that pass; the best `keep` of them are used. `learned`: its thresholds
   * carried over to sums in which the chance that a passage's best candidate answers stands for the cross-encoder.
   */
  | {
      readonly type: "guard";
      readonly relevanceWeight: number;
      readonly crossWeight: number;
      readonly perPassage: number;
      readonly aggregate: number;
      readonly keep: number;
      readonly learned: { readonly perPassage: number; readonly aggregate: number };
      /** What stands for the cross-encoder; the gate is given it with the thresholds that hold. @default "cross" */
      readonly by?: "cross" | "chance";
    }
  /** `vg-rag`: geometric mean of relevance, consistency, agreement. */
  | { readonly type: "v-score"; readonly verified: number; readonly rejected: number }
  /**
   * `book`: refuse when the best similarity is below `minimum`; with the encoder that ships when the best learned chance that a passage answers is below `chance`.
   * `by`: which of both `minimum` is compared with; the gate is given it with the threshold that holds. @default "cosine"
   */
  | { readonly type: "best-similarity"; readonly minimum: number; readonly chance: number; readonly by?: "cosine" | "chance" }
  | { readonly type: "none" };

export interface RouteSettings {
  /** Complex terms from which on a question is for the large model. */
  readonly complexTerms: number;
  /** More passages than this. */
  readonly passages: number;
  /** Mean similarity below this. */
  readonly meanSimilarity: number;
}

/** What a model that writes is given of the passages that may be used, always with title, headings and page. */
export type GivenSettings =
  /** Every passage whole. */
  | { readonly type: "passages" }
  /** Every passage, cut to what bears on the question and its neighbours. */
  | { readonly type: "trimmed" }
  /** At most this many quotes of so many tokens. */
  | { readonly type: "quotes"; readonly most: number; readonly tokens: number };

export interface WriteSettings {
  /** `model` falls back to quotes when the model fails. `auto`: the model where one is configured, else quotes. */
  readonly writer: "extractive" | "model" | "auto";
  readonly given: GivenSettings;
  /** Tokens of the whole prompt; a configured model may allow fewer. */
  readonly promptTokens: number;
  /** Further rules of its prompt, one line each. */
  readonly rules?: readonly string[];
  readonly temperature: number;
  /** Large model if any of these holds, or always the one that is named. */
  readonly route: RouteSettings | "small" | "large";
  /** Who picks the quotes for a model that writes: rules, or the small model, whose quotes must stand in the passages. */
  readonly compress: "rules" | "model";
  /**
   * When a sentence of a model does not stand up to its checks. `quotes`: it is left out, and quotes take its place. `regenerate`: nothing behind it is
   * shown, the model may write that part once more, then quotes. `reject`: nothing is shown until all of it stands, else `unreliable`.
   */
  readonly onFault: "quotes" | "regenerate" | "reject";
  /** Sentences of a `normal` and of a `more` answer built from quotes. */
  readonly sentences: { readonly normal: number; readonly more: number };
  readonly refusal: string;
  /** What is said when an answer was written but did not stand. */
  readonly unreliable: string;
}

export interface CheckSettings {
  /** Absent: `GUARDS`, the same for all. */
  readonly guards?: GuardSettings;
  /** Names of checks that withhold the whole answer when a sentence of it, shown or not, fails one: nothing is shown before all of it is checked. */
  readonly withhold?: readonly string[];
  /** Sentences without a citation: removed, warned about, or left. */
  readonly uncited: "remove" | "warn" | "allow";
  /** Similarity, on the scale of the model `of`, from which an uncited sentence is cited with the source that is nearest, if that bears it out. Absent: it is not looked for. */
  readonly uncitedSimilarity?: { readonly minimum: number; readonly of: string };
  /** Values that the cited quotes do not hold, or not of this: the sentence is removed, or the answer is warned about. */
  readonly values: "remove" | "warn" | "off";
  /** Names, cells and pairs of values that the cited quotes do not hold. */
  readonly claims: "remove" | "warn" | "off";
  /** Cite another source of the answer when it supports the sentence and the cited one does not; one that cites nothing, where the source says just that. */
  readonly recite: boolean;
  /** Support scores below which a sentence is removed (`unsupported`; 0: never), or shown with a warning (`unclear`). `null`: not scored. */
  readonly support: { readonly unsupported: number; readonly unclear: number } | null;
  /**
   * Citations that no source has are taken out, and it is said. Only the lower rungs of `ablate` do otherwise: `flag` shows them as written and warns,
   * `leave` says nothing.
   */
  readonly nowhere?: "flag" | "leave";
  /** URLs outside: removed, or replaced by the home page when the host is not on the whitelist. */
  readonly urls: "remove" | "home-page" | "off";
  /** Share of citations that support their sentence below which the answer is flagged. */
  readonly verificationScore: number | null;
}

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
