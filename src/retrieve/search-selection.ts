import type { StoredDocument, TextRange } from "../types.ts";
import { Bm25Index } from "./bm25.ts";
import { type ClippedWindow, clipWindows } from "./clip.ts";
import { fuseMinMax, type Ranked } from "./fuse.ts";
import type { Candidate } from "./search-index.ts";
import type { WeightedTerm } from "./word-search.ts";

/** A document as far as its selection is looked at. */
export type SelectableDocument = Pick<StoredDocument, "id" | "version" | "title" | "text" | "units" | "chunks">;

export interface SelectionSearch {
  readonly terms: readonly (string | WeightedTerm)[];
  readonly vector: Float32Array | null;
  readonly bm25: boolean;
  readonly alpha: number;
  readonly beta: number;
  tokens(text: string): string[];
  /** Vectors of texts as the question's encoder makes them; asked only when there is a `vector`. */
  embed(texts: readonly string[]): Promise<Float32Array[]>;
}

/**
 * Ranks the parts of one document that were selected, as if nothing else existed: windows are clipped to whole sentences of the selection and
 * scored as clipped. No word outside scores, neither by its own frequency nor by how rare it makes others.
 */
export async function searchSelection(
  document: SelectableDocument,
  selection: readonly TextRange[],
  search: SelectionSearch,
): Promise<Candidate[]> {
  const windows = selection.flatMap((range) => clipWindows(document, range));
  const texts = windows.map(({ range }) => document.text.slice(range.start, range.end));
  const byWords = search.bm25 ? rankWords(texts, search) : [];
  const byVector = search.vector === null ? [] : rankVectors(await search.embed(texts), search.vector);
  const bestOf = new Map<string, ClippedWindow>();
  const dense = bestChunks(byVector, windows, bestOf);
  const bm25 = bestChunks(byWords, windows, bestOf);
  return fuseMinMax(dense, bm25, search).map(({ id, ...scores }) => {
    const { chunk, range } = bestOf.get(id) as ClippedWindow;
    return {
      documentId: document.id,
      version: document.version,
      chunk,
      window: range,
      title: document.title,
      text: document.text.slice(range.start, range.end),
      ...scores,
    };
  });
}

function rankWords(texts: readonly string[], { terms, tokens }: SelectionSearch): Ranked<number>[] {
  const index = new Bm25Index();
  for (const text of texts) index.add([{ tokens: tokens(text), weight: 1 }]);
  return index.search(terms, texts.length).map(({ slot, score }) => ({ id: slot, score }));
}

function rankVectors(vectors: readonly Float32Array[], question: Float32Array): Ranked<number>[] {
  const dot = (vector: Float32Array) => vector.reduce((sum, value, i) => sum + value * (question[i] as number), 0);
  return vectors.map((vector, id) => ({ id, score: dot(vector) })).sort((a, b) => b.score - a.score || a.id - b.id);
}

/** A chunk scores as its best window; the first ranking to name a chunk says which window is shown. */
function bestChunks(
  ranked: readonly Ranked<number>[],
  windows: readonly ClippedWindow[],
  bestOf: Map<string, ClippedWindow>,
): Ranked<string>[] {
  const found = new Map<string, number>();
  for (const { id, score } of ranked) {
    const window = windows[id] as ClippedWindow;
    if (found.has(window.chunk.id)) continue;
    found.set(window.chunk.id, score);
    if (!bestOf.has(window.chunk.id)) bestOf.set(window.chunk.id, window);
  }
  return [...found].map(([id, score]) => ({ id, score }));
}
