import { describe, expect, it } from "vitest";
import { parseMarkers } from "../../../src/check/markers.ts";
import { createRandom } from "../../../src/grade/metrics.ts";
import { fakePassage } from "../../../src/testing/passages.ts";
import { splitSentences } from "../../../src/text/sentences.ts";
import { groundedPrompt } from "../../../src/write/prompt.ts";
import { passageSource } from "../../../src/write/sources.ts";
import { categoryOf, FAULT_CATEGORIES, type FaultCategory, plainWords, type WrittenSentence } from "./faults.ts";
import { draftText, readPrompt, writeDraft } from "./scripted-model.ts";

const QUOTES = [
  "You must file VA Form 20-0996 within 1 year of the date on the decision letter.",
  "Tinnitus is rated at 10% in one ear or both, and no higher rating is given by the Veterans Benefits Administration.",
  "The burial allowance is $978 for a death that is not service-connected. You don’t need to send receipts.",
  "You can ask the Board of Veterans Appeals for a hearing by video in 2 formats.",
];
const prompt = (quotes: readonly string[], title = "A page (with (brackets))") =>
  groundedPrompt({
    question: "How long?",
    sources: quotes.map((text) => passageSource(fakePassage({ document: "d", pieces: text.split("\n"), title }))),
    history: [],
  }).user;
const draft = (faults: readonly FaultCategory[], seed: number, quotes: readonly string[] = QUOTES): WrittenSentence[] =>
  writeDraft(
    { quotes, shown: "" },
    { faults: new Set(faults), host: "va.gov", randomOf: (what) => createRandom(seed * 1000 + what.length * 31 + what.charCodeAt(0)) },
  );
const SEEDS = Array.from({ length: 150 }, (_, i) => i + 1);

describe("readPrompt", () => {
  it("reads the quotes of the product's own prompt, without titles", () => {
    expect(readPrompt(prompt(QUOTES))).toEqual({ quotes: QUOTES, shown: "" });
  });

  it("reads a passage of several lines as one source", () => {
    const passages = ["It is so.\nIt is not [2] (Fees) so.", "It ends."];
    expect(readPrompt(prompt(passages)).quotes).toEqual(passages);
  });

  it("finds nothing in another text", () => {
    expect(readPrompt("Hello [1] (x) y")).toEqual({ quotes: [], shown: "" });
  });

  it("reads what is shown already when it is asked to go on", () => {
    const again = prompt(QUOTES).replace("\nAnswer:", `\nThe answer so far. It stays:\n${QUOTES[0]} [1]\n\nLeft out:\n- x\n\nAnswer:`);
    const read = readPrompt(again);
    expect(read.quotes).toEqual(QUOTES);
    const options = { faults: new Set<FaultCategory>(), host: "va.gov", randomOf: () => createRandom(1) };
    expect(writeDraft(read, options).map(({ cites }) => cites[0])).toEqual([2, 3, 3, 4]);
  });
});

describe("writeDraft", () => {
  it("says what the quotes say, each with its right citation, and no fault unless one is asked for", () => {
    for (const seed of SEEDS) {
      for (const { text, cites, from, fault } of draft([], seed)) {
        expect(fault).toBeNull();
        expect(cites).toEqual([from?.quote]);
        expect(QUOTES[(from?.quote ?? 0) - 1]).toContain(from?.statement);
        const words = (one: string) => plainWords(one).replaceAll("%", " percent").replaceAll("dont need", "do not have");
        expect(words(text)).toContain(words(from?.statement ?? "–").replaceAll("need to", "have to"));
      }
    }
  });

  it("writes from a table's row as from a sentence, and nothing from a heading or a lead-in", () => {
    const row = "Form: 10182; Deadline: 1 year from the date of the decision";
    expect(draft([], 1, ["How to appeal", row, "Send these to the office:"])).toEqual([
      { text: `${row}.`, cites: [2], from: { quote: 2, statement: `${row}.` }, fault: null },
    ]);
    for (const seed of SEEDS.slice(0, 20)) expect(draft(["number"], seed, [row])[0]?.fault).not.toBeNull();
  });

  it("makes one sentence wrong for every category that is asked for, and leaves the others", () => {
    for (const seed of SEEDS) {
      const sentences = draft(FAULT_CATEGORIES, seed);
      const faults = sentences.flatMap(({ fault }) => (fault === null ? [] : [categoryOf(fault)]));
      expect([...faults].sort()).toEqual([...FAULT_CATEGORIES].sort());
    }
  });

  it("labels as wrong only what no quote says", () => {
    const seen = new Set<string>();
    for (const seed of SEEDS) {
      for (const { text, cites, from, fault } of draft(FAULT_CATEGORIES, seed)) {
        if (fault === null) continue;
        seen.add(fault.type);
        if (fault.type === "nowhere") expect(cites).toEqual([fault.number].filter((n) => n > QUOTES.length));
        else if (fault.type === "swapped") expect(cites[0]).not.toBe(from?.quote);
        else if (fault.type === "url") expect(text.toLowerCase()).toContain(fault.key);
        else {
          expect(plainWords(text)).toContain(fault.key);
          expect(QUOTES.map(plainWords).join(" | ")).not.toContain(fault.key);
        }
      }
    }
    expect([...seen].sort()).toEqual(["claim", "entity", "negation", "nowhere", "number", "swapped", "url"]);
  });

  it("writes sentences that are read as they were meant: as many, with these citations", () => {
    for (const seed of SEEDS) {
      const sentences = draft(FAULT_CATEGORIES, seed);
      const text = draftText(sentences);
      const read = splitSentences(text).map(({ start, end }) => parseMarkers(text.slice(start, end)));
      expect(read).toEqual(sentences.map((one) => ({ text: one.text, numbers: one.cites })));
    }
  });

  it("writes the same for the same seed, and nothing from quotes without a sentence", () => {
    expect(draft(FAULT_CATEGORIES, 7)).toEqual(draft(FAULT_CATEGORIES, 7));
    expect(draft(FAULT_CATEGORIES, 7)).not.toEqual(draft(FAULT_CATEGORIES, 8));
    expect(draft(FAULT_CATEGORIES, 7, ["| a | b |", "What conditions do these benefits cover?"])).toEqual([]);
    expect(draft(FAULT_CATEGORIES, 7, [])).toEqual([]);
  });
});
