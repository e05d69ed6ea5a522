import type { Reader, Reading, ReadRequest } from "../reader/reader.ts";
import { sha256Hex } from "../text/hash.ts";

/** A reader that says what a test wants it to say, and remembers what it was asked. */
export interface FakeReader extends Reader {
  readonly calls: readonly (readonly ReadRequest[])[];
}

export interface FakeReaderOptions {
  /** The reading of a request; for what it leaves undefined the reader says that it does not answer. */
  readonly read?: (request: ReadRequest) => Reading | undefined;
  readonly name?: string;
}

/**
 * A fake reader.
 * @example
 * const reader = fakeReader({ read: (request) => (request.passage.includes("$3") ? { answer: 4 } : undefined) });
 */
export function fakeReader({ read = () => undefined, name = "fake-reader" }: FakeReaderOptions = {}): FakeReader {
  const calls: (readonly ReadRequest[])[] = [];
  const readAll = async (requests: readonly ReadRequest[], signal?: AbortSignal): Promise<Reading[]> => {
    signal?.throwIfAborted();
    calls.push(requests);
    return requests.map((request) => read(request) ?? { answer: NO });
  };
  return {
    calls,
    read: readAll,
    weights: { name, hash: sha256Hex(name), calibration: {} },
    warm: () => undefined,
    close: async () => undefined,
  };
}

/** Surely not: log odds of -8 are a chance of .0003. */
const NO = -8;
