import { describe, expect, it } from "vitest";
import type { CitedQuote } from "../checks/finding.ts";
import { createShippedSupport } from "../engine/local-models.ts";
import type { Answer } from "../shared/types.ts";
import { type SamplePassage, sampleAnswer, sampleCitation, samplePage } from "../testing/answers.ts";
import { citedQuote } from "../testing/quotes.ts";
import { judgeAnswer } from "./ask-labelled.ts";
import { createClaimJudge } from "./claim-judge.ts";
import type { GoldenPlaces, Places } from "./golden-places.ts";
import { judgeAnswerable, judgeUnanswerable } from "./run-golden.ts";
import { holdsToken } from "./score-answer.ts";

const page = (path: string, context: string) => samplePage({ title: "Blue account", headingPath: ["Fees"], path, context });
const BLUE = page("pages/blue.md", "The fee is $5.00 a month. It is waived from $625. Students pay nothing.");
const TEAL = page("pages/teal.md", "The fee is $5.00 a month.");

/** Returns an answer with one sentence per quote. Citations of samples start 1000 characters into their files. */
function answerOf(...quotes: readonly (readonly [SamplePassage, string])[]): Answer {
  const citations = quotes.map(([passage, quote], i) => sampleCitation(i + 1, passage, quote));
  return sampleAnswer({ question: "?", citations, sentences: citations.map(({ n, quote }) => ({ text: quote, citations: [n] })) });
}

function placesOf(quote: string): GoldenPlaces {
  const start = 1000 + BLUE.context.indexOf(quote);
  const places: Places = new Map([["pages/blue.md", [{ start, end: start + quote.length }]]]);
  return { gold: () => places, quotes: () => [places], contradicting: () => places };
}

const question = (parts: { key_values?: string[]; must_not?: string[] } = {}) => ({
  ...{ id: "a", question: "?", gold_pages: ["pages/blue.md"], gold_quotes: ["x"], answer: "", topic: "", difficulty: "", needs: "" },
  ...{ key_values: [], must_not: [], ...parts },
});

describe("an answer of several rows of one table", () => {
  const header = { start: 1000, end: 1014, text: "Sort | Sowing" };
  const TABLE = page("pages/blue.md", "Sort | Sowing\nKale | May\nLeek | March\nChard | June");
  const rows = (...names: readonly (readonly [string, string])[]): Answer => {
    const answer = answerOf(...names.map(([sort, month]) => [TABLE, `${sort} | ${month}`] as const));
    const citations = answer.citations.map((citation) => {
      const [sort = "", month = ""] = citation.quote.split(" | ");
      const cells = [
        { name: "Sort", text: sort },
        { name: "Sowing", text: month },
      ];
      return { ...citation, row: { header, cells } };
    });
    return { ...answer, citations };
  };
  const [kale, leek, chard] = [["Kale", "May"] as const, ["Leek", "March"] as const, ["Chard", "June"] as const];

  it.each([
    ["the only row", rows(leek), ["March"], true],
    ["the first of several", rows(leek, kale, chard), ["March"], true],
    ["a later one of several", rows(kale, leek, chard), ["March"], false],
    ["every row of a list", rows(kale, leek), ["May", "March"], true],
    ["rows beside one without a value", rows(chard, kale, leek), ["May", "March"], false],
  ])("counts a value in %s: %#", (_, answer, key_values, right) => {
    const everywhere: GoldenPlaces = { gold: () => new Map(), quotes: () => [], contradicting: () => new Map() };
    expect(judgeAnswerable(answer, question({ key_values: [...key_values] }), everywhere).right).toBe(right);
    expect(judgeAnswer(answer, key_values, () => true).wrong).toBe(!right);
  });
});

