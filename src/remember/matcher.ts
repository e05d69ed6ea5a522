import type { MatchSettings } from "../profiles/profile.ts";
import type { RetrievedFor } from "../store/cache.ts";

/** The question that is asked, with what retrieval found for it, best first. */
export interface AskedQuestion {
  /** Misspelt words as they were read. */
  readonly question: string;
  /** As it was asked: a repair that makes anything exact of it shares nothing. */
  readonly written: string;
  readonly passages: readonly MatchPassage[];
}

export interface MatchPassage {
  readonly chunkId: string;
  readonly document: { readonly id: string; readonly title: string };
  readonly headingPath: readonly string[];
  readonly text: string;
}

/** A stored question with what was kept of it. */
export interface ComparedQuestion {
  readonly question: string;
  /** From `describe`. */
  readonly slots: string | null;
  /** Cosine of the two questions. */
  readonly cosine: number;
  /** What retrieval found for it, and what of it the answer cites. */
  readonly retrieved: RetrievedFor;
}

export interface MatchVerdict {
  readonly accepted: boolean;
  /** Not accepted, but a reading of both questions and the answer may outvote what speaks against it. */
  readonly soft: boolean;
  /** Orders those that are accepted; `null`: not scored. */
  readonly score: number | null;
  /** Entities of both, as a share of those of either; `null`: not compared. */
  readonly entities: number | null;
  /** What both find, as a share of what either finds; `null`: not compared. */
  readonly documents: number | null;
  /** Name of the rule that decided. */
  readonly rule: string;
  /** One line for people. */
  readonly reason: string;
}

/** Decides whether the answer to one question is the answer to another. What it does not know is no match. */
export interface Matcher {
  /**
   * What is kept of a stored question for later comparison, as JSON text.
   * @param about titles, headings, quotes and cited passages of its answer
   */
  describe(question: string, about: readonly string[]): string;
  /** What of a question is embedded. */
  textFor(question: string, settings: MatchSettings): string;
  /** Reads the question that is asked once; what comes back compares it with a stored one. */
  read(asked: AskedQuestion, settings: MatchSettings): (stored: ComparedQuestion) => MatchVerdict;
}
