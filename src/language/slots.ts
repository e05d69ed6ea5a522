import type { TextRange } from "../shared/types.ts";
import { isStopWord } from "../text/tokens.ts";
import { turnsSense } from "./content-words.ts";
import { type AskedKind, readAsked } from "./question.ts";
import { isAboutSomebodyElse, type QuestionShape, readShape } from "./question-shape.ts";
import type { PhraseSense, SlotVocabulary, Token } from "./slot-vocabulary.ts";
import { type ExactValue, valuesIn } from "./values.ts";

/**
 * The facts that two questions must share to have the same answer. Plain JSON, computed once per question and compared
 * often.
 */
export interface Slots {
  /** Kind of answer asked for. */
  readonly asks: AskedKind;
  /** Values with their units. Forms and codes count; digits inside a known name do not. */
  readonly values: readonly SlotValue[];
  /** Matches of the domain's entity patterns: `va_form 21-526ez`. */
  readonly codes: readonly string[];
  /** Persons that the question is about, except those whom every question of the domain is about. */
  readonly persons: readonly string[];
  readonly branches: readonly string[];
  readonly places: readonly string[];
  readonly abroad: boolean;
  /** "today", "next month", "sunday". */
  readonly periods: readonly string[];
  readonly negations: number;
  /** Words and names that carry the topic. */
  readonly terms: readonly SlotTerm[];
  /** All words in order, normalised. If two questions differ in one of these alone, the difference is intended. */
  readonly frame: readonly string[];
  /** What the word order says. */
  readonly shape: QuestionShape;
  /**
   * The question with names spelled out and one word per synonym group. This text is embedded, so that paraphrases get
   * similar vectors.
   */
  readonly canonical: string;
}

export interface SlotValue extends ExactValue {
  /** "after 2013", "before age 57". */
  readonly side: "after" | "before" | "";
}

export interface SlotTerm {
  /** Equal for forms of one word and for spellings of one name. */
  readonly key: string;
  /** As written, in lower case. */
  readonly text: string;
  readonly kind: "name" | "word";
  /** Synonym groups that contain the term, strongest first: `d` of the domain, `g` general, `w` of the dictionary. */
  readonly groups: readonly string[];
  /** Pairs of opposites: `o3+` excludes `o3-`. */
  readonly sides: readonly string[];
  /** Stems of the words in a name or phrase, one list for each way to write it. */
  readonly parts: readonly (readonly string[])[];
  readonly negated: boolean;
  /** True if a dictionary or the domain contains the word. */
  readonly known: boolean;
  /** Weight of the term: low for common words, highest for names. */
  readonly weight: number;
}

/** Maximum number of characters to read. Longer questions are noise. */
const MAX_CHARACTERS = 1000;
/** Number of content words in the scope of a negation. */
const NEGATION_REACH = 3;
/** Number of characters before a value to search for its side ("after", "before"). */
const SIDE_REACH = 32;
/** Ordinals in words and digits. */
const ORDINALS: ReadonlyMap<string, number> = new Map(
  "first second third fourth fifth sixth seventh eighth ninth tenth"
    .split(" ")
    .flatMap((word, i) => [[word, i + 1] as const, [`${i + 1}${["st", "nd", "rd"][i] ?? "th"}`, i + 1] as const]),
);
const WEIGHTS = { home: 0.2, common: 1, known: 1.5, name: 2 } as const;

const AFTER =
  /\b(?:after|since|over|past|older than|more than|later than|following|starting|at least|above|turned)\s(?:the\s|age\s|age of\s|reaching\s|turning\s)*$/;
const BEFORE = /\b(?:before|until|till|under|by|prior to|younger than|less than|earlier than|up to|below)\s(?:the\s|age\s|age of\s)*$/;

/** Extracts the slots of a question. */
export function readSlots(question: string, vocabulary: SlotVocabulary): Slots {
  const text = question.slice(0, MAX_CHARACTERS).replaceAll(/[’‘ʼ]/g, "'");
  const read = readTokens(vocabulary.tokens(text), vocabulary);
  const plain = text.toLowerCase();
  const codes = new Set<string>();
  for (const { type, pattern, canonical } of vocabulary.entities) {
    for (const match of text.matchAll(pattern)) {
      if (/\d/.test(match[0])) codes.add(`${type} ${fill(canonical, match)}`.toLowerCase());
    }
  }
  const found = valuesIn(text).filter(({ start, end }) => !read.masked.some((range) => range.start < end && start < range.end));
  const values = found.map(({ start, end: _end, ...value }): SlotValue => {
    const before = plain.slice(Math.max(0, start - SIDE_REACH), start);
    return { ...value, side: AFTER.test(before) ? "after" : BEFORE.test(before) ? "before" : "" };
  });
  // Numbers and their units are values, not words.
  const inValue = (token: Token) => found.some(({ start, end }) => start <= token.start && token.end <= end);
  const { terms: words, frame, negations } = collectTerms(read.pieces, vocabulary, inValue);
  const terms = [...words, ...unreadDigits(text, [...found, ...read.masked], read.pieces, vocabulary)];
  return {
    asks: readAsked(text),
    values,
    codes: [...codes].sort(),
    persons: isAboutSomebodyElse(text, vocabulary.anyPerson) ? ["somebody else"] : narrowest(read.persons, vocabulary),
    branches: [...read.branches].sort(),
    places: [...read.places].sort(),
    abroad: read.abroad,
    periods: [...read.periods].sort(),
    negations,
    terms,
    frame,
    shape: readShape({ text, frame, home: vocabulary.home, readers: vocabulary.readers.stems }),
    canonical: canonicalOf(read.pieces, vocabulary),
  };
}

