/** Highlighted and open citations, with the handlers for hover and click. */
export interface CitationLinks {
  readonly active: readonly number[];
  /** Citation whose passage is open. */
  readonly open: number | null;
  readonly onOpen: (n: number, from: HTMLElement) => void;
  readonly onPoint: (citations: readonly number[] | null) => void;
  readonly sourceId: (n: number) => string;
}
