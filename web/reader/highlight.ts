/** A stretch that is marked, with what it is to whom. */
export interface Highlight {
  readonly start: number;
  readonly end: number;
  readonly type: "place" | "cited";
  readonly label: string;
  /** The question of this conversation whose answer quotes it; `null`: none. */
  readonly turn: number | null;
}
