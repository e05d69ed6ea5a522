import { describe, expect, it } from "vitest";
import { readQuestion } from "../language/question.ts";
import { isNothing, partsLeft } from "../pipeline/decide.ts";
import { candidatesOf as cutCandidates } from "../ranking/candidates.ts";
import { readRankingWeights } from "../ranking/features.ts";
import { rankCandidates } from "../ranking/rank.ts";
import type { QuestionPart } from "../shared/types.ts";
import { fakeReadTexts } from "../testing/fake-reader.ts";
import { fakeEvidence, fakePassage, fakeWords } from "../testing/passages.ts";
import { tokenize } from "../text/tokens.ts";
import { ANSWER_WORDS, chooseQuotes, type QuoteCandidate, quotesOf, writeExtractive } from "./quotes.ts";

/** A candidate: its text, the probability that it answers, and the question words that it contains. */
type Scored = readonly [text: string, score: number, covers: readonly string[]];

function candidatesOf(passage: Parameters<typeof fakePassage>[0], scored: readonly Scored[]): QuoteCandidate[] {
  const made = fakePassage(passage);
  const quotes = cutCandidates(made, { maxCharacters: 1200, maxCandidates: 20, wholeLists: false }).map((segment) =>
    quotesOf(made, segment),
  );
  return scored.map(([text, score, covers]) => {
    const found = quotes.find(({ quote }) => quote.text === text);
    if (found === undefined) throw new Error(`no segment "${text}"`);
    return { ...found, score, covers: new Set(covers) };
  });
}

const write = (
  segments: Parameters<typeof fakePassage>[0]["segments"],
  scored: readonly Scored[],
  { quotes = 3, words = ANSWER_WORDS.normal as number } = {},
) => writeExtractive(candidatesOf({ segments }, scored), { quotes, words });
const texts = (...args: Parameters<typeof write>) => write(...args).map(({ text }) => text);

describe("writeExtractive", () => {
  it("starts with the best quote, then follows the order of the source", () => {
    const segments = ["The card is due.", "Zebras.", "A duty is 7.", "A wait is lost."];
    const scored: Scored[] = [
      ["A duty is 7.", 0.8, ["duty"]],
      ["A wait is lost.", 0.7, ["wait"]],
      ["The card is due.", 0.6, ["card"]],
    ];
    expect(texts(segments, scored)).toEqual(["A duty is 7.", "The card is due.", "A wait is lost."]);
  });

  it("puts conditions right after the quote that they limit", () => {
    const segments = ["The card is due.", "Zebras.", "A duty is 7.", "However, members pay 3."];
    const scored: Scored[] = [
      ["A duty is 7.", 0.8, ["duty"]],
      ["The card is due.", 0.6, ["card"]],
    ];
    expect(texts(segments, scored)).toEqual(["A duty is 7.", "However, members pay 3.", "The card is due."]);
  });

  it("includes the answer to another part, whatever its score and length", () => {
    const passage = { segments: ["A card is due.", "A duty is 7.", "A wait is lost, and nobody knows where it went."] };
    const scored: Scored[] = [
      ["A card is due.", 0.8, ["card"]],
      ["A duty is 7.", 0.7, ["duty"]],
      ["A wait is lost, and nobody knows where it went.", 0.01, []],
    ];
    const candidates = candidatesOf(passage, scored);
    const withPart = candidates.map((one, i) => (i === 2 ? { ...one, isRequired: true as const } : one));
    const shown = (given: typeof candidates) => writeExtractive(given, { quotes: 2, words: 8 }).map(({ text }) => text);
    expect(shown(candidates)).toEqual(["A card is due.", "A duty is 7."]);
    expect(shown(withPart)).toEqual(["A card is due.", "A wait is lost, and nobody knows where it went."]);
  });

  it("includes a quote for each requested kind of value", () => {
    const segments = ["A card is sad.", "You pay $7.", "You wait 3 weeks.", "A lost card."];
    const scored: Scored[] = [
      ["A card is sad.", 0.8, ["card"]],
      ["A lost card.", 0.7, ["lost"]],
      ["You pay $7.", 0.3, ["value:1"]],
      ["You wait 3 weeks.", 0.25, ["value:4"]],
    ];
    expect(texts(segments, scored)).toEqual(expect.arrayContaining(["You pay $7.", "You wait 3 weeks."]));
  });

  it("keeps to the word limit, but never shortens the best quote", () => {
    const long = `A lost card ${"with many words ".repeat(10)}is due.`;
    const few = { quotes: 4, words: 20 };
    const both: Scored[] = [
      ["A lost card costs 3.", 0.8, ["card"]],
      [long, 0.7, ["due"]],
    ];
    expect(texts(["A lost card costs 3.", long], both, few)).toEqual(["A lost card costs 3."]);
    expect(texts([long], [[long, 0.7, ["due"]]], few)).toEqual([long]);
  });

  it("omits quotes that add no question words, and those far below the best", () => {
    const segments = ["A blue card is sad.", "Blue is nice.", "The fee is due."];
    const scored: Scored[] = [
      ["A blue card is sad.", 0.9, ["blue", "card"]],
      ["Blue is nice.", 0.5, ["blue"]],
      ["The fee is due.", 0.3, ["fee"]],
    ];
    expect(texts(segments, scored)).toEqual(["A blue card is sad."]);
  });
});

