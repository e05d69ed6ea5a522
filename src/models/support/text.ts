import { splitSentences } from "../../text/sentences.ts";
import { isStopWord } from "../../text/tokens.ts";
import { type Amount, type DayPhrase, readAmounts, readDays } from "./amounts.ts";
import { CLAUSE_BREAKS, META_WORDS, NEGATIONS } from "./lexicon.ts";
import { type ReadRecord, type RecordLine, readRecord } from "./records.ts";
import type { SupportVocabulary } from "./vocabulary.ts";

export interface SupportToken {
  /** Lower case, without a possessive ending. */
  readonly text: string;
  readonly id: number;
  readonly stem: number;
  readonly start: number;
  readonly end: number;
  /** Carries a topic: no stop word, no number. */
  readonly content: boolean;
  readonly number: boolean;
  /** Begins with a capital and does not open the sentence. */
  readonly name: boolean;
  readonly capital: boolean;
  /** Stands within the reach of a negation before it: "no valet". */
  readonly negated: boolean;
  /** Is the subject of what is denied: "valet parking is not available". */
  readonly denied: boolean;
}

export interface SupportSentence {
  readonly tokens: readonly SupportToken[];
  /** Indexes of tokens with a comma, a bracket or the like before them. */
  readonly breaks: ReadonlySet<number>;
  readonly amounts: readonly Amount[];
  readonly days: readonly DayPhrase[];
  /** The line of a record that it was made from; `null` for prose. */
  readonly line: RecordLine | null;
}

