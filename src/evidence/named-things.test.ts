import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, test } from "vitest";
import { createReader } from "../cross-encoder/create-reader.ts";
import { readQuestion } from "../language/question.ts";
import { PACKAGE_ROOT } from "../package.ts";
import { fakeEvidence, fakePassage } from "../testing/passages.ts";
import { tokenize } from "../text/tokens.ts";
import type { AskedTerm } from "./named-things.ts";
import {
  alignQuestionWords,
  formsHeld,
  holdingCodes,
  missingWarnings,
  namedThings,
  spelledLikeOthers,
  unlikeForms,
  withCodesAsWritten,
  wordsUnheld,
} from "./named-things.ts";

const held = new Set(["kettle", "blue", "model", "k-200", "warranty"]);
const parts = { tokens: (text: string) => text.toLowerCase().split(" "), has: (token: string) => held.has(token), outOfVocabulary: [] };

test.each([
  ["How long is the warranty of the Teal kettle?", ["Teal"], []],
  ["How long is the warranty of the Blue kettle?", [], []],
  ["What does model K-300 weigh?", ["K-300"], []],
  ["What does model K-200 weigh?", [], ["K-200"]],
  ["Does 20-0997 ask for a witness?", ["20-0997"], []],
  ["Is $20 or 5% or 12 months or 1990s a code?", [], []],
  // Square and cubic lengths are units in amounts. Other letters and digits are names.
  ["What does a radiator in a room of 20 m2 need, or of 20 m2-40 m2?", [], []],
  ["What does floor insulation cost per m2?", [], []],
  ["What do 2 PS3 pads cost beside an M2?", ["PS3", "M2"], []],
  ["HOW LONG IS THE WARRANTY", [], []],
  ["Is It Covered By The Warranty Of Teal", [], []],
])("%j contains the names %j and codes %j, which no document contains", (question, unknown, codes) => {
  expect(namedThings(question, parts)).toEqual({ unknown, codes });
});

test("keeps evidence with the code in its text, headings or title", () => {
  const evidence = [
    fakeEvidence(fakePassage({ document: "a", title: "Model K-200", segments: ["It weighs 1 kg."] })),
    fakeEvidence(fakePassage({ document: "b", headingPath: ["K200"], segments: ["It weighs 2 kg."] })),
    fakeEvidence(fakePassage({ document: "c", title: "Model K-210", segments: ["It weighs 3 kg."] })),
  ];
  expect(holdingCodes(evidence, ["K-200"]).map(({ passage }) => passage.document.id)).toEqual(["a", "b"]);
  expect(holdingCodes(evidence, ["K-999"])).toEqual([]);
  expect(holdingCodes(evidence, [])).toBe(evidence);
});

describe("spelledLikeOthers", () => {
  const known = new Set(tokenize("Samples of cesium, silicon and pyrite are kept in the laboratory for days. The retiree pays."));
  const words = { tokens: (text: string) => tokenize(text), has: (token: string) => known.has(token) };
  const lay = (question: string, text: string) =>
    alignQuestionWords(question, [fakeEvidence(fakePassage({ document: "a", title: "", segments: [text] }))], {
      ...words,
      content: new Set(tokenize(readQuestion(question).content)),
    });
  const isCommon = (word: string) => ["forgot", "back"].includes(word);
  const beside = (question: string, text: string) => spelledLikeOthers(lay(question, text), { ...words, isCommon });

  it.each([
    ["How long are samples of cerium kept?", "Samples of cesium are kept for days.", "cerium"],
    ["How long is silicone kept?", "Silicon is kept for days.", "silicone"],
  ])("finds the word that was meant instead: %s", (question, text, word) => expect(beside(question, text)).toEqual([word]));

  it.each([
    ["How long are samples of cesium kept?", "Samples of cesium are kept for days."],
    ["When may I retire?", "The retiree pays."],
    ["How long is pyrite kept?", "Pyrite is kept along with quartz."],
    // Common words are not names.
    ["I forgot the samples", "Never forget a sample."],
    ["May I get my cesium back?", "Pack the cesium in lead."],
    ["", ""],
  ])("ignores forms of a word, and words unlike any other: %s", (question, text) => expect(beside(question, text)).toEqual([]));

  it.each([
    ["munster", "Das Café Münster.", true],
    ["Münster", "Cafe Munster.", true],
    ["Tuesday", "| Item | Tue | Wed |", true],
    ["September", "Closed in Sept.", true],
    // February lies before the bound of 31 March.
    ["February", "Fees are paid back until 31 March.", true],
    ["july", "Open from May to September.", true],
    ["Tuesday", "| Item | Thu |", false],
  ])("recognises %s in another spelling: %s %s", (name, text, known) => {
    expect(lay("", text).isSpelledOtherwise(name)).toBe(known);
  });

  it("asks the cross-encoder about what looks like a form of a word", () => {
    expect([...formsHeld(lay("What does probation cost?", "The cost of probate of a will is 90 dollars."), words.tokens)]).toEqual([
      ["probation", ["probate"]],
    ]);
  });

  it.each([
    ["How many days of leave are there?", "Leaves of absence last days; the leaving is free."],
    ["May I decorate my balcony?", "Balconies may be decorated."],
    ["Is baking allowed?", "Whoever bakes pays; to bake costs 2 dollars."],
  ])("asks nothing about an inflected word: %s", (question, text) => {
    expect(formsHeld(lay(question, text), words.tokens).size).toBe(0);
  });
});

