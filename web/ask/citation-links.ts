/** Which citations are shown, and what happens when one is pointed at or opened. */
export interface CitationLinks {
  /** Citations to highlight. */
  readonly active: readonly number[];
  /** The citation whose passage is open. */
  readonly open: number | null;
  readonly onOpen: (n: number, from: HTMLElement) => void;
  readonly onPoint: (citations: readonly number[] | null) => void;
  readonly sourceId: (n: number) => string;
}
