import { afterAll, describe, expect, it } from "vitest";
import { SHARED_PARTS } from "../../test/support/shared-parts.ts";
import type { TextPair } from "../cross-encoder/reader.ts";
import { createReaderKeeper, createShippedSupport } from "../engine/local-models.ts";
import { SUPPORT_BANDS } from "../profiles/guards.ts";
import { describeSupportContract } from "../testing/support-contract.ts";
import { createEntailmentScorer, readEntailmentWeights } from "./entailment.ts";

const keeper = createReaderKeeper();
afterAll(() => keeper.close());
const support = createShippedSupport(keeper, SHARED_PARTS.embedded);
const weights = readEntailmentWeights();

describeSupportContract("entailment", async (behaviour) =>
  behaviour === "broken" ? null : { scorer: support, close: async () => undefined },
);

const CANCELLATION = {
  text:
    "You can also choose to cancel your account earlier. We’ll permanently delete the content in your account from our servers " +
    "30 days after cancellation, and from our backups within 60 days. " +
    "Retrieving content for a single account from a backup isn’t possible.",
  above: ["Cancellation policy", "What happens when you cancel an account?"],
};

describe("the bundled entailment weights", () => {
  const scoreOf = async (claim: string) => (await support.score([{ claim, evidence: [CANCELLATION] }]))[0];

  it.each([
    "Once you cancel, the content disappears from the servers after thirty days and from the backups within sixty.",
    "A single account cannot be restored from a backup.",
  ])("support: %s", async (claim) => {
    expect((await scoreOf(claim))?.score).toBeGreaterThanOrEqual(SUPPORT_BANDS.unclear);
  });

  it.each([
    ["the opposite", "The content of a single account can be retrieved from a backup.", true],
    ["another number", "Content is deleted from the servers 90 days after you cancel.", true],
    ["what no passage says", "Cancelling costs a fee of one month.", false],
  ])("do not support %s", async (_what, claim, contradicted) => {
    const found = await scoreOf(claim);
    expect(found?.score).toBeLessThan(SUPPORT_BANDS.unsupported);
    expect(found?.contradicted).toBe(contradicted);
  });
});

describe("createEntailmentScorer", () => {
  const label = { supported: 0, contradicted: 0, notFound: 0 };
  const embed = (texts: readonly string[]) => SHARED_PARTS.embedded().embedSync([...texts]);
  const readings = (pairs: readonly TextPair[], claim = label, words = new Float32Array()) =>
    pairs.map(() => ({ vector: new Float32Array(), answer: 0, same: 0, claim, words }));

  it("scores the nearest windows and sentences together, each with its title and headings", async () => {
    const read: TextPair[] = [];
    const scorer = createEntailmentScorer({
      ...{ embed, weights },
      read: async (pairs) => {
        read.push(...pairs);
        return readings(pairs);
      },
    });
    const sentence = (i: number) =>
      `Rule number ${i} says that the tickets of the pool are sold at counter ${i} in the hall of the old town.`;
    const long = { text: Array.from({ length: 40 }, (_, i) => sentence(i)).join(" "), above: ["Pool", "Rules"] };
    await scorer.score([{ claim: "Tickets are sold at counter 3.", evidence: [long] }]);
    expect(read).toHaveLength(6);
    expect(read.every(({ question, text }) => question === "Tickets are sold at counter 3." && text.startsWith("Pool › Rules\n"))).toBe(
      true,
    );
    expect(read.every(({ text }) => text.length <= "Pool › Rules\n".length + 420)).toBe(true);
  });

  it("is null without the cross-encoder", async () => {
    const pair = { claim: "Dogs bark.", evidence: [CANCELLATION] };
    expect(await createEntailmentScorer({ embed, weights, read: null }).score([pair])).toEqual([null]);
    expect(await createEntailmentScorer({ embed, weights, read: async () => null }).score([pair])).toEqual([null]);
  });

  it("names the words that are not supported, and whether the evidence contradicts the claim", async () => {
    const against = { supported: -3, contradicted: -0.1, notFound: -3 };
    const claim = "You always cancel it with an umbrella.";
    const doubted = async (...odds: number[]) => {
      const scorer = createEntailmentScorer({ embed, weights, read: async (pairs) => readings(pairs, against, Float32Array.from(odds)) });
      const [found] = await scorer.score([{ claim, evidence: [CANCELLATION] }]);
      expect(found?.contradicted).toBe(true);
      expect(found?.spans.map(({ start, end }) => `"${claim.slice(start, end)}"`).join(", ")).toBe(found?.reason.slice(26));
      return found?.reason;
    };
    expect(await doubted(3, -1, 3, 3, 3, -1, -2)).toBe('no cited passage supports "always", "an umbrella"');
    expect(await doubted(3, 2, 3, 3, 1, 2, 2)).toBe('no cited passage supports "with"');
  });
});
