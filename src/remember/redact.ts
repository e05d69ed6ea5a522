import { findPersonalData, redactPersonalData } from "../guard/pii.ts";
import { once } from "../text/once.ts";
import type { Answer, Evidence, Passage, PassageDocument } from "../types.ts";

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
