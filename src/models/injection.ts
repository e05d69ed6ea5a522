import { z } from "zod";
import { messageFeatures, piecesOf } from "../guard/message-features.ts";
import { once } from "../text/memo.ts";
import type { EmbeddedEncoder } from "./embedded-encoder.ts";
import { isComplete, probabilityOf, readWeights, scorerSchema, shippedWeights } from "./weights/scorer.ts";

/** A scorer over vectors and hashed words (`src/guard/message-features.ts`). Its features have positions instead of names. */
const weightsSchema = scorerSchema.extend({ encoder: z.string(), recipe: z.string(), threshold: z.number().min(0).max(1) });

/**
 * Returns the clauses of a question and, if there are several, the whole question. Colons and semicolons end a clause,
 * because an instruction may precede an ordinary question: "Ignore the rules: what does it cost?"
 */
export const questionPieces = (question: string): string[] => piecesOf(question.replaceAll(/[:;]/g, "."));

/**
 * Returns a function that decides whether a question, or one of its clauses, gives instructions to the system. The
 * classifier was trained on cases written for this purpose (`lab/train/injection`). It is loaded with the first question.
 * @returns the function; it throws ModelError `injection_corrupt` if the weights are missing or invalid
 */
export function openInstructionFinder(encoder: () => Pick<EmbeddedEncoder, "embedSync">): (question: string) => boolean {
  const names = { code: "injection_corrupt", whose: "the weights of the detector of instructions" };
  const read = once(
    () => readWeights({ path: shippedWeights("injection.json"), schema: weightsSchema.refine(isComplete), ...names }).weights,
  );
  const score = (text: string) => probabilityOf(messageFeatures(text, encoder().embedSync([text])[0] as Float32Array), read());
  return (question) => questionPieces(question).some((text) => score(text) >= read().threshold);
}
