import type { StoredDocument } from "../shared/types.ts";

/** Returns a document with one chunk per text and one window per sentence. */
export function windowedDocument(id: string, texts: readonly string[], over: Partial<StoredDocument> = {}): StoredDocument {
  const text = texts.join("\n");
  let at = 0;
  const chunks = texts.map((part, ordinal) => {
    const start = at;
    at += part.length + 1;
    const windows = [...part.matchAll(/[^.]+\.?/g)].map((match) => ({
      start: start + match.index,
      end: start + match.index + match[0].length,
      tokens: 8,
    }));
    return {
      id: `${id}-${ordinal}-${over.version ?? "v1"}`,
      documentId: id,
      ordinal,
      start,
      end: start + part.length,
      tokens: 8,
      headingPath: [],
      windows,
    };
  });
  return {
    id,
    domain: "d",
    tenant: null,
    access: "public",
    source: "s",
    path: `${id}.md`,
    title: "Page",
    description: null,
    url: null,
    asOf: null,
    authority: null,
    topic: null,
    subtopic: null,
    type: null,
    originalHash: "hash",
    version: "v1",
    normaliser: "1",
    text,
    blocks: [],
    units: [],
    sourceMap: [0, text.length, 0, text.length],
    chunks,
    ...over,
  };
}
