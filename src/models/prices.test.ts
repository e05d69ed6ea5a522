import { describe, expect, it } from "vitest";
import { costUsd, loadPrices, priceOf } from "./prices.ts";

const prices = loadPrices();

describe("prices", () => {
  it("multiplies tokens by the price of a million", () => {
    expect(costUsd("gpt-4.1", { inputTokens: 1_000_000, outputTokens: 500_000 }, prices)).toBeCloseTo(6, 10);
    expect(costUsd("gpt-4o-mini", { inputTokens: 2200, outputTokens: 300 }, prices)).toBeCloseTo(0.00033 + 0.00018, 10);
    expect(costUsd("text-embedding-3-small", { inputTokens: 12_500, outputTokens: null }, prices)).toBeCloseTo(0.00025, 10);
  });

  it("is null for an unknown model and for uncounted tokens", () => {
    expect(costUsd("llama3", { inputTokens: 1, outputTokens: 1 }, prices)).toBeNull();
    expect(costUsd("constructor", { inputTokens: 1, outputTokens: 1 }, prices)).toBeNull();
    expect(costUsd("gpt-4.1", { inputTokens: null, outputTokens: 1 }, prices)).toBeNull();
    expect(costUsd("gpt-4.1", { inputTokens: 1, outputTokens: null }, prices)).toBeNull();
  });

  it("uses a dated version's own price, otherwise its family's", () => {
    expect(priceOf("gpt-4o-2024-05-13", prices)?.input).toBe(5);
    expect(priceOf("gpt-4o-2024-08-06", prices)).toBe(priceOf("gpt-4o", prices));
  });
});
