import { createHash } from "node:crypto";
import { type Encoder, normalizeVector } from "../models/encoder.ts";
import { ModelError } from "../shared/errors.ts";
import { words } from "../text/tokens.ts";

export interface FakeEncoderOptions {
  readonly id?: string;
  readonly dimensions?: number;
  /** Returns the vector of a text, of any length; for tests that need exact cosines. For `null`, the vector is `hashedWords`. */
  readonly vectorOf?: (text: string) => readonly number[] | null;
  /** Called before every call with its number, from 0. A returned error is thrown by the call. */
  readonly failure?: (call: number) => Error | null;
}

export interface FakeEncoder extends Encoder {
  /** Texts of every call, including failed calls. */
  readonly calls: readonly (readonly string[])[];
}

/** Number of dimensions, enough to rank texts by shared words. */
export const FAKE_DIMENSIONS = 64;

/** Creates an encoder without a model. Its vectors are `hashedWords`, which are equal on every machine. */
export function fakeEncoder({
  id = "fake-encoder",
  dimensions = FAKE_DIMENSIONS,
  vectorOf,
  failure,
}: FakeEncoderOptions = {}): FakeEncoder {
  const calls: (readonly string[])[] = [];
  return {
    id,
    calls,
    async embed(texts, { signal } = {}) {
      signal?.throwIfAborted();
      if (texts.length === 0) return [];
      const call = calls.push([...texts]) - 1;
      const error = failure?.(call) ?? null;
      if (error !== null) throw error;
      return texts.map((text) => {
        const given = vectorOf?.(text) ?? null;
        return given === null ? hashedWords(text, dimensions) : normalizeVector(Float32Array.from(given));
      });
    },
  };
}

/** Returns the error of an encoder whose endpoint is down. */
export function encoderDown(): ModelError {
  return new ModelError("encoder_failed", "Encoder is down");
}

/**
 * Returns a vector of word counts, scaled to length 1. The hash of a word selects its dimension. The vector of a text
 * without words is all zeros.
 */
export function hashedWords(text: string, dimensions: number = FAKE_DIMENSIONS): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const { text: word } of words(text)) {
    const at = createHash("sha256").update(word).digest().readUInt32LE(0) % dimensions;
    vector[at] = (vector[at] as number) + 1;
  }
  return normalizeVector(vector);
}
