import { z } from "zod";
import { readWeights, shippedWeights } from "../models/weights/read-weights.ts";
import { chanceOf, namedScorerSchema } from "../models/weights/scorer.ts";
import { quoteText } from "../reader/quote-text.ts";
import type { ReadTexts } from "../reader/reader.ts";
import type { Answer } from "../types.ts";

/** A stored question beside the one that is asked. */
export interface Rewording {
  readonly asked: string;
  readonly stored: string;
  /** Of both questions. */
  readonly cosine: number;
  /** What is stored, as it would be served. */
  readonly answer: Pick<Answer, "citations">;
  /** A rule speaks against it that compares nothing exact. */
  readonly soft: boolean;
}

/** Does a reading bear out that both ask for the same? `null`: nothing could be read. */
export type JudgeRewording = (rewording: Rewording, signal: AbortSignal) => Promise<{ same: boolean; reason: string } | null>;

/**
 * What is known of a rewording: the cosine of both questions, the reader's log odds that they ask for the same and that the first quote of the answer answers
 * what is asked, and whether a soft rule speaks against it. What the asked question shares of the words is left out: it tells how pairs were written.
 */
export const REWORDING_FEATURES = ["cosine", "same", "answer", "soft"] as const;

const chance = z.number().min(0).max(1);
const weightsSchema = z.object({
  recipe: z.string(),
  /** Name and hash of the reader that it was learned with: with another, nothing is read. */
  reader: z.object({ name: z.string(), hash: z.string() }),
  /** Chance that both ask for the same, of pairs in which nothing exact differs. */
  scorer: namedScorerSchema(REWORDING_FEATURES),
  /** Chances from which the answer is served: where no rule speaks against it, and where a soft one does. */
  from: z.object({ agreed: chance, soft: chance }),
});
export type RewordingWeights = z.infer<typeof weightsSchema>;

/**
 * Weights that `lab/train/cache` learned.
 * @throws ModelError `rewording_corrupt` when the file is missing or not what it should be
 */
export function readRewordingWeights(path: string = shippedWeights("rewording.json")): RewordingWeights {
  return readWeights({ path, schema: weightsSchema, code: "rewording_corrupt", whose: "the cache's weights", recipe: "cache" }).weights;
}

/** Characters of a question that the reader takes in whole: what stands behind them might be what differs. */
const MAX_QUESTION = 200;

/** @param read `null`: there is no reader, or another one than the weights were learned with */
export function createRewordingJudge(weights: RewordingWeights, read: ReadTexts | null): JudgeRewording {
  return async (rewording, signal) => {
    const { asked, stored, answer } = rewording;
    const isWhole = answer.citations.length > 0 && Math.max(asked.length, stored.length) <= MAX_QUESTION;
    const [odds] = read === null || !isWhole ? [] : ((await readRewordings([rewording], read, signal)) ?? []);
    if (odds === undefined) return null;
    const { cosine, soft } = rewording;
    const known = { cosine, ...odds, soft: Number(soft) };
    const sure = chanceOf(
      weights.scorer.features.map((name) => known[name as keyof typeof known]),
      weights.scorer,
    );
    const least = soft ? weights.from.soft : weights.from.agreed;
    return { same: sure >= least, reason: `read as the same question with a chance of ${sure.toFixed(2)} of ${least.toFixed(2)}` };
  };
}

/** The reader's log odds that each pair asks for the same, and that the first quote of the stored answer answers what is asked; `null`: it could not read. */
export async function readRewordings(
  pairs: readonly Pick<Rewording, "asked" | "stored" | "answer">[],
  read: ReadTexts,
  signal: AbortSignal,
): Promise<{ readonly same: number; readonly answer: number }[] | null> {
  const texts = pairs.flatMap(({ asked, stored, answer }) => [
    { question: stored, text: asked },
    { question: asked, text: firstQuote(answer) },
  ]);
  const readings = await read(texts, signal);
  if (readings === null) return null;
  return pairs.map((_, i) => ({ same: readings[2 * i]?.same as number, answer: readings[2 * i + 1]?.answer as number }));
}

function firstQuote({ citations: [first] }: Rewording["answer"]): string {
  return first === undefined ? "" : quoteText(first.title, first.headingPath, first.quote);
}
