import type { MatchSettings } from "../profiles/profile.ts";

/** How near a stored question is to the one asked. */
export interface MatchMeasures {
  /** Cosine of the two questions. */
  readonly cosine: number;
  /** Jaccard index of their entities; `null`: neither has any. */
  readonly entities: number | null;
  /** Jaccard index of the documents that retrieval finds for both; `null`: it found none for either. */
  readonly documents: number | null;
}

export interface MatchVerdict {
  readonly accepted: boolean;
  /** Orders those that are accepted; `null`: not scored. */
  readonly score: number | null;
  /** Name of the rule that decided. */
  readonly rule: string;
  /** One line for people. */
  readonly reason: string;
}

/** Decides whether the answer to one question is the answer to another. What it does not know is no match. */
export interface Matcher {
  /**
   * What is kept of a stored question for later comparison, as JSON text.
   * @param about titles, headings and quotes of its answer
   */
  describe(question: string, about: readonly string[]): string;
  judge(
    asked: string,
    stored: { readonly question: string; readonly slots: string | null },
    measures: MatchMeasures,
    settings: MatchSettings,
  ): MatchVerdict;
}

/** No two questions are the same. */
export const neverMatches: Matcher = {
  describe: () => "null",
  judge: () => ({ accepted: false, score: null, rule: "none", reason: "questions are not compared" }),
};
