import { type QuestionType, readQuestion } from "../language/question.ts";
import { codesIn } from "../language/values.ts";
import type { QuerySettings } from "../profiles/profile.ts";
import type { Passage, Question, Scope } from "../shared/types.ts";
import { bestRepair, differInAffix, editDistance, isSlipOfAny, wordsMeant } from "../text/spelling.ts";
import { type Word, words } from "../text/tokens.ts";
import { idfOf } from "./postings.ts";
import type { TermStatistics } from "./search-engine.ts";
import type { WeightedTerm } from "./top-k.ts";

/** What an abbreviation's long form counts beside the question's own words: it means the same, but its words are commoner. */
export const ABBREVIATION_WEIGHT = 0.5;
/** What a synonym counts: it only often means the same. */
export const SYNONYM_WEIGHT = 0.3;

/** Other words for a phrase of a question. */
interface Equivalent {
  /** The phrase as the domain pack writes it. */
  readonly of: string;
  readonly to: string;
  /** Tokens of the phrase in the question. */
  readonly ofTokens: readonly string[];
  readonly tokens: readonly string[];
  /** Beside 1 of the question's own words. */
  readonly weight: number;
}

/** The abbreviations and synonyms of a domain. */
export interface Thesaurus {
  /** Every other way of saying something that the text says, longest phrase first at each place. */
  equivalents(text: string): Equivalent[];
  /** Is the word part of some entry? Such words are never taken for misspelt. */
  has(word: string): boolean;
}

export interface ThesaurusEntries {
  /** Abbreviation → what it stands for. */
  readonly abbreviations: Readonly<Record<string, readonly string[]>>;
  /** Groups of phrases that ask for the same. */
  readonly synonyms: readonly (readonly string[])[];
}

/**
 * Phrases match as whole words in any inflection ("buddy letters" is "buddy letter"), stop words included.
 * @param tokenize tokens of a text as the index sees them
 * @param stem the stem of one word
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
  for (const [short, meanings] of Object.entries(abbreviations)) {
    for (const long of meanings) {
      add(short, long, ABBREVIATION_WEIGHT);
      add(long, short, ABBREVIATION_WEIGHT);
    }
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

/** What tells whether a word can have been meant otherwise. */
interface SureParts {
  /** Every word of the language. */
  readonly real: ReadonlySet<string>;
  /** Is it a word that most people know? */
  isKnown(word: string): boolean;
  /** Words of documents that the asker may read a few edits away. */
  readonly similar: Iterable<string>;
  stem(word: string): string;
}

/**
 * Is a misspelt word a slip of nothing but a word that most people know, and its forms? Search may go by the likeliest word; what is taken for the same
 * question may not. Nothing with a capital is sure, nor what is read as a term: what is spelled nearly so may be another one, which no document and no list holds.
 * (A name in small letters that is nearly a common word is taken for it: "gardiner", "gardener".) Of the words that few people know only those count that lie as near.
 * Takes some milliseconds: every word of the language is looked at.
 */
export function isSureRepair(question: string, { written, read }: Repair, { real, isKnown, similar, stem }: SureParts): boolean {
  if (!isKnown(read) || isWrittenAsName(question, written)) return false;
  const edits = editDistance(written, read, FAR);
  const mayBe = (word: string) => isKnown(word) || editDistance(written, word, FAR) <= edits;
  const others = [...wordsMeant(written, similar), ...[...wordsMeant(written, real)].filter(mayBe)];
  return others.every((word) => stem(word) === stem(read));
}

/** Edits beyond those that a slip has. */
const FAR = 3;

/** Does it stand with a capital? Where a sentence begins it may be a name all the same: a lost hit costs less. @param written in lower case */
function isWrittenAsName(question: string, written: string): boolean {
  return [...question.matchAll(/\p{L}+/gu)].some(({ 0: word }) => word !== written && word.toLowerCase() === written);
}

/** A word that no document holds, and the word that it was read as. */
export interface Repair {
  readonly written: string;
  readonly read: string;
}

/** What a question asks, in the words of the index. */
export interface Understood {
  readonly type: QuestionType;
  /** The question with misspelt words replaced: for encoders. */
  readonly text: string;
  /** Tokens of its content, misspelt words replaced: what an answer has to cover. */
  readonly asked: readonly string[];
  /** What is searched for: the tokens as written and as read, and other words for them. */
  readonly terms: readonly WeightedTerm[];
  readonly codes: readonly string[];
  readonly repairs: readonly Repair[];
  /** Words that neither the documents nor the language know, and that are no slip of one which they do: names, mostly. */
  readonly strange: readonly string[];
  readonly equivalents: readonly Equivalent[];
}

/** What understanding needs of the index and the domain. */
export interface UnderstandParts {
  readonly thesaurus: Thesaurus;
  tokens(text: string): string[];
  stem(word: string): string;
  /** Every word of the language. */
  real(): ReadonlySet<string>;
  /** Which of the tokens a document that the asker may read holds. */
  held(tokens: readonly string[]): Promise<ReadonlySet<string>>;
  /** Words of documents that the asker may read a few edits away, with the number of documents that hold them. */
  similar(word: string): Promise<ReadonlyMap<string, number>>;
}

