import type { Piece } from "./documents.ts";

/** A passage known to answer or not to answer. */
export interface Known {
  readonly key: string;
  readonly answers: boolean;
  /** Alternative answers in the passage; empty: place not known. */
  readonly spans: readonly (readonly [number, number])[];
  /** The whole passage is the answer (a section asked for by its heading). */
  readonly whole?: boolean;
}

/** A question of a set with its labelled passages. */
export interface Ask {
  readonly set: string;
  readonly group: string;
  readonly split: "train" | "dev";
  readonly question: string;
  /** Restricts retrieval to documents of this scope; `null`: the whole set. */
  readonly scope: string | null;
  readonly known: readonly Known[];
  /** Unlabelled passages that may answer. */
  readonly maybe?: readonly string[];
  /** Texts of the answer: a passage with one of them and much of the question may answer too. */
  readonly wordings: readonly string[];
  /** Origin: as in the set, rephrased, or about a similar entity. */
  readonly form: "plain" | "misspelt" | "lower" | "keywords" | "story" | "twin";
  /** The similar name or number that replaced the original. */
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
