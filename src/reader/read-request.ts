import { createForward, type TokenSequence } from "./forward.ts";
import type { Reading, ReadRequest } from "./reader.ts";
import { createSequenceBuilder } from "./sequence.ts";
import { piecesOf, type ReaderWeights } from "./shared-weights.ts";
import { createWordpiece } from "./wordpiece.ts";

/** Thrown between two windows when nobody waits for the reading any more. */
export class ReadCancelled extends Error {}

/** Reads one request after the other in the thread that calls, window by window. */
export type ReadOne = (request: ReadRequest, isCancelled?: () => boolean) => Reading;

export function createReadOne(weights: ReaderWeights, arenaNumber: number): ReadOne {
  const sequences = createSequenceBuilder(createWordpiece(piecesOf(weights)));
  const forward = createForward(weights, arenaNumber);
  return (request, isCancelled = () => false) => ({
    answer: Math.max(...Array.from(uncancelled(sequences.build(request), isCancelled), forward.run)),
  });
}

function* uncancelled(all: Iterable<TokenSequence>, isCancelled: () => boolean): Generator<TokenSequence> {
  for (const window of all) {
    if (isCancelled()) throw new ReadCancelled();
    yield window;
  }
}
