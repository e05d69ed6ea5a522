import { z } from "zod";
import { type Adapter, openSharedReader } from "../cross-encoder/create-reader.ts";
import type { Reader, ReadTexts } from "../cross-encoder/reader.ts";
import { type CrisisFinder, createCrisisFinder } from "../guard/hotlines.ts";
import type { EnglishWords } from "../language/content-words.ts";
import { createQuestionFactReader } from "../language/question-facts.ts";
import { createMatcher, type Matcher, readParaphraseWeights } from "../memory/matcher.ts";
import { createHubReranker, DEFAULT_CROSS_ENCODER } from "../models/adapters/hub.ts";
import { type Calibration, scaleFor } from "../models/calibration/calibration.ts";
import { type EmbeddedEncoder, sharedEncoder } from "../models/embedded-encoder.ts";
import { createEntailmentScorer, readEntailmentWeights } from "../models/entailment.ts";
import { openInstructionFinder } from "../models/injection.ts";
import type { Reranker } from "../models/reranker.ts";
import type { SupportScorer } from "../models/support.ts";
import { isComplete, probabilityOf, readWeights, scorerSchema, shippedWeights } from "../models/weights/scorer.ts";
import type { RankingModels } from "../pipeline/context.ts";
import { readRankingWeights } from "../ranking/features.ts";
import { type Config, hubFolders } from "../shared/config.ts";
import { ModelError, messageOf } from "../shared/errors.ts";
import { once, whileHeld } from "../text/memo.ts";
import type { DomainPack } from "./domain.ts";

/** Creates the bundled support scorer; its weights, encoder and cross-encoder are loaded at first use. */
export function createShippedSupport(
  { of }: Pick<ReaderKeeper, "of"> = createReaderKeeper(),
  encoder: () => Pick<EmbeddedEncoder, "embedSync"> = sharedEncoder,
): SupportScorer {
  const scorer = once(() => {
    const weights = readEntailmentWeights();
    return createEntailmentScorer({ weights, embed: (texts) => encoder().embedSync(texts), read: of(weights, "claims") });
  });
  return {
    get id() {
      return scorer().id;
    },
    score: (pairs, options) => scorer().score(pairs, options),
  };
}

export type ReaderKeeper = ReturnType<typeof createReaderKeeper>;

/** Weights that were fitted with a cross-encoder, or with one of its adapters. */
interface FittedWith {
  readonly reader: Pick<Reader["weights"], "name" | "hash">;
}

/** Opens the bundled cross-encoder and its adapters at first use. If one is unusable, warns once. */
export function createReaderKeeper(
  open: (adapter: Adapter | null) => Reader = openSharedReader,
  warn: (message: string) => void = (message) => process.emitWarning(message),
) {
  const opened = new Map<Adapter | null, Reader | null>();
  const reported = new Set<string>();
  const warnOnce = (message: string) => {
    if (reported.has(message)) return;
    reported.add(message);
    warn(message);
  };
  const openOrWarn = (adapter: Adapter | null): Reader | null => {
    const known = opened.get(adapter);
    if (known !== undefined) return known;
    let reader: Reader | null = null;
    try {
      reader = open(adapter);
    } catch (error) {
      warnOnce(
        `the cross-encoder is not available. Answers are selected and crisis messages detected by the less accurate first-stage score, and cached answers that need it are not served. Reason: ${messageOf(error)}`,
      );
    }
    opened.set(adapter, reader);
    return reader;
  };
  return {
    /**
     * Returns the scoring function of the cross-encoder, with an adapter if one is given. Returns `null` if it is
     * unusable or is not the one that the weights were fitted with. First-stage scores then decide.
     */
    of({ reader: { name, hash } }: FittedWith, adapter: Adapter | null = null): ReadTexts | null {
      const one = openOrWarn(adapter);
      if (one === null) return null;
      if (one.weights.hash !== hash) {
        warnOnce(
          `the installed cross-encoder is not used, because the ranking weights belong to another one ("${name}"). The less accurate first-stage score is used instead. Reinstall Sourcebound`,
        );
        return null;
      }
      return async (texts, signal) => {
        try {
          return await one.read(texts, signal);
        } catch (error) {
          if (signal.aborted || !(error instanceof ModelError)) throw error;
          warnOnce(`the cross-encoder failed, so the less accurate first-stage score was used: ${messageOf(error)}`);
          return null;
        }
      };
    },
    async close(): Promise<void> {
      await Promise.all([...opened.values()].map((reader) => reader?.close()));
      for (const adapter of opened.keys()) opened.set(adapter, null);
    },
  };
}

/** Weights shared by all engines of the process, because they never change. */
const sharedRankingWeights = whileHeld(() => readRankingWeights());

