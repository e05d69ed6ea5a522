/** Which citation is highlighted and which is open, with the handlers for hover and click. */
export interface CitationLinks {
  readonly active: readonly number[];
  /** Number of the citation whose passage is open; `null`: none. */
  readonly open: number | null;
  readonly onOpen: (n: number, from: HTMLElement) => void;
  readonly onPoint: (citations: readonly number[] | null) => void;
  readonly sourceId: (n: number) => string;
}
