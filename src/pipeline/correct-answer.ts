import { type CheckContext, checkAnswer, checkSentence } from "../checks/check.ts";
import type { Finding } from "../checks/finding.ts";
import { redactAnswered } from "../memory/named-documents.ts";
import { Bm25Index } from "../retrieval/bm25.ts";
import { resolveFilters } from "../retrieval/filters.ts";
import { areaOf } from "../retrieval/retrieve.ts";
import { partOf, placeWithin, rangeAround } from "../retrieval/search-area.ts";
import { RequestError } from "../shared/errors.ts";
import type { Answer, Area, Claim, Question, Quote, StoredDocument, TextRange, Unit } from "../shared/types.ts";
import { type MarkedText, parseMarkers } from "../text/markers.ts";
import { splitSentences } from "../text/sentences.ts";
import { createStemmer, tokenize } from "../text/tokens.ts";
import { readPassage } from "../text/units.ts";
import { leadingMarkers } from "../writing/draft.ts";
import { createAnswerBuilder } from "../writing/quotes.ts";
import type { PipelineContext } from "./context.ts";
import { searchedWithin } from "./retrieve.ts";
import { checking, passesAgain, toCitedQuote } from "./write.ts";

/** Maximum length of an answer in characters, about 40 pages. */
export const MAX_ANSWER_CHARACTERS = 100_000;

/** Splits an answer into sentences. Citation markers after the full stop belong to the sentence before them. */
export function markedSentences(answer: string): TextRange[] {
  const ranges: { start: number; end: number }[] = [];
  for (const { start, end } of splitSentences(answer)) {
    const behind = leadingMarkers(answer.slice(start, end));
    const before = ranges.at(-1);
    if (before !== undefined) before.end = Math.max(before.end, start + behind);
    if (start + behind < end) ranges.push({ start: before === undefined ? start : start + behind, end });
  }
  return ranges;
}

/** Maximum number of quotes of one document to try for a sentence. */
const QUOTES_PER_DOCUMENT = 4;
/** Minimum number of words that a quote shares with a sentence. One shared word ("costs") is often coincidence. */
const WORDS_IN_COMMON = 2;

interface BoundSentence {
  readonly quotes: readonly Quote[];
  readonly results: readonly Finding[];
  readonly status: Claim["status"];
  readonly why: string;
}

type Bound = BoundSentence | { readonly reason: string };

/** Runs the checks on one sentence with the given quotes. */
type CheckWith = (quotes: readonly Quote[]) => Promise<Bound>;

/** Cited documents by number. */
type Documents = ReadonlyMap<number, StoredDocument>;

/** Finds a small set of quotes from the cited documents with which the sentence passes every check. The question's filters apply. */
async function bindSentence({ text, numbers }: MarkedText, documents: Documents, question: Question, context: PipelineContext) {
  if (numbers.length === 0) return { reason: "cites nothing: end it with a citation such as [1]" };
  const missing = numbers.filter((n) => !documents.has(n));
  if (missing.length > 0) return { reason: `cites ${marked(missing)}, which is not a document accessible to the asker` };
  const cited = [...new Set(numbers.map((n) => documents.get(n) as StoredDocument))];
  const checkWith = checksOf(text, checking(question, context));
  const bindIn = async (area: Area | null) => {
    const nearest = cited.map((document) => nearestQuotes(text, document, area));
    return { nearest, bound: await bindNearest(text, nearest, checkWith) };
  };
  const area = areaOf(question);
  const { nearest, bound } = await bindIn(area);
  if ("reason" in bound) {
    if (area === null) return bound;
    const within = (await searchedWithin(question, context.store)) ?? "";
    if ("reason" in (await bindIn(null)).bound)
      return { reason: `${bound.reason} (only ${within} was searched, because the question was limited to it)` };
    const reason = `the text that supports it is outside ${within}, to which the question was limited`;
    return { reason: `${reason}: ask the question without that limit and correct that answer` };
  }
  // Add quotes from the cited documents that are not quoted yet. Each must support the sentence alone, too.
  const idle = cited.filter(({ id }) => !bound.quotes.some(({ passage }) => passage.document.id === id));
  if (idle.length === 0) return bound;
  const alone = await Promise.all(idle.map((document) => bindNearest(text, [nearest[cited.indexOf(document)] ?? []], checkWith)));
  const others = alone.flatMap((one) => ("reason" in one ? [] : [one.quotes]));
  const all = others.length < idle.length ? null : await checkWith([...bound.quotes, ...others.flat()]);
  if (all !== null && !("reason" in all)) return all;
  const names = numbers.filter((n) => idle.includes(documents.get(n) as StoredDocument));
  return { reason: `${marked(names)} does not support it, while the other citations do: remove ${names.length === 1 ? "it" : "them"}` };
}

