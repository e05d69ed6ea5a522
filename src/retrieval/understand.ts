import { type QuestionType, readQuestion } from "../language/question.ts";
import { codesIn } from "../language/values.ts";
import type { QuerySettings } from "../profiles/profile.ts";
import type { Passage, Question, Scope } from "../shared/types.ts";
import { bestRepair, differInAffix, editDistance, isSlipOfAny, wordsMeant } from "../text/spelling.ts";
import { type Word, words } from "../text/tokens.ts";
import { idfOf } from "./postings.ts";
import type { TermStatistics } from "./search-engine.ts";
import type { WeightedTerm } from "./top-k.ts";

/**
 * Weight of an abbreviation's long form, relative to 1 for the question's own words. The long form means the same, but
 * its words are more common.
 */
export const ABBREVIATION_WEIGHT = 0.5;
/** Weight of a synonym, relative to 1. Low, because a synonym does not always mean the same. */
export const SYNONYM_WEIGHT = 0.3;

/** An alternative (`to`) for a phrase of a question (`of`): abbreviation, long form or synonym. */
interface Equivalent {
  /** The phrase in the domain pack's spelling. */
  readonly of: string;
  readonly to: string;
  /** Tokens of `of`. */
  readonly ofTokens: readonly string[];
  readonly tokens: readonly string[];
  /** Relative to 1 for the question's own words. */
  readonly weight: number;
}

/** Abbreviations and synonyms of a domain. */
export interface Thesaurus {
  /** Returns the alternatives for the phrases of a text. Phrases do not overlap: at each word, the longest one is used. */
  equivalents(text: string): Equivalent[];
  /** Checks whether a word occurs in an entry. Such words never count as misspelt. */
  has(word: string): boolean;
}

export interface ThesaurusEntries {
  /** Abbreviation → long forms. */
  readonly abbreviations: Readonly<Record<string, readonly string[]>>;
  /** Groups of phrases with the same meaning. */
  readonly synonyms: readonly (readonly string[])[];
}

/**
 * Builds a thesaurus. Phrases match word by word, stop words included, in any inflection: "buddy letter" matches "buddy
 * letters".
 * @param tokenize returns the index tokens of a text
 * @param stem returns the stem of a word
 */
export function createThesaurus(
  { abbreviations, synonyms }: ThesaurusEntries,
  tokenize: (text: string) => string[],
  stem: (word: string) => string,
): Thesaurus {
  const entries = new Map<string, Equivalent[]>();
  const known = new Set<string>();
  let longest = 0;
  const add = (of: string, to: string, weight: number) => {
    const key = keysOf(words(of), stem);
    const tokens = tokenize(to);
    if (key.length === 0 || tokens.length === 0) return;
    longest = Math.max(longest, key.length);
    for (const word of words(of)) known.add(word.text);
    const place = key.join(" ");
    entries.set(place, [...(entries.get(place) ?? []), { of, to, ofTokens: tokenize(of), tokens, weight }]);
  };
  for (const [short, meanings] of Object.entries(abbreviations))
    for (const long of meanings) {
      add(short, long, ABBREVIATION_WEIGHT);
      add(long, short, ABBREVIATION_WEIGHT);
    }
  for (const group of synonyms) for (const of of group) for (const to of group) if (of !== to) add(of, to, SYNONYM_WEIGHT);
  return {
    has: (word) => known.has(word),
    equivalents(text) {
      const said = keysOf(words(text), stem);
      const found: Equivalent[] = [];
      for (let at = 0; at < said.length; at++) {
        for (let length = Math.min(longest, said.length - at); length > 0; length--) {
          const here = entries.get(said.slice(at, at + length).join(" "));
          if (here === undefined) continue;
          found.push(...here);
          at += length - 1;
          break;
        }
      }
      return [...new Set(found)];
    },
  };
}

function keysOf(said: readonly Word[], stem: (word: string) => string): string[] {
  return said.map(({ text, code }) => (code ? text : stem(text)));
}