describe("withCodesAsWritten", () => {
  it.each([
    ["What is PB7X?", ["See PB-7X."], "What is PB-7X?"],
    ["What is pb-77?", ["PB 77 is red."], "What is PB 77?"],
    ["What is PB77?", ["PB-770 is red, and so is XPB77."], "What is PB77?"],
    ["Compare PB77 and QQ-4", ["pb–77 | QQ4"], "Compare pb–77 and QQ4"],
    ["Is 20-0997 due?", ["Form 200997"], "Is 200997 due?"],
    ["What is it?", ["PB-77"], "What is it?"],
    ["What is PB77?", [], "What is PB77?"],
  ])("%s beside %j: %s", (question, texts, expected) => expect(withCodesAsWritten(question, texts)).toBe(expected));

  it("takes linear time for a hostile code", () => {
    const code = `A1${"-1".repeat(3_000)}`;
    expect(withCodesAsWritten(`What is ${code}?`, [code.replaceAll("-", "")])).toContain("A111");
  });
});

describe("wordsUnheld", () => {
  const term = (word: string, weight: number, known: boolean, common = false): AskedTerm => ({
    ...{ word, tokens: [word.toLowerCase()], weight, known, common },
  });
  const unheldIn = (terms: readonly AskedTerm[], said: readonly string[] = []) => wordsUnheld(terms, said, tokenize);
  const [plutonium, order] = [term("Plutonium", 0.4, false), term("order", 0.2, false)];

  it("lists the words that no document contains, as written, if they are most of the question", () => {
    const terms = [plutonium, order, term("samples", 0.3, true), term("days", 0.1, false, true)];
    expect(unheldIn(terms)).toEqual(["Plutonium", "order"]);
    expect(missingWarnings("unheld", ["Plutonium", "order"])).toEqual([
      { code: "not_held", message: 'No document contains "Plutonium", "order", so the quotes here may be about something else.' },
    ]);
  });

  it("is empty if half of the question is known; common words and named ones do not count", () => {
    expect(unheldIn([term("plutonium", 0.5, false), term("samples", 0.5, true)])).toEqual([]);
    expect(unheldIn([term("days", 0.9, false, true), term("samples", 0.1, true)])).toEqual([]);
    expect(unheldIn([plutonium, order, term("samples", 0.4, true)], ["Plutonium"])).toEqual([]);
    expect(unheldIn([])).toEqual([]);
    expect(missingWarnings("unheld", [])).toEqual([]);
  });
});

describe("unlikeForms", () => {
  const reader = createReader({ threads: 0 });
  afterAll(() => reader.close());
  const signal = new AbortController().signal;
  const ask = (word: string, ...held: string[]) => unlikeForms(new Map([[word, held]]), (texts) => reader.read(texts), signal);

  it.each([
    ["probation", "probate"],
    ["university", "universe"],
  ])("distinguishes %s from %s", async (word, held) => expect(await ask(word, held)).toEqual([word]));

  it.each([
    ["allergies", "allergy"],
    ["employer", "employ"],
    ["teacher", "teach"],
  ])("accepts %s as a form of %s", async (word, held) => expect(await ask(word, held)).toEqual([]));

  it("separates at least 76 of 101 pairs of different words, but at most 6 of 98 pairs of forms", async () => {
    const rows = readFileSync(join(PACKAGE_ROOT, "lab/sets/own/word-forms.tsv"), "utf8").trim().split("\n");
    const told: Record<string, number> = { one: 0, two: 0 };
    for (const [word = "", held = "", kind = ""] of rows.map((row) => row.split("\t")))
      told[kind] = (told[kind] ?? 0) + (await ask(word, held)).length;
    expect(told).toEqual({ one: expect.toSatisfy((count: number) => count <= 6), two: expect.toSatisfy((count: number) => count >= 76) });
  });

  it("asks about one similar form, not about all", async () => expect(await ask("universities", "universe", "university")).toEqual([]));

  it("is empty without a cross-encoder", async () => {
    expect(await unlikeForms(new Map([["probation", ["probate"]]]), null, signal)).toEqual([]);
    expect(await unlikeForms(new Map([["probation", ["probate"]]]), async () => null, signal)).toEqual([]);
    expect(await unlikeForms(new Map(), () => Promise.reject(new Error("read")), signal)).toEqual([]);
  });
});
