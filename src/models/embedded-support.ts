import { z } from "zod";
import { sha256Hex } from "../text/hash.ts";
import type { TextRange } from "../types.ts";
import type { EmbeddedEncoder } from "./embedded-encoder.ts";
import type { ClaimWord, SupportView } from "./support/claim-view.ts";
import { STRANGE, SUPPORT_FEATURES } from "./support/features.ts";
import { readEvidence, readSentence, type SupportEvidence, type SupportToken } from "./support/text.ts";
import { viewSupport } from "./support/view.ts";
import { SupportVocabulary } from "./support/vocabulary.ts";
import type { SupportPair, SupportScore, SupportScorer, WordingScore } from "./support.ts";
import { readWeights, shippedWeights } from "./weights/read-weights.ts";
import { chanceOf, namedScorerSchema, scorerSchema, usableOn } from "./weights/scorer.ts";

/** A sentence of an answer as the answer model sees it. */
interface ScoredSentence {
  /** Chance that it is supported. */
  readonly score: number;
  readonly feature: (name: string) => number | null;
}

/** Features of sentences that are added up, averaged, or taken from the first sentence. */
interface AnswerColumns {
  readonly sums: readonly string[];
  readonly means: readonly string[];
  readonly firsts: readonly string[];
}

const LEAST_SCORES = 3;
/** A chance counts as at least this in the product of chances. */
const LEAST_CHANCE = 1e-3;

/**
 * What is known of an answer from its sentences: the three least scores, their mean, the log of their product, how many are doubtful, and
 * sums and means of what was measured. The same columns as `answer_rows` of `lab/train/support/train.py`.
 */
export function answerFeatures(sentences: readonly ScoredSentence[], { sums, means, firsts }: AnswerColumns): (number | null)[] {
  const scores = sentences.map(({ score }) => score).sort((a, b) => a - b);
  const known = (name: string) => sentences.flatMap(({ feature }) => feature(name) ?? []);
  return [
    ...Array.from({ length: LEAST_SCORES }, (_, i) => scores[i] ?? 1),
    average(scores),
    scores.reduce((sum, score) => sum + Math.log(Math.min(Math.max(score, LEAST_CHANCE), 1)), 0),
    scores.filter((score) => score < 0.5).length,
    scores.filter((score) => score < 0.8).length,
    scores.length,
    ...sums.map((name) => known(name).reduce((sum, value) => sum + value, 0)),
    ...means.flatMap((name) => {
      const values = known(name);
      return values.length === 0 ? [null, null] : [average(values), Math.min(...values)];
    }),
    ...firsts.map((name) => sentences[0]?.feature(name) ?? null),
  ];
}

/** Columns that stand before those of `AnswerColumns`. */
const ANSWER_OWN_COLUMNS: number = LEAST_SCORES + 5;

