import { createForward } from "./forward.ts";
import type { AnswersReading, ClaimsReading, Reading, ReadRequest } from "./reader.ts";
import { createSequenceBuilder, type ReadWindow } from "./sequence.ts";
import { piecesOf, type ReaderWeights } from "./shared-weights.ts";
import { createWordpiece, type Tokens } from "./wordpiece.ts";

/** Thrown between two windows when nobody waits for the reading any more. */
export class ReadCancelled extends Error {}

/** Reads one request after the other in the thread that calls, window by window. */
export type ReadOne = (request: ReadRequest, isCancelled?: () => boolean) => Reading;

export function createReadOne(weights: ReaderWeights, arenaNumber: number): ReadOne {
  const sequences = createSequenceBuilder(createWordpiece(piecesOf(weights)));
  const forward = createForward(weights, arenaNumber);

  return (request, isCancelled = () => false) => {
    const { tokens, windows } = sequences.build(request);
    switch (request.task) {
      case "answers":
        return readAnswers(tokens, uncancelled(windows));
      case "claims":
        return readClaims(uncancelled(windows));
      case "pairs": {
        const [logit] = firstToken("pair", windows.next().value as ReadWindow);
        return { task: "pairs", same: logit as number };
      }
    }

    function* uncancelled(all: Iterable<ReadWindow>): Generator<ReadWindow> {
      for (const window of all) {
        if (isCancelled()) throw new ReadCancelled();
        yield window;
      }
    }
  };

  function firstToken(head: "pair" | "claim", { sequence }: ReadWindow): Float32Array {
    return forward.run(sequence, sequence.ids.length).project(head, 0, 1);
  }

  function readClaims(windows: Iterable<ReadWindow>): ClaimsReading {
    let decisive: ClaimsReading | undefined;
    for (const window of windows) {
      const [supported, contradicted, notFound] = softmax(firstToken("claim", window)) as [number, number, number];
      if (decisive === undefined || notFound < decisive.notFound) decisive = { task: "claims", supported, contradicted, notFound };
    }
    return decisive as ClaimsReading;
  }

  function readAnswers({ starts, ends }: Tokens, windows: Iterable<ReadWindow>): AnswersReading {
    const none = () => new Float32Array(starts.length).fill(Number.NEGATIVE_INFINITY);
    const logits = [none(), none(), none()] as const;
    let answer = Number.NEGATIVE_INFINITY;
    for (const { sequence, from, first, count } of windows) {
      const hidden = forward.run(sequence, from);
      answer = Math.max(answer, hidden.project("answer", 0, 1)[0] as number);
      const found = hidden.project("tokens", 1, count);
      for (const [head, all] of logits.entries())
        for (let i = 0; i < count; i++) all[first + i] = Math.max(all[first + i] as number, found[i * logits.length + head] as number);
    }
    const [startLogits, endLogits, relevantLogits] = logits;
    return { task: "answers", answer, tokens: { starts, ends, startLogits, endLogits, relevantLogits } };
  }
}

function softmax(logits: Float32Array): number[] {
  const peak = Math.max(...logits);
  const parts = Array.from(logits, (logit) => Math.exp(logit - peak));
  const sum = parts.reduce((total, part) => total + part, 0);
  return parts.map((part) => part / sum);
}
