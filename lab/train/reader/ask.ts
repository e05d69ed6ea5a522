import type { Piece } from "./documents.ts";

/** A passage that is known to answer, or not to. */
export interface Known {
  readonly key: string;
  readonly answers: boolean;
  /** Answers in the passage, alternatives of each other; empty: not known where. */
  readonly spans: readonly (readonly [number, number])[];
  /** The whole passage is the answer (a section asked for by its heading). */
  readonly whole?: boolean;
}

/** A question of a set with what is known of its passages. */
export interface Ask {
  readonly set: string;
  readonly group: string;
  readonly split: "train" | "dev";
  readonly question: string;
  /** Only documents of this scope are searched; `null`: all of the set. */
  readonly scope: string | null;
  readonly known: readonly Known[];
  /** Passages that may answer though nobody marked them. */
  readonly maybe?: readonly string[];
  /** Wordings of the answer: what holds one and much of the question may answer too. */
  readonly wordings: readonly string[];
  /** How it came to be: as the set has it, reworded, or asked of a near twin. */
  readonly form: "plain" | "misspelt" | "lower" | "keywords" | "story" | "twin";
  /** The near twin that took the place of a name or number. */
  readonly twin?: string;
}

export interface SetDocument {
  readonly id: string;
  readonly title: string;
  readonly scope: string | null;
  readonly pieces: readonly Piece[];
}

export interface ReadSet {
  readonly name: string;
  readonly documents: readonly SetDocument[];
  readonly asks: readonly Ask[];
}
