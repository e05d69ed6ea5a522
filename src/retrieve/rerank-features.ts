import { VALUE_BITS } from "./lexicon.ts";

/** A word of the question that carries meaning; forms of one word count once. */
export interface AskedWord {
  /** Its weight among the question's words by rarity in the corpus; they sum to 1. */
  readonly weight: number;
  readonly code: boolean;
}

/** How a text matches the question's words. */
export interface Match {
  /** Per word of the question: the best similarity of any word of the text, 1 for a form of it. */
  readonly best: Float32Array;
}

/** A passage beside a question, as every feature sees it. */
export interface PairView {
  readonly asked: readonly AskedWord[];
  /** Kinds of value that would answer (`VALUE_BITS`); 0: the question does not say. */
  readonly askedValues: number;
  readonly text: Match;
  /** `null`: it has none. */
  readonly title: Match | null;
  readonly section: Match | null;
  readonly sentences: readonly Match[];
  /** Kinds of value that a sentence of the text holds; 0 beyond the last. */
  readonly valuesIn: (sentence: number) => number;
  /** Places of the question's words in the text, in order: index of the word asked, place among all words. */
  readonly hits: readonly { readonly asked: number; readonly place: number }[];
  /** Words of the text. */
  readonly length: number;
  readonly scores: RankedScores | null;
}

/** Where a passage stands in the rankings before, among the passages at hand. */
export interface RankedScores {
  readonly dense: Standing | null;
  readonly bm25: Standing | null;
  readonly fused: Standing;
}

export interface Standing {
  /** Raw score; that of the least passage held where the ranking lacks this one, which is an upper bound. */
  readonly score: number;
  readonly held: boolean;
  /** From 0. */
  readonly rank: number;
  readonly best: number;
  readonly least: number;
  readonly median: number;
}

/** A number about a pair, or `null` when what it measures is not there. */
export type Feature = (view: PairView) => number | null;

// Words of the question found

/** Share of the question's weight whose words stand in the text, in any form. */
export function coverage({ best }: Match, asked: readonly AskedWord[]): number {
  return asked.reduce((sum, { weight }, i) => sum + (best[i] === 1 ? weight : 0), 0);
}

/** Late interaction: each word of the question counts as much as its nearest word in the text (Khattab & Zaharia, SIGIR 2020, with static vectors). */
export function softCoverage({ best }: Match, asked: readonly AskedWord[]): number {
  return asked.reduce((sum, { weight }, i) => sum + weight * (best[i] as number), 0);
}

/** The same over several texts at once. */
export function union(first: Match, ...others: readonly (Match | null)[]): Match {
  const best = Float32Array.from(first.best);
  for (const match of others)
    if (match !== null) for (let i = 0; i < best.length; i++) best[i] = Math.max(best[i] as number, match.best[i] as number);
  return { best };
}

/** The word that the text lacks most. */
export function softLeast({ best }: Match): number {
  return best.length === 0 ? 0 : Math.min(...best);
}

/** Of the sentences, the one that covers most; the first among equals. */
export function bestSentence({ sentences, asked }: PairView): number {
  let at = -1;
  let most = -1;
  sentences.forEach((sentence, i) => {
    const value = softCoverage(sentence, asked);
    if (value > most) {
      most = value;
      at = i;
    }
  });
  return at;
}

function ofBestSentence(view: PairView, measure: (match: Match, asked: readonly AskedWord[]) => number): number | null {
  const sentence = view.sentences[bestSentence(view)];
  return sentence === undefined ? null : measure(sentence, view.asked);
}

/** The best two sentences in a row together: answers often follow the sentence that names the subject. */
export function softCoverageOfPair({ sentences, asked }: PairView): number | null {
  if (sentences.length === 0) return null;
  let most = 0;
  for (let i = 0; i < sentences.length; i++) {
    const one = sentences[i] as Match;
    most = Math.max(most, softCoverage(i === 0 ? one : union(sentences[i - 1] as Match, one), asked));
  }
  return most;
}

// Order and nearness

/** Neighbours in the question that stand in the same order, at most this many words apart. */
const BIGRAM_GAP = 3;

/** Share of the question's neighbouring words that are near and in order in the text. */
export function bigrams({ hits, asked }: PairView): number | null {
  if (asked.length < 2) return null;
  const found = new Set<number>();
  for (let i = 0; i < hits.length; i++) {
    const { asked: first, place } = hits[i] as PairView["hits"][number];
    for (let j = i + 1; j < hits.length; j++) {
      const next = hits[j] as PairView["hits"][number];
      if (next.place - place > BIGRAM_GAP) break;
      if (next.asked === first + 1) found.add(first);
    }
  }
  return found.size / (asked.length - 1);
}

/** Longest run of the question's words in its order in the text, each near the one before, as a share of the question. */
export function longestPhrase({ hits, asked }: PairView): number | null {
  if (asked.length === 0) return null;
  let longest = 0;
  let run = 0;
  hits.forEach(({ asked: word, place }, i) => {
    const before = hits[i - 1];
    run = before !== undefined && word === before.asked + 1 && place - before.place <= BIGRAM_GAP ? run + 1 : 1;
    longest = Math.max(longest, run);
  });
  return longest / asked.length;
}