/**
 * Creates the crisis finder from the bundled encoder and cross-encoder, which are loaded with the first message. If the
 * weights of the finder are missing, only listed phrases trigger a hotline.
 */
export function openCrisisFinder(encoder: () => Pick<EmbeddedEncoder, "embedSync">, reader: Pick<ReaderKeeper, "of">): CrisisFinder {
  let finder: CrisisFinder | null = null;
  const open = (): CrisisFinder => {
    const names = { code: "crisis_corrupt", whose: "the weights of the crisis detector" };
    const { weights } = readWeights({ path: shippedWeights("crisis.json"), schema: crisisSchema, ...names });
    const { glance, read } = weights;
    return createCrisisFinder({
      firstStage: { probability: (features) => probabilityOf(features, glance), readFrom: glance.read_from, cuts: glance.cuts },
      read: { probability: (vector) => probabilityOf(vector, read), cuts: read.cuts },
      encoder: encoder(),
      reader: orFirstStage(reader.of(weights)),
    });
  };
  return async (message) => {
    try {
      finder ??= open();
    } catch (error) {
      process.emitWarning(
        `the crisis detector could not be loaded, so crisis messages are recognised only by the phrases listed under \`hotlines\`: ${messageOf(error)}`,
      );
      finder = async () => "no";
    }
    return finder(message);
  };
}

/** Makes a failure of the cross-encoder affect only one message, for which the first-stage score then decides. */
function orFirstStage(read: ReadTexts | null): ReadTexts | null {
  if (read === null) return null;
  return async (texts, signal) => {
    try {
      return await read(texts, signal);
    } catch (error) {
      process.emitWarning(
        `the cross-encoder failed on a possible crisis message, so the less accurate first-stage score was used: ${messageOf(error)}`,
      );
      return null;
    }
  };
}

const probability = z.number().min(0).max(1);
const cutsSchema = z.object({ possible: probability, likely: probability });
/** A scorer over vectors and hashed words (`src/guard/message-features.ts`). Its features have positions instead of names. */
const placesSchema = scorerSchema.extend({ cuts: cutsSchema });
const crisisSchema = z.object({
  encoder: z.string(),
  /** Name and hash of the cross-encoder that `read` was trained with. */
  reader: z.object({ name: z.string(), hash: z.string() }),
  recipe: z.string(),
  glance: placesSchema.extend({ read_from: probability }).refine(isComplete),
  read: placesSchema.refine(isComplete),
});

/** Creates the bundled in-process models, each loaded at first use. */
export function createLocalModels(
  config: Config,
  calibrations: readonly Calibration[],
  embedded: () => EmbeddedEncoder,
  english: EnglishWords,
) {
  const rankingWeights = once(sharedRankingWeights);
  const reader = createReaderKeeper();
  const hubCrossEncoder = once((): Reranker | undefined => installedCrossEncoder(config) ?? undefined);
  const paraphraseWeights = once(readParaphraseWeights);
  return {
    rerankers: {
      /** The cross-encoder from the Hugging Face Hub, if its runtime and files are installed. */
      get "cross-encoder"() {
        return hubCrossEncoder();
      },
    },
    support: createShippedSupport(reader, embedded),
    // Compares candidates by the embedded encoder, even if another encoder ranks passages.
    ranking(): RankingModels {
      const weights = rankingWeights();
      const encoder = embedded();
      return { weights, encoder: encoder.id, embed: (texts) => encoder.embedSync(texts), read: reader.of(weights) };
    },
    rankingWeights,
    // Compares questions by the embedded encoder, even if another encoder ranks passages: it needs no paid call, and
    // the thresholds of the matcher were measured with it.
    async embedQuestion(text: string) {
      const encoder = embedded();
      return { model: encoder.id, values: encoder.embedSync([text])[0] as Float32Array };
    },
    matcher(pack: DomainPack): Matcher {
      return createMatcher({
        facts: createQuestionFactReader(pack, english),
        weights: paraphraseWeights,
        isMeasured: pack.semantic_cache,
        read: () => reader.of(paraphraseWeights(), "questions"),
        carry: (cosine, of) => scaleFor(of, embedded(), calibrations).threshold(cosine),
      });
    },
    findCrisis: openCrisisFinder(embedded, reader),
    isInstruction: openInstructionFinder(embedded),
    close: reader.close,
  };
}
export type LocalModels = ReturnType<typeof createLocalModels>;

/** Opens the cross-encoder from the Hugging Face Hub; `null` when it is not installed. */
function installedCrossEncoder(config: Config): Reranker | null {
  try {
    return createHubReranker(DEFAULT_CROSS_ENCODER, hubFolders(config));
  } catch (error) {
    if (error instanceof ModelError && error.code.startsWith("hub_")) return null;
    throw error;
  }
}