function marked(numbers: readonly number[]): string {
  return [...new Set(numbers)].map((n) => `[${n}]`).join("");
}

function checksOf(text: string, context: CheckContext): CheckWith {
  return async (quotes) => {
    const checked = await checkSentence({ text, cited: quotes.map(toCitedQuote) }, context);
    const found = checked.results.filter(({ verdict }) => verdict !== "pass");
    if (checked.kept && checked.text === text && found.length === 0)
      return { quotes, results: checked.results, status: checked.status, why: checked.reason };
    return { reason: found.length === 0 ? checked.reason : found.map((one) => `${one.name}: ${one.reason}`).join("; ") };
  };
}

/** Adds the most similar quotes of each document until the sentence passes every check, then removes quotes that no check needs. */
async function bindNearest(text: string, nearest: readonly (readonly Quote[])[], checkWith: CheckWith): Promise<Bound> {
  const words = new Set(tokenize(text));
  const telling = nearest.map((quotes) => quotes.filter((quote) => wordsInCommon(quote, words) >= WORDS_IN_COMMON));
  const tried = telling.some((quotes) => quotes.length > 0) ? telling : [nearest.flat().slice(0, 1)];
  let failed: Bound = { reason: "no passage of the cited documents says anything similar" };
  for (let count = 1; count <= Math.max(...tried.map(({ length }) => length)); count++) {
    const quotes = Array.from({ length: count }, (_, i) => tried.flatMap((one) => one[i] ?? [])).flat();
    const bound = await checkWith(quotes);
    if (!("reason" in bound)) return withoutIdle(bound, checkWith);
    failed = bound;
  }
  return failed;
}

function wordsInCommon({ text, header }: Quote, words: ReadonlySet<string>): number {
  const held = new Set(tokenize([header?.text ?? "", text].join("\n")));
  return [...words].filter((word) => held.has(word)).length;
}

/** Tries to remove each quote, the least similar first. Leaves a quote out if the sentence passes its checks without that quote. */
async function withoutIdle(bound: BoundSentence, checkWith: CheckWith): Promise<BoundSentence> {
  let kept = bound;
  for (const quote of [...bound.quotes].reverse()) {
    if (kept.quotes.length === 1) break;
    const fewer = await checkWith(kept.quotes.filter((one) => one !== quote));
    if (!("reason" in fewer)) kept = fewer;
  }
  return kept;
}

/** Returns the sentences, list items and rows of a document in `area` that match the text: one verbatim match, then the best by BM25. */
function nearestQuotes(text: string, document: StoredDocument, area: Area | null): Quote[] {
  const stem = createStemmer();
  const index = new Bm25Index();
  const part = area === null ? null : partOf(area, document);
  if (part === undefined) return [];
  const units = document.units.filter((unit) => unit.type !== "heading" && (part === null || rangeAround(part, unit) !== undefined));
  for (const unit of units) index.add([{ tokens: tokenize(document.text.slice(unit.start, unit.end), stem), weight: 1 }]);
  const said = (unit: Unit) => document.text.slice(unit.start, unit.end);
  const verbatim = units.filter((unit) => said(unit).includes(text));
  const near = index.search(tokenize(text, stem), QUOTES_PER_DOCUMENT, () => true).flatMap(({ slot }) => units[slot] ?? []);
  return [...new Set([...verbatim.slice(0, 1), ...near])].flatMap((unit) => toQuote(unit, document, area) ?? []);
}

