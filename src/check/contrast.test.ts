import { afterAll, describe, expect, it } from "vitest";
import { sourcebound } from "../profiles/sourcebound.ts";
import type { TextPair } from "../reader/reader.ts";
import { openSharedReader } from "../reader/shared-reader.ts";
import { checkSentence } from "./check.ts";
import { layBeside } from "./claim-checks.ts";
import { CONTRAST_WEIGHTS, checkContrast, type ReadClaims } from "./contrast.ts";
import { createReader } from "./statements.ts";

const reader = createReader();
const cited = (text: string) => ({ text, url: null, exact: true });
const beside = (claim: string, quote: string, above: readonly string[] = [], question = "") =>
  layBeside(claim, [{ ...cited(quote), above }], question, sourcebound.check, reader);

/** Log odds by sentence; 0 for others. */
function fakeReadClaims(odds: Readonly<Record<string, number>> = {}): { readClaims: ReadClaims; calls: TextPair[][] } {
  const calls: TextPair[][] = [];
  return {
    calls,
    readClaims: async (pairs) => {
      calls.push([...pairs]);
      return pairs.map(({ question }) => ({ claim: { supported: odds[question] ?? 0, contradicted: 0, notFound: 0 } }));
    },
  };
}

const read = async (claim: string, quote: string, above: readonly string[] = []) => {
  const { readClaims, calls } = fakeReadClaims();
  await checkContrast(beside(claim, quote, above), readClaims);
  return calls.flat().map(({ question }) => question);
};

describe("a sentence beside itself with its sense turned", () => {
  it.each([
    ["Guests must book.", "Booking is open to guests.", "Guests may book."],
    ["Guests can book.", "Guests are told to book.", "Guests must book."],
    ["Dogs are not admitted.", "Dogs are admitted.", "Dogs are admitted."],
    ["Dogs cannot board.", "Dogs board first.", "Dogs can board."],
    ["Dogs were never admitted.", "Dogs are admitted.", "Dogs were admitted."],
  ])("is read: %s", async (claim, quote, turned) => {
    expect(await read(claim, quote)).toEqual([turned, claim]);
  });

  it.each([
    ["Guests must book.", "Guests must book ahead."],
    ["Guests book.", "Guests are told to book."],
    ["Dogs are not admitted.", "No dog is admitted."],
    ["Dogs are not only admitted, they are welcome.", "Dogs are welcome."],
    ["Guests must bring a passport and an old photograph.", "Guests must bring:\n- a passport and an old photograph\n- a pen"],
    ["Guests must book.", "The kitchen closes at nine."],
    ["", ""],
  ])("is not read where nothing can be turned, or its source says it so or speaks of something else: %s", async (claim, quote) => {
    expect(await read(claim, quote)).toEqual([]);
  });

  it("is not read where what stands above its source says it so", async () => {
    expect(await read("Dogs are not admitted.", "Dogs are admitted.", ["Without a muzzle"])).toEqual([]);
    expect(await read("Guests must bring a passport.", "A passport that guests bring.", ["You must have all of these:"])).toEqual([]);
  });

  it("is read beside what speaks of the word's surroundings, not beside what fits the whole sentence best", async () => {
    const claim = "Guests of the hotel bring towels to the pool, and dogs must wear leather muzzles.";
    const pool = "Guests of the hotel bring towels to the pool.";
    expect(await read(claim, `${pool} Leather muzzles are what dogs must wear.`)).toEqual([]);
    const another = "Dogs that bring leather muzzles must wear them.";
    expect(await read(claim, `${pool} Leather muzzles are what dogs wear. ${another}`)).toEqual([]);
    const { readClaims, calls } = fakeReadClaims();
    await checkContrast(beside(claim, `${pool} Leather muzzles are what dogs wear.`), readClaims);
    expect(calls.flat().map(({ text }) => text)).toEqual(["Leather muzzles are what dogs wear.", "Leather muzzles are what dogs wear."]);
  });

  it("is doubted where its source bears the other out with ten times the odds, and only there", async () => {
    const verdictOf = async (odds: number, claim = "Guests must book.", quote = "Booking is open to guests.") => {
      const { readClaims } = fakeReadClaims({ "Guests may book.": odds, "Dogs can board.": odds });
      return (await checkContrast(beside(claim, quote), readClaims))[0];
    };
    expect(await verdictOf(2.3)).toMatchObject({ name: "contrast", verdict: "pass" });
    const found = await verdictOf(2.31);
    expect(found).toMatchObject({
      verdict: "warn",
      spans: [{ start: 7, end: 11 }],
      reason: 'the cited quotes bear out "may" better than "must"',
    });
    expect(found?.score).toBeCloseTo(1 / (1 + Math.exp(2.31)), 10);
    const denial = await verdictOf(2.31, "Dogs cannot board.", "Dogs board first.");
    expect(denial).toMatchObject({ verdict: "warn", reason: 'the cited quotes bear out "can" better than "cannot"' });
  });
});

