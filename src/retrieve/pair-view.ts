import type { RerankPassage } from "../models/reranker.ts";
import { similarityRow } from "../text/similarity-row.ts";
import { askedBits, type Lexicon, type ReadText, valueBits } from "./lexicon.ts";
import type { AskedWord, Match, PairView, RankedScores, Standing } from "./rerank-features.ts";

interface Asked {
  readonly words: readonly AskedWord[];
  /** Ids in the lexicon. */
  readonly ids: readonly number[];
}

/** Words of one passage that are looked at: longer ones are cut. */
const MAX_WORDS = 600;
/** Words of the question that are looked at. */
const MAX_ASKED = 24;

/** Reads a question and passages into what the features measure; `null` where there is nothing to read. All `null` when the question has no word that carries meaning. */
export function viewPairs(
  question: string,
  passages: readonly RerankPassage[],
  lexicon: Lexicon,
  idf: ((token: string) => number) | undefined,
): (PairView | null)[] {
  const reads = lexicon.read([question, ...passages.flatMap(({ text, title, section }) => [text, title, section])]);
  const asked = readAsked(reads[0] as ReadText, lexicon, idf);
  if (asked.ids.length === 0) return passages.map(() => null);
  const matcher = createPairMatcher(asked, lexicon);
  const standings = readStandings(passages);
  const askedValues = askedBits(question);
  return passages.map((passage, i): PairView | null => {
    const [text, title, section] = reads.slice(1 + 3 * i, 4 + 3 * i) as [ReadText, ReadText, ReadText];
    if (text.words.length === 0) return null;
    const { whole, sentences, hits } = matcher.matchText(text);
    return {
      asked: asked.words,
      askedValues,
      text: whole,
      title: title.words.length === 0 ? null : matcher.matchText(title).whole,
      section: section.words.length === 0 ? null : matcher.matchText(section).whole,
      sentences,
      valuesIn: (sentence) => {
        const range = text.sentences[sentence];
        return range === undefined ? 0 : valueBits(passage.text.slice(range.start, range.end));
      },
      hits,
      length: text.words.length,
      scores: standings[i] ?? null,
    };
  });
}

function readAsked({ words }: ReadText, lexicon: Lexicon, idf: ((token: string) => number) | undefined): Asked {
  const ids: number[] = [];
  const raw: number[] = [];
  const seen = new Set<string>();
  for (const id of words) {
    const tokens = lexicon.tokensOf(id);
    if (tokens.length === 0 || tokens.some((token) => seen.has(token)) || ids.length === MAX_ASKED) continue;
    for (const token of tokens) seen.add(token);
    ids.push(id);
    raw.push(idf === undefined ? lexicon.weightOf(id) : Math.max(...tokens.map(idf)));
  }
  const byRarity = shares(raw);
  const asked = ids.map((id, i) => ({
    weight: byRarity[i] as number,
    code: /\d/.test(lexicon.tokensOf(id)[0] as string),
  }));
  return { ids, words: asked };
}

function shares(weights: readonly number[]): number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => (sum > 0 ? weight / sum : 1 / weights.length));
}

/** Compares every word of the passages with the question once, however often it stands there. */
function createPairMatcher({ ids }: Asked, lexicon: Lexicon) {
  const count = ids.length;
  /** Row of each lexicon word in `similarities`, plus 1; 0: not compared yet. Row 0 stands for words that match nothing. */
  const rows = lexicon.blankRows();
  const similarities: Float32Array[] = [new Float32Array(count)];
  /** Per row: the asked word that it is a form of, or -1. */
  const forms: number[] = [-1];

  function rowOf(id: number): number {
    const known = rows[id] as number;
    if (known > 0) return known - 1;
    let row = 0;
    const values = similarityRow(ids, id, lexicon);
    if (values !== null) {
      row = similarities.length;
      similarities.push(values);
      forms.push(values.indexOf(1));
    }
    rows[id] = row + 1;
    return row;
  }

  function matchText({ words, sentenceEnds }: ReadText): { whole: Match; sentences: Match[]; hits: { asked: number; place: number }[] } {
    const whole = new Float32Array(count);
    const sentences: Match[] = [];
    const hits: { asked: number; place: number }[] = [];
    let from = 0;
    for (const end of sentenceEnds) {
      const best = new Float32Array(count);
      for (let place = from; place < end && place < MAX_WORDS; place++) {
        const row = rowOf(words[place] as number);
        if (row === 0) continue;
        const values = similarities[row] as Float32Array;
        for (let i = 0; i < count; i++) if ((values[i] as number) > (best[i] as number)) best[i] = values[i] as number;
        const form = forms[row] as number;
        if (form >= 0) hits.push({ asked: form, place });
      }
      for (let i = 0; i < count; i++) if ((best[i] as number) > (whole[i] as number)) whole[i] = best[i] as number;
      sentences.push({ best });
      from = end;
    }
    return { whole: { best: whole }, sentences, hits };
  }

  return { matchText };
}

/** Standing of every passage in each ranking; `null` without scores. */
export function readStandings(passages: readonly RerankPassage[]): (RankedScores | null)[] {
  const dense = standingsOf(passages.map(({ scores }) => scores?.dense ?? null));
  const bm25 = standingsOf(passages.map(({ scores }) => scores?.bm25 ?? null));
  const fused = standingsOf(passages.map(({ scores }) => scores?.fused ?? null));
  return passages.map((_, i) => {
    const standing = fused[i] ?? null;
    return standing === null ? null : { dense: dense[i] ?? null, bm25: bm25[i] ?? null, fused: standing };
  });
}

function standingsOf(scores: readonly (number | null)[]): (Standing | null)[] {
  const sorted = scores.filter((score) => score !== null).sort((a, b) => b - a);
  if (sorted.length === 0) return scores.map(() => null);
  const best = sorted[0] as number;
  const least = sorted.at(-1) as number;
  const median = sorted[sorted.length >> 1] as number;
  return scores.map((score) => ({
    score: score ?? least,
    held: score !== null,
    rank: score === null ? sorted.length : sorted.indexOf(score),
    best,
    least,
    median,
  }));
}
