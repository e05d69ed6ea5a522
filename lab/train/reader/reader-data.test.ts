import { describe, expect, test } from "vitest";
import type { Ask } from "./ask.ts";
import { deleteSpaces } from "./detokenise.ts";
import { makeDocument, rangeIn } from "./documents.ts";
import { label } from "./label.ts";
import type { Index, Window } from "./search.ts";

const ask = (change: Partial<Ask> = {}): Ask => ({
  ...{ set: "set", group: "0123456789ab", split: "train", question: "What was the revenue in 2019?", scope: null },
  ...{ known: [], wordings: [], form: "plain" },
  ...change,
});

describe("documents", () => {
  test("a range of a passage is found again behind headings, bullets and line breaks", () => {
    const passage = "## Fees\n\n- A late fee of $5.\n- No other fee.";
    const { document, places } = makeDocument("d", "Title", null, [{ type: "passage", key: "p", text: passage }]);
    const at = passage.indexOf("$5");
    const range = rangeIn(places[0] as (typeof places)[0], [at, at + 2]);
    expect(document.text.slice(range?.start, range?.end)).toBe("$5");
    expect(document.blocks.map(({ type }) => type)).toEqual(["heading", "list-item", "list-item"]);
  });

  test("blanks of a tokeniser go, and offsets follow", () => {
    const tokenised = "He said `` no '' ( twice ) , loudly .";
    const { text, map } = deleteSpaces(tokenised);
    expect(text).toBe('He said "no" (twice), loudly.');
    const at = tokenised.indexOf("twice");
    expect(text.slice(map(at), map(at + 5))).toBe("twice");
  });
});

describe("labels", () => {
  const passage = "Rent is due on Monday. The late fee is 5 dollars.";
  const { document, places } = makeDocument("d", "Rent", null, [{ type: "passage", key: "p", text: passage }]);
  const other = makeDocument("e", "Cars", null, [
    { type: "passage", key: "q", text: "Cars cost 5 dollars to park and the late fee grows." },
  ]);
  const far = makeDocument("f", "Sea", null, [{ type: "passage", key: "r", text: "Whales swim north." }]);
  const made = { document, places };
  const windowOf = (one: typeof made): Window => ({ made: one, start: 0, end: one.document.text.length });
  const index: Index = {
    candidates: async () => [],
    windowsAt: (one) => [windowOf(one)],
    placesOf: (key) => (key === "p" ? [{ made, place: places[0] as (typeof places)[0] }] : []),
    coverage: ({ question }, text) => (question.includes("late fee") && text.includes("late fee") ? 1 : 0),
    headOf: ({ made: one }) => one.document.title,
  };
  const at = passage.indexOf("5 dollars");
  const question = ask({
    question: "How much is the late fee?",
    known: [{ key: "p", answers: true, spans: [[at, at + 9]] }],
    wordings: ["5 dollars"],
  });

  test("the window with the answer is right, one that may answer is left open, another is wrong", () => {
    const row = label(question, [windowOf(other), windowOf(far), windowOf(made)], index);
    expect(row?.candidates.map((one) => one.label)).toEqual([null, 0, 1]);
    const right = row?.candidates[2];
    expect(right?.spans.map(([start, end]) => right.text.slice(start, end))).toEqual(["5 dollars"]);
    expect(right?.relevant.map(([start, end]) => right.text.slice(start, end))).toEqual(["The late fee is 5 dollars."]);
  });

  test("what retrieval missed is added at the end", () => {
    const row = label(question, [windowOf(far)], index);
    expect(row?.candidates.map((one) => one.label)).toEqual([0, 1]);
  });

  test("a list without anything wrong teaches nothing", () => {
    expect(label(question, [windowOf(made)], index)).toBeNull();
  });
});
