import { askedValues, heldValues } from "../reading/asked-values.ts";
import { once } from "../text/once.ts";
import { similarityRow } from "../text/similarity-row.ts";
import type { Passage, TextRange } from "../types.ts";

/** Words as ids with a similarity: what the gate needs of the reranker's lexicon. */
export interface WordSpace {
  /** Texts as ids of words, with where each sentence ends; ids hold until the next call. */
  read(
    texts: readonly string[],
  ): readonly { readonly words: Int32Array; readonly sentenceEnds: Int32Array; readonly sentences: readonly TextRange[] }[];
  /** Index tokens of a word; none for a stop word. */
  tokensOf(id: number): readonly string[];
  /** 1 for forms of one word, the cosine for related words, 0 for strangers. */
  similarity(one: number, other: number): number;
  /** Is a word (lower case) an English one? */
  isEnglish(word: string): boolean;
  /** Is a word (lower case) one of the few thousand that every text uses? */
  isCommon(word: string): boolean;
}

/** What the gate needs of the index beside its word weights. */
export interface IndexWords {
  idf(token: string): number;
  /** Does any document hold the token? */
  has(token: string): boolean;
  /** Tokens of the question that a text holds in other words, by the domain's thesaurus. */
  alsoHeld(held: ReadonlySet<string>): readonly string[];
}

/** A question as it was read: misspelt words replaced, and the tokens of its content. */
export interface AskedQuestion {
  readonly text: string;
  readonly tokens: readonly string[];
}

export type GatePassage = Pick<Passage, "text" | "headingPath" | "scores"> & {
  readonly document: Pick<Passage["document"], "id" | "title">;
};

/** A word of the question that carries meaning; forms of one word count once. */
export interface AskedTerm {
  readonly tokens: readonly string[];
  /** Share of the question's weight by inverse document frequency; they sum to 1. */
  readonly weight: number;
  /** Inverse document frequency as a share of that of a word that no document holds. */
  readonly rarity: number;
  readonly known: boolean;
  /** One of the few thousand words that every text uses: it need not stand in a document, as a name or a term of a field must. */
  readonly common: boolean;
  readonly number: boolean;
  /** Written with a capital inside the question. */
  readonly name: boolean;
  /** Stands in the sentence that asks, not in the story before it. */
  readonly core: boolean;
}

/** Per term of the question: the best similarity of any word of a text; 1: it holds a form of it, or the same in other words. */
export type Match = Float32Array;

/** Words of the question and of one passage that are looked at; longer ones are cut. */
const MAX_TERMS = 24;
const MAX_WORDS = 900;
/** Two terms are neighbours at most this many words apart. */
const NEAR = 4;
/** k1 + 1: what a term's frequency adds at most, in units of its idf. */
const BM25_SATURATION = 2.2;
/** No document holds it: its weight is the largest there is. */
const UNHEARD = "\u0000";