/** What a repaired word counts: it may not be what was meant. */
export const REPAIR_WEIGHT = 0.9;
/** Words that are repaired at most: a question in another language has many unknown words, and none of them is misspelt. */
const MAX_REPAIRS = 5;

/** Shorter ones are slang and shorthand. */
const STRANGE_LETTERS = 4;

/** Reads a question: frame off, misspelt words repaired, other words added at lower weight. Time is linear in its length. */
export async function understand(question: string, parts: UnderstandParts, settings: QuerySettings): Promise<Understood> {
  const shape = readQuestion(question);
  const content = settings.frame ? shape.content : question;
  const { repairs, strange } = settings.repair ? await repairsOf(content, parts) : { repairs: [], strange: [] };
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
  return {
    type: shape.type,
    text: replaceWords(question, repairs),
    asked,
    terms: [...weights].map(([token, weight]) => ({ token, weight })),
    codes: settings.codesFirst ? codesIn(content) : [],
    repairs,
    strange,
    equivalents,
  };
}

async function repairsOf(content: string, parts: UnderstandParts): Promise<{ repairs: Repair[]; strange: string[] }> {
  const { thesaurus, stem } = parts;
  const repairs = new Map<string, string>();
  const strange: string[] = [];
  const asked = [...new Set(candidates(content))].filter((word) => parts.tokens(word).length > 0 && !thesaurus.has(word));
  const held = asked.length === 0 ? new Set<string>() : await parts.held(asked.map(stem));
  for (const written of asked) {
    if (repairs.size + strange.length === MAX_REPAIRS) break;
    if (held.has(stem(written)) || parts.real().has(written)) continue;
    const meant = bestRepair(written, await parts.similar(written));
    if (meant !== null && !differInAffix(written, meant, parts.real(), stem)) repairs.set(written, meant);
    else if (written.length >= STRANGE_LETTERS && !isSlipOfAny(written, parts.real())) strange.push(written);
  }
  return { repairs: [...repairs].map(([written, read]) => ({ written, read })), strange };
}

/** A short word in capitals is an abbreviation that the corpus does not know. */
const LONG_CAPITALS = /^\p{Lu}{7,}$/u;

/** What stands in quotation marks is meant as it is written. */
const QUOTED = /"[^"]{1,100}"|“[^“”]{1,100}”/gu;

/** Words in lower case that may be misspelt: letters only; what is quoted or written with capitals inside is a name. */
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

/** A question as far as it is understood alone. */
export type AskedText = Pick<Question, "resolved" | "scope">;

/** Understands questions by the words of an index that the asker may see. */
export interface QuestionReader {
  understand(question: AskedText, settings: QuerySettings): Promise<Understood>;
  /** Could none of the repaired words be anything but a slip of the word that it was read as? See `isSureRepair`. */
  isSure(question: AskedText, repairs: readonly Repair[]): Promise<boolean>;
  tokens(text: string): string[];
  /** Words of the documents that a scope may see; they reveal nothing of other documents. Knows the words of the texts. */
  wordsIn(scope: Scope, texts?: Iterable<string>): Promise<IndexWords>;
}

/** The words of an index as far as somebody may see them. */
export interface IndexWords {
  tokens(text: string): string[];
  /** Inverse document frequency of a stemmed token over the windows. */
  idf(token: string): number;
  /** Does any of the documents hold the token? */
  has(token: string): boolean;
}

/** Passages whose words are known at once. */
const MAX_PASSAGES = 20_000;

/** Words of an index for one scope at one revision: what is asked of a word is loaded before, with a text that holds it. */
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

  /** The same with what stands above the units of each passage. */
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

/** The index as the stages after retrieval see it for one question: a text that says the same in other words holds the question's words. */
export interface QuestionWords extends IndexWords {
  /** Tokens of the question's content, misspelt words replaced. */
  questionTokens(question: string): string[];
  /** The same without what the conversation before added. */
  ownTokens(question: string): string[];
  /** Tokens of the question that a text holds in other words. */
  alsoHeld(held: ReadonlySet<string>): string[];
  /** The question as it was read. */
  readonly asked: ReadQuestion;
  /** The same without what the conversation before added. */
  readonly own: ReadQuestion;
}

/** A question with misspelt words replaced, and the tokens of its content. */
export interface ReadQuestion {
  readonly text: string;
  readonly tokens: readonly string[];
}

/**
 * @param own the question read without its history
 * @param index words of the index that the asker may see
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
    ownTokens: () => [...own.asked],
    tokens(text) {
      const tokens = index.tokens(text);
      return equivalents.length === 0 ? tokens : [...tokens, ...alsoHeld(new Set(tokens))];
    },
  };
}