function average(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

const supportScorer = namedScorerSchema(Object.keys(SUPPORT_FEATURES));
const names = z.array(z.enum(Object.keys(SUPPORT_FEATURES)));
const answerScorer = scorerSchema
  .extend({ sums: names, means: names, firsts: names })
  .superRefine(usableOn(({ sums, means, firsts }) => ANSWER_OWN_COLUMNS + sums.length + 2 * means.length + firsts.length));
const header = { name: z.string(), recipe: z.string(), sha256: z.string() };
const weightsSchema = z.object({ ...header, model: z.object({ sentence: supportScorer, answer: answerScorer }) });
export type SupportWeights = z.infer<typeof weightsSchema>;

const wordingSchema = z.object({ ...header, model: supportScorer });
export type WordingWeights = z.infer<typeof wordingSchema>;

const NAMES = { code: "support_corrupt", whose: "the support score's weights", recipe: "support", faultOf: faultOfHash };

/**
 * Weights as they ship; made by `lab/train/support`.
 * @throws ModelError `support_corrupt` when the file is missing, altered or not what it should be
 */
export function readSupportWeights(path: string = shippedWeights("support.json")): SupportWeights {
  return readWeights({ path, schema: weightsSchema, ...NAMES }).weights;
}

/**
 * Weights of the wording score as they ship; made by `lab/train/support`.
 * @throws ModelError `support_corrupt` when the file is missing, altered or not what it should be
 */
export function readWordingWeights(path: string = shippedWeights("wording.json")): WordingWeights {
  return readWeights({ path, schema: wordingSchema, ...NAMES }).weights;
}

/** The hash covers the model as it stands in the file, so that no other writing of the same numbers is needed. */
function faultOfHash({ sha256 }: { readonly sha256: string }, text: string): string | null {
  const body = text.slice(text.indexOf('"model": ') + '"model": '.length, text.lastIndexOf("\n}"));
  return sha256Hex(body) === sha256 ? null : "its hash differs from the one in its header";
}

export interface AnswerSupport {
  /** Chance that every sentence of the answer is supported. */
  readonly score: number;
  /** Per sentence, in order; `null` for one without words. */
  readonly sentences: readonly (SupportScore | null)[];
}

/** The support score that ships with the package. */
export interface EmbeddedSupportScorer extends SupportScorer {
  scoreSync(pairs: readonly SupportPair[]): (SupportScore | null)[];
  /** Judges the sentences of one answer against the same evidence, and the answer; `null` when no sentence can be judged. */
  scoreAnswer(sentences: readonly string[], evidence: readonly string[]): AnswerSupport | null;
}

/** Evidence that is kept as read, and characters of one that is too long to keep. */
const KNOWN_EVIDENCE = 32;
const KNOWN_CHARACTERS = 8_000;

/** Share of a claim's tokens that one sentence of the evidence must hold in order before a word between them counts as exchanged: others say it freely. */
const NEAR = 0.9;

/** Pairs between two looks at the signal. */
const PAIRS_PER_STEP = 32;

/**
 * The support score that ships with the package: boosted trees over features of a sentence and its evidence (`src/models/support/features.ts`).
 * No model runs; a sentence costs a fraction of a millisecond. It measures support, not entailment: see `lab/train/support/README.md` for how well.
 */
export function createEmbeddedSupportScorer(
  encoder: Pick<EmbeddedEncoder, "dimensions" | "tokenVectors">,
  weights: SupportWeights = readSupportWeights(),
  wording: WordingWeights = readWordingWeights(),
): EmbeddedSupportScorer {
  const vocabulary = new SupportVocabulary(encoder);
  const { sentence, answer } = weights.model;
  const measuresOf = (features: readonly string[]) =>
    features.map((name) => SUPPORT_FEATURES[name] as (view: SupportView) => number | null);
  const measures = measuresOf(sentence.features);
  const wordingMeasures = measuresOf(wording.model.features);

  function judge(text: string, evidence: SupportEvidence): { values: (number | null)[]; score: SupportScore } | null {
    const view = viewSupport(readSentence(text, vocabulary), evidence, vocabulary);
    if (view === null) return null;
    const values = measures.map((measure) => measure(view));
    const score = chanceOf(values, sentence);
    return { values, score: { score, ...explainSupport(view, text), wording: judgeWording(view, text) } };
  }

  function judgeWording(view: SupportView, text: string): WordingScore | undefined {
    if (view.difference === null || view.difference.kept < NEAR) return undefined;
    const score = chanceOf(
      wordingMeasures.map((measure) => measure(view)),
      wording.model,
    );
    return { score, ...explainWording(view, text) };
  }

  /** Evidence that was read, the latest last: sentences of one answer share it. */
  const evidenceRead = new Map<string, SupportEvidence>();

  function evidenceOf(texts: readonly string[]): SupportEvidence {
    const key = JSON.stringify(texts);
    const read = evidenceRead.get(key) ?? readEvidence(texts, vocabulary);
    evidenceRead.delete(key);
    if (key.length <= KNOWN_CHARACTERS) evidenceRead.set(key, read);
    const [oldest] = evidenceRead.keys();
    if (evidenceRead.size > KNOWN_EVIDENCE && oldest !== undefined) evidenceRead.delete(oldest);
    return read;
  }

  function scoreSync(pairs: readonly SupportPair[]): (SupportScore | null)[] {
    if (vocabulary.trim()) evidenceRead.clear();
    return pairs.map(({ claim, evidence }) => judge(claim, evidenceOf(evidence))?.score ?? null);
  }

  function scoreAnswer(sentences: readonly string[], evidence: readonly string[]): AnswerSupport | null {
    if (vocabulary.trim()) evidenceRead.clear();
    const read = readEvidence(evidence, vocabulary);
    const judged = sentences.map((text) => judge(text, read));
    const known = judged.filter((one) => one !== null);
    if (known.length === 0) return null;
    const places = new Map(sentence.features.map((name, i) => [name, i]));
    const scored = known.map(({ values, score }) => ({
      score: score.score,
      feature: (name: string) => values[places.get(name) ?? -1] ?? null,
    }));
    const score = chanceOf(answerFeatures(scored, answer), answer);
    return { score, sentences: judged.map((one) => one?.score ?? null) };
  }

  return {
    id: `${weights.name}-${weights.recipe}-${weights.sha256.slice(0, 12)}-${wording.sha256.slice(0, 12)}`,
    async score(pairs, { signal } = {}) {
      const scores: (SupportScore | null)[] = [];
      for (let at = 0; at < pairs.length; at += PAIRS_PER_STEP) {
        signal?.throwIfAborted();
        scores.push(...scoreSync(pairs.slice(at, at + PAIRS_PER_STEP)));
      }
      signal?.throwIfAborted();
      return scores;
    },
    scoreSync,
    scoreAnswer,
  };
}

interface Fault extends TextRange {
  /** 0 weighs most. */
  readonly rank: number;
  readonly reason: string;
}

/** Parts of a claim that its evidence does not bear out, and the weightiest of them in words. */
function explainSupport(view: SupportView, text: string): { spans: TextRange[]; reason: string } {
  const faults = [...amountFaults(view, text), ...fieldFaults(view, text), ...wordFaults(view, text), ...turnFaults(view, text)];
  const worst = faults.reduce<Fault | null>((best, fault) => (best === null || fault.rank < best.rank ? fault : best), null);
  return { spans: merge(faults), reason: worst?.reason ?? "Every part has a counterpart in the evidence." };
}

function amountFaults({ amounts }: SupportView, text: string): Fault[] {
  return amounts.flatMap(({ amount: { start, end }, found, otherUnit }): Fault[] => {
    if (found) return [];
    const reason = otherUnit ? "stands in the evidence with another unit" : "is not in the evidence";
    return [{ start, end, rank: 0, reason: `"${text.slice(start, end)}" ${reason}.` }];
  });
}

function fieldFaults({ fields, claim }: SupportView, text: string): Fault[] {
  return (fields ?? []).flatMap(({ agrees, at, line }): Fault[] => {
    if (agrees) return [];
    const tokens = at.map((i) => claim.tokens[i] as SupportToken).sort((a, b) => a.start - b.start);
    const start = (tokens[0] as SupportToken).start;
    const end = (tokens.at(-1) as SupportToken).end;
    return [{ start, end, rank: 1, reason: `The record ${line.affirmed ? "affirms" : "denies"} "${text.slice(start, end)}".` }];
  });
}

function wordFaults({ words }: SupportView, text: string): Fault[] {
  return words.flatMap(({ token: { start, end }, best, isName }: ClaimWord): Fault[] => {
    if (isName ? best === 1 : best >= STRANGE) return [];
    return [{ start, end, rank: isName ? 2 : 4, reason: `"${text.slice(start, end)}" has no counterpart in the evidence.` }];
  });
}

function turnFaults({ words, opposites }: SupportView, text: string): Fault[] {
  const flipped = words.filter(({ flipped: turned }) => turned).map(({ token }) => token);
  return [
    ...flipped.map(({ start, end }) => ({
      start,
      end,
      rank: 3,
      reason: `"${text.slice(start, end)}" is affirmed on one side and denied on the other.`,
    })),
    ...opposites.map(({ token: { start, end } }) => ({
      start,
      end,
      rank: 3,
      reason: `The evidence says the opposite of "${text.slice(start, end)}".`,
    })),
  ];
}

/** The words of a claim that its nearest sentence lacks, and what that one has instead. */
function explainWording({ difference }: SupportView, text: string): { spans: TextRange[]; reason: string } {
  const { own = [], other = [] } = difference ?? {};
  const said = own.map(({ start, end }) => `"${text.slice(start, end)}"`).join(", ");
  const instead = other.map((token) => `"${token.text}"`).join(", ");
  const where = "the sentence of the evidence that comes nearest";
  const reason =
    said !== "" && instead !== ""
      ? `has ${said} where ${where} has ${instead}`
      : said !== ""
        ? `${said} stands not in ${where}`
        : instead !== ""
          ? `leaves out ${instead} of ${where}`
          : `says otherwise than ${where}`;
  return { spans: own.map(({ start, end }) => ({ start, end })), reason };
}

/** In order, without overlaps; what only blanks part is one. */
function merge(faults: readonly TextRange[]): TextRange[] {
  const sorted = [...faults].sort((a, b) => a.start - b.start || a.end - b.end);
  const spans: { start: number; end: number }[] = [];
  for (const { start, end } of sorted) {
    const last = spans.at(-1);
    if (last !== undefined && start <= last.end + 1) last.end = Math.max(last.end, end);
    else spans.push({ start, end });
  }
  return spans;
}
