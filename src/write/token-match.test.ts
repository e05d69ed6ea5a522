import { describe, expect, it } from "vitest";
import { type TextReading, TOKEN_LENGTH } from "../reader/reader.ts";
import { openSharedReader } from "../reader/shared-reader.ts";
import { matchTokens } from "./token-match.ts";

/** A reading of tokens that point along axes, or between two. */
function reading(...tokens: readonly (readonly number[])[]): TextReading {
  return { vector: new Float32Array(4), tokens: Int8Array.from(tokens.flatMap((token) => token.map((value) => value * TOKEN_LENGTH))) };
}
const [a, b, c] = [
  [1, 0, 0, 0],
  [0, 1, 0, 0],
  [0, 0, 1, 0],
] as const;
const ab = [0.6, 0.8, 0, 0];

describe("matchTokens", () => {
  it("finds for each token the one most like it, both ways", () => {
    const match = matchTokens(reading(a, b, c), reading(ab, a));
    expect(match?.mean).toBeCloseTo((1 + 0.8 + 0) / 3, 1);
    expect(match?.least).toBe(0);
    // The lower half of three is one.
    expect(match?.lower).toBe(0);
    expect(match?.back).toBeCloseTo((0.8 + 1) / 2, 1);
  });

  it("does not depend on the order of the tokens", () => {
    expect(matchTokens(reading(c, a, b), reading(a, ab))).toEqual(matchTokens(reading(a, b, c), reading(ab, a)));
  });

  it("is full of what is the same, and says nothing of what holds no token", () => {
    expect(matchTokens(reading(a, b), reading(b, c, a))).toMatchObject({ mean: 1, least: 1, lower: 1 });
    expect(matchTokens(reading(), reading(a))).toBeNull();
    expect(matchTokens(reading(a), reading())).toBeNull();
  });

  it("looks for the first 64 tokens of a question", () => {
    const long = reading(...Array.from({ length: 63 }, () => a), b, ...Array.from({ length: 90 }, () => c));
    expect(matchTokens(long, reading(a))).toEqual({ mean: 63 / 64, least: 0, lower: 31 / 32, back: 1 });
  });

  it("finds less of a question whose one part the text does not speak of", async () => {
    const reader = openSharedReader();
    try {
      const [asked, whole, part] = await reader.read([
        "What does a child pay for the sauna?",
        "Children pay $3 for the sauna.",
        "Children pay $3 for the pool.",
      ]);
      const [all, some] = [whole, part].map((text) => matchTokens(asked as TextReading, text as TextReading));
      expect(all?.lower).toBeGreaterThan(some?.lower ?? 1);
      expect(all?.mean).toBeGreaterThan(some?.mean ?? 1);
    } finally {
      await reader.close();
    }
  });
});
