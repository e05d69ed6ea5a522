import { findPersonalData, redactPersonalData } from "../guard/pii.ts";
import type { Answer, Evidence, Scope } from "../shared/types.ts";
import type { NamedDocument, RetrievedFor } from "../store/cache.ts";
import type { DocumentStore } from "../store/documents.ts";
import type { SourceNode } from "../store/graph.ts";
import { once } from "../text/memo.ts";

/**
 * Returns every document that an answer cites or mentions. Not even the title of a document may be served to a user who may
 * no longer see the document.
 */
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

/** Returns the distinct ids of all documents that an answer quotes or names. The answer may be new or read from the store. */
export function documentsIn(answer: Answer): string[] {
  return namedDocuments(answer).map(({ id }) => id);
}

/**
 * Returns a stored answer for a reviewer, without evidence from documents that are not visible in the scope today. Returns
 * `null` if the answer itself quotes or names such a document. Also returns `null` if a model wrote the answer and such a
 * document is among its evidence, because a model may repeat passages that it does not cite.
 */
export async function shownOf(answer: Answer, scope: Scope, { visible }: Pick<DocumentStore, "visible">): Promise<Answer | null> {
  const seen = await visible(scope, documentsIn(answer));
  const rests = answer.model === "extractive" ? namedBesideEvidence(answer).map(({ documentId }) => documentId) : documentsIn(answer);
  if (!rests.every((id) => seen.has(id))) return null;
  const evidence = answer.evidence.filter(({ passage }) => seen.has(passage.document.id));
  return evidence.length === answer.evidence.length ? answer : { ...answer, evidence };
}

/** Checks whether all of the documents are visible in the scope today. A deleted document is visible to nobody. */
export async function seesEvery(ids: readonly string[], scope: Scope, { visible }: Pick<DocumentStore, "visible">): Promise<boolean> {
  const seen = await visible(scope, ids);
  return ids.every((id) => seen.has(id));
}

/** Returns the distinct documents that an answer cites. */
export function citedSources({ citations }: Answer): SourceNode[] {
  const sources = new Map(
    citations.map(({ documentId, documentVersion, url, title }) => [documentId, { documentId, version: documentVersion, url, title }]),
  );
  return [...sources.values()];
}

/** Returns the documents and chunks of the retrieved passages, best first, and the chunks that the answer cites. */
export function retrievedFor({ evidence, citations }: Answer): RetrievedFor {
  const passages = evidence.map(({ passage }) => passage);
  return {
    documents: documentsOf(passages),
    chunks: passages.map(({ chunkId }) => chunkId),
    cited: [...new Set(citations.map(({ chunkId }) => chunkId))],
  };
}

/** Returns the distinct documents of passages, best first. */
export function documentsOf(passages: readonly { readonly document: { readonly id: string } }[]): string[] {
  return [...new Set(passages.map(({ document }) => document.id))];
}

/**
 * Returns an answer in the form in which it is stored. Removes the texts and document structures of passages, and personal
 * data that no cited quote contains. From a refusal, also removes words that redaction removed from the question.
 * @param question question, redacted for storage
 * @param hit cached answer that was served; its fields were redacted when it was stored
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
  const { twins: _, ...passage } = one.passage;
  const { reading: __, pages: ___, ...document } = passage.document;
  return { ...one, passage: { ...passage, text: "", units: [], document: { ...document, blocks: [], sourceMap: [] } } };
}

/** Fast test: a text without a match has no personal data. Every recognised kind contains a digit or the sign of an email address. */
const MAY_BE_PERSONAL = /[\p{Nd}@]|[[(]at[\])]/iu;

/** Redacts personal data in a text of an answer for storage. Keeps data that a cited quote contains. */
export function redactAnswered(text: string, answer: Pick<Answer, "citations">): string {
  return redactUnpublished(text, () => publishedIn(answer));
}

function publishedIn({ citations }: Pick<Answer, "citations">): string {
  return oneLine(citations.map(({ quote }) => quote).join("\n"));
}

/** Puts a text on one line. A quote may contain an address in several lines that a sentence writes in one line. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

/** Returns whether redaction would change a sentence of the answer. Such an answer is not served again. */
export function losesWords(answer: Pick<Answer, "sentences" | "citations">): boolean {
  return answer.sentences.some(({ text }) => redactAnswered(text, answer) !== text);
}

/** Redacts personal data that no cited quote contains. For example, a hotline number in a quote is public and stays. */
function redactUnpublished(text: string, published: () => string): string {
  if (!MAY_BE_PERSONAL.test(text)) return text;
  if (findPersonalData(text).every((one) => published().includes(oneLine(one.text)))) return text;
  return redactPersonalData(text);
}

/** Applies `change` to every string in a value. @param known objects that are left unchanged */
function mapStrings(value: unknown, change: (text: string) => string, known: ReadonlySet<unknown>): unknown {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null || known.has(value)) return value;
  if (Array.isArray(value)) return value.map((one) => mapStrings(one, change, known));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapStrings(one, change, known)]));
}
