import { createForward } from "./forward.ts";
import type { ReadingOf, ToRead } from "./reader.ts";
import { createSequenceBuilder } from "./sequence.ts";
import { piecesOf, type ReaderWeights } from "./shared-weights.ts";
import { createWordpiece } from "./wordpiece.ts";

/** Reads one text or pair after the other in the thread that calls. */
export type ReadText = (read: ToRead) => ReadingOf<ToRead>;

export function createReadText(weights: ReaderWeights, arenaNumber: number): ReadText {
  const sequence = createSequenceBuilder(createWordpiece(piecesOf(weights)));
  const forward = createForward(weights, arenaNumber);
  return (read) => {
    const reading = forward.run(sequence(read));
    return typeof read === "string" ? { vector: reading.vector } : reading;
  };
}