function canonicalOf(pieces: readonly Piece[], vocabulary: SlotVocabulary): string {
  return pieces
    .map(({ tokens, senses }) => {
      const sense = senses.find(({ kind }) => kind === "name") ?? senses[0];
      if (sense?.kind === "empty") return "";
      if (sense?.kind === "name") return vocabulary.spelledOut(sense.id);
      if (sense !== undefined && sense.kind !== "group") return sense.id.replace(/^country /, "");
      return vocabulary.standsFor(tokens.map(({ stem }) => stem).join(" ")) ?? tokens.map(({ text }) => text).join(" ");
    })
    .filter((text) => text !== "")
    .join(" ");
}

/** Returns the keys of terms in titles, headings and quotes: what a stored answer is about. */
export function readAbout(texts: readonly string[], vocabulary: SlotVocabulary): string[] {
  const keys = new Set<string>();
  for (const text of texts) {
    const { pieces } = readTokens(vocabulary.tokens(text), vocabulary);
    for (const { tokens, senses } of pieces) {
      for (const { id, kind } of senses) if (kind !== "empty") keys.add(id);
      for (const { stem, text: word } of tokens) if (!isStopWord(word)) keys.add(stem);
    }
  }
  return [...keys].sort();
}

interface Piece {
  readonly tokens: readonly Token[];
  readonly senses: readonly PhraseSense[];
}

interface ReadTokens {
  readonly pieces: readonly Piece[];
  readonly persons: ReadonlySet<string>;
  readonly branches: ReadonlySet<string>;
  readonly places: ReadonlySet<string>;
  readonly periods: ReadonlySet<string>;
  readonly abroad: boolean;
  /** Ranges of names with digits. No value is extracted from them. */
  readonly masked: readonly { readonly start: number; readonly end: number }[];
}

/** Splits tokens into the longest known phrases. */
function readTokens(tokens: readonly Token[], vocabulary: SlotVocabulary): ReadTokens {
  const pieces: Piece[] = [];
  const [persons, branches, places, periods] = [new Set<string>(), new Set<string>(), new Set<string>(), new Set<string>()];
  const masked: { start: number; end: number }[] = [];
  let abroad = false;
  const stems = tokens.map(({ stem }) => stem);
  for (let at = 0; at < tokens.length; ) {
    let length = Math.min(vocabulary.longest, tokens.length - at);
    let senses: readonly PhraseSense[] | undefined;
    for (; length > 0; length--) {
      senses = vocabulary.phrases.get(stems.slice(at, at + length).join(" "));
      if (senses !== undefined) break;
    }
    const size = Math.max(1, length);
    const said = tokens.slice(at, at + size);
    const isWritten =
      said.length > 1 || said.some(({ text }) => [text, text.replace(/(?:'s|s'?)$/, "")].some((word) => vocabulary.exactWords.has(word)));
    senses = senses?.filter(({ kind }) => (kind !== "person" && kind !== "place") || isWritten);
    pieces.push({ tokens: said, senses: senses ?? [] });
    for (const { kind, id } of senses ?? []) {
      if (kind === "person") persons.add(id);
      else if (kind === "branch") branches.add(id);
      else if (kind === "place") places.add(id);
      else if (kind === "period") periods.add(id);
      else if (kind === "abroad") abroad = true;
    }
    if (senses?.some(({ kind }) => kind === "name" || kind === "group") && said.some((token) => /\d/.test(token.text)))
      masked.push({ start: (said[0] as Token).start, end: (said.at(-1) as Token).end });
    at += size;
  }
  return { pieces, persons, branches, places, periods, abroad, masked };
}