/** Reads a question and its passages into what the features measure: a question beside its evidence. */
export function viewEvidence(
  asked: AskedQuestion,
  passages: readonly GatePassage[],
  words: IndexWords,
  space: WordSpace,
  injectionSignals = 0,
) {
  const texts = passages.flatMap(({ document, headingPath, text }) => [document.title, headingPath.join("\n"), text]);
  // One call: ids of an earlier one may no longer hold.
  const written: readonly string[] = asked.text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const common = written.filter((word) => space.isCommon(word)).join(" ");
  const [question, names, commonWords, ...reads] = space.read([asked.text, namesIn(asked.text), common, ...texts]) as [
    ReadWords,
    ReadWords,
    ReadWords,
    ...ReadWords[],
  ];
  const { terms, ids } = readTerms(asked, { read: question, names, common: commonWords }, words, space);
  const match = createEvidenceMatcher(ids, terms, space, words);
  const kinds = askedValues(asked.text);
  return {
    question: asked.text,
    terms,
    /** Places of the terms, heaviest first. */
    heaviest: terms.map((_, i) => i).sort((a, b) => (terms[b] as AskedTerm).weight - (terms[a] as AskedTerm).weight),
    passages: passages.map(({ document, text, scores }, i) => {
      const title = match(reads[3 * i]).whole;
      const headings = match(reads[3 * i + 1]).whole;
      const body = reads[3 * i + 2];
      const read = match(body);
      const above = union(title, headings);
      const headed = read.sentences.map((sentence) => union(sentence, above));
      const sentenceTexts = (body?.sentences ?? []).map(({ start, end }) => text.slice(start, end));
      return {
        documentId: document.id,
        text: read.whole,
        ...{ title, headings },
        /** Title, headings and text together. */
        whole: union(read.whole, above),
        sentences: read.sentences,
        /** Each sentence with the title and the headings above it. */
        headed,
        sentenceTexts,
        /** Indexes of terms that stand near the next term of the question, in its order. */
        neighbours: read.neighbours,
        scores,
        /** The most that a sentence covers which, with the one after it, holds a value of every kind asked; 0 when none does. Computed when asked for. */
        valued: once(() => valuedSentence(headed, sentenceTexts, terms, kinds)),
      };
    }),
    /** Kinds of value of which one has to be there, one set of bits for each thing asked (`VALUE_KINDS`). */
    asked: kinds,
    /** Words as written, stop words included. */
    written,
    /** Share of them that are English; 0 where there are none. */
    english: written.length === 0 ? 0 : written.reduce((sum, word) => sum + Number(space.isEnglish(word)), 0) / written.length,
    injectionSignals,
    /** Best possible BM25 score of the question: every term in its saturated form. */
    idealBm25: BM25_SATURATION * [...new Set(asked.tokens)].reduce((sum, token) => sum + words.idf(token), 0),
  };
}

export type EvidenceView = ReturnType<typeof viewEvidence>;
export type PassageView = EvidenceView["passages"][number];

function valuedSentence(
  headed: readonly Match[],
  sentenceTexts: readonly string[],
  terms: readonly AskedTerm[],
  asked: readonly number[],
): number {
  const ranked = headed.map((sentence, i) => ({ i, value: soft(sentence, terms) })).sort((a, b) => b.value - a.value);
  const found = ranked.slice(0, 6).find(({ i }) => {
    const kinds = heldValues(sentenceTexts.slice(i, i + 2).join(" "));
    return asked.every((group) => (group & kinds) !== 0);
  });
  return found?.value ?? 0;
}

export function union(...matches: readonly Match[]): Match {
  const best = Float32Array.from(matches[0] ?? []);
  for (const match of matches) for (let i = 0; i < best.length; i++) best[i] = Math.max(best[i] as number, match[i] as number);
  return best;
}

type ReadWords = ReturnType<WordSpace["read"]>[number];

