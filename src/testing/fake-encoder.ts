import { createHash } from "node:crypto";
import { type Encoder, normalizeVector } from "../models/encoder.ts";
import { ModelError } from "../shared/errors.ts";
import { words } from "../text/tokens.ts";

export interface FakeEncoderOptions {
  readonly id?: string;
  readonly dimensions?: number;
  /** Direction of a text, for tests that need an exact cosine; `null`: hashed words as usual. */
  readonly vectorOf?: (text: string) => readonly number[] | null;
  /** Asked before every call with its number, from 0: an error is thrown, `null` lets it pass. */
  readonly failure?: (call: number) => Error | null;
}

export interface FakeEncoder extends Encoder {
  /** Texts of every call, those that failed included. */
  readonly calls: readonly (readonly string[])[];
}

/** Words that two texts share bring their vectors together; enough to rank by, and the same on every machine. */
export const FAKE_DIMENSIONS = 64;

/** An encoder without a model: hashed bags of words, as unit vectors. */
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

/** What an encoder throws when its endpoint is gone. */
export function encoderDown(): ModelError {
  return new ModelError("encoder_failed", "Encoder is down");
}

/** Every word adds to one dimension, chosen by its hash; text without words is the zero vector. */
export function hashedWords(text: string, dimensions: number = FAKE_DIMENSIONS): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const { text: word } of words(text)) {
    const at = createHash("sha256").update(word).digest().readUInt32LE(0) % dimensions;
    vector[at] = (vector[at] as number) + 1;
  }
  return normalizeVector(vector);
}
