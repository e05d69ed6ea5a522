import { describe, expect, it } from "vitest";
import type { CheckResult } from "../../../src/types.ts";
import type { WrittenSentence } from "./faults.ts";
import { invalidCitations, type ShownAnswer, scoreAnswer } from "./ladder-score.ts";

const RIGHT = "Tinnitus is rated at 10 percent.";
const OTHER = "The burial allowance is $978.";
const from = { quote: 1, statement: RIGHT };
const wrong = (text: string, fault: WrittenSentence["fault"], cites = [1]): WrittenSentence => ({ text, cites, from, fault });
const NUMBER = wrong("Tinnitus is rated at 70 percent.", { type: "number", key: "is rated at 70 percent" });
const NEGATED = wrong("Tinnitus is not rated at 10 percent.", { type: "negation", key: "tinnitus is not rated at 10" });
const URL_FAULT = wrong("Tinnitus is rated at 10 percent (see https://www.va.gov/fast-1234/).", { type: "url", key: "va.gov/fast-1234" });
const NOWHERE = wrong(RIGHT, { type: "nowhere", number: 9 }, [9]);
const SWAPPED = wrong(RIGHT, { type: "swapped", instead: OTHER }, [2]);

/** An answer that shows these sentences: text, and the quotes that each cites. */
function answerOf(rows: readonly (readonly [string, ...string[]])[], checks: readonly CheckResult[] = []): ShownAnswer {
  const quotes = [...new Set(rows.flatMap(([, ...cited]) => cited))];
  return {
    sentences: rows.map(([text, ...cited]) => ({ text, citations: cited.map((quote) => quotes.indexOf(quote) + 1) })),
    citations: quotes.map((quote, i) => ({ n: i + 1, quote })),
    checks,
  };
}
const fate = (written: WrittenSentence, answer: ShownAnswer) => scoreAnswer(answer, [[written]]).faults[0];

describe("scoreAnswer", () => {
  it.each([
    ["a number", NUMBER, answerOf([[NUMBER.text, RIGHT]]), answerOf([[RIGHT, RIGHT]])],
    ["a number behind other words", NUMBER, answerOf([[`So: ${NUMBER.text}`, RIGHT]]), answerOf([["It is rated at 170 percent.", RIGHT]])],
    ["a turned negation", NEGATED, answerOf([[NEGATED.text, RIGHT]]), answerOf([[RIGHT, RIGHT]])],
    ["an address", URL_FAULT, answerOf([["See WWW.VA.GOV/fast-1234.", RIGHT]]), answerOf([["See https://www.va.gov/.", RIGHT]])],
    ["a citation to no source", NOWHERE, answerOf([[`${RIGHT} [9]`]]), answerOf([[RIGHT]])],
    ["a citation to the wrong source", SWAPPED, answerOf([[RIGHT, OTHER]]), answerOf([[RIGHT, RIGHT]])],
  ])("says of %s that it is shown, or that it is not", (_what, written, shown, not) => {
    expect(fate(written, shown)).toMatchObject({ shown: true, quiet: true });
    expect(fate(written, not)).toMatchObject({ shown: false, quiet: false });
    expect(fate(written, answerOf([]))).toMatchObject({ shown: false, quiet: false });
  });

  it("takes nothing for made up that is the cited quote word for word", () => {
    expect(fate(NUMBER, answerOf([[NUMBER.text, NUMBER.text]]))).toMatchObject({ shown: false });
  });

  it("counts what is said of a table's row by the columns that are shown with it", () => {
    const said = "Form: 10182; Deadline: 1 year.";
    const cells = [
      { name: "Form", text: "10182" },
      { name: "Deadline", text: "1 year" },
    ];
    const row = { cells, header: { start: 0, end: 15, text: "Form | Deadline" } };
    const citations = [{ n: 1, quote: "10182 | 1 year", row }];
    const answer = { sentences: [{ text: said, citations: [1] }], citations, checks: [] };
    expect(scoreAnswer(answer, []).citations).toEqual({ total: 1, right: 1 });
    const swapped = wrong(RIGHT, { type: "swapped", instead: "Form: 10182; Deadline: 1 year" }, [1]);
    expect(fate(swapped, { ...answer, sentences: [{ text: RIGHT, citations: [1] }] })).toMatchObject({ shown: true });
    const asItStands = { ...answer, sentences: [{ text: "10182 | 1 year.", citations: [1] }] };
    expect(scoreAnswer(asItStands, []).citations).toEqual({ total: 1, right: 1 });
  });

  it("knows a swapped source by any of its sentences: a citation is bound to one of them", () => {
    const swapped = wrong(RIGHT, { type: "swapped", instead: `A heading. ${OTHER} Something else.` }, [2]);
    expect(fate(swapped, answerOf([[RIGHT, OTHER]]))).toMatchObject({ shown: true });
    expect(fate(swapped, answerOf([[RIGHT, RIGHT]]))).toMatchObject({ shown: false });
  });
});

describe("invalidCitations", () => {
  it("counts citations alone", () => {
    const answer = answerOf([[NUMBER.text, RIGHT], [`${RIGHT} [9]`], [RIGHT, OTHER]]);
    expect(invalidCitations(answer, [[NUMBER, NOWHERE, SWAPPED]])).toBe(2);
    expect(invalidCitations(answerOf([[RIGHT, RIGHT]]), [[NOWHERE, SWAPPED]])).toBe(0);
  });
});
