import { LRUCache } from "lru-cache";
import { z } from "zod";
import { dot, type PairReading, quoteText, type TextPair } from "../cross-encoder/reader.ts";
import type { TextRange } from "../shared/types.ts";
import { splitSentences } from "../text/sentences.ts";
import { type EvidenceText, hasWord, type SupportPair, type SupportScore, type SupportScorer } from "./support.ts";
import { readWeights, shippedWeights } from "./weights/scorer.ts";

const weightsSchema = z.object({
  name: z.string(),
  recipe: z.string(),
  date: z.string(),
  /** The cross-encoder on whose scores the weights were fitted. */
  reader: z.object({ name: z.string(), hash: z.string() }),
  slope: z.number().positive(),
  offset: z.number(),
});
export type EntailmentWeights = z.infer<typeof weightsSchema>;

/**
 * Loads the shipped entailment weights, which `lab/train/entailment` writes.
 * @throws ModelError `entailment_corrupt` if the file is missing or invalid
 */
export function readEntailmentWeights(path: string = shippedWeights("entailment.json")): EntailmentWeights {
  const names = { code: "entailment_corrupt", whose: "the weights of the entailment check" };
  return readWeights({ path, schema: weightsSchema, ...names }).weights;
}

export interface EntailmentParts {
  /** Embeds texts with the embedded encoder, as vectors of length 1. */
  readonly embed: (texts: readonly string[]) => readonly Float32Array[];
  /** Scores pairs with the cross-encoder. If it is `null`, or returns `null`, all support scores are `null`. */
  readonly read: ((pairs: readonly TextPair[], signal: AbortSignal) => Promise<readonly PairReading[] | null>) | null;
  readonly weights: EntailmentWeights;
}

/** Maximum characters of a window. A window consists of whole sentences; one long sentence may exceed the limit. */
const WINDOW_CHARACTERS = 420;
/** Number of windows that the cross-encoder scores with the claim: those most similar to it. */
const READ_WINDOWS = 5;
/**
 * Size of the additional text that `gatherSentences` creates: its number of sentences, and the number of windows from
 * which it selects them.
 */
const GATHERED_SENTENCES = 4;
const GATHERED_FROM = 6;

/** Consecutive sentences of the evidence, with their vector. */
interface Window {
  readonly title: string;
  readonly headings: readonly string[];
  readonly text: string;
  readonly vector: Float32Array;
}

/** Number of evidence texts whose windows are cached. Claims of one answer share evidence, so its windows are needed again. */
const KEPT_TEXTS = 2_000;
/** Number of pairs scored between two checks of the signal. */
const PAIRS_PER_STEP = 32;

const NEVER = new AbortController().signal;

/**
 * Creates a support scorer from the entailment head of the cross-encoder. It scores the claim with each of the evidence
 * windows most similar to it, and with one additional text, which joins the sentences most similar to the claim. The
 * highest log odds of "supported" decide, as in training (`lab/train/entailment`).
 */
