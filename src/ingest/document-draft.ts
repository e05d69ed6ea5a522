import { createWordTokens, type WordTokens } from "../text/word-tokens.ts";
import { type ChunkDraft, chunkDocument } from "./chunk.ts";
import type { Recogniser } from "./formats/pdf/recognise.ts";
import { type ParsedDocument, readDocuments } from "./parse.ts";

/** A document and its chunks, before it has an identity. */
export interface DocumentDraft extends ParsedDocument {
  readonly chunks: readonly ChunkDraft[];
}

/** Everything that a file's bytes say, ready to be stored. What is kept from one file to the next may be given. */
export async function draftDocuments(
  file: { readonly path: string; readonly bytes: Uint8Array },
  { words = createWordTokens(), recogniser = null }: { readonly words?: WordTokens; readonly recogniser?: Recogniser | null } = {},
): Promise<DocumentDraft[]> {
  return (await readDocuments(file, recogniser)).map((parsed) => ({ ...parsed, chunks: chunkDocument(parsed, { words }) }));
}
