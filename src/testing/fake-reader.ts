import { type Reader, TOKEN_LENGTH } from "../reader/reader.ts";
import { sha256Hex } from "../text/hash.ts";

/** A reader that says what a test wants it to say, and remembers what it was asked. */
export interface FakeReader extends Reader {
  readonly calls: readonly (readonly string[])[];
}

export interface FakeReaderOptions {
  /** Where a text lies: texts of the same name point the same way, all others are at right angles to each other. */
  readonly nameOf?: (text: string) => string;
  readonly name?: string;
}

/** Directions that it can tell apart. */
const DIMENSIONS = 64;

/**
 * A fake reader.
 * @example
 * const reader = fakeReader({ nameOf: (text) => (text.includes("fee") ? "fee" : text) });
 */
export function fakeReader({ nameOf = (text) => text, name = "fake-reader" }: FakeReaderOptions = {}): FakeReader {
  const calls: (readonly string[])[] = [];
  const names: string[] = [];
  return {
    calls,
    async read(texts, signal) {
      signal?.throwIfAborted();
      calls.push(texts);
      return texts.map((text) => {
        const named = nameOf(text);
        if (!names.includes(named)) names.push(named);
        const vector = new Float32Array(DIMENSIONS);
        vector[names.indexOf(named) % DIMENSIONS] = 1;
        return { vector, tokens: Int8Array.from(vector, (value) => value * TOKEN_LENGTH) };
      });
    },
    weights: { name, hash: sha256Hex(name) },
    warm: () => undefined,
    close: async () => undefined,
  };
}