/** Data for `isSureRepair`. */
interface SureParts {
  /** Every English word, also rare ones. */
  readonly real: ReadonlySet<string>;
  /** Checks whether most people know a word. */
  isKnown(word: string): boolean;
  /** Words a few edits away from the misspelt word, in documents that the user may read. */
  readonly similar: Iterable<string>;
  stem(word: string): string;
}

/**
 * Returns whether a misspelt word can only mean one well-known word or its forms. Needed to serve a stored answer; a
 * search uses any likely correction. The result is `false`
 * - for a capitalised word, which may be a name;
 * - if the correction is not well known, because the user may mean a similar term that no document and no list
 * contains;
 * - if another well-known word, a similar word of the documents, or a rare word at least as close may be meant.
 * A lower-case name close to a common word may be corrected wrongly ("gardiner" to "gardener"). Takes some
 * milliseconds, because every English word is compared.
 */
export function isSureRepair(question: string, { written, read }: Repair, { real, isKnown, similar, stem }: SureParts): boolean {
  if (!isKnown(read) || isWrittenAsName(question, written)) return false;
  const edits = editDistance(written, read, FAR);
  const mayBe = (word: string) => isKnown(word) || editDistance(written, word, FAR) <= edits;
  const others = [...wordsMeant(written, similar), ...[...wordsMeant(written, real)].filter(mayBe)];
  return others.every((word) => stem(word) === stem(read));
}

/** An edit distance larger than that of any accepted misspelling. */
const FAR = 3;

/**
 * Returns whether a word is capitalised in the question, also if it only begins a sentence. A missed cache hit does
 * less harm than a wrong one.
 * @param written in lower case
 */
function isWrittenAsName(question: string, written: string): boolean {
  return [...question.matchAll(/\p{L}+/gu)].some(({ 0: word }) => word !== written && word.toLowerCase() === written);
}

/** A misspelt out-of-vocabulary word (`written`) and its correction (`read`). */
export interface Repair {
  readonly written: string;
  readonly read: string;
}

/** Analysis of a question. */
export interface Understood {
  readonly type: QuestionType;
  /** The question with misspelt words corrected, for encoders. */
  readonly text: string;
  /** Index tokens of the question after spelling correction. With `frame`, without words that only introduce it ("how long does"). */
  readonly asked: readonly string[];
  /** Search terms: the tokens before and after spelling correction, abbreviations and synonyms. */
  readonly terms: readonly WeightedTerm[];
  readonly codes: readonly string[];
  readonly repairs: readonly Repair[];
  /** Out-of-vocabulary words that are neither English nor a misspelling of a known word; mostly names. */
  readonly outOfVocabulary: readonly string[];
  readonly equivalents: readonly Equivalent[];
}

/** The functions of the index and the domain that `understand` needs. */
export interface UnderstandParts {
  readonly thesaurus: Thesaurus;
  tokens(text: string): string[];
  stem(word: string): string;
  /** Returns every English word, also rare ones. */
  real(): ReadonlySet<string>;
  /** Returns those of the tokens that occur in a document that the user may read. */
  held(tokens: readonly string[]): Promise<ReadonlySet<string>>;
  /** Returns words a few edits away from a word, in documents that the user may read, with the number of these documents. */
  similar(word: string): Promise<ReadonlyMap<string, number>>;
}

/** Weight of a corrected word, relative to 1. Below 1, because the correction may be wrong. */
export const REPAIR_WEIGHT = 0.9;
/** Maximum number of corrected and out-of-vocabulary words. A question in another language has many unknown words. */
const MAX_REPAIRS = 5;

/** Minimum length of an out-of-vocabulary word in letters. Shorter unknown words are mostly slang or abbreviations. */
const OOV_LETTERS = 4;

/**
 * Analyses a question: removes its frame ("how long does"), corrects misspelt words, and adds abbreviations and
 * synonyms with lower weights. Linear in the length of the question.
 */
