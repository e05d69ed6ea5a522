import { afterAll, describe, expect, it } from "vitest";
import { SHARED_PARTS } from "../../test/support/shared-parts.ts";
import { createReaderKeeper, createShippedSupport } from "../engine/reader-keeper.ts";
import { SUPPORT_BANDS } from "../profiles/guards.ts";
import type { TextPair } from "../reader/reader.ts";
import { describeSupportContract } from "../testing/support-contract.ts";
import { createEntailmentScorer, readEntailmentWeights } from "./entailment.ts";

const keeper = createReaderKeeper();
afterAll(() => keeper.close());
const support = createShippedSupport(keeper, SHARED_PARTS.embedded);
const weights = readEntailmentWeights();

describeSupportContract("entailment", async (behaviour) =>
  behaviour === "broken" ? null : { scorer: support, close: async () => undefined },
);

const POOL = {
  text:
    "The pool opens at 7 in the morning and closes at 9 in the evening. Children under 12 may swim only with an adult. " +
    "A day ticket costs 6 euros. Dogs are not allowed in the building.",
  above: ["Swimming pool", "Rules"],
};

describe("the entailment weights that ship", () => {
  const scoreOf = async (claim: string) => (await support.score([{ claim, evidence: [POOL] }]))[0]?.score ?? -1;

  it.each(["A day ticket for the swimming pool is 6 euros.", "Children younger than 12 need an adult with them to swim."])(
    "support: %s",
    async (claim) => {
      expect(await scoreOf(claim)).toBeGreaterThanOrEqual(SUPPORT_BANDS.unclear);
    },
  );

  it.each([
    ["the opposite", "Dogs are allowed in the building."],
    ["another number", "The pool closes at 5 in the evening."],
    ["what no passage says", "The sauna was built by an architect from Norway."],
  ])("do not support %s", async (_what, claim) => {
    expect(await scoreOf(claim)).toBeLessThan(SUPPORT_BANDS.unclear);
  });
});

describe("createEntailmentScorer", () => {
  const label = { supported: 0, contradicted: 0, notFound: 0 };
  const embed = (texts: readonly string[]) => SHARED_PARTS.embedded().embedSync([...texts]);
  const readings = (pairs: readonly TextPair[], claim = label) =>
    pairs.map(() => ({ vector: new Float32Array(), answer: 0, same: 0, claim }));

  it("reads the nearest windows and the nearest sentences together, each under its title and headings", async () => {
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

  it("is null where the cross-encoder cannot be used", async () => {
    const pair = { claim: "Dogs bark.", evidence: [POOL] };
    expect(await createEntailmentScorer({ embed, weights, read: null }).score([pair])).toEqual([null]);
    expect(await createEntailmentScorer({ embed, weights, read: async () => null }).score([pair])).toEqual([null]);
  });

  it("names the words that no passage has, and says whether the evidence contradicts the claim", async () => {
    const against = { supported: -3, contradicted: -0.1, notFound: -3 };
    const scorer = createEntailmentScorer({ embed, weights, read: async (pairs) => readings(pairs, against) });
    const claim = "Dogs may swim with an umbrella.";
    const [found] = await scorer.score([{ claim, evidence: [POOL] }]);
    expect(found?.spans.map(({ start, end }) => claim.slice(start, end))).toEqual(["umbrella"]);
    expect(found).toMatchObject({ contradicted: true, reason: 'no cited passage supports this: no passage has "umbrella"' });
  });
});
