import type { ChatEvent } from "../models/chat.ts";
import type { DraftSentence, Quote } from "../shared/types.ts";
import { type MarkedText, parseMarkers } from "../text/markers.ts";
import { SENTENCE_MAX_CHARS, splitSentences } from "../text/sentences.ts";
import { nameCells, readCells } from "../text/units.ts";

/** Tokens by which chat templates mark turns: `<|im_end|>`, `</s>`, `<end_of_turn>`, `[/INST]`. Told by their shape: no document's prose has one. */
const TEMPLATE = /<[|｜][^<>\s]{1,40}[|｜]>|<\/?s>|<\/?[a-z]+(?:_[a-z]+)+>|\[\/?INST\]/i;
/** Leads a text before any word of it. */
const OPENING = new RegExp(`^(?:\\s*(?:${TEMPLATE.source}))+`, "i");
/** What stands before it was thought, not said: some models leave out where the thought began. */
const THOUGHT_END = /^[\s\S]*<\/think(?:ing)?>/i;
/** The end of a text that more text can turn into formatting, a token of a template, or a whole character. */
const MAY_GROW = /(?:\*+|<(?:[^\s<>]{0,41}|\/?[a-z0-9]{0,6}\s?\/?)|\[\/?[A-Z]{0,4}|[\uD800-\uDBFF])$/i;

/** Takes out what chat templates, thoughts and formatting add to an answer, however the stream is cut. */
function createDraftText() {
  let held = "";
  let begun = false;
  let ended = false;
  return {
    /** A token of the template has ended the answer; what follows is another turn, unless it proves to have been a thought. */
    get ended() {
      return ended;
    },
    /** Further text without formatting; `wasThought`: all text before it was a thought. @param last nothing follows: what could have grown is whole */
    take(more: string, last = false) {
      held += more;
      const sure = last ? held.length : held.length - (MAY_GROW.exec(held)?.[0].length ?? 0);
      let text = held.slice(0, sure);
      held = held.slice(sure);
      const thought = THOUGHT_END.exec(text)?.[0];
      if (thought !== undefined) {
        text = text.slice(thought.length);
        begun = false;
        ended = false;
      }
      if (ended) text = "";
      if (!begun) text = text.replace(OPENING, "");
      begun ||= text.trim() !== "";
      const end = text.search(TEMPLATE);
      if (end >= 0) {
        ended = true;
        text = text.slice(0, end);
      }
      return { text: plainText(text), wasThought: thought !== undefined };
    },
  };
}

/** A text without the formatting that models add unasked. */
function plainText(text: string): string {
  return text.replaceAll(/<\/?(?:p|br|ul|ol|li|h[1-6])\s?\/?>/gi, "\n").replaceAll(/<\/?(?:b|i|em|strong)>|\*\*|`/gi, "");
}

/** The line below a table's header: `|---|:--:|`. */
const RULE = /^(?=[^-]*-)[\s|:-]+$/;

/** Rows of a table that a model drew, as sentences by the header above them: no bar of a table reaches a reader, and no header passes for a sentence. */
function createDraftTable() {
  let waiting: string | null = null;
  let header: string | null = null;
  const end = () => {
    const left = waiting;
    waiting = null;
    header = null;
    return left === null ? [] : [readRow(left, null)];
  };
  return {
    /** Sentences that are whole now: a row waits for the line behind it, which tells whether it was the header. */
    take(line: string): string[] {
      if (RULE.test(line) && line.includes("|")) {
        header = waiting;
        waiting = null;
        return [];
      }
      if (!isRow(line)) return [...end(), line];
      const row = line.trim().replace(/^\|/, "").replace(/\|$/, "");
      if (header !== null) return [readRow(row, header)];
      const before = waiting;
      waiting = row;
      return before === null ? [] : [readRow(before, null)];
    },
    end,
  };
}

function isRow(line: string): boolean {
  return /^\s*\|.*\|/.test(line) || /\S \| \S/.test(line);
}

function readRow(row: string, header: string | null): string {
  const cells = header === null ? null : nameCells(header, row);
  if (cells !== null) return readCells(cells);
  return row
    .split("|")
    .map((cell) => cell.trim())
    .filter((cell) => cell !== "")
    .join("; ");
}

/** Characters of model output that are read; a draft that goes on is broken (endless repetition). */
export const MAX_DRAFT_CHARACTERS = 20_000;

/** What the model says when the quotes do not answer. */
const INSUFFICIENT = /^\W*INSUFFICIENT\b/;

export interface DraftUsage {
  inputTokens: number | null;
  outputTokens: number | null;
}

/** What a sentence that cites a number rests on; `null`: no source has the number. */
export type Cite = (text: string, number: number) => readonly Quote[] | null;

/** What a draft is read with. */
export interface DraftReading {
  /** The quotes behind a number for a sentence; `null`: no source has it. */
  readonly cite: Cite;
  /** Everything before was a thought: no sentence of it was an answer. */
  readonly onThought?: () => void;
}

/** The draft is not prose: what came before stands, nothing after it is read. */
export class DraftError extends Error {}

/** A draft whose last sentences, up to so many, came so many times in a row goes round in circles: nothing further is read. */
const CIRCLE_SENTENCES = 8;
const CIRCLE_ROUNDS = 3;
/** Characters behind a template's end that are read for the count of tokens, before the stream is left. */
const READ_BEHIND = 200;

/**
 * Sentences of a streamed draft, each once, as soon as it is whole with its citation markers, however the stream is cut into pieces.
 * The last one may lack its stop, but only when the stream ended by itself. A draft that repeats itself ends at its third round.
 * @param usage filled when the stream ends
 * @throws DraftError when the draft is markup or data, or does not end
 */
export async function* readDraft(
  stream: AsyncIterable<ChatEvent>,
  reading: DraftReading,
  usage: DraftUsage,
): AsyncGenerator<DraftSentence, void> {
  const text = createDraftText();
  const table = createDraftTable();
  const said: string[] = [];
  let pending = "";
  let read = 0;
  let behind = 0;
  function* take(more: string, last: boolean): Generator<DraftSentence, void> {
    const piece = text.take(more, last);
    if (piece.wasThought) {
      pending = "";
      said.length = 0;
      table.end();
      reading.onThought?.();
    }
    if (circles(said)) return;
    pending = setMarkersApart(pending + piece.text);
    for (;;) {
      const taken = takeSentence(pending, last || text.ended);
      if (taken === null) break;
      pending = taken.rest;
      for (const line of table.take(taken.sentence)) yield* toDraft(line, reading, said);
      if (circles(said)) return;
    }
    if (last) for (const line of table.end()) yield* toDraft(line, reading, said);
  }
  for await (const event of stream) {
    if (event.type === "end") {
      usage.inputTokens = event.inputTokens;
      usage.outputTokens = event.outputTokens;
      continue;
    }
    const room = MAX_DRAFT_CHARACTERS - read;
    read += event.text.length;
    behind = text.ended ? behind + event.text.length : 0;
    yield* take(event.text.slice(0, Math.max(0, room)), false);
    if (behind > READ_BEHIND || circles(said)) return;
    if (read > MAX_DRAFT_CHARACTERS) throw new DraftError(`the answer is longer than ${MAX_DRAFT_CHARACTERS} characters`);
  }
  yield* take("", true);
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
function takeSentence(text: string, ended: boolean): { sentence: string; rest: string } | null {
  const window = text.slice(0, SENTENCE_MAX_CHARS);
  const isLong = text.length > window.length;
  const [first, next] = splitSentences(window);
  if (first === undefined) return null;
  if (next === undefined) {
    if (isLong) throw new DraftError(`no sentence ends within ${SENTENCE_MAX_CHARS} characters`);
    return ended ? { sentence: text, rest: "" } : null;
  }
  const end = next.start + leadingMarkers(window.slice(next.start));
  const isSettled = (ended && !isLong) || (isWordWhole(window.slice(next.start)) && !mayBeMarker(window.slice(end)));
  if (isSettled) return { sentence: window.slice(0, first.end) + window.slice(next.start, end), rest: text.slice(end) };
  if (isLong) throw new DraftError(`no sentence ends within ${SENTENCE_MAX_CHARS} characters`);
  return null;
}

const MARKER_SHAPE = /^\s*(?:[[【]{1,2}[^[\]【】]{0,60}[\]】]{1,2}|[⁰¹²³⁴⁵⁶⁷⁸⁹]+)/;

/** Length of the citation markers with which a text begins, white space included: they belong to the sentence before. */
export function leadingMarkers(text: string): number {
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
  return /^\s*(?:[[【]{1,2}[^[\]【】]{0,60}|[[【]{2}[^[\]【】]{0,60}[\]】]|[⁰¹²³⁴⁵⁶⁷⁸⁹]*)$/.test(text);
}

/** Where a sentence ends depends on the word after it: it must have come whole. */
function isWordWhole(text: string): boolean {
  return /^[\p{L}\p{M}]*[^\p{L}\p{M}\p{Cs}]/u.test(text.replace(/^[("'“‘«[{]+/, ""));
}

/** A marker glued to a stop hides it. */
function setMarkersApart(text: string): string {
  return text.replaceAll(/([.!?…。！？])(?=[[【⁰¹²³⁴⁵⁶⁷⁸⁹])/g, "$1 ");
}

/** A list's or heading's mark at the beginning of a line. */
const LINE_MARK = /^\s*(?:#{1,6}|[-*•>–]|\d{1,2}[.)])\s+/;
/** What models say before they answer: the last word of the prompt once more, or that an answer comes. */
const ANSWER_LABEL = /^(?:(?:the|my|final|short)\s+){0,2}(?:answer|response|assistant)(?:\s+is)?\s*:\s+(?=\S)/i;
/** A tag, or a key of JSON. */
const MARKUP = /<\/?[a-z][a-z0-9-]*(?:[\s/>]|$)|^[\s{[]*"[^"]{1,60}"\s*:/i;

/** Did the same sentences come again and again at the end? */
function circles(said: readonly string[]): boolean {
  for (let length = 1; length <= CIRCLE_SENTENCES && length * CIRCLE_ROUNDS <= said.length; length++) {
    const from = said.length - length * CIRCLE_ROUNDS;
    const isRound = (i: number) => said[from + i] === said[from + (i % length)];
    if (Array.from({ length: length * CIRCLE_ROUNDS }, (_, i) => i).every(isRound)) return true;
  }
  return false;
}

function* toDraft(sentence: string, { cite }: DraftReading, said: string[]): Generator<DraftSentence, void> {
  if (MARKUP.test(sentence)) throw new DraftError("the answer is markup or data, not sentences");
  const { text, numbers } = withTrailingNumber(parseMarkers(sentence.trimStart().replace(LINE_MARK, "").replace(ANSWER_LABEL, "")), cite);
  if (text === "" || (numbers.length === 0 && !/\p{L}/u.test(text))) return;
  const isKnown = said.includes(text);
  said.push(text);
  if (isKnown) return;
  yield { text, quotes: numbers.flatMap((n) => cite(text, n) ?? []), missing: numbers.filter((n) => cite(text, n) === null) };
}

/** `… within one year (2).`: round brackets cite only at the end, where nothing else does, and where the source does not say them itself: "paragraph (2)". */
const TRAILING_NUMBER = /\s*\((\d{1,2}(?:\s*,\s*\d{1,2}){0,5})\)(?=[.!?]?$)/;

function withTrailingNumber(marked: MarkedText, cite: Cite): MarkedText {
  const found = marked.numbers.length > 0 ? null : TRAILING_NUMBER.exec(marked.text);
  if (found === null) return marked;
  const text = marked.text.replace(TRAILING_NUMBER, "");
  const numbers = (found[1] ?? "").split(",").map(Number);
  const cites = numbers.every((n) => cite(text, n)?.every((quote) => !quote.text.includes(`(${n})`)) === true);
  return cites ? { text, numbers } : marked;
}
