import { describe, expect, it } from "vitest";
import { fakePassage, fakeWords } from "../testing/passages.ts";
import { scoreConsistency } from "./consistency.ts";
import { createFactReader } from "./facts.ts";

const score = (pieces: string[], over: { headingPath?: string[]; asOf?: string; clashes?: boolean } = {}) => {
  const passage = fakePassage({ pieces, ...(over.headingPath === undefined ? {} : { headingPath: over.headingPath }) });
  const dated = { ...passage, document: { ...passage.document, asOf: over.asOf ?? null } };
  const read = createFactReader().piecesOf(dated, fakeWords());
  return scoreConsistency(
    dated,
    read.map(({ piece }) => piece),
    over.clashes ?? false,
  );
};
const WHOLE = "A library card costs $5 and is valid for one whole year.";

describe("scoreConsistency", () => {
  it("is 1 for a whole statement", () => expect(score([WHOLE])).toEqual({ score: 1, reason: "self-contained" }));
  it.each([
    [["It also covers loans of maps to visitors from abroad."], {}, 0.75, /pointing/],
    [["It also covers loans of maps to visitors from abroad."], { headingPath: ["Cards"] }, 1, /self-contained/],
    [["Cards"], {}, 0.4, /no whole statement/],
    // 22 and 26 of 104 characters lead to other pages: 1 − .6 · 48 / 104.
    [["Learn more about cards", "Find out how to get a card", WHOLE], {}, 1 - (0.6 * 48) / 104, /no whole statement/],
    [["A library card currently costs five dollars for each member."], {}, 0.85, /no date/],
    [["A library card currently costs five dollars for each member."], { asOf: "2025-01-01" }, 1, /self-contained/],
    [[WHOLE], { clashes: true }, 0.6, /two values/],
  ] as const)("%j %j: %s", (pieces, over, expected, reason) => {
    const found = score([...pieces], over as Parameters<typeof score>[1]);
    expect(found.score).toBeCloseTo(expected, 12);
    expect(found.reason).toMatch(reason);
  });
  it("never leaves 0–1", () => {
    const found = score(["It is"], { clashes: true });
    expect(found.score).toBe(0);
    expect(score([]).score).toBeCloseTo(0.4, 12);
  });
});
