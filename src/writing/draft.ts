import type { ChatEvent } from "../models/chat.ts";
import type { DraftSentence, Quote } from "../shared/types.ts";
import { type MarkedText, parseMarkers } from "../text/markers.ts";
import { SENTENCE_MAX_CHARS, splitSentences } from "../text/sentences.ts";
import { isStopWord } from "../text/tokens.ts";
import { cellsOf, nameCells, readCells } from "../text/units.ts";
import { createReplyReader, DraftError, INSUFFICIENT } from "./prompt.ts";

/**
 * Matches tokens with which chat templates mark the turns of a conversation: `<|im_end|>`, `</s>`, `<end_of_turn>`,
 * `[/INST]`. Any token of such a form matches, because these forms do not occur in prose.
 */
const TEMPLATE = /<[|｜][^<>\s]{1,40}[|｜]>|<\/?s>|<\/?[a-z]+(?:_[a-z]+)+>|\[\/?INST\]/i;
/** Matches template tokens before the first word. */
const OPENING = new RegExp(`^(?:\\s*(?:${TEMPLATE.source}))+`, "i");
/** Matches reasoning text up to its end tag, e.g. `…</think>`. Some models omit the start tag. */
const THOUGHT_END = /^[\s\S]*<\/think(?:ing)?>/i;
/** Matches the start of formatting, of a template token or of a surrogate pair at the end of a text: the next text may complete it. */
const MAY_GROW = /(?:\*+|<(?:[^\s<>]{0,41}|\/?[a-z0-9]{0,6}\s?\/?)|\[\/?[A-Z]{0,4}|[\uD800-\uDBFF])$/i;

/** Returns a filter for streamed text. It removes template tokens, reasoning and formatting, even if the stream splits them. */
function createDraftText() {
  let held = "";
  let begun = false;
  let ended = false;
  return {
    /**
     * True after a template token that ends the answer. Later text is ignored, unless a reasoning end tag shows that all
     * text so far was reasoning.
     */
    get ended() {
      return ended;
    },
    /**
     * Adds text and returns the part that later text cannot change, without formatting. `wasThought`: true if a reasoning
     * end tag was found, so that all text returned before was reasoning.
     * @param last true if no more text follows
     */
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

/** Removes HTML tags, bold marks and backquotes. Block tags become line breaks. */
function plainText(text: string): string {
  return text.replaceAll(/<\/?(?:p|br|ul|ol|li|h[1-6])\s?\/?>/gi, "\n").replaceAll(/<\/?(?:b|i|em|strong)>|\*\*|`/gi, "");
}

/** Matches the line below a table's header: `|---|:--:|`. */
const RULE = /^(?=[^-]*-)[\s|:-]+$/;

/** Returns a converter of table rows into sentences with column names, because answers must not contain table markup. */
function createDraftTable() {
  let waiting: string | null = null;
  let header: string | null = null;
  const end = () => {
    const left = waiting === null ? [] : [readRow(waiting, null)];
    waiting = null;
    header = null;
    return left;
  };
  return {
    /** Adds a line and returns the sentences that are complete. A row waits for the next line, because it may be the header. */
    take(line: string): string[] {
      if (RULE.test(line) && line.includes("|")) {
        header = waiting;
        waiting = null;
        return [];
      }
      if (!isRow(line)) return [...end(), line];
      const row = line.trim().replace(/^\|/, "").replace(/\|$/, "");
      if (header !== null) return [readRow(row, header)];
      const before = end();
      waiting = row;
      return before;
    },
    end,
  };
}

function isRow(line: string): boolean {
  return /^\s*\|.*\|/.test(line) || /\S \| \S/.test(line);
}

function readRow(row: string, header: string | null): string {
  const named = header === null ? null : nameCells(header, row);
  return readCells(named ?? cellsOf(row).flatMap((text) => (text === "" ? [] : [{ name: "", text }])));
}

/** Maximum characters of model output. Longer output is usually a repetition. */
export const MAX_DRAFT_CHARACTERS = 20_000;

const SAYS_INSUFFICIENT = new RegExp(`^\\W*${INSUFFICIENT}\\b`);

export type DraftUsage = Record<"inputTokens" | "outputTokens", number | null>;

/** Returns the quotes that support `text` in the source with this citation number; `null`: no source has the number. */
export type Cite = (text: string, number: number) => readonly Quote[] | null;

export interface DraftReading {
  readonly cite: Cite;
  /** Called if all text so far turns out to be reasoning. */
  readonly onThought?: () => void;
}

/** A draft loops, and ends, if at most `CIRCLE_SENTENCES` sentences have occurred `CIRCLE_ROUNDS` times in a row in the same order. */
const CIRCLE_SENTENCES = 8;
const CIRCLE_ROUNDS = 3;
/** Maximum characters to read after the end token. Reading goes on because the token counts come last in the stream. */
const READ_BEHIND = 200;

/**
 * Yields each distinct sentence of a streamed draft as soon as the sentence and its citation markers are complete. A sentence
 * without markers waits for the next one, and takes its citations if both are in one paragraph: models often cite once, at the
 * end. The last sentence needs no full stop if the stream ended normally. A draft that loops ends after the third round.
 * @param usage receives the token counts at the end of the stream
 * @throws DraftError when the draft is markup or data, or is too long
 */
export async function* readDraft(
  stream: AsyncIterable<ChatEvent>,
  { cite, onThought }: DraftReading,
  usage: DraftUsage,
): AsyncGenerator<DraftSentence, void> {
  const reply = createReplyReader();
  const text = createDraftText();
  const table = createDraftTable();
  const said: string[] = [];
  const uncited: string[] = [];
  let [pending, read, behind] = ["", 0, 0];
  const release = (numbers: readonly number[] = []): DraftSentence[] =>
    uncited.splice(0).map((text) => {
      const quotes = numbers.flatMap((n) => cite(text, n) ?? []);
      return { text, quotes, missing: [], ...(quotes.length > 0 ? { inherits: true } : {}) };
    });
  function* add(line: string): Generator<DraftSentence, void> {
    const drafted = readSentence(line, cite, said);
    if (drafted === null) return;
    const { text, numbers } = drafted;
    if (numbers.length === 0 && !SAYS_INSUFFICIENT.test(text)) return void uncited.push(text);
    yield* release(numbers);
    yield { text, quotes: numbers.flatMap((n) => cite(text, n) ?? []), missing: numbers.filter((n) => cite(text, n) === null) };
  }
  function* take(more: string, last: boolean): Generator<DraftSentence, void> {
    const piece = text.take(reply.take(more, last), last);
    if (piece.wasThought) {
      pending = "";
      said.length = 0;
      uncited.length = 0;
      table.end();
      onThought?.();
    }
    if (circles(said)) return;
    pending = setMarkersApart(pending + piece.text);
    for (;;) {
      const taken = takeSentence(pending, last || text.ended);
      if (taken === null) break;
      pending = taken.rest;
      for (const line of table.take(taken.sentence)) yield* add(line);
      if (taken.endsParagraph) yield* release();
      if (circles(said)) return;
    }
    if (last) for (const line of table.end()) yield* add(line);
  }
  try {
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
      if (behind > READ_BEHIND || circles(said)) break;
      if (read > MAX_DRAFT_CHARACTERS) throw new DraftError(`the answer exceeds ${MAX_DRAFT_CHARACTERS} characters`);
    }
    if (behind <= READ_BEHIND && !circles(said)) yield* take("", true);
  } catch (error) {
    // Sentences before the fault are used.
    yield* release();
    throw error;
  }
  yield* release();
}

/** Returns whether this sentence is the model's reply that the sources do not answer. */
export function saysInsufficient({ text }: DraftSentence): boolean {
  return SAYS_INSUFFICIENT.test(text);
}

/** Matches the start of a sentence that refers to the sentence before it. */
const REFERS_BACK =
  /^\W*(?:(?:this|that|these|those|it|its|they|their|them|he|she|his|her|such|both|either|neither|the (?:same|former|latter)|otherwise|however|therefore|thus|hence|instead|then|so|but|and|or|yet|also|similarly|likewise|in (?:that|this|such)|for (?:this|that|example)|as a result)\b)/i;

export function refersBack({ text }: Pick<DraftSentence, "text">): boolean {
  return REFERS_BACK.test(text);
}

/**
 * Returns the first sentence with its citation markers. Returns `null` as long as further text may change them.
 * `endsParagraph`: a line ends after the sentence.
 */
function takeSentence(text: string, ended: boolean) {
  const window = text.slice(0, SENTENCE_MAX_CHARS);
  const isLong = text.length > window.length;
  const [first, next] = splitSentences(window);
  if (first === undefined) return null;
  if (next !== undefined) {
    const end = next.start + leadingMarkers(window.slice(next.start));
    const isSettled = (ended && !isLong) || (isWordWhole(window.slice(next.start)) && !mayBeMarker(window.slice(end)));
    const sentence = window.slice(0, first.end) + window.slice(next.start, end);
    if (isSettled) return { sentence, rest: text.slice(end), endsParagraph: window.slice(first.end, end).includes("\n") };
  }
  if (isLong) throw new DraftError(`no sentence ends within ${SENTENCE_MAX_CHARS} characters`);
  return ended ? { sentence: text, rest: "", endsParagraph: true } : null;
}

const MARKER_SHAPE = /^\s*(?:[[【]{1,2}[^[\]【】]{0,60}[\]】]{1,2}|[⁰¹²³⁴⁵⁶⁷⁸⁹]+)/;

/** Returns the length of the citation markers and white space at the start. These markers belong to the sentence before. */
export function leadingMarkers(text: string): number {
  let length = 0;
  for (;;) {
    const marker = MARKER_SHAPE.exec(text.slice(length))?.[0];
    if (marker === undefined || parseMarkers(marker).text !== "") break;
    length += marker.length;
  }
  return length === 0 ? 0 : length + (/^\s*/.exec(text.slice(length))?.[0].length ?? 0);
}

/** Returns whether the text is the start of a citation marker that further text may complete. */
function mayBeMarker(text: string): boolean {
  return /^\s*(?:[[【]{1,2}[^[\]【】]{0,60}|[[【]{2}[^[\]【】]{0,60}[\]】]|[⁰¹²³⁴⁵⁶⁷⁸⁹]*)$/.test(text);
}

/** Returns whether the first word is complete. The splitter needs this word to find the end of the sentence before it. */
function isWordWhole(text: string): boolean {
  return /^[\p{L}\p{M}]*[^\p{L}\p{M}\p{Cs}]/u.test(text.replace(/^[("'“‘«[{]+/, ""));
}

/** Inserts a space between a full stop and a citation marker. Without it, the splitter does not find the end of the sentence. */
function setMarkersApart(text: string): string {
  return text.replaceAll(/([.!?…。！？])(?=[[【⁰¹²³⁴⁵⁶⁷⁸⁹])/g, "$1 ");
}

/** Matches a list bullet, list number or heading mark at the start of a line. */
const LINE_MARK = /^\s*(?:#{1,6}|[-*•>–]|\d{1,2}[.)])\s+/;
/** Matches a label before the answer, such as "Answer:". */
const ANSWER_LABEL = /^(?:(?:the|my|final|short)\s+){0,2}(?:answer|response|assistant)(?:\s+is)?\s*:\s+(?=\S)/i;
/** Matches a markup tag or a JSON key. */
const MARKUP = /<\/?[a-z][a-z0-9-]*(?:[\s/>]|$)|^[\s{[]*"[^"]{1,60}"\s*:/i;

/** Returns whether the draft loops (see `CIRCLE_SENTENCES`). */
function circles(said: readonly string[]): boolean {
  for (let length = 1; length <= CIRCLE_SENTENCES && length * CIRCLE_ROUNDS <= said.length; length++) {
    const last = said.slice(-length * CIRCLE_ROUNDS);
    if (last.every((text, i) => text === last[i % length])) return true;
  }
  return false;
}

/** Reads a sentence and its citation numbers. Returns `null` if it says nothing, or if the draft already has it. */
function readSentence(sentence: string, cite: Cite, said: string[]): MarkedText | null {
  if (MARKUP.test(sentence)) throw new DraftError("the answer consists of markup or data instead of sentences");
  const line = sentence.trimStart().replace(LINE_MARK, "").replace(ANSWER_LABEL, "");
  const { text, numbers } = withTrailingNumber(parseMarkers(nameSources(line, cite)), cite);
  if (text === "" || (numbers.length === 0 && !/\p{L}/u.test(text))) return null;
  const isKnown = said.includes(text);
  said.push(text);
  return isKnown ? null : { text, numbers };
}

const MARK = /(?:[[【]{1,2}\s*(?:source\s+)?(\d{1,2})\s*[\]】]{1,2}|\(\s*source\s+(\d{1,2})\s*\)|\bsource\s+(\d{1,2})\b)/gi;
/** Matches one citation marker, or several joined by a comma, "and" or "or". */
const MARKS = new RegExp(`${MARK.source}(?:(?:\\s*,\\s*|\\s+(?:and|or)\\s+)${MARK.source})*`, "gi");

/**
 * Inserts the title of the source before a citation marker that stands for a noun: "From [1], it follows" → "From
 * “Title” [1], it follows". A marker after a content word, or at the end of a sentence, is a normal citation.
 */
function nameSources(line: string, cite: Cite): string {
  return line.replaceAll(MARKS, (run: string, ...rest) => {
    const at = rest.find((one) => typeof one === "number") as number;
    const [before, after] = [line.slice(0, at), line.slice(at + run.length)];
    const numbers = [...run.matchAll(MARK)].map((match) => Number(match[1] ?? match[2] ?? match[3]));
    const quotes = numbers.map((n) => cite(line, n)?.[0]);
    if (quotes.some((quote) => quote === undefined || quote.text.includes(run))) return run;
    const marks = numbers.map((n) => `[${n}]`);
    const isFollowed = /^[\s,]+[\p{Ll}\d]/u.test(after);
    const lastWord = /(\p{L}+)\s*$/u.exec(before)?.[1]?.toLowerCase();
    const isNoun = isFollowed && (lastWord === undefined ? before.trim() === "" : isStopWord(lastWord));
    if (!isNoun) return `${/^\bsource/i.test(run) && before !== "" ? " " : ""}${marks.join("")}`;
    let next = 0;
    return run.replaceAll(MARK, () => {
      const i = next++;
      return `“${quotes[i]?.passage.document.title}” ${marks[i]}`;
    });
  });
}

/**
 * Matches a number in round brackets at the end: `… within one year (2).`. It is a citation only if the sentence has no
 * other citation and the cited quotes do not contain "(2)".
 */
const TRAILING_NUMBER = /\s*\((\d{1,2}(?:\s*,\s*\d{1,2}){0,5})\)(?=[.!?]?$)/;

function withTrailingNumber(marked: MarkedText, cite: Cite): MarkedText {
  const found = marked.numbers.length > 0 ? null : TRAILING_NUMBER.exec(marked.text);
  if (found === null) return marked;
  const text = marked.text.replace(TRAILING_NUMBER, "");
  const numbers = (found[1] ?? "").split(",").map(Number);
  const cites = numbers.every((n) => cite(text, n)?.every((quote) => !quote.text.includes(`(${n})`)) === true);
  return cites ? { text, numbers } : marked;
}