export async function understand(question: string, parts: UnderstandParts, settings: QuerySettings): Promise<Understood> {
  const shape = readQuestion(question);
  const content = settings.frame ? shape.content : question;
  const { repairs, outOfVocabulary } = settings.repair ? await repairsOf(content, parts) : { repairs: [], outOfVocabulary: [] };
  const read = replaceWords(content, repairs);
  const written = parts.tokens(content);
  const asked = parts.tokens(read);
  const equivalents = settings.expand ? parts.thesaurus.equivalents(read) : [];
  const weights = new Map<string, number>();
  for (const token of written) weights.set(token, (weights.get(token) ?? 0) + 1);
  for (const token of asked) if (!written.includes(token)) weights.set(token, REPAIR_WEIGHT);
  const own = new Set(weights.keys());
  for (const { tokens, weight } of equivalents) {
    const share = weight / Math.sqrt(tokens.length);
    for (const token of new Set(tokens)) if (!own.has(token)) weights.set(token, Math.max(weights.get(token) ?? 0, share));
  }
  const terms = Array.from(weights, ([token, weight]) => ({ token, weight }));
  const codes = settings.codesFirst ? codesIn(content) : [];
  return { type: shape.type, text: replaceWords(question, repairs), asked, terms, codes, repairs, outOfVocabulary, equivalents };
}

async function repairsOf(content: string, parts: UnderstandParts): Promise<{ repairs: Repair[]; outOfVocabulary: string[] }> {
  const { thesaurus, stem } = parts;
  const repairs: Repair[] = [];
  const outOfVocabulary: string[] = [];
  const asked = [...new Set(candidates(content))].filter((word) => parts.tokens(word).length > 0 && !thesaurus.has(word));
  const held = asked.length === 0 ? new Set<string>() : await parts.held(asked.map(stem));
  for (const written of asked) {
    if (repairs.length + outOfVocabulary.length === MAX_REPAIRS) break;
    if (held.has(stem(written)) || parts.real().has(written)) continue;
    const read = bestRepair(written, await parts.similar(written));
    if (read !== null && !differInAffix(written, read, parts.real(), stem)) repairs.push({ written, read });
    else if (written.length >= OOV_LETTERS && !isSlipOfAny(written, parts.real())) outOfVocabulary.push(written);
  }
  return { repairs, outOfVocabulary };
}

/** Matches a word of seven or more capitals. Shorter words in capitals are assumed to be abbreviations and not corrected. */
const LONG_CAPITALS = /^\p{Lu}{7,}$/u;

/** Matches quoted text, which is never corrected. */
const QUOTED = /"[^"]{1,100}"|“[^“”]{1,100}”/gu;

/**
 * Returns words, in lower case, that may be misspelt. They consist of the letters a to z and are not quoted. They have
 * no capitals after the first letter, because such capitals mark a name.
 */
function candidates(content: string): string[] {
  const inner = (content.match(/\b\p{L}+\p{Lu}\p{L}*/gu) ?? []).filter((name) => !LONG_CAPITALS.test(name));
  const quoted = (content.match(QUOTED) ?? []).flatMap((text) => text.match(/\p{L}+/gu) ?? []);
  const names = new Set([...inner, ...quoted].map((name) => name.toLowerCase()));
  return words(content).flatMap(({ text, code }) => (code || !/^[a-z]+$/.test(text) || names.has(text) ? [] : [text]));
}

function replaceWords(text: string, repairs: readonly Repair[]): string {
  if (repairs.length === 0) return text;
  const byWord = new Map(repairs.map(({ written, read }) => [written, read]));
  return text.replaceAll(/[\p{L}]+/gu, (word) => byWord.get(word.toLowerCase()) ?? word);
}

/** The fields of a question on which its analysis depends. */
export type AskedText = Pick<Question, "resolved" | "scope">;

/** Analyses questions with the words of the documents that the user may see. */
export interface QuestionReader {
  understand(question: AskedText, settings: QuerySettings): Promise<Understood>;
  /** Returns whether every misspelt word can only mean its correction. See `isSureRepair`. */
  isSure(question: AskedText, repairs: readonly Repair[]): Promise<boolean>;
  tokens(text: string): string[];
  /** Returns word statistics of the documents that a scope may see. Those for the words of `texts` are loaded. */
  wordsIn(scope: Scope, texts?: Iterable<string>): Promise<IndexWords>;
}

