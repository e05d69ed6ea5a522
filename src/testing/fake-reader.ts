import { dot, type Reader, type ReadingOf, type ReadTexts, type ToRead } from "../cross-encoder/reader.ts";
import { sha256Hex } from "../text/hash.ts";

/** A fake cross-encoder that records its calls. */
export interface FakeReader extends Reader {
  readonly calls: readonly (readonly ToRead[])[];
}

export interface FakeReaderOptions {
  /**
   * Returns the name of a text. Texts with equal names have the same vector, other texts orthogonal vectors. In a pair with
   * equal names, the text answers the question, supports the claim and asks the same. In any other pair it does none of
   * these, and the label of the claim is "not found".
   */
  readonly nameOf?: (text: string) => string;
  readonly name?: string;
}

const DIMENSIONS = 64;
/** Log odds of a pair with equal names. Other pairs have the negative value. */
const SURE = 4;
/** Log probability of an unlikely label. */
const HARDLY = -5;

/** Creates a `ReadTexts` that applies a function to each text or pair. */
export function fakeReadTexts(readingOf: (one: ToRead) => ReadingOf<ToRead>): ReadTexts {
  return async <Read extends ToRead>(texts: readonly Read[], signal?: AbortSignal) => {
    signal?.throwIfAborted();
    return texts.map((one) => readingOf(one) as ReadingOf<Read>);
  };
}

/**
 * Creates a fake cross-encoder.
 * @example const reader = fakeReader({ nameOf: (text) => (text.includes("fee") ? "fee" : text) });
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
