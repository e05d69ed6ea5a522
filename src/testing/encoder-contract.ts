import { describe, expect, it } from "vitest";
import type { Encoder } from "../models/encoder.ts";
import { ModelError } from "../shared/errors.ts";

export interface EncoderUnderTest {
  readonly encoder: Encoder;
  close(): Promise<void>;
}

const texts = ["Tinnitus is rated at 10 percent.", "A pension is paid every month.", "§ 4.25 – combined ratings"];

/** Defines the tests that every `Encoder` must pass. */
export function describeEncoderContract(name: string, open: (behaviour: "working" | "broken") => Promise<EncoderUnderTest>): void {
  const withEncoder = (behaviour: "working" | "broken", use: (encoder: Encoder) => Promise<void>) => async () => {
    const under = await open(behaviour);
    try {
      await use(under.encoder);
    } finally {
      await under.close();
    }
  };

  describe(`${name}: encoder`, () => {
    it(
      "returns one finite unit vector per text, all of one dimension",
      withEncoder("working", async (encoder) => {
        const vectors = await encoder.embed(texts);
        expect(vectors).toHaveLength(texts.length);
        expect(new Set(vectors.map(({ length }) => length)).size).toBe(1);
        for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
      }),
    );

    it(
      "returns the same vector for a text in any batch and order",
      withEncoder("working", async (encoder) => {
        const together = await encoder.embed(texts);
        const reversed = await encoder.embed([...texts].reverse());
        const [alone] = await encoder.embed([texts[1] as string]);
        for (const [i, value] of (together[1] as Float32Array).entries()) {
          expect(reversed[1]?.[i]).toBeCloseTo(value, 4);
          expect(alone?.[i]).toBeCloseTo(value, 4);
        }
      }),
    );

    it(
      "accepts no text, empty text and repeated text",
      withEncoder("working", async (encoder) => {
        expect(await encoder.embed([])).toEqual([]);
        const [empty, blank, one, two] = await encoder.embed(["", " \n ", "same", "same"]);
        for (const vector of [empty, blank]) expect([...(vector as Float32Array)].every(Number.isFinite)).toBe(true);
        expect(one).toEqual(two);
      }),
    );

    it(
      "throws a ModelError when it cannot be reached",
      withEncoder("broken", async (encoder) => {
        await expect(encoder.embed(texts)).rejects.toBeInstanceOf(ModelError);
      }),
    );

    it(
      "throws the signal's reason when it is cancelled",
      withEncoder("working", async (encoder) => {
        const reason = new Error("reader left");
        await expect(encoder.embed(texts, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      }),
    );

    it(
      "has an id",
      withEncoder("working", async ({ id }) => {
        expect(id).not.toBe("");
      }),
    );
  });
}
