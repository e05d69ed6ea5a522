import type { NamedDocument, RetrievedFor } from "../store/cache.ts";
import type { DocumentStore } from "../store/documents.ts";
import type { SourceNode } from "../store/graph.ts";
import type { Answer, Scope } from "../types.ts";

/** Every document that an answer names, also beside its citations: titles of documents that a reader may no longer see must not be served either. */
export function namedDocuments(answer: Answer): NamedDocument[] {
  const named = new Map(answer.evidence.map(({ passage }) => [passage.document.id, passage.document.version]));
  for (const { documentId, documentVersion } of namedBesideEvidence(answer))
    if (!named.has(documentId)) named.set(documentId, documentVersion);
  return [...named].map(([id, version]) => ({ id, version }));
}

function namedBesideEvidence({ citations, conflicts, seeAlso, refusal }: Answer) {
  return [
    ...citations,
    ...citations.flatMap(({ alsoIn = [] }) => alsoIn),
    ...conflicts.flatMap(({ sides }) => sides),
    ...(seeAlso ? [seeAlso] : []),
    ...(refusal?.nearest ?? []),
  ];
}

/** Ids of every document that an answer quotes or names, each once; of a stored answer too. */
export function documentsIn(answer: Answer): string[] {
  const named = namedBesideEvidence(answer).map(({ documentId }) => documentId);
  return [...new Set([...named, ...answer.evidence.map(({ passage }) => passage.document.id)])];
}

/**
 * May a recorded answer be shown: does the scope see today every document that it quotes or names? The one rule for whatever gives out recorded text; what
 * rests on a document that is gone is shown to nobody.
 */
export async function mayBeShown(answer: Answer, scope: Scope, { visible }: Pick<DocumentStore, "visible">): Promise<boolean> {
  return seesEvery(documentsIn(answer), scope, { visible });
}

/**
 * What of a recorded answer a reviewer may see: all but passages of documents that the scope does not see today; `null` where it quotes or names one of these, or where
 * a model wrote, who may say of a passage what it does not cite.
 */
export async function shownOf(answer: Answer, scope: Scope, { visible }: Pick<DocumentStore, "visible">): Promise<Answer | null> {
  const seen = await visible(scope, documentsIn(answer));
  const rests = answer.model === "extractive" ? namedBesideEvidence(answer).map(({ documentId }) => documentId) : documentsIn(answer);
  if (!rests.every((id) => seen.has(id))) return null;
  const evidence = answer.evidence.filter(({ passage }) => seen.has(passage.document.id));
  return evidence.length === answer.evidence.length ? answer : { ...answer, evidence };
}

/** Does the scope see today each of the documents? */
export async function seesEvery(ids: readonly string[], scope: Scope, { visible }: Pick<DocumentStore, "visible">): Promise<boolean> {
  const seen = await visible(scope, ids);
  return ids.every((id) => seen.has(id));
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
