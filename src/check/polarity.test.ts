import { describe, expect, it } from "vitest";
import { align } from "./alignment.ts";
import { checkPolarity } from "./polarity.ts";
import { createReader } from "./statements.ts";

const reader = createReader();
const check = (claim: string, ...quotes: readonly string[]) => {
  const statements = quotes.flatMap((text) => reader.statements({ text, above: [], url: null, exact: true }));
  return checkPolarity(align(reader.read(claim), statements, new Set()), "remove");
};

describe("checkPolarity", () => {
  it.each([
    ["The fee is not refunded after the start.", "The fee is refunded after the start."],
    ["Visitors may bring dogs into the garden.", "Visitors may not bring dogs into the garden."],
    ["The gate never closes at night.", "The gate closes at night."],
  ])("faults %s where the source says %s", (claim, quote) => {
    const { verdict, spans } = check(claim, quote);
    expect([verdict, spans.length > 0]).toEqual(["fail", true]);
  });

  it.each([
    ["The fee is not refunded after the start.", "After the start the fee is not refunded."],
    ["Visitors may bring dogs into the garden.", "Visitors may bring dogs into the garden, but not into the house."],
    ["The gate closes at night.", "If the gate does not close at night, call the warden."],
  ])("lets %s stand beside %s", (claim, quote) => expect(check(claim, quote).verdict).toBe("pass"));

  it("lets a claim stand that one of two fitting statements bears out", () => {
    expect(check("The pool is open in winter.", "The pool is not open in winter.", "The pool is open in winter.").verdict).toBe("pass");
  });
});
