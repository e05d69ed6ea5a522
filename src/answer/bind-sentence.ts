import { type CheckContext, checkSentence } from "../check/check.ts";
import type { Finding } from "../check/finding.ts";
import { partOf, rangeAround } from "../retrieve/area.ts";
import { Bm25Index } from "../retrieve/bm25.ts";
import { placeWithin } from "../retrieve/clip.ts";
import { areaOf } from "../retrieve/retrieve.ts";
import { readPassage } from "../text/read-passage.ts";
import { createStemmer, tokenize } from "../text/tokens.ts";
import type { Area, Claim, Question, Quote, StoredDocument, Unit } from "../types.ts";
import { checking, toCitedQuote } from "./checking.ts";
import type { AnswerParts } from "./parts.ts";
import { searchedWithin } from "./searched-within.ts";

/** Quotes of one document that a sentence may rest on. */
const QUOTES_PER_DOCUMENT = 4;
/** Words of a sentence that a quote has in common with it if it says any of it: with one alone ("costs") it speaks of something else and lends a word. */
const WORDS_IN_COMMON = 2;

interface BoundSentence {
  readonly quotes: readonly Quote[];
  readonly results: readonly Finding[];
  readonly status: Claim["status"];
  readonly why: string;
}

type Bound = BoundSentence | { readonly reason: string };

/** What every check says of a sentence with these quotes. */
type CheckWith = (quotes: readonly Quote[]) => Promise<Bound>;

/** The fewest quotes of what a sentence cites with which every check passes, from within what the question was limited to. */
export async function bindSentence(
  text: string,
  numbers: readonly number[],
  documents: ReadonlyMap<number, StoredDocument>,
  question: Question,
  parts: AnswerParts,
): Promise<Bound> {
  if (numbers.length === 0) return { reason: "cites nothing: end it with [n]" };
  const missing = numbers.filter((n) => !documents.has(n));
  if (missing.length > 0) return { reason: `cites ${marked(missing)}, which is no document that the asker may see` };
  const cited = [...new Set(numbers.map((n) => documents.get(n) as StoredDocument))];
  const checkWith = checksOf(text, checking(question, parts));
  const bindIn = async (area: Area | null) => {
    const nearest = cited.map((document) => nearestQuotes(text, document, area));
    return { nearest, bound: await bindNearest(text, nearest, checkWith) };
  };
  const area = areaOf(question);
  const { nearest, bound } = await bindIn(area);
  if ("reason" in bound) {
    if (area === null) return bound;
    const isBorneElsewhere = !("reason" in (await bindIn(null)).bound);
    return { reason: limitedTo((await searchedWithin(question, parts.store)) ?? "", isBorneElsewhere ? null : bound.reason) };
  }
  const idle = cited.filter(({ id }) => !bound.quotes.some(({ passage }) => passage.document.id === id));
  const others = idle.map((document) => nearest[cited.indexOf(document)] ?? []);
  const both = await withOthers(bound, others, (quotes) => bindNearest(text, [quotes], checkWith), checkWith);
  if (both !== null) return both;
  const names = numbers.filter((n) => idle.includes(documents.get(n) as StoredDocument));
  return { reason: `${marked(names)} does not bear it, and the rest does: leave ${names.length === 1 ? "it" : "them"} out` };
}

/** Why nothing within what the question was limited to bears a sentence. @param reason `null`: something outside does */
function limitedTo(within: string, reason: string | null): string {
  if (reason !== null) return `${reason} (looked for in ${within} alone, which the question was limited to)`;
  return `what bears it stands outside ${within}, which the question was limited to: ask it without that limit and correct that answer`;
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

/** The nearest quotes of each document that say something of the sentence until every check passes, and of these the ones without which one would not. */
async function bindNearest(text: string, nearest: readonly (readonly Quote[])[], checkWith: CheckWith): Promise<Bound> {
  const words = new Set(tokenize(text));
  const telling = nearest.map((quotes) => quotes.filter((quote) => wordsInCommon(quote, words) >= WORDS_IN_COMMON));
  const tried = telling.some((quotes) => quotes.length > 0) ? telling : [nearest.flat().slice(0, 1)];
  let failed: Bound = { reason: "no passage of what it cites comes near it" };
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

/** Takes out each quote, the farthest first, without which every check passes as well: it bears nothing of the sentence. */
async function withoutIdle(bound: BoundSentence, checkWith: CheckWith): Promise<BoundSentence> {
  let kept = bound;
  for (const quote of [...bound.quotes].reverse()) {
    if (kept.quotes.length === 1) break;
    const fewer = await checkWith(kept.quotes.filter((one) => one !== quote));
    if (!("reason" in fewer)) kept = fewer;
  }
  return kept;
}

/** With the quotes of documents that bear the sentence by themselves as well; `null`: one of them does not. */
async function withOthers(
  bound: BoundSentence,
  others: readonly (readonly Quote[])[],
  bindAlone: CheckWith,
  checkWith: CheckWith,
): Promise<BoundSentence | null> {
  const quotes = [...bound.quotes];
  for (const nearest of others) {
    const alone = await bindAlone(nearest);
    if ("reason" in alone) return null;
    quotes.push(...alone.quotes);
  }
  if (others.length === 0) return bound;
  const all = await checkWith(quotes);
  return "reason" in all ? null : all;
}

/** Sentences, list items and rows of a document as far as they lie in the area, the one that says most of the text first. */
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
  const scores = { dense: null, bm25: null, fused: 0, cross: null, rerank: null };
  const passage = readPassage(document, { ...place, sid: "S1", chunkId: chunk.id, window, scores });
  if (passage === null) return null;
  const header = passage.units.find((one) => one.start === start)?.header ?? null;
  return { passage, start, end, text: document.text.slice(start, end), ...(header === null ? {} : { header }) };
}
