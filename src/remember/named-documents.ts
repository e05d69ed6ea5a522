import type { NamedDocument, RetrievedFor } from "../store/cached.ts";
import type { SourceNode } from "../store/graph.ts";
import { passageHash } from "../text/hash.ts";
import type { Answer } from "../types.ts";

/**
 * Every document that an answer names, also beside its citations: titles of documents that a reader may no longer see must not be served either.
 * Takes the answer as it was made, with the texts of its passages.
 */
export function namedDocuments({ citations, evidence, conflicts, seeAlso }: Answer): NamedDocument[] {
  const named = new Map<string, { version: string; passages: string[] }>();
  for (const { passage } of evidence) {
    const { id, version } = passage.document;
    const known = named.get(id) ?? { version, passages: [] };
    known.passages.push(passageHash(passage.text));
    named.set(id, known);
  }
  const others = [
    ...citations,
    ...citations.flatMap(({ alsoIn = [] }) => alsoIn),
    ...conflicts.flatMap(({ sides }) => sides),
    ...(seeAlso ? [seeAlso] : []),
  ];
  for (const { documentId, documentVersion } of others)
    if (!named.has(documentId)) named.set(documentId, { version: documentVersion, passages: [] });
  return [...named].map(([id, rest]) => ({ id, ...rest }));
}

/** The documents that an answer cites, each once. */
export function citedSources({ citations }: Answer): SourceNode[] {
  const sources = new Map(
    citations.map(({ documentId, documentVersion, url, title }) => [documentId, { documentId, version: documentVersion, url, title }]),
  );
  return [...sources.values()];
}

/** Documents of the passages that were found, best first, and the chunks that the answer cites. */
export function retrievedFor({ evidence, citations }: Answer): RetrievedFor {
  const passages = evidence.map(({ passage }) => passage);
  return {
    documents: documentsOf(passages),
    chunks: passages.map(({ chunkId }) => chunkId),
    cited: [...new Set(citations.map(({ chunkId }) => chunkId))],
  };
}

/** Documents of passages, each once, best first. */
export function documentsOf(passages: readonly { readonly document: { readonly id: string } }[]): string[] {
  return [...new Set(passages.map(({ document }) => document.id))];
}
