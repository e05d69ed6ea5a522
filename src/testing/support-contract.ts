import { describe, expect, it } from "vitest";
import type { SupportPair, SupportScorer } from "../models/support.ts";
import { ModelError } from "../shared/errors.ts";

export interface SupportScorerUnderTest {
  readonly scorer: SupportScorer;
  close(): Promise<void>;
}

const evidence = [
  { text: "Tinnitus is rated at 10 percent, whether it is heard in one ear or in both.", above: ["Tinnitus"] },
  { text: "A pension is paid every month.", above: [] },
];
const supported: SupportPair = { claim: "Tinnitus is rated at 10 percent.", evidence };
const foreign: SupportPair = { claim: "Veterans fly to Hawaii without charge.", evidence };

/**
 * Defines the tests that every `SupportScorer` must pass.
 * @param open returns `null` for `broken` if the scorer uses no endpoint and so cannot fail
 */
export function describeSupportContract(
  name: string,
  open: (behaviour: "working" | "broken") => Promise<SupportScorerUnderTest | null>,
): void {
  const withScorer = (behaviour: "working" | "broken", use: (scorer: SupportScorer) => Promise<void>) => async () => {
    const under = await open(behaviour);
    if (under === null) return;
    try {
      await use(under.scorer);
    } finally {
      await under.close();
    }
  };

  describe(`${name}: support scorer`, () => {
    it(
      "returns one score from 0 to 1 per pair, in order, higher for supported claims",
      withScorer("working", async (scorer) => {
        const scores = await scorer.score([foreign, supported]);
        expect(scores).toHaveLength(2);
        for (const one of scores) {
          expect(one?.score).toBeGreaterThanOrEqual(0);
          expect(one?.score).toBeLessThanOrEqual(1);
          expect(one?.reason).not.toBe("");
        }
        expect(scores[1]?.score).toBeGreaterThan(scores[0]?.score ?? 1);
      }),
    );

    it(
      "returns ordered spans inside the claim without overlaps",
      withScorer("working", async (scorer) => {
        for (const [i, one] of (await scorer.score([foreign, supported])).entries()) {
          let last = 0;
          for (const { start, end } of one?.spans ?? []) {
            expect(start).toBeGreaterThanOrEqual(last);
            expect(end).toBeGreaterThan(start);
            last = end;
          }
          expect(last).toBeLessThanOrEqual([foreign, supported][i]?.claim.length ?? 0);
        }
      }),
    );

    it(
      "returns null, not 0, for a pair that cannot be scored, and scores the others",
      withScorer("working", async (scorer) => {
        expect(await scorer.score([])).toEqual([]);
        const scores = await scorer.score([
          { claim: " \n… ", evidence },
          supported,
          { claim: supported.claim, evidence: [] },
          { claim: "x y", evidence: [{ text: " ", above: [] }] },
        ]);
        expect(scores.map((one) => one === null)).toEqual([true, false, true, true]);
      }),
    );

    it(
      "scores a pair the same alone and in a batch",
      withScorer("working", async (scorer) => {
        const [alone] = await scorer.score([supported]);
        const [, , company] = await scorer.score([
          foreign,
          { claim: "A pension is paid.", evidence: [{ text: "Other evidence.", above: [] }] },
          supported,
        ]);
        expect(company?.score).toBeCloseTo(alone?.score ?? -1, 6);
      }),
    );

    it(
      "accepts any text",
      withScorer("working", async (scorer) => {
        const odd = [
          "😀😀",
          "שלום עולם",
          "word ".repeat(3000),
          "\u0000\uD800",
          '{"a": [1, null',
          '{"a": {"b": null}, "c": true}',
          "((((",
          "1,2,3 §§ 99999999999999999999",
        ];
        const pairs = odd.flatMap((text) => [
          { claim: text, evidence },
          { claim: supported.claim, evidence: [{ text, above: [] }] },
        ]);
        for (const one of await scorer.score(pairs)) if (one !== null) expect(one.score >= 0 && one.score <= 1).toBe(true);
      }),
    );

    it(
      "throws the signal's reason when it is cancelled",
      withScorer("working", async (scorer) => {
        const reason = new Error("reader left");
        await expect(scorer.score([supported], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      }),
    );

    it(
      "throws a ModelError when it cannot be reached",
      withScorer("broken", async (scorer) => {
        await expect(scorer.score([supported])).rejects.toBeInstanceOf(ModelError);
      }),
    );

    it(
      "has an id",
      withScorer("working", async ({ id }) => {
        expect(id).not.toBe("");
      }),
    );
  });
}
