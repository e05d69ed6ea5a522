import { createForward } from "./forward.ts";
import type { TextReading } from "./reader.ts";
import { createSequenceBuilder } from "./sequence.ts";
import { piecesOf, type ReaderWeights } from "./shared-weights.ts";
import { createWordpiece } from "./wordpiece.ts";

/** Reads one text after the other in the thread that calls. */
export type ReadText = (text: string) => TextReading;

export function createReadText(weights: ReaderWeights, arenaNumber: number): ReadText {
  const sequence = createSequenceBuilder(createWordpiece(piecesOf(weights)));
  const forward = createForward(weights, arenaNumber);
  return (text) => forward.run(sequence(text));
}