describe("a sentence beside itself with another value of its sources", () => {
  const claim = "Bikes cost 5 euros a day.";
  const quote = "Boats cost 5 euros a day. Bikes cost 9 euros a day.";
  const pairsOf = async (...[of, by, above, question]: Parameters<typeof beside>) => {
    const { readClaims, calls } = fakeReadClaims();
    await checkContrast(beside(of, by, above, question), readClaims);
    return calls.flat().map((pair) => [pair.question, pair.text]);
  };

  it("is read beside what holds the other and beside what holds its own, each below what stands above it", async () => {
    expect(await pairsOf(claim, quote, ["Prices", "In summer"])).toEqual([
      ["Bikes cost 9 euros a day.", "Prices In summer Bikes cost 9 euros a day."],
      [claim, "Prices In summer Bikes cost 9 euros a day."],
      [claim, "Prices In summer Boats cost 5 euros a day."],
    ]);
  });

  it.each([
    ["what holds its own value fits better", "Boats cost 5 euros a day.", quote, ""],
    ["the question brought it", claim, quote, "Do bikes cost 5 euros?"],
    ["the other is of another measure", claim, "Boats cost 5 euros a day. Bikes cost a day 9 kg.", ""],
    ["nothing holds it", "Bikes cost 7 euros a day.", quote, ""],
    ["it numbers the sentence", "5. Bikes cost more a day.", "Boats cost 5 more a day.\n\nBikes cost 9 more a day.", ""],
    ["what fits holds both", claim, "Boats cost 5 euros a day. Bikes cost 9 euros a day, or 5 euros a day.", ""],
  ])("is not read where %s", async (_where, of, by, question) => {
    expect(await pairsOf(of, by, [], question)).toEqual([]);
  });

  it.each([
    ["says itself", "A card costs 5 euros and a lost card 9 euros.", "A card costs 5 euros. A lost card costs 9 euros."],
    ["says as the end of a range", "Bikes cost 5 to 9 euros a day.", "Bikes cost 5 euros a day. Bikes cost 9 euros a day on Sundays."],
  ])("is not read with a value that it %s", async (_how, of, by) => {
    expect(await pairsOf(of, by)).toEqual([]);
  });

  it("is read once with a value that is written in two ways, and with none where values are not checked", async () => {
    const pairs = await pairsOf(claim, `${quote} Bikes cost €9 a day.`);
    expect(pairs.map(([one]) => one).filter((one) => one !== claim)).toEqual(["Bikes cost 9 euros a day."]);
    const facts = beside(claim, quote);
    const { readClaims, calls } = fakeReadClaims();
    await checkContrast({ ...facts, settings: { ...facts.settings, values: "off" } }, readClaims);
    expect(calls).toEqual([]);
  });

  it("reads at most three others for a value, and nine for a sentence", async () => {
    const prices = [9, 8, 7, 6, 4].map((price) => `Bikes cost ${price} euros a day.`).join(" ");
    const others = (pairs: readonly (readonly (string | undefined)[])[], written: string) =>
      pairs.filter(([one]) => one !== written).length;
    expect(others(await pairsOf(claim, `Boats cost 5 euros a day. ${prices}`), claim)).toBe(3);
    const many = "Bikes cost 5 euros, 15 euros, 25 euros, or 35 euros a day.";
    const own = "Boats cost 5 euros, 15 euros, 25 euros, or 35 euros a day.";
    expect(others(await pairsOf(many, `${own} ${prices}`), many)).toBe(9);
  });

  it("is doubted in each place that is better borne out otherwise", async () => {
    const { readClaims } = fakeReadClaims({ "Bikes cost 9 euros a day.": 2.31 });
    expect(await checkContrast(beside(claim, quote), readClaims)).toMatchObject([
      {
        verdict: "warn",
        spans: [{ start: 11, end: 18 }],
        reason: 'the cited quotes bear out "9 euros" better than "5 euros"',
      },
    ]);
    const sure = fakeReadClaims({ "Bikes cost 9 euros a day.": 2.31, [claim]: 0.1 });
    expect(await checkContrast(beside(claim, quote), sure.readClaims)).toMatchObject([{ verdict: "pass" }]);
  });
});

describe("a checked sentence", () => {
  const settings = { ...sourcebound.check, claims: "off" as const };
  const context = { settings, hosts: [], homePage: null, reader, question: "", support: null };
  const quote = cited("Booking is open to guests.");
  const odds = { "Guests may book.": 3 };

  it("is shown with a doubt", async () => {
    const { readClaims } = fakeReadClaims(odds);
    const { kept, status, results } = await checkSentence({ text: "Guests must book.", cited: [quote] }, { ...context, readClaims });
    expect([kept, status, results.find(({ name }) => name === "contrast")?.verdict]).toEqual([true, "unsupported", "warn"]);
  });

  it.each([
    ["there is no reader", context],
    ["the profile asks for no score", { ...context, settings: { ...settings, support: null }, ...fakeReadClaims(odds) }],
  ])("is checked without it where %s", async (_where, without) => {
    const { results } = await checkSentence({ text: "Guests must book.", cited: [quote] }, without);
    expect(results.some(({ name }) => name === "contrast")).toBe(false);
  });
});

describe("the reader that ships", () => {
  const shipped = openSharedReader();
  afterAll(() => shipped.close());
  const isDoubted = async (claim: string, quote: string) =>
    (await checkContrast(beside(claim, quote), (pairs) => shipped.read(pairs)))[0]?.verdict === "warn";

  it("is the one that the contrast was measured with", () => expect(shipped.weights).toEqual(CONTRAST_WEIGHTS.reader));

  it.each([
    [
      "Visitors must take pictures in the old hall.",
      "Visitors may take pictures in the old hall.",
      "Visitors are allowed to take pictures in the old hall.",
    ],
    [
      "Guests may return the key on the last day.",
      "Guests must return the key on the last day.",
      "Guests are required to return the key on the last day.",
    ],
    ["The harbour is not open on Sundays.", "The harbour can be visited on Sundays.", "On Sundays the harbour is open from 9 to 5."],
  ])("doubts that %s, and not that %s", async (wrong, right, quote) => {
    expect([await isDoubted(wrong, quote), await isDoubted(right, quote)]).toEqual([true, false]);
  });
});