/** How close together the words found stand: (words found − 1) / (words of the shortest stretch that holds them all − 1). */
export function proximity({ hits, asked }: PairView): number | null {
  const counts = new Int32Array(asked.length);
  const wanted = new Set(hits.map(({ asked: word }) => word)).size;
  if (wanted < 2) return null;
  let held = 0;
  let from = 0;
  let shortest = Number.POSITIVE_INFINITY;
  for (const { asked: word, place } of hits) {
    if (counts[word] === 0) held++;
    counts[word] = (counts[word] as number) + 1;
    while (held === wanted) {
      const first = hits[from] as PairView["hits"][number];
      shortest = Math.min(shortest, place - first.place + 1);
      counts[first.asked] = (counts[first.asked] as number) - 1;
      if (counts[first.asked] === 0) held--;
      from++;
    }
  }
  return (wanted - 1) / Math.max(wanted - 1, shortest - 1);
}

/** Hits per word of the text, saturating: a passage about the subject names it again. */
export function density({ hits, length }: PairView): number | null {
  return length === 0 ? null : Math.min(1, (10 * hits.length) / (length + 20));
}

// Codes and values

/** Share of the question's codes (form ids, sections, numbers) that the text or its headings hold; `null` without codes. */
export function codes({ asked, text, title, section }: PairView): number | null {
  const { best } = union(text, title, section);
  const places = asked.flatMap(({ code }, i) => (code ? [i] : []));
  return places.length === 0 ? null : places.filter((i) => best[i] === 1).length / places.length;
}

/** Does the best sentence, or the one after it, hold a value of the kind that is asked for? `null` when the question does not say. */
export function valueMatch(view: PairView): number | null {
  if (view.askedValues === 0) return null;
  const at = bestSentence(view);
  if (at < 0) return null;
  const held = view.valuesIn(at) | view.valuesIn(at + 1);
  return (held & view.askedValues) !== 0 ? 1 : 0;
}

export function asksFor(bit: number): Feature {
  return ({ askedValues }) => ((askedValues & bit) !== 0 ? 1 : 0);
}

// Standing in the rankings before

/** Share of the best score. */
function ofBest(standing: Standing | null | undefined): number | null {
  return standing === null || standing === undefined || standing.best <= 0 ? null : Math.max(0, standing.score / standing.best);
}

/** 0 for the least, 1 for the best. */
function ofRange(standing: Standing | null | undefined): number | null {
  if (standing === null || standing === undefined) return null;
  return standing.best > standing.least ? (standing.score - standing.least) / (standing.best - standing.least) : 1;
}

/** 1 for the first, 1/log2(rank + 2) as in nDCG. */
function ofRank(standing: Standing | null | undefined): number | null {
  return standing === null || standing === undefined ? null : 1 / Math.log2(standing.rank + 2);
}

function lacks(standing: Standing | null | undefined): number | null {
  return standing === null || standing === undefined ? null : standing.held ? 0 : 1;
}

/** How far the best stands out, as a share of itself: a ranking that cannot tell its candidates apart says little. */
function contrast(standing: Standing | null | undefined): number | null {
  return standing === null || standing === undefined || standing.best <= 0 ? null : 1 - Math.max(0, standing.median) / standing.best;
}

/** Every feature by name; the weights file says which are used and how. */
export const FEATURES: Readonly<Record<string, Feature>> = {
  "bm25.of-best": ({ scores }) => ofBest(scores?.bm25),
  "bm25.of-range": ({ scores }) => ofRange(scores?.bm25),
  "bm25.rank": ({ scores }) => ofRank(scores?.bm25),
  "bm25.lacks": ({ scores }) => lacks(scores?.bm25),
  "dense.cosine": ({ scores }) => scores?.dense?.score ?? null,
  "dense.of-best": ({ scores }) => ofBest(scores?.dense),
  "dense.of-range": ({ scores }) => ofRange(scores?.dense),
  "dense.rank": ({ scores }) => ofRank(scores?.dense),
  "dense.lacks": ({ scores }) => lacks(scores?.dense),
  "fused.of-range": ({ scores }) => ofRange(scores?.fused),
  "fused.rank": ({ scores }) => ofRank(scores?.fused),
  "text.coverage": ({ text, asked }) => coverage(text, asked),
  "text.soft": ({ text, asked }) => softCoverage(text, asked),
  "text.least": ({ text }) => softLeast(text),
  "sentence.coverage": (view) => ofBestSentence(view, coverage),
  "sentence.soft": (view) => ofBestSentence(view, softCoverage),
  "sentence.least": (view) => ofBestSentence(view, softLeast),
  "sentences.soft": softCoverageOfPair,
  "title.coverage": ({ title, asked }) => title && coverage(title, asked),
  "title.soft": ({ title, asked }) => title && softCoverage(title, asked),
  "section.coverage": ({ section, asked }) => section && coverage(section, asked),
  "section.soft": ({ section, asked }) => section && softCoverage(section, asked),
  "all.coverage": ({ text, title, section, asked }) => coverage(union(text, title, section), asked),
  "all.soft": ({ text, title, section, asked }) => softCoverage(union(text, title, section), asked),
  "all.least": ({ text, title, section }) => softLeast(union(text, title, section)),
  bigrams,
  phrase: longestPhrase,
  proximity,
  density,
  codes,
  "value.match": valueMatch,
  length: ({ length }) => Math.min(1, Math.log2(1 + length) / 10),
  "question.words": ({ asked }) => Math.min(1, asked.length / 12),
  "question.heaviest": ({ asked }) => Math.max(0, ...asked.map(({ weight }) => weight)),
  "question.number": asksFor(VALUE_BITS.number | VALUE_BITS.amount | VALUE_BITS.duration),
  "question.name": asksFor(VALUE_BITS.name),
  "question.cosine": ({ scores }) => scores?.dense?.best ?? null,
  "question.dense-contrast": ({ scores }) => contrast(scores?.dense),
  "question.bm25-contrast": ({ scores }) => contrast(scores?.bm25),
};
