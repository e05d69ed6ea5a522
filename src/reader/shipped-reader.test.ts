import { afterAll, describe, expect, it } from "vitest";
import { openSharedReader } from "./shared-reader.ts";

const reader = openSharedReader();
afterAll(() => reader.close());

/** Log odds that each text answers the question. */
async function oddsOf(question: string, ...texts: readonly string[]): Promise<number[]> {
  return (await reader.read(texts.map((text) => ({ question, text })))).map(({ answer }) => answer);
}

describe("the reader that ships", () => {
  it.each([
    ["What does a child pay for the sauna?", "Children pay $3 for the sauna.", "Children pay $3 for the pool."],
    ["What does a card cost?", "A card costs 5.", "However, a lost card costs 7."],
    ["What does it cost to replace a lost card?", "Replacing a lost card costs 3 dollars.", "A card costs 5 dollars per year."],
    [
      "When does the first boat leave on Sunday?",
      "The first boat leaves at 8:15 on Sundays.",
      "The first boat leaves at 6:40 on weekdays.",
    ],
    ["How deep is the pool?", "The pool is two metres deep.", "Children under eight need an adult in the pool."],
  ])("says of %s that %s answers it rather than %s", async (question, answering, near) => {
    const [right, wrong] = await oddsOf(question, answering, near);
    expect(right).toBeGreaterThan((wrong as number) + 1);
  });

  it.each([
    ["How much does the boat cost?", "The first boat leaves the pier at 6:40 on weekdays."],
    ["How much is the fine for a late book?", "A library card costs 5 dollars per year."],
    ["How deep is the pool?", "Children under eight must be accompanied by an adult in the water."],
  ])("does not take for an answer to %s: %s", async (question, text) => {
    expect((await oddsOf(question, text))[0]).toBeLessThan(0);
  });

  it.each([
    ["How much does a library card cost?", "What do I pay for a library card?", "What do I pay for a lost library card?"],
    ["In which zones do visitor permits hold?", "Where can I use a visitor permit?", "How long do visitor permits hold?"],
  ])("says that %s asks for the same as %s rather than %s", async (stored, same, other) => {
    const [right, wrong] = await reader.read([same, other].map((text) => ({ question: stored, text })));
    expect(right?.same).toBeGreaterThan(0);
    expect(right?.same).toBeGreaterThan((wrong?.same as number) + 1);
  });

  it.each([
    ["A card costs 5 dollars per year.", "supported"],
    ["A card costs nothing.", "contradicted"],
    ["The library opens at nine.", "notFound"],
  ] as const)("says of %s beside the price of a card: %s", async (claim, verdict) => {
    const [reading] = await reader.read([{ question: claim, text: "A library card costs $5 per year." }]);
    expect(Math.exp(reading?.claim[verdict] as number)).toBeGreaterThan(0.5);
  });
});
