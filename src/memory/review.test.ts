import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PendingInteraction } from "../store/review.ts";
import { rankQueue, riskOf } from "./review.ts";

const base: PendingInteraction = {
  id: "i",
  tenant: "",
  access: "[]",
  profile: "p",
  questionHash: "h",
  status: "ok",
  reviewStatus: "unreviewed",
  confidence: 0.9,
  warnings: 0,
  conflicts: 0,
  demoted: false,
  thumbs: null,
  reported: false,
  createdAt: "2026-01-01",
  asked: 1,
};

const pending = fc.record({
  id: fc.uuid(),
  tenant: fc.constantFrom("", "a"),
  questionHash: fc.constantFrom("x", "y", "z"),
  status: fc.constantFrom("ok", "insufficient_context"),
  reviewStatus: fc.constantFrom("unreviewed" as const, "flagged" as const),
  confidence: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  warnings: fc.nat(3),
  thumbs: fc.constantFrom("up" as const, "down" as const, null),
});

/** How often each question was asked, over all its interactions. */
const ASKED: Readonly<Record<string, number>> = { x: 1, y: 4, z: 30 };

describe("riskOf", () => {
  it.each([
    ["a confident answer", {}, 0.06],
    ["an answer with low confidence", { confidence: 0.25 }, 0.45],
    ["an answer without confidence", { confidence: null }, 0.6],
    ["a refusal", { status: "insufficient_context", confidence: 0.1 }, 0.2],
    ["a thumb down", { thumbs: "down" as const }, 1.06],
    ["a thumb up", { thumbs: "up" as const }, 0.05],
    [
      "everything at once",
      { thumbs: "down" as const, demoted: true, reviewStatus: "flagged" as const, conflicts: 2, warnings: 1, reported: true },
      3.66,
    ],
  ])("of %s", (_what, over, risk) => {
    expect(riskOf({ ...base, ...over })).toBeCloseTo(risk, 9);
  });

  it("equals a hand-worked value for a question asked four times: .06 × (1 + 2)", () => {
    expect(rankQueue([{ ...base, asked: 4 }])[0]?.score).toBeCloseTo(0.18, 9);
  });
});

describe("rankQueue", () => {
  it("contains each question of each scope once, in descending order, for any input order", () => {
    fc.assert(
      fc.property(fc.uniqueArray(pending, { selector: ({ id }) => id, maxLength: 12 }), (rows) => {
        const given = rows.map((row) => ({ ...base, ...row, asked: ASKED[row.questionHash] ?? 1 }));
        const ranked = rankQueue(given);
        expect(new Set(ranked.map(({ questionHash, tenant }) => `${questionHash}${tenant}`)).size).toBe(ranked.length);
        expect(ranked.reduce((sum, { waiting }) => sum + waiting, 0)).toBe(given.length);
        expect(ranked.map(({ score }) => score)).toEqual(ranked.map(({ score }) => score).toSorted((a, b) => b - a));
        for (const { questionHash, tenant, risk } of ranked) {
          const same = given.filter((row) => row.questionHash === questionHash && row.tenant === tenant);
          expect(risk).toBe(Math.max(...same.map(riskOf)));
        }
        expect(rankQueue(given.toReversed())).toEqual(ranked);
      }),
    );
  });

  it("does not combine old questions without a hash", () => {
    expect(rankQueue(["a", "b"].map((id) => ({ ...base, id, questionHash: "" })))).toHaveLength(2);
  });
});
