import { z } from "zod";
import { readNamedWeights, shippedWeights } from "../models/weights/read-weights.ts";
import { namedScorerSchema } from "../models/weights/scorer.ts";
import { PIECE_FEATURES } from "./piece-features.ts";
import { FOLLOWING_FEATURES, READ_ANSWER_FEATURES, READING_FEATURES } from "./reading-features.ts";

const weightsSchema = z.object({
  name: z.string(),
  recipe: z.string(),
  date: z.string(),
  /** SHA-256 of the measured pieces that it was learned from. */
  data: z.string(),
  /** Score of a piece, and the chance that it answers. */
  piece: namedScorerSchema(Object.keys(PIECE_FEATURES)),
  /** Chance that the best piece answers, from what all pieces and passages of the question say at a glance. */
  answer: namedScorerSchema(),
  /** Name and hash of the reader that the two below were learned with: with another, nothing is read. */
  reader: z.object({ name: z.string(), hash: z.string() }),
  /** Score of a piece that was read, and the chance that it answers. */
  read: namedScorerSchema(READING_FEATURES),
  /** Chance that what would be shown answers where pieces were read. */
  read_answer: namedScorerSchema(READ_ANSWER_FEATURES),
  /** Chance that what follows the best piece answers too, and from which chance on it is quoted with it; `null`: it is not asked. */
  following: namedScorerSchema(FOLLOWING_FEATURES)
    .and(z.object({ minimum: z.number().min(0).max(1) }))
    .nullable(),
  threshold: z.object({
    /** From this chance on the question is answered. */
    minimum: z.number().min(0).max(1),
    /** How it was chosen, in words. */
    rule: z.string(),
  }),
});
export interface ChooserWeights extends z.infer<typeof weightsSchema> {
  /** Names these very weights: the recipe and the hash of the file. */
  readonly id: string;
}

/**
 * Weights as they ship; made by `lab/train/chooser`.
 * @throws ModelError `chooser_corrupt` when the file is missing or not what it should be
 */
export function readChooserWeights(path: string = shippedWeights("chooser.json")): ChooserWeights {
  const names = { code: "chooser_corrupt", whose: "the chooser's weights", recipe: "chooser" };
  return readNamedWeights({ path, schema: weightsSchema, ...names });
}
