import { describe, expect, test } from "vitest";
import { alteredCopies } from "./altered.ts";
import type { Ask } from "./ask.ts";
import { deleteSpaces } from "./detokenise.ts";
import { makeDocument, rangeIn } from "./documents.ts";
import { label } from "./label.ts";
import { splitOf } from "./random.ts";
import { reword } from "./reword.ts";
import type { Index, Window } from "./search.ts";
import { NamePool, twinsOf } from "./twins.ts";

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

describe("altered copies", () => {
  const names = new NamePool([]);
  const table = "At year end | 2019 | 2018\nRevenue | 10 | 20\nCosts of sales | 30 | 40";
  const span = [table.indexOf("10"), table.indexOf("10") + 2] as const;
  const gold = { head: "", text: table, label: 1 as const, spans: [span], relevant: [] };
  const copies = alteredCopies(ask({ set: "tatqa" }), [gold], names);

  test("a table of another year does not answer", () => {
    const [copy] = copies;
    expect(copy?.label).toBe(0);
    expect(copy?.text).not.toContain("2019");
  });

  test("with the names of two rows exchanged, the other row answers", () => {
    const copy = copies[1];
    expect(copy?.text).toBe("At year end | 2019 | 2018\nCosts of sales | 10 | 20\nRevenue | 30 | 40");
    expect(copy?.spans.map(([start, end]) => copy.text.slice(start, end))).toEqual(["30"]);
    expect(copy?.relevant.map(([start, end]) => copy.text.slice(start, end))).toEqual(["Revenue | 30 | 40"]);
  });
});

describe("wordings", () => {
  test("the same seed gives the same slip, and another than the question", () => {
    const slips = [1, 2].map(() => reword("Where is the office in Boston?", "misspelt", "seed"));
    expect(slips[0]).toBe(slips[1]);
    expect(slips[0]?.toLowerCase()).not.toBe("where is the office in boston?");
  });

  test("a search line keeps what is asked about", () => {
    expect(reword("What is the late fee of the Blue Account?", "keywords", "")).toBe("late fee blue account");
  });

  test("a twin asks of what no passage that answers holds", () => {
    const asks = Array.from({ length: 60 }, (_, i) =>
      ask({ question: `How old was the bridge number ${i} in 1950?`, known: [{ key: "p", answers: true, spans: [] }] }),
    );
    const twins = twinsOf(asks, () => "The bridge was built in 1950, 1951 and 1949.");
    expect(twins.length).toBeGreaterThan(0);
    for (const { question, twin, known } of twins) {
      expect(question).toContain(twin);
      expect(["1949", "1950", "1951"]).not.toContain(twin);
      expect(known.every(({ answers }) => !answers)).toBe(true);
    }
  });

  test("the split is the pack's", () => {
    expect(splitOf("7e2cac2ad07f")).toBe("dev");
    expect(splitOf("e79717cdf4a4")).toBe("train");
  });
});