describe("judgeAnswerable", () => {
  const fee = placesOf("The fee is $5.00 a month.");

  it("accepts an answer that quotes the gold place with the value, and reports whether it comes first", () => {
    const one = judgeAnswerable(quoted, question({ key_values: ["$5"] }), fee);
    expect(one).toEqual({ shown: true, right: true, first: true, page: true, quoted: true, lacks: [], holds: [] });
    const later = answerOf([BLUE, "Students pay nothing."], [BLUE, "The fee is $5.00 a month."]);
    expect(judgeAnswerable(later, question(), fee)).toMatchObject({ right: true, first: false });
  });

  const quoted = answerOf([BLUE, "The fee is $5.00 a month."]);
  const both = answerOf([BLUE, "The fee is $5.00 a month."], [BLUE, "It is waived from $625."]);
  it.each([
    ["marks the same words on another page wrong", answerOf([TEAL, "The fee is $5.00 a month."]), {}, { page: false, quoted: false }],
    [
      "requires a key value where the gold passage is quoted, not beside it",
      both,
      { key_values: ["$625"] },
      { quoted: true, lacks: ["$625"] },
    ],
    ["finds a key value in the headings of the quote", quoted, { key_values: ["blue account"] }, { right: true }],
    [
      "marks an answer wrong if it contains a value that a right answer would not contain",
      both,
      { must_not: ["$625"] },
      { holds: ["$625"] },
    ],
  ])("%s", (_what, answer, parts, expected) => {
    expect(judgeAnswerable(answer, question(parts), fee)).toMatchObject({ right: false, ...expected });
  });

  it("is unknown for quotes without a marked place", () => {
    const unplaced: GoldenPlaces = { gold: () => new Map(), quotes: () => [], contradicting: () => new Map() };
    const valued = { ...question({ key_values: ["$5"] }), gold_pages: [] };
    expect(judgeAnswerable(quoted, valued, unplaced)).toMatchObject({ right: true, first: null, page: null, quoted: null });
    expect(judgeAnswerable({ ...quoted, status: "insufficient_context" }, valued, unplaced)).toMatchObject({ right: false, quoted: null });
  });

  it("has no result for a refusal", () => {
    const nothing = { shown: false, right: false, quoted: false, lacks: [] };
    const refused = { ...quoted, status: "insufficient_context" as const };
    expect(judgeAnswerable(refused, question({ key_values: ["$5"] }), fee)).toMatchObject(nothing);
  });
});

describe("judgeUnanswerable", () => {
  const item = { id: "u", question: "?", kind: "false_premise" as const, why: "", contradicting_quotes: ["x"] };

  it("accepts a correction of a false premise by the contradicting quote only", () => {
    const places = placesOf("Students pay nothing.");
    expect(judgeUnanswerable(answerOf([BLUE, "Students pay nothing."]), item, places)).toMatchObject({ shown: true, right: true });
    expect(judgeUnanswerable(answerOf([BLUE, "The fee is $5.00 a month."]), item, places)).toMatchObject({ shown: true, right: false });
  });
});

describe("holdsToken", () => {
  it.each([
    ["It costs $5 a month", "$5.00"],
    ["It costs $5.00.", "$5"],
    ["HCoV‐OC43 (34%)", "OC43"],
    ["the “red” one\nis", 'the "red" one is'],
    ["Rated 20.", "20"],
  ])("finds in %j the value %j", (text, value) => expect(holdsToken(text, value)).toBe(true));

  it.each([
    ["It costs $5.50", "$5"],
    ["It costs $5,000", "$5"],
    ["Section 1.20", "20"],
    ["2 out of 10,000", "10"],
    ["Nobody", "no"],
  ])("does not find in %j the value %j", (text, value) => expect(holdsToken(text, value)).toBe(false));
});

const BOOKS = citedQuote("Books may be kept for 21 days.");
const FILMS = citedQuote("Films may be kept for 7 days.");
const CARDS = citedQuote("A library card costs 5 dollars per year.");
const QUESTION = "What does the library say?";

describe("createClaimJudge", () => {
  const judge = createClaimJudge(createShippedSupport());
  const faultOf = async (claim: string, cited: CitedQuote[], others: CitedQuote[]) =>
    (await judge.judge(claim, cited, others, QUESTION)).fault;

  it("finds no fault in a quote or a paraphrase", async () => {
    expect(await faultOf("Books may be kept for 21 days.", [BOOKS], [FILMS])).toBeNull();
    expect(await faultOf("You may keep books for 21 days.", [BOOKS], [FILMS])).toBeNull();
  });

  it("distinguishes three faults: fabricated, combined from two places, wrongly attributed", async () => {
    expect(await faultOf("Books may be kept for 90 days.", [BOOKS], [FILMS, CARDS])).toBe("fabricated");
    expect(await faultOf("Films may be kept for 21 days.", [FILMS], [BOOKS, CARDS])).toBe("stitched");
    expect(await faultOf("A library card costs 5 dollars per year.", [BOOKS], [FILMS, CARDS])).toBe("misattributed");
  });

  it("calls a denial of its source fabricated", async () => {
    expect(await faultOf("Books may not be kept for 21 days.", [BOOKS], [FILMS])).toBe("fabricated");
  });

  it("returns null, not 0, for a paraphrase without an installed score", async () => {
    const bare = createClaimJudge(null);
    expect(await bare.judge("One keeps books for 21 days.", [BOOKS], [], QUESTION)).toMatchObject({ supported: null, fault: "unscored" });
    expect(await bare.supports("One keeps books for 21 days.", [BOOKS], QUESTION)).toBeNull();
  });

  it("finds no support in empty texts", async () => {
    expect(await judge.supports("Books may be kept.", [], QUESTION)).toBe(false);
    expect(await faultOf("Books may be kept for 21 days.", [], [BOOKS])).toBe("misattributed");
  });
});
