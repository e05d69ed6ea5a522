import { dot } from "../cross-encoder/dot.ts";
import type { Reader, ReadingOf, ReadTexts, ToRead } from "../cross-encoder/reader.ts";
import { sha256Hex } from "../text/hash.ts";

/** A reader that says what a test wants it to say, and remembers what it was asked. */
export interface FakeReader extends Reader {
  readonly calls: readonly (readonly ToRead[])[];
}

export interface FakeReaderOptions {
  /**
   * Where a text lies: texts of the same name point the same way, all others are at right angles to each other. A text answers a question of its name, bears out
   * a claim of it, and asks for the same; of any other it does not, and settles nothing.
   */
  readonly nameOf?: (text: string) => string;
  readonly name?: string;
}

/** Directions that it can tell apart. */
const DIMENSIONS = 64;
/** Log odds of a pair of one name, and below 0 those of any other. */
const SURE = 4;
/** Logarithm of a chance that is next to nothing. */
const HARDLY = -5;

/** Reads each text or pair as a test says. */
export function fakeReadTexts(readingOf: (one: ToRead) => ReadingOf<ToRead>): ReadTexts {
  return async <Read extends ToRead>(texts: readonly Read[], signal?: AbortSignal) => {
    signal?.throwIfAborted();
    return texts.map((one) => readingOf(one) as ReadingOf<Read>);
  };
}

/**
 * A fake reader.
 * @example
 * const reader = fakeReader({ nameOf: (text) => (text.includes("fee") ? "fee" : text) });
 */
export function fakeReader({ nameOf = (text) => text, name = "fake-reader" }: FakeReaderOptions = {}): FakeReader {
  const calls: (readonly ToRead[])[] = [];
  const names: string[] = [];
  const vectorOf = (text: string) => {
    const named = nameOf(text);
    if (!names.includes(named)) names.push(named);
    const vector = new Float32Array(DIMENSIONS);
    vector[names.indexOf(named) % DIMENSIONS] = 1;
    return vector;
  };
  const readingOf = (one: ToRead): ReadingOf<ToRead> => {
    if (typeof one === "string") return { vector: vectorOf(one) };
    const vector = vectorOf(one.text);
    const like = dot(vectorOf(one.question), vector) > 0;
    const odds = like ? SURE : -SURE;
    const claim = { supported: like ? 0 : HARDLY, contradicted: HARDLY, notFound: like ? HARDLY : 0 };
    return { vector, answer: odds, same: odds, claim };
  };
  return {
    calls,
    async read<Read extends ToRead>(texts: readonly Read[], signal?: AbortSignal) {
      signal?.throwIfAborted();
      calls.push(texts);
      return texts.map((one) => readingOf(one) as ReadingOf<Read>);
    },
    weights: { name, hash: sha256Hex(name) },
    warm: () => undefined,
    close: async () => undefined,
  };
}
