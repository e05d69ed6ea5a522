import type { Reader, Reading, ReadRequest } from "../reader/reader.ts";
import { sha256Hex } from "../text/hash.ts";

/** A reader that says what a test wants it to say, and remembers what it was asked. */
export interface FakeReader extends Reader {
  readonly calls: readonly (readonly ReadRequest[])[];
}

export interface FakeReaderOptions {
  /** The reading of a request; for what it leaves undefined the reader says that nothing answers, nothing is found, nothing is the same. */
  readonly read?: (request: ReadRequest) => Reading | undefined;
  readonly name?: string;
}

/**
 * A fake reader.
 * @example
 * const reader = fakeReader({ read: (request) => (request.task === "pairs" ? { task: "pairs", same: 4 } : undefined) });
 */
export function fakeReader({ read = () => undefined, name = "fake-reader" }: FakeReaderOptions = {}): FakeReader {
  const calls: (readonly ReadRequest[])[] = [];
  const readAll = async (requests: readonly ReadRequest[], signal?: AbortSignal): Promise<Reading[]> => {
    signal?.throwIfAborted();
    calls.push(requests);
    return requests.map((request) => read(request) ?? nothingIn(request));
  };
  return {
    calls,
    read: readAll as Reader["read"],
    weights: { name, hash: sha256Hex(name), calibration: {} },
    warm: () => undefined,
    close: async () => undefined,
  };
}

/** Surely not: a logit of -8 is a chance of .0003. */
const NO = -8;

/** Words as tokens. */
function nothingIn(request: ReadRequest): Reading {
  switch (request.task) {
    case "pairs":
      return { task: "pairs", same: NO };
    case "claims":
      return { task: "claims", supported: 0, contradicted: 0, notFound: 1 };
    case "answers": {
      const words = [...request.passage.matchAll(/\S+/g)];
      const starts = Int32Array.from(words, ({ index }) => index);
      const ends = Int32Array.from(words, ({ index, 0: word }) => index + word.length);
      const no = () => new Float32Array(words.length).fill(NO);
      return { task: "answers", answer: NO, tokens: { starts, ends, startLogits: no(), endLogits: no(), relevantLogits: no() } };
    }
  }
}