export function createEntailmentScorer({ embed, read, weights }: EntailmentParts): SupportScorer {
  const kept = new LRUCache<string, readonly Window[], EvidenceText>({
    max: KEPT_TEXTS,
    memoMethod(_key, _stale, { context: evidence }) {
      const cut = cutWindows(evidence);
      const vectors = embed(cut.map(({ text }) => text));
      return cut.map((window, i) => ({ ...window, vector: vectors[i] as Float32Array }));
    },
  });

  const windowsOf = (evidence: EvidenceText) => kept.memo([...evidence.above, evidence.text].join("\u0000"), { context: evidence });

  /** Returns the distinct texts to score with the claim. */
  function textsFor({ claim, evidence }: SupportPair): string[] {
    if (!hasWord(claim)) return [];
    const [vector = new Float32Array()] = embed([claim]);
    const windows = evidence
      .flatMap(windowsOf)
      .map((window) => ({ window, cosine: dot(vector, window.vector) }))
      .sort((a, b) => b.cosine - a.cosine)
      .map(({ window }) => window);
    const [nearest] = windows;
    if (nearest === undefined) return [];
    const texts = windows.slice(0, READ_WINDOWS).map(({ title, headings, text }) => quoteText(title, headings, text));
    const gathered = gatherSentences(vector, windows.slice(0, GATHERED_FROM), embed);
    return [...new Set([...texts, quoteText(nearest.title, nearest.headings, gathered)])];
  }

  function scoreOf(claim: string, readings: readonly PairReading[]): SupportScore {
    const [best] = readings.map((reading) => ({ reading, odds: supportLogOdds(reading) })).sort((a, b) => b.odds - a.odds) as [Scored];
    const score = 1 / (1 + Math.exp(-(weights.slope * best.odds + weights.offset)));
    const contradicted = readings.some(({ claim: label }) => label.contradicted > Math.max(label.supported, label.notFound));
    const spans = doubtedWords(claim, best.reading.words);
    const words = spans.map(({ start, end }) => `"${claim.slice(start, end)}"`).join(", ");
    return { score, spans, reason: `no cited passage supports ${words === "" ? "this" : words}`, contradicted };
  }

  return {
    id: `${weights.name}-${weights.reader.hash.slice(0, 12)}`,
    async score(pairs, { signal = NEVER } = {}) {
      const scores: (SupportScore | null)[] = [];
      for (let at = 0; at < pairs.length; at += PAIRS_PER_STEP) {
        signal.throwIfAborted();
        const step = pairs.slice(at, at + PAIRS_PER_STEP);
        const texts = step.map(textsFor);
        const together = step.flatMap(({ claim }, i) => (texts[i] as string[]).map((text) => ({ question: claim, text })));
        const readings = read === null || together.length === 0 ? null : await read(together, signal);
        let from = 0;
        for (const [i, { claim }] of step.entries()) {
          const own = texts[i] as string[];
          const ownReadings = readings?.slice(from, from + own.length) ?? [];
          from += own.length;
          scores.push(ownReadings.length === 0 ? null : scoreOf(claim, ownReadings));
        }
      }
      signal.throwIfAborted();
      return scores;
    },
  };
}

interface Scored {
  readonly reading: PairReading;
  readonly odds: number;
}

/** Returns the log odds of "supported" against the other two labels. */
function supportLogOdds({ claim: { supported, contradicted, notFound } }: PairReading): number {
  return supported - Math.log(Math.exp(contradicted) + Math.exp(notFound));
}

/** Cuts the text into windows of whole sentences that overlap by one sentence. */
function cutWindows({ text, above }: EvidenceText): Omit<Window, "vector">[] {
  const [title = "", ...headings] = above.filter((line) => line.trim() !== "");
  const sentences = splitSentences(text);
  const windows: Omit<Window, "vector">[] = [];
  for (let first = 0; first < sentences.length; ) {
    const { start } = sentences[first] as TextRange;
    let last = first;
    while (last + 1 < sentences.length && (sentences[last + 1] as TextRange).end - start <= WINDOW_CHARACTERS) last++;
    windows.push({ title, headings, text: text.slice(start, (sentences[last] as TextRange).end) });
    if (last + 1 >= sentences.length) break;
    first = Math.max(first + 1, last);
  }
  return windows.filter((window) => hasWord(window.text));
}

/** Joins the sentences of the windows that are most similar to the claim, in the order of the windows. */
function gatherSentences(claim: Float32Array, windows: readonly Window[], embed: EntailmentParts["embed"]): string {
  const sentences = [...new Set(windows.flatMap(({ text }) => splitSentences(text).map(({ start, end }) => text.slice(start, end))))];
  const vectors = embed(sentences);
  return sentences
    .map((text, i) => ({ text, i, cosine: dot(claim, vectors[i] as Float32Array) }))
    .sort((a, b) => b.cosine - a.cosine)
    .slice(0, GATHERED_SENTENCES)
    .sort((a, b) => a.i - b.i)
    .map(({ text }) => text)
    .join(" ");
}

/**
 * Returns the ranges of the claim whose words the text does not support, adjacent words joined; if there are none, that of the
 * least supported word.
 */
function doubtedWords(claim: string, odds: Float32Array | undefined): TextRange[] {
  if (odds === undefined) return [];
  const most = Math.max(0, Math.min(...odds));
  const ranges: TextRange[] = [];
  for (const [i, { 0: word, index: start }] of [...claim.matchAll(/\S+/gu)].entries()) {
    if ((odds[i] as number) > most) continue;
    const last = ranges.at(-1);
    const end = start + word.replace(/[.,;:!?)]+$/u, "").length;
    if (last !== undefined && claim.slice(last.end, start) === " ") ranges[ranges.length - 1] = { start: last.start, end };
    else ranges.push({ start, end });
  }
  return ranges;
}