function toQuote({ start, end }: Unit, document: StoredDocument, area: Area | null): Quote | null {
  const chunk = document.chunks.find((one) => one.start <= start && end <= one.end);
  const window = { start, end };
  const place = chunk === undefined ? null : placeWithin(area, document, { chunk, window });
  if (chunk === undefined || place === null) return null;
  const scores = { dense: null, bm25: null, fused: 0, cross: null };
  const passage = readPassage(document, { ...place, sid: "S1", chunkId: chunk.id, window, scores });
  if (passage === null) return null;
  const header = passage.units.find((one) => one.start === start)?.header ?? null;
  return { passage, start, end, text: document.text.slice(start, end), ...(header === null ? {} : { header }) };
}

/** A reviewer's replacement for an answer. */
export interface Correction {
  readonly id: string;
  readonly question: Question;
  /**
   * Sentences that each end in `[n]`. Optional last lines, such as `[1]: decision-reviews.md`, say which document a
   * number cites.
   */
  readonly text: string;
  /** Documents of the answer that is corrected, by number. Used for numbers that the text cites but does not define. */
  readonly cited: ReadonlyMap<number, string>;
}

/** A sentence that cannot be bound to quotes, with the reason. */
export interface UnboundSentence {
  readonly sentence: number;
  readonly text: string;
  readonly reason: string;
}

/** Maximum number of sentences in a correction. */
const MAX_SENTENCES = 40;
/** Matches a line that says which document a number cites: `[1]: decision-reviews.md` or `[1]: "Decision reviews"`. */
const DEFINITION = /^[ \t]*\[(\d{1,3})\]:[ \t]*"?(.+?)"?[ \t]*$/;

/**
 * Binds a reviewer's answer to quotes. Every sentence must cite existing documents that contain quotes which support
 * it, and it must pass every check. Otherwise the correction is rejected: every cache hit repeats the checks, so it
 * would never be served.
 * @throws RequestError `answer_empty`, `answer_too_long`, `answer_unbound` with every unbound sentence and its reason, `answer_ambiguous`,
 * `unknown_document`
 */
export async function bindCorrection({ id, question, text, cited }: Correction, context: PipelineContext): Promise<Answer> {
  const { body, names } = readDefinitions(text);
  if (!/[\p{L}\p{N}]/u.test(body)) {
    const message = "The correction contains no words. Write an answer whose sentences end with sources such as [1].";
    throw new RequestError("answer_empty", message);
  }
  if (text.length > MAX_ANSWER_CHARACTERS) {
    const message = `The correction has ${text.length} characters; the limit is ${MAX_ANSWER_CHARACTERS}. Shorten it.`;
    throw new RequestError("answer_too_long", message, { characters: text.length, limit: MAX_ANSWER_CHARACTERS });
  }
  const documents = await citedDocuments(names, cited, question, context);
  const sheet = createAnswerBuilder();
  const claims: Claim[] = [];
  const checks: Answer["checks"][number][] = [];
  const faults: UnboundSentence[] = [];
  const written = markedSentences(body).map(({ start, end }) => parseMarkers(body.slice(start, end)));
  const sentences = written.filter((one) => /[\p{L}\p{N}]/u.test(one.text));
  if (sentences.length > MAX_SENTENCES) {
    const message = `The correction has ${sentences.length} sentences; the limit is ${MAX_SENTENCES}. Shorten it.`;
    throw new RequestError("answer_too_long", message);
  }
  for (const [i, sentence] of sentences.entries()) {
    const bound = await bindSentence(sentence, documents, question, context);
    if ("reason" in bound) {
      faults.push({ sentence: i + 1, text: sentence.text, reason: bound.reason });
      continue;
    }
    const shown = sheet.add(sentence.text, bound.quotes);
    const { citations } = shown.sentence;
    claims.push({ sentence: shown.index, text: sentence.text, status: bound.status, citations, reason: bound.why });
    checks.push(...bound.results.map((result) => ({ ...result, sentence: shown.index })));
  }
  if (faults.length > 0) throw unbound(faults);
  const whole = checkAnswer(sheet.sentences, claims, context.profile.check);
  const { sentences: shown, citations } = sheet;
  const answer: Answer = {
    ...{ id, status: "ok", question: question.text, domain: question.scope.domain, profile: question.profile },
    ...{ sentences: shown, confidence: null, confidenceCalibrated: false, claims, citations },
    ...{ seeAlso: null, evidence: [], conflicts: [], checks: [...checks, ...whole], warnings: [], refusal: null, cacheMode: "curated" },
    tokenUsage: { compression: 0, verification: 0, answer: 0, total: 0 },
    ...{ costUsd: 0, calls: [], timings: {}, latencyMs: 0, model: "reviewer", sessionId: null },
  };
  await assertServable(answer, question, context);
  return answer;
}