function collectTerms(pieces: readonly Piece[], vocabulary: SlotVocabulary, inValue: (token: Token) => boolean) {
  const terms: SlotTerm[] = [];
  const frame: string[] = [];
  let negations = 0;
  let reach = 0;
  for (const { tokens, senses } of pieces) {
    const first = tokens[0] as Token;
    const kinds = new Set(senses.map(({ kind }) => kind));
    if (kinds.has("empty")) continue;
    if (tokens.length === 1 && turnsSense(first.text)) {
      negations++;
      reach = NEGATION_REACH;
      frame.push("not");
      continue;
    }
    const negated = reach > 0;
    const name = senses.find(({ kind }) => kind === "name");
    const group = senses.find(({ kind }) => kind === "group");
    if (name !== undefined) terms.push(nameTerm(name.id, tokens, negated, vocabulary));
    else if (group !== undefined && !kinds.has("person")) terms.push(phraseTerm(group.id, tokens, negated, vocabulary));
    frame.push(name?.id ?? group?.id ?? senses[0]?.id ?? frameWord(first, vocabulary));
    if (name !== undefined || group !== undefined) {
      reach--;
      continue;
    }
    if (kinds.has("person") || kinds.has("branch") || kinds.has("period") || kinds.has("abroad") || kinds.has("place")) continue;
    if (inValue(first)) continue;
    const term = wordTerm(first, negated, vocabulary);
    if (term === null) continue;
    terms.push(term);
    reach--;
  }
  return { terms: distinct(terms), frame, negations };
}

/** Digits outside values and words, as in `3,5` or `½`. They count as names because their meaning is unknown. */
function unreadDigits(text: string, known: readonly TextRange[], pieces: readonly Piece[], vocabulary: SlotVocabulary): SlotTerm[] {
  const tokens = pieces.flatMap((piece) => piece.tokens).filter((token) => token.text.length > 1);
  const runs = [...text.matchAll(/\p{N}+/gu)].map((match) => ({ start: match.index, end: match.index + match[0].length, text: match[0] }));
  const unread = runs.filter((run) => ![...known, ...tokens].some(({ start, end }) => start < run.end && run.start < end));
  return distinct(
    unread.map(({ text: digits, ...place }) => nameTerm(`digits ${digits}`, [{ ...place, text: digits, stem: digits }], false, vocabulary)),
  );
}

function frameWord({ text, stem }: Token, { general }: SlotVocabulary): string {
  return general.quantifiers.has(text) ? text : stem;
}

function nameTerm(id: string, tokens: readonly Token[], negated: boolean, { parts, sides }: SlotVocabulary): SlotTerm {
  return {
    key: id,
    text: tokens.map(({ text }) => text).join(" "),
    kind: "name",
    groups: [],
    sides: sides(id),
    parts: parts(id),
    negated,
    known: true,
    weight: WEIGHTS.name,
  };
}

function phraseTerm(id: string, tokens: readonly Token[], negated: boolean, { groups, sides, general }: SlotVocabulary): SlotTerm {
  const content = tokens.filter(({ text }) => !isStopWord(text) && !general.light.has(text)).map(({ stem }) => stem);
  return {
    key: id,
    text: tokens.map(({ text }) => text).join(" "),
    kind: "word",
    groups: groups(id),
    sides: sides(id),
    parts: content.length === 0 ? [] : [content],
    negated,
    known: true,
    weight: WEIGHTS.known,
  };
}

/** Returns `null` for a word that says nothing about the topic. */
function wordTerm(token: Token, negated: boolean, vocabulary: SlotVocabulary): SlotTerm | null {
  const { text, stem } = token;
  const ordinal = ORDINALS.get(text);
  if (text.length < 2 || (isStopWord(text) && ordinal === undefined) || (vocabulary.general.light.has(text) && ordinal === undefined))
    return null;
  const digits = /\d/.test(text);
  const groups = vocabulary.groups(stem);
  const known = !digits && (groups.length > 0 || vocabulary.isEnglish(text) || vocabulary.domainWords.has(text));
  const home = vocabulary.home.has(stem);
  const weight = home ? WEIGHTS.home : !known ? WEIGHTS.name : vocabulary.isCommon(text) ? WEIGHTS.common : WEIGHTS.known;
  return {
    key: stem,
    text,
    kind: known || home ? "word" : "name",
    groups,
    sides: ordinal === undefined ? vocabulary.sides(stem) : [...vocabulary.sides(stem), `n${ordinal}`],
    parts: [],
    negated,
    known: known || home,
    weight,
  };
}

function distinct(terms: readonly SlotTerm[]): SlotTerm[] {
  const seen = new Set<string>();
  return terms.filter(({ key, negated }) => {
    const id = `${negated ? "not " : ""}${key}`;
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

/**
 * Removes persons that distinguish nothing: those whom all questions of the domain are about, and a wider word beside a
 * narrower one.
 */
function narrowest(persons: ReadonlySet<string>, { readers, general }: SlotVocabulary): string[] {
  return [...persons]
    .filter((person) => !readers.names.has(person) && !(general.wider.get(person) ?? []).some((narrow) => persons.has(narrow)))
    .sort();
}

function fill(canonical: string, match: RegExpMatchArray): string {
  return canonical.replaceAll(/\$(&|\d)/g, (_, which: string) => (which === "&" ? match[0] : (match[Number(which)] ?? "")));
}