/** Word statistics of an index, limited to what a user may see. */
export interface IndexWords {
  tokens(text: string): string[];
  /** Returns the inverse document frequency of a stemmed token over the windows. */
  idf(token: string): number;
  /** Checks whether any document contains the token. */
  has(token: string): boolean;
}

/** Maximum number of passages remembered as loaded. */
const MAX_PASSAGES = 20_000;

/** Word statistics for one scope at one revision. Load the words of a text before asking for them. */
export class LoadedWords implements IndexWords {
  readonly tokens: IndexWords["tokens"];
  private readonly ask: (terms: readonly string[]) => Promise<TermStatistics>;
  private readonly frequencies = new Map<string, number>();
  private readonly passages = new Set<string>();
  private windows = -1;

  constructor(tokens: IndexWords["tokens"], ask: (terms: readonly string[]) => Promise<TermStatistics>) {
    this.tokens = tokens;
    this.ask = ask;
  }

  async load(texts: Iterable<string>): Promise<this> {
    const missing = new Set<string>();
    for (const text of texts) for (const token of this.tokens(text)) if (!this.frequencies.has(token)) missing.add(token);
    if (missing.size === 0 && this.windows >= 0) return this;
    const { windows, frequencies } = await this.ask([...missing]);
    this.windows = windows;
    for (const token of missing) this.frequencies.set(token, frequencies.get(token) ?? 0);
    return this;
  }

  /** Loads the words of passages and of the headings above them. */
  async loadPassages(passages: readonly Passage[]): Promise<this> {
    const keyOf = ({ chunkId, range }: Passage) => `${chunkId} ${range.start} ${range.end}`;
    const fresh = passages.filter((passage) => !this.passages.has(keyOf(passage)));
    await this.load(new Set(fresh.flatMap(textsOf)));
    if (this.passages.size > MAX_PASSAGES) this.passages.clear();
    for (const passage of fresh) this.passages.add(keyOf(passage));
    return this;
  }

  readonly idf = (token: string): number => idfOf(this.frequencies.get(token) ?? 0, this.windows);

  readonly has = (token: string): boolean => (this.frequencies.get(token) ?? 0) > 0;
}

function textsOf({ document, headingPath, text, units }: Passage): string[] {
  const above = units.flatMap((unit) => [
    ...unit.headingPath,
    ...[unit.header, unit.leadIn, unit.caption].flatMap((one) => one?.text ?? []),
  ]);
  return [document.title, ...headingPath, ...above, text];
}

/**
 * Word statistics for one question, for the stages after retrieval. A text with a synonym of a question's word counts
 * as having that word.
 */
export interface QuestionWords extends IndexWords {
  /** Returns the tokens of `asked`: the question's index tokens after spelling correction. */
  questionTokens(question: string): string[];
  /** Returns the tokens of the question for which a text contains an abbreviation or synonym. @param held tokens of the text */
  alsoHeld(held: ReadonlySet<string>): string[];
  readonly asked: ReadQuestion;
  /** The analysed question, without words that were added from the conversation. */
  readonly own: ReadQuestion;
}

/** A question after spelling correction. `tokens` are those of `Understood.asked`. */
export interface ReadQuestion {
  readonly text: string;
  readonly tokens: readonly string[];
}

/**
 * @param own analysis of the question without its history
 * @param index word statistics that the user may see
 */
export function questionWords(understood: Understood, own: Understood, index: IndexWords): QuestionWords {
  const { equivalents } = understood;
  const alsoHeld = (held: ReadonlySet<string>) =>
    equivalents.flatMap(({ ofTokens, tokens }) => (tokens.every((token) => held.has(token)) ? ofTokens : []));
  return {
    asked: { text: understood.text, tokens: understood.asked },
    own: { text: own.text, tokens: own.asked },
    has: (token) => index.has(token),
    alsoHeld,
    idf: (token) => index.idf(token),
    questionTokens: () => [...understood.asked],
    tokens(text) {
      const tokens = index.tokens(text);
      return equivalents.length === 0 ? tokens : [...tokens, ...alsoHeld(new Set(tokens))];
    },
  };
}