const weights = readRankingWeights();
const embed = (texts: readonly string[]) => texts.map(() => Float32Array.of(1, 0));
const { signal } = new AbortController();
const ROPE = "The rope is two thirds of an inch thick.";
const HOLDS = "Three tons are what whale line bears.";
const COLOUR = "New line is golden to look at.";
const THICK: QuestionPart = { text: "how thick is it", resolved: "how thick is it", standsAlone: false };
const HOLD: QuestionPart = { text: "how much can it hold", resolved: "how much can it hold (rope)", standsAlone: false };

/** Log odds by question and text. All other pairs have -6. */
type Odds = readonly (readonly [question: string, text: string, odds: number])[];

async function ask(parts: readonly QuestionPart[], odds: Odds) {
  const evidence = [fakeEvidence(fakePassage({ title: "The line", segments: [ROPE, COLOUR, HOLDS] }))];
  const readTexts = fakeReadTexts((one) => {
    const vector = Float32Array.of(1, 0);
    if (typeof one === "string") return { vector };
    const found = odds.find(([question, text]) => one.question.startsWith(question) && one.text.endsWith(text));
    return { vector, answer: found?.[2] ?? -6 };
  });
  const options = { maxCharacters: 500, embed, weights, read: readTexts, signal };
  return partsLeft(await rankCandidates("rope", evidence, fakeWords(), options), parts, readTexts, signal);
}

const best = ["rope", ROPE, 8] as const;

describe("partsLeft", () => {
  it("returns the parts that the best candidate does not answer", async () => {
    expect(await ask([THICK, HOLD], [best, ["how thick", ROPE, 3], ["how much", HOLDS, 5]])).toEqual([HOLD]);
    expect(await ask([THICK, HOLD], [best, ["how thick", ROPE, 3], ["how much", ROPE, 0]])).toEqual([]);
  });

  it("finds nothing where no candidate comes near an answer", async () => {
    const passage = fakeEvidence(fakePassage({ segments: [ROPE] }));
    const { candidates } = await rankCandidates("rope", [passage], fakeWords(), { maxCharacters: 500, embed, weights, read: null, signal });
    const scored = (cross: number | null) => candidates.map((one) => ({ ...one, cross }));
    expect([null, -1.6, -1.4].map((cross) => isNothing(scored(cross)))).toEqual([true, true, false]);
  });

  const row = (text: string) => ({ type: "table-row" as const, text, header: 0 });

  it.each([
    ["when's the deposit due", true],
    ["how much is vienna and what price", true],
    ["who cooks in vienna", false],
  ])("sees by the names of its columns that the row which is shown answers a part: %s", async (text, isAnswered) => {
    const trips = [row("Trip | Deposit due | Guide"), row("Vienna | 2 December 2025 | Mr Okoro")];
    const priced = [row("Trip | Price | Deposit due"), row("Vienna | $510 | 2 December 2025")];
    const passage = fakePassage({ segments: text.includes("price") ? priced : trips });
    const readTexts = fakeReadTexts((one) => ({ vector: Float32Array.of(1), ...(typeof one === "string" ? {} : { answer: -4 }) }));
    const options = { maxCharacters: 500, embed, weights, read: readTexts, signal };
    const words = { ...fakeWords(), questionTokens: (question: string) => tokenize(readQuestion(question).content) };
    const choice = await rankCandidates(`vienna trip and ${text}`, [fakeEvidence(passage)], words, options);
    const part = { text, resolved: `${text} (vienna)`, standsAlone: false };
    expect(await partsLeft(choice, [part], readTexts, signal)).toEqual(isAnswered ? [] : [part]);
  });

  it("keeps another row if it answers a part", async () => {
    const hours = [row("day | sauna"), row("Thursday | 15 to 22"), row("Friday | 16 to 23")];
    const options = { maxCharacters: 500, embed, weights, read: null, signal };
    const { candidates, ...choice } = await rankCandidates(
      "sauna thursday",
      [fakeEvidence(fakePassage({ segments: hours }))],
      fakeWords(),
      options,
    );
    const parts = candidates.map((one) => (one.view.text.startsWith("Friday") ? { ...one, isRequired: true as const } : one));
    const days = (own: typeof candidates) =>
      chooseQuotes({ ...choice, candidates: own }, fakeWords(), 5).map(({ quote }) => quote.text.split(" ")[0]);
    expect(days(candidates)).toEqual(["Thursday"]);
    expect(days(parts).sort()).toEqual(["Friday", "Thursday"]);
  });
});
