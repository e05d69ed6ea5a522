import type { PairReading, ReadingOf, ToRead } from "./reader.ts";
import { createSequenceBuilder } from "./sequence.ts";
import { piecesOf, type StoredWeights } from "./shared-weights.ts";
import { createWordpiece } from "./wordpiece.ts";

/** Reads one text or pair after the other in the thread that calls. */
export type ReadText = (read: ToRead) => Promise<ReadingOf<ToRead>>;

/** @param run the forward pass over these weights */
export function createReadText(weights: StoredWeights, run: (ids: Int32Array) => PairReading | Promise<PairReading>): ReadText {
  const sequence = createSequenceBuilder(createWordpiece(piecesOf(weights)));
  return async (read) => {
    const reading = await run(sequence(read));
    return typeof read === "string" ? { vector: reading.vector } : reading;
  };
}