/** Words written with a capital inside the question. */
function namesIn(text: string): string {
  return (text.match(/(?<=[\p{L}\p{N},;]\s["'“]?)\p{Lu}[\p{L}\p{N}]*/gu) ?? []).join(" ");
}

function readTerms(
  { text, tokens }: AskedQuestion,
  { read, names, common }: Readonly<Record<"read" | "names" | "common", ReadWords>>,
  index: IndexWords,
  space: WordSpace,
): { terms: AskedTerm[]; ids: number[] } {
  const wanted = new Set(tokens);
  const most = index.idf(UNHEARD);
  const nameTokens = new Set([...names.words].flatMap((id) => space.tokensOf(id)));
  const commonIds = new Set(common.words);
  const ids: number[] = [];
  const found: { tokens: readonly string[]; idf: number; core: boolean; common: boolean }[] = [];
  const [coreFrom, coreTo] = coreOf(text, read);
  const seen = new Set<string>();
  for (const [place, id] of read.words.entries()) {
    const own = space.tokensOf(id);
    if (own.length === 0 || ids.length === MAX_TERMS || !own.some((token) => wanted.has(token)) || own.some((token) => seen.has(token)))
      continue;
    for (const token of own) seen.add(token);
    ids.push(id);
    found.push({
      tokens: own,
      idf: Math.max(...own.map((token) => index.idf(token))),
      core: place >= coreFrom && place < coreTo,
      common: commonIds.has(id),
    });
  }
  const sum = found.reduce((total, { idf }) => total + idf, 0);
  const terms = found.map(({ tokens: own, idf, core, common: isCommon }) => ({
    tokens: own,
    core,
    common: isCommon,
    weight: sum > 0 ? idf / sum : 1 / found.length,
    rarity: most > 0 ? idf / most : 0,
    known: own.some((token) => index.has(token)),
    number: own.some((token) => /\d/.test(token)),
    name: own.some((token) => nameTokens.has(token)),
  }));
  return { terms, ids };
}

const ASKS = /\?|\b(?:what|which|who|whom|when|where|why|how|can|could|do|does|did|is|are|will|would|should)\b/i;

/** Places of the words in the last sentence that asks; all of them when none does. */
function coreOf(text: string, { words, sentences, sentenceEnds }: ReadWords): [number, number] {
  const asking = sentences.map(({ start, end }) => text.slice(start, end));
  const marked = asking.findLastIndex((sentence) => sentence.includes("?"));
  const at = marked >= 0 ? marked : asking.findLastIndex((sentence) => ASKS.test(sentence));
  return at < 0 ? [0, words.length] : [at === 0 ? 0 : (sentenceEnds[at - 1] as number), sentenceEnds[at] as number];
}

/** Compares every word of the passages with the question once, however often it stands there. */
function createEvidenceMatcher(ids: readonly number[], terms: readonly AskedTerm[], space: WordSpace, index: IndexWords) {
  /** Per word how it matches each term, and the last text that it was seen in. */
  const known = new Map<number, { readonly row: Match | null; seenIn: number }>();
  let texts = 0;
  return (text: ReadWords | undefined) => {
    const whole = new Float32Array(ids.length);
    const sentences: Match[] = [];
    const neighbours = new Set<number>();
    const seen: number[] = [];
    texts++;
    const lastAt = new Int32Array(ids.length).fill(-NEAR - 1);
    let from = 0;
    for (const end of text?.sentenceEnds ?? []) {
      const best = new Float32Array(ids.length);
      for (let place = from; place < end && place < MAX_WORDS; place++) {
        const id = text?.words[place] as number;
        let word = known.get(id);
        if (word === undefined) {
          word = { row: similarityRow(ids, id, space), seenIn: 0 };
          known.set(id, word);
        }
        if (word.seenIn !== texts) {
          word.seenIn = texts;
          seen.push(id);
        }
        const { row } = word;
        if (row === null) continue;
        for (let i = 0; i < ids.length; i++) {
          const value = row[i] as number;
          if (value > (best[i] as number)) best[i] = value;
          if (value !== 1) continue;
          if (i > 0 && place - (lastAt[i - 1] as number) <= NEAR) neighbours.add(i - 1);
          lastAt[i] = place;
        }
      }
      for (let i = 0; i < ids.length; i++) whole[i] = Math.max(whole[i] as number, best[i] as number);
      sentences.push(best);
      from = end;
    }
    const also = new Set(index.alsoHeld(new Set(seen.flatMap((id) => space.tokensOf(id)))));
    if (also.size > 0) for (const [i, { tokens }] of terms.entries()) if (tokens.some((token) => also.has(token))) whole[i] = 1;
    return { whole, sentences, neighbours };
  };
}

/** Each term counts as much as its nearest word in the text (late interaction: Khattab & Zaharia, SIGIR 2020, with static vectors). */
export function soft(match: Float32Array, terms: readonly { readonly weight: number }[]): number {
  return terms.reduce((sum, { weight }, i) => sum + weight * (match[i] ?? 0), 0);
}
