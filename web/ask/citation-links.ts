/** State and handlers that connect citation numbers with sources. `active`: numbers of the highlighted citations. */
export interface CitationLinks {
  readonly active: readonly number[];
  /** Number of the citation whose passage is open; `null`: none. */
  readonly open: number | null;
  readonly onOpen: (n: number, from: HTMLElement) => void;
  readonly onPoint: (citations: readonly number[] | null) => void;
  readonly sourceId: (n: number) => string;
}
