import { z } from "zod";
import type { EmbeddedEncoder } from "../models/embedded-encoder.ts";
import type { Reranker, RerankPassage } from "../models/reranker.ts";
import { readWeights, shippedWeights } from "../models/weights/read-weights.ts";
import { chanceOf, namedScorerSchema } from "../models/weights/scorer.ts";
import { similarityRow } from "../text/similarity-row.ts";
import { askedBits, Lexicon, type ReadText, valueBits } from "./lexicon.ts";
import { type AskedWord, FEATURES, type Match, type PairView, type RankedScores, type Standing } from "./rerank-features.ts";
import type { Candidate } from "./search-index.ts";

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

const weightsSchema = z.object({
  name: z.string(),
  recipe: z.string(),
  models: z.record(z.enum(["hybrid", "words", "text"]), namedScorerSchema(Object.keys(FEATURES))),
});
export type RerankWeights = z.infer<typeof weightsSchema>;

/**
 * Weights as they ship; made by `lab/train/reranker`.
 * @throws ModelError `reranker_corrupt` when the file is missing or not what it should be
 */
export function readRerankWeights(path: string = shippedWeights("rerank.json")): RerankWeights {
  const names = { code: "reranker_corrupt", whose: "the reranker's weights", recipe: "reranker" };
  return readWeights({ path, schema: weightsSchema, ...names }).weights;
}

/**
 * The reranker that ships with the package: learned weights over features of a question and a passage (`rerank-features.ts`). No model runs; a passage costs microseconds.
 * Where the rankings before left no vectors, or no scores at all, weights trained without them are used.
 */
export function createEmbeddedReranker(
  encoder: Pick<EmbeddedEncoder, "id" | "dimensions" | "tokenVectors">,
  weights: RerankWeights = readRerankWeights(),
  lexicon: Lexicon = new Lexicon(encoder),
): Reranker {
  return {
    id: `${weights.name}-${weights.recipe}`,
    async rerank(question, passages, { signal, idf } = {}) {
      signal?.throwIfAborted();
      const model = weights.models[modelFor(passages)];
      return viewPairs(question, passages, lexicon, idf).map((view) =>
        view === null ? null : chanceOf(measure(view, model.features), model),
      );
    },
  };
}

function modelFor(passages: readonly RerankPassage[]): "hybrid" | "words" | "text" {
  const scored = (ranking: "dense" | "bm25") => passages.some(({ scores }) => (scores?.[ranking] ?? null) !== null);
  if (!scored("bm25")) return "text";
  return scored("dense") ? "hybrid" : "words";
}

/** Values of the named features; `null` where one measures nothing. */
export function measure(view: PairView, names: readonly string[]): (number | null)[] {
  return names.map((name) => (FEATURES[name] as (typeof FEATURES)[string])(view));
}

/** A candidate with what a reranker said of it; `null`: not asked, or not known. */
export type RerankedCandidate = Candidate & { readonly rerank: number | null };

/**
 * What the reranker's score counts beside the fused one, both min-max scaled over what was reranked. Cross-validated on trained-side documents
 * by a rule that was fixed before (`lab/train/reranker/LOG.md`): flat from .4 to .9, .5 by the rule; it guards a domain unlike those learned from.
 */
export const RERANK_SHARE = 0.5;

export interface RerankCandidatesOptions {
  readonly signal?: AbortSignal;
  readonly idf?: (token: string) => number;
  /** What the reranker's score counts beside the fused one; 1: it alone is the order. @default RERANK_SHARE */
  readonly share?: number;
}

/** Reorders the first `depth` candidates by the reranker's score, those with a code of the question before the others; what it could not score follows in the order that it had, then the rest. */
export async function rerankCandidates(
  question: string,
  candidates: readonly Candidate[],
  depth: number,
  reranker: Reranker | null,
  { share = RERANK_SHARE, ...options }: RerankCandidatesOptions = {},
): Promise<RerankedCandidate[]> {
  if (reranker === null || depth === 0) return candidates.map((candidate) => ({ ...candidate, rerank: null }));
  const first = candidates.slice(0, depth);
  const scores = await reranker.rerank(question, first.map(toPassage), options);
  const scored = first.map((candidate, i) => ({ ...candidate, rerank: scores[i] ?? null }));
  const fusedOf = scale(first.map(({ fused }) => fused));
  const rerankOf = scale(scored.flatMap(({ rerank }) => rerank ?? []));
  const order = ({ rerank, fused }: RerankedCandidate) => (rerank === null ? -1 : share * rerankOf(rerank) + (1 - share) * fusedOf(fused));
  scored.sort((a, b) => Number(b.coded === true) - Number(a.coded === true) || order(b) - order(a));
  return [...scored, ...candidates.slice(depth).map((candidate) => ({ ...candidate, rerank: null }))];
}

/** Min-max over what is there; equal scores all count as the best. */
function scale(values: readonly number[]): (value: number) => number {
  const low = Math.min(...values);
  const range = Math.max(...values) - low;
  return (value) => (range > 0 ? (value - low) / range : 1);
}

function toPassage({ title, text, chunk, dense, bm25, fused }: Candidate): RerankPassage {
  return { title, section: chunk.headingPath.join(". "), text, scores: { dense, bm25, fused } };
}
