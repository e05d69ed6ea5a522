import type { ChatEvent } from "../models/chat.ts";
import { SENTENCE_MAX_CHARS, splitSentences } from "../text/sentences.ts";
import type { DraftSentence, Quote } from "../types.ts";

/** Characters of model output that are read; a draft that goes on is broken (endless repetition). */
export const MAX_DRAFT_CHARACTERS = 20_000;

/** What the model says when the quotes do not answer. */
const INSUFFICIENT = /^\W*INSUFFICIENT\b/;

export interface DraftUsage {
  inputTokens: number | null;
  outputTokens: number | null;
}

/** Takes citation markers out of a text and says which numbers they name. */
export type ParseMarkers = (sentence: string) => { text: string; numbers: readonly number[] };

/** What a sentence that cites a number rests on; `null`: no source has the number. */
export type Cite = (text: string, number: number) => readonly Quote[] | null;

/** The draft is not prose: what came before stands, nothing after it is read. */
export class DraftError extends Error {}

/**
 * Sentences of a streamed draft, each as soon as it is whole with its citation markers, however the stream is cut into pieces.
 * The last one may lack its stop, but only when the stream ended by itself.
 * @param cite the quotes behind a number for a sentence; `null`: no source has it
 * @param usage filled when the stream ends
 * @throws DraftError when the draft is markup or data, or does not end
 */
export async function* readDraft(
  stream: AsyncIterable<ChatEvent>,
  cite: Cite,
  parseMarkers: ParseMarkers,
  usage: DraftUsage,
): AsyncGenerator<DraftSentence, void> {
  let pending = "";
  let held = "";
  let read = 0;
  for await (const event of stream) {
    if (event.type === "end") {
      usage.inputTokens = event.inputTokens;
      usage.outputTokens = event.outputTokens;
      continue;
    }
    held += event.text.slice(0, MAX_DRAFT_CHARACTERS - read);
    read += event.text.length;
    const sure = held.length - (MAY_GROW.exec(held)?.[0].length ?? 0);
    pending = setMarkersApart(pending + plainText(held.slice(0, sure)));
    held = held.slice(sure);
    for (let taken = takeSentence(pending, false, parseMarkers); taken !== null; taken = takeSentence(pending, false, parseMarkers)) {
      pending = taken.rest;
      yield* toDraft(taken.sentence, cite, parseMarkers);
    }
    if (read > MAX_DRAFT_CHARACTERS) throw new DraftError(`the answer is longer than ${MAX_DRAFT_CHARACTERS} characters`);
  }
  pending = setMarkersApart(pending + plainText(held));
  for (let taken = takeSentence(pending, true, parseMarkers); taken !== null; taken = takeSentence(pending, true, parseMarkers)) {
    pending = taken.rest;
    yield* toDraft(taken.sentence, cite, parseMarkers);
  }
}

/** Does the model say that the quotes do not answer? */
export function saysInsufficient({ text }: DraftSentence): boolean {
  return INSUFFICIENT.test(text);
}

/** Opens a sentence that says something else when the one before it is missing. */
const REFERS_BACK =
  /^\W*(?:(?:this|that|these|those|it|its|they|their|them|he|she|his|her|such|both|either|neither|the (?:same|former|latter)|otherwise|however|therefore|thus|hence|instead|then|so|but|and|or|yet|also|similarly|likewise|in (?:that|this|such)|for (?:this|that|example)|as a result)\b)/i;

/** Does a sentence lean on the one before it? A heuristic over its first words. */
export function refersBack({ text }: Pick<DraftSentence, "text">): boolean {
  return REFERS_BACK.test(text);
}

/** The first sentence of a text with the markers behind it, once no further text can change either; `null` until then. */
function takeSentence(text: string, ended: boolean, parseMarkers: ParseMarkers): { sentence: string; rest: string } | null {
  const window = text.slice(0, SENTENCE_MAX_CHARS);
  const isLong = text.length > window.length;
  const [first, next] = splitSentences(window);
  if (first === undefined) return null;
  if (next === undefined) {
    if (isLong) throw new DraftError(`no sentence ends within ${SENTENCE_MAX_CHARS} characters`);
    return ended ? { sentence: text, rest: "" } : null;
  }
  const end = next.start + leadingMarkers(window.slice(next.start), parseMarkers);
  const isSettled = (ended && !isLong) || (isWordWhole(window.slice(next.start)) && !mayBeMarker(window.slice(end)));
  if (isSettled) return { sentence: window.slice(0, first.end) + window.slice(next.start, end), rest: text.slice(end) };
  if (isLong) throw new DraftError(`no sentence ends within ${SENTENCE_MAX_CHARS} characters`);
  return null;
}

const MARKER_SHAPE = /^\s*(?:[[【][^[\]【】]{0,60}[\]】]|[⁰¹²³⁴⁵⁶⁷⁸⁹]+)/;

/** Length of the citation markers with which a text begins, white space included: they belong to the sentence before. */
export function leadingMarkers(text: string, parseMarkers: ParseMarkers): number {
  let length = 0;
  for (;;) {
    const marker = MARKER_SHAPE.exec(text.slice(length))?.[0];
    if (marker === undefined || parseMarkers(marker).text !== "") break;
    length += marker.length;
  }
  return length === 0 ? 0 : length + (/^\s*/.exec(text.slice(length))?.[0].length ?? 0);
}

/** Can more text still turn the beginning of this one into a marker? */
function mayBeMarker(text: string): boolean {
  return /^\s*(?:[[【][^[\]【】]{0,60}|[⁰¹²³⁴⁵⁶⁷⁸⁹]*)$/.test(text);
}

/** Where a sentence ends depends on the word after it: it must have come whole. */
function isWordWhole(text: string): boolean {
  return /^[\p{L}\p{M}]*[^\p{L}\p{M}\p{Cs}]/u.test(text.replace(/^[("'“‘«[{]+/, ""));
}

/** The end of a text that more text can turn into formatting, or into a whole character. */
const MAY_GROW = /(?:\*+|<\/?[a-z0-9]{0,6}\s?\/?|[\uD800-\uDBFF])$/i;

/** A text without the formatting that models add unasked. */
function plainText(text: string): string {
  return text.replaceAll(/<\/?(?:p|br|ul|ol|li|h[1-6])\s?\/?>/gi, "\n").replaceAll(/<\/?(?:b|i|em|strong)>|\*\*|`/gi, "");
}

/** A marker glued to a stop hides it. */
function setMarkersApart(text: string): string {
  return text.replaceAll(/([.!?…。！？])(?=[[【⁰¹²³⁴⁵⁶⁷⁸⁹])/g, "$1 ");
}

/** A list's or heading's mark at the beginning of a line. */
const LINE_MARK = /^\s*(?:#{1,6}|[-*•>–]|\d{1,2}[.)])\s+/;
/** A tag, or a key of JSON. */
const MARKUP = /<\/?[a-z][a-z0-9-]*(?:[\s/>]|$)|^[\s{[]*"[^"]{1,60}"\s*:/i;

function* toDraft(sentence: string, cite: Cite, parseMarkers: ParseMarkers): Generator<DraftSentence, void> {
  if (MARKUP.test(sentence)) throw new DraftError("the answer is markup or data, not sentences");
  const { text, numbers } = parseMarkers(sentence.replace(LINE_MARK, ""));
  if (text === "") return;
  yield { text, quotes: numbers.flatMap((n) => cite(text, n) ?? []), missing: numbers.filter((n) => cite(text, n) === null) };
}
