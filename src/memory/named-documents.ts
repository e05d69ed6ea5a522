import { findPersonalData, redactPersonalData } from "../guard/pii.ts";
import type { Answer, Evidence, Passage, PassageDocument, Scope } from "../shared/types.ts";
import type { NamedDocument, RetrievedFor } from "../store/cache.ts";
import type { DocumentStore } from "../store/documents.ts";
import type { SourceNode } from "../store/graph.ts";
import { once } from "../text/memo.ts";

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

/**
 * An answer as it may be stored: without what only this process needs (passages carry whole document structures), without words of the
 * question that were redacted (a refusal names the words that no document holds), and without personal data that no cited quote holds.
 * @param hit the stored answer that was served: what is taken over from it was redacted when it was stored
 */
export function forStorage(answer: Answer, question: string, hit: Answer | null = null): Answer {
  const { citations, conflicts, seeAlso, refusal, web, id, sessionId: _, cached, ...rest } = answer;
  const evidence = answer.evidence === hit?.evidence ? hit.evidence : answer.evidence.map(withoutTexts);
  const nearest = refusal?.nearest.map((miss) => ({ ...miss, missing: miss.missing.filter((word) => question.includes(word)) })) ?? [];
  const published = once(() => publishedIn(answer));
  const own = { ...rest, question, evidence: [], refusal: refusal === null ? null : { ...refusal, nearest } };
  const known = new Set<unknown>(hit === null ? [] : Object.values(hit));
  const kept = mapStrings(own, (text) => redactUnpublished(text, published), known) as typeof own;
  const sources = { ...(seeAlso === undefined ? {} : { seeAlso }), ...(web === undefined ? {} : { web }) };
  const from = cached === undefined ? {} : { cached };
  return { ...kept, evidence, citations, conflicts, ...sources, ...from, id, sessionId: null };
}

function withoutTexts(one: Evidence): Evidence {
  return { ...one, passage: { ...withoutTwins(one.passage), text: "", units: [], document: withoutStructure(one.passage.document) } };
}

function withoutStructure({ reading: _, pages: __, ...document }: PassageDocument): PassageDocument {
  return { ...document, blocks: [], sourceMap: [] };
}

function withoutTwins({ twins: _, ...passage }: Passage): Passage {
  return passage;
}

/** Every kind of personal data that is recognised has a digit or the sign of a mail address. */
const MAY_BE_PERSONAL = /[\p{Nd}@]|[[(]at[\])]/iu;

/** A piece of an answer as it may be stored. */
export function redactAnswered(text: string, answer: Pick<Answer, "citations">): string {
  return redactUnpublished(text, () => publishedIn(answer));
}

function publishedIn({ citations }: Pick<Answer, "citations">): string {
  return oneLine(citations.map(({ quote }) => quote).join("\n"));
}

/** A source breaks an address into lines, a sentence does not. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

/** Would an answer be stored in other words than it was shown in? Such a one is not served again. */
export function losesWords(answer: Pick<Answer, "sentences" | "citations">): boolean {
  return answer.sentences.some(({ text }) => redactAnswered(text, answer) !== text);
}

/** The text without personal data, but for what the sources publish: a hotline's number is nobody's secret. */
function redactUnpublished(text: string, published: () => string): string {
  if (!MAY_BE_PERSONAL.test(text)) return text;
  if (findPersonalData(text).every((one) => published().includes(oneLine(one.text)))) return text;
  return redactPersonalData(text);
}

/** @param known objects that stay as they are */
function mapStrings(value: unknown, change: (text: string) => string, known: ReadonlySet<unknown>): unknown {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null || known.has(value)) return value;
  if (Array.isArray(value)) return value.map((one) => mapStrings(one, change, known));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapStrings(one, change, known)]));
}
