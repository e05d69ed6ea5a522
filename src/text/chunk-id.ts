/** Id of a chunk: its document, the start of the document's version, its place. */
export function chunkId(documentId: string, version: string, ordinal: number): string {
  return `${documentId}-${version.slice(0, 8)}-${ordinal}`;
}

/** The document that a chunk belongs to, also when the chunk is gone. */
export function documentOfChunk(id: string): string {
  return id.replace(/-[^-]*-\d+$/, "");
}