function readDefinitions(text: string): { body: string; names: Map<number, string> } {
  const names = new Map<number, string>();
  const lines = text.split(/\r?\n/).filter((line) => {
    const found = DEFINITION.exec(line);
    if (found?.[1] !== undefined && found[2] !== undefined) names.set(Number(found[1]), found[2]);
    return found === null;
  });
  return { body: lines.join("\n").trim(), names };
}

type Names = ReadonlyMap<number, string>;

/** Loads the cited documents that the asker may see. */
async function citedDocuments(names: Names, cited: Names, { scope }: Question, { store }: PipelineContext): Promise<Documents> {
  const ids = new Map(cited);
  const outlines = names.size === 0 ? [] : await store.documents.outlines(scope);
  for (const [n, name] of names) {
    const none = { document: name, chapter: null, section: null, pages: null };
    const [first, ...others] = [...resolveFilters(none, outlines).area.keys()];
    if (first === undefined) throw new RequestError("unknown_document", "This domain has no documents yet. Ingest some first.");
    if (others.length > 0) {
      const message = `"${name}", which [${n}] names, matches ${others.length + 1} documents. Give the path of one of them instead.`;
      throw new RequestError("answer_ambiguous", message);
    }
    ids.set(n, first);
  }
  const loaded = await store.documents.load(scope, [...new Set(ids.values())]);
  return new Map([...ids].flatMap(([n, id]) => (loaded.has(id) ? [[n, loaded.get(id) as StoredDocument] as const] : [])));
}

/** Runs the checks that every cache hit repeats, because a correction that fails them would never be served. */
async function assertServable(answer: Answer, question: Question, context: PipelineContext): Promise<void> {
  const faults: UnboundSentence[] = answer.sentences.flatMap(({ text }, i) =>
    redactAnswered(text, answer) === text ? [] : [{ sentence: i + 1, text, reason: "contains personal data that no source publishes" }],
  );
  const found = answer.checks.find(({ verdict }) => verdict !== "pass");
  if (found !== undefined) faults.push({ sentence: 0, text: "the answer as a whole", reason: `${found.name}: ${found.reason}` });
  if (faults.length === 0 && !(await passesAgain(answer, checking(question, context)))) {
    const reason = "it fails the checks together with the quotes that were found for it";
    faults.push({ sentence: 0, text: "the answer as a whole", reason });
  }
  if (faults.length > 0) throw unbound(faults);
}

function unbound(faults: readonly UnboundSentence[]): RequestError {
  const listed = faults.map(({ sentence, text, reason }) => (sentence === 0 ? `${text}: ${reason}` : `${sentence}. "${text}": ${reason}`));
  const message = `The correction was not saved, because its sources do not support every sentence: ${listed.join(" | ")}`;
  return new RequestError("answer_unbound", message, { sentences: faults });
}
