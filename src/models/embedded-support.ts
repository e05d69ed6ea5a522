import { z } from "zod";
import { sha256Hex } from "../text/hash.ts";
import type { EmbeddedEncoder } from "./embedded-encoder.ts";
import { ANSWER_OWN_COLUMNS, answerFeatures } from "./support/answer.ts";
import type { SupportView } from "./support/claim-view.ts";
import { explainSupport, explainWording } from "./support/explain.ts";
import { SUPPORT_FEATURES } from "./support/features.ts";
import { readEvidence, readSentence, type SupportEvidence } from "./support/text.ts";
import { viewSupport } from "./support/view.ts";
import { SupportVocabulary } from "./support/vocabulary.ts";
import type { SupportPair, SupportScore, SupportScorer, WordingScore } from "./support.ts";
import { readWeights, shippedWeights } from "./weights/read-weights.ts";
import { chanceOf, namedScorerSchema, scorerSchema, usableOn } from "./weights/scorer.ts";

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