const TOKEN = /\p{L}[\p{L}\p{M}]{0,40}(?:['’ʼ]\p{L}{1,6})?|\d{1,20}(?:[.,]\d{1,12}){0,6}/gu;
/** Tokens that a negation reaches at most. */
const REACH = 9;

/** One sentence as tokens and amounts. */
export function readSentence(text: string, vocabulary: SupportVocabulary, line: RecordLine | null = null): SupportSentence {
  const tokens: SupportToken[] = [];
  let left = line?.affirmed === false ? Number.POSITIVE_INFINITY : 0;
  let previousEnd = 0;
  const breaks = new Set<number>();
  for (const match of text.matchAll(TOKEN)) {
    const raw = match[0];
    const start = match.index;
    const plain = raw.toLowerCase().replaceAll(/[’ʼ]/g, "'");
    const word = plain.replace(/'s?$/, "").replaceAll("'", "");
    const number = /^\d/.test(word);
    if (left > 0 && Number.isFinite(left) && (/[;:.()]/.test(text.slice(previousEnd, start)) || CLAUSE_BREAKS.has(word))) left = 0;
    if (tokens.length > 0 && /[,;:()–—]|\s-/.test(text.slice(previousEnd, start))) breaks.add(tokens.length);
    const denies = NEGATIONS.has(word) || (word === "than" && tokens.at(-1)?.text === "rather");
    const content = !number && !denies && word.length > 1 && !isStopWord(word) && !META_WORDS.has(word);
    const id = vocabulary.idOf(word);
    const capital = /^\p{Lu}/u.test(raw);
    tokens.push({
      text: word,
      id,
      stem: vocabulary.stemOfWord(id),
      start,
      end: start + raw.length,
      content,
      number,
      name: capital && content && tokens.length > 0 && !/["“:•*-]\s*$/.test(text.slice(Math.max(0, start - 3), start)),
      capital,
      negated: left > 0,
      denied: false,
    });
    if (DENYING_PREDICATE.has(word)) denySubject(tokens, text);
    if (denies) left = Math.max(left, REACH);
    else if (left > 0) left--;
    previousEnd = start + raw.length;
  }
  return { tokens, breaks, amounts: readAmounts(text), days: readDays(text), line };
}

const DENYING_PREDICATE = new Set("not isnt arent wasnt werent unavailable".split(" "));
const PREDICATES = new Set(
  "is are was were be been has have had offers offer offered provides provide provided features includes available accepted accepts open serves".split(
    " ",
  ),
);

/** Marks the tokens from the last predicate or clause to the one before the denial at the end. */
function denySubject(tokens: SupportToken[], text: string): void {
  let at = tokens.length - 2;
  while (at >= 0 && PREDICATES.has((tokens[at] as SupportToken).text)) at--;
  for (; at >= 0; at--) {
    const token = tokens[at] as SupportToken;
    const next = tokens[at + 1] as SupportToken;
    if (PREDICATES.has(token.text) || CLAUSE_BREAKS.has(token.text) || /[;:.]/.test(text.slice(token.end, next.start))) return;
    tokens[at] = { ...token, denied: true };
  }
}

/** Evidence read once for all claims of an answer. */
export interface SupportEvidence {
  readonly sentences: readonly SupportSentence[];
  readonly records: readonly ReadRecord[];
  /** Distinct content words, by id. */
  readonly words: Int32Array;
  /** Per stem: places in order. */
  readonly places: ReadonlyMap<number, readonly Place[]>;
  /** Neighbouring words written as one. */
  readonly joined: ReadonlyMap<string, Place>;
  readonly bigrams: ReadonlySet<number>;
  readonly trigrams: ReadonlySet<string>;
  /** Lower-case words that stand there without a capital. */
  readonly lowercase: ReadonlySet<string>;
  readonly forms: ReadonlySet<string>;
  /** Per day of the week, from Monday: the times that stand beside it. */
  readonly hours: readonly ReadonlySet<number>[];
  readonly tokenCount: number;
  /** Unit vector of each sentence. */
  readonly vectors: readonly Float64Array[];
}

export interface Place {
  readonly sentence: number;
  readonly token: number;
}

/** Evidence of more sentences is cut: nobody cites so much. */
const MAX_SENTENCES = 1_500;

export function readEvidence(texts: readonly string[], vocabulary: SupportVocabulary): SupportEvidence {
  const sentences: SupportSentence[] = [];
  const records: ReadRecord[] = [];
  for (const text of texts) {
    const record = readRecord(text);
    if (record === null) addProse(text, null);
    else {
      records.push(record);
      for (const line of record.lines) addProse(line.text, line);
    }
  }
  function addProse(text: string, line: RecordLine | null): void {
    for (const { start, end } of splitSentences(text)) {
      if (sentences.length < MAX_SENTENCES) sentences.push(readSentence(text.slice(start, end), vocabulary, line));
    }
  }
  return index(sentences, records, vocabulary);
}

function index(sentences: readonly SupportSentence[], records: readonly ReadRecord[], vocabulary: SupportVocabulary): SupportEvidence {
  const words = new Set<number>();
  const places = new Map<number, Place[]>();
  const joined = new Map<string, Place>();
  const bigrams = new Set<number>();
  const trigrams = new Set<string>();
  const lowercase = new Set<string>();
  const forms = new Set<string>();
  const hours = Array.from({ length: 7 }, () => new Set<number>());
  let tokenCount = 0;
  sentences.forEach(({ tokens, amounts, days }, sentence) => {
    tokenCount += tokens.length;
    tokens.forEach((token, i) => {
      forms.add(token.text);
      if (!token.capital) lowercase.add(token.text);
      if (token.content) {
        words.add(token.id);
        const known = places.get(token.stem);
        if (known === undefined) places.set(token.stem, [{ sentence, token: i }]);
        else known.push({ sentence, token: i });
      }
      const next = tokens[i + 1];
      if (next === undefined) return;
      bigrams.add(pairKey(token.stem, next.stem));
      if (!token.number && !next.number) joined.set(token.text + next.text, { sentence, token: i });
      const third = tokens[i + 2];
      if (third !== undefined) trigrams.add(`${token.stem} ${next.stem} ${third.stem}`);
    });
    if (days.length > 0) addHours(amounts, days, hours);
  });
  return {
    sentences,
    records,
    words: Int32Array.from(words),
    places,
    joined,
    bigrams,
    trigrams,
    lowercase,
    forms,
    hours,
    tokenCount,
    vectors: sentences.map(({ tokens }) => vectorOf(tokens, vocabulary)),
  };
}

export function pairKey(one: number, other: number): number {
  return one * 1_048_576 + other;
}

/** Times go to the days that are named nearest to them. */
function addHours(amounts: readonly Amount[], days: readonly DayPhrase[], hours: readonly Set<number>[]): void {
  for (const amount of amounts) {
    if (amount.kind !== "time") continue;
    const nearest = nearestDays(amount, days);
    hours.forEach((times, day) => {
      if ((nearest & (1 << day)) !== 0) times.add(amount.number);
    });
  }
}

/** Days of the phrase that stands nearest to an amount, and of those listed right beside it. */
export function nearestDays(amount: Pick<Amount, "start" | "end">, days: readonly DayPhrase[]): number {
  const gap = (day: DayPhrase) => (day.start >= amount.end ? day.start - amount.end : amount.start - day.end);
  let best = -1;
  days.forEach((day, i) => {
    if (best < 0 || gap(day) < gap(days[best] as DayPhrase)) best = i;
  });
  if (best < 0) return 0;
  let bits = (days[best] as DayPhrase).days;
  for (let i = best + 1; i < days.length && (days[i] as DayPhrase).start - (days[i - 1] as DayPhrase).end <= 6; i++)
    bits |= (days[i] as DayPhrase).days;
  for (let i = best - 1; i >= 0 && (days[i + 1] as DayPhrase).start - (days[i] as DayPhrase).end <= 6; i--)
    bits |= (days[i] as DayPhrase).days;
  return bits;
}

/** Unit sum of the vectors of content words and numbers; zeros without any. */
export function vectorOf(tokens: readonly SupportToken[], vocabulary: SupportVocabulary): Float64Array {
  const sum = new Float64Array(vocabulary.dimensions);
  for (const { id, content, number } of tokens) if (content || number) vocabulary.addTo(sum, id, 1);
  let squares = 0;
  for (const value of sum) squares += value * value;
  if (squares > 0) {
    const factor = 1 / Math.sqrt(squares);
    for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) * factor;
  }
  return sum;
}
