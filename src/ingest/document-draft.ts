import type { WordTokens } from "../text/token-counter.ts";
import { type ChunkDraft, chunkDocument } from "./chunk.ts";
import { type ParsedDocument, readDocuments } from "./parse.ts";

/** A document and its chunks, before it has an identity. */
export interface DocumentDraft extends ParsedDocument {
  readonly chunks: readonly ChunkDraft[];
}

/** Everything that a file's bytes say, ready to be stored. @param words of files that were read before */
export async function draftDocuments(
  file: { readonly path: string; readonly bytes: Uint8Array },
  words: WordTokens = new Map(),
): Promise<DocumentDraft[]> {
  return (await readDocuments(file)).map((parsed) => ({ ...parsed, chunks: chunkDocument(parsed, { words }) }));
}
