import { describe, expect, it } from "vitest";
import { answerChance } from "../answer/decide.ts";
import { parseFile } from "../ingest/parse.ts";
import type { ReadTexts, ToRead } from "../reader/reader.ts";
import { fakeReader, fakeReadTexts } from "../testing/fake-reader.ts";
import { type FakePassage, fakeEvidence, fakePassage, fakeWords } from "../testing/passages.ts";
import { unitsIn } from "../text/units.ts";
import type { Passage } from "../types.ts";
import { choosePieces } from "./choose.ts";
import { readChooserWeights } from "./chooser-weights.ts";
import { piecesOf } from "./pieces.ts";
import { READ_ALONE, READ_PIECES, readPieces } from "./read-pieces.ts";

/** One paragraph whose lines are units of it, as line breaks that were meant leave them. */
function rowsPassage(lines: readonly string[]): Passage {
  const made = fakePassage({ pieces: lines });
  return { ...made, units: made.units.map((unit) => ({ ...unit, block: 0 })) };
}

function textsOf(passage: Passage, maxCharacters = 1200): string[] {
  const pieces = piecesOf(passage, { maxCharacters, maxPieces: 20, wholeLists: false });
  return pieces.map(({ range }) => passage.text.slice(range.start, range.end));
}

describe("piecesOf", () => {
  it("keeps rows of a paragraph together, and begins anew at a line that announces others", () => {
    const lines = ["Wire rope, worn to:", "9 mm 20", "8 mm 30", "Chain, worn to:", "12 mm 10", "11 mm 20"];
    expect(textsOf(rowsPassage(lines))).toEqual(["Wire rope, worn to:\n9 mm 20\n8 mm 30", "Chain, worn to:\n12 mm 10\n11 mm 20"]);
  });

  it("parts many rows where a piece would become too long, and loses none", () => {
    const lines = Array.from({ length: 60 }, (_, i) => `Berth ${i} takes a boat of ${i + 3} tons and no more`);
    const pieces = textsOf(rowsPassage(lines));
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.join("\n")).toBe(lines.join("\n"));
    expect(Math.max(...pieces.map((text) => text.length))).toBeLessThanOrEqual(700);
  });

  it("gives a sentence that limits the one before it that one to be read and quoted with, and no other sentence", () => {
    const passage = fakePassage({ pieces: ["The mole is closed.", "However, members may pass.", "Boats lie at the quay."] });
    const contexts = piecesOf(passage, { maxCharacters: 1200, maxPieces: 20, wholeLists: false }).map(({ context }) =>
      context.map(({ start, end }) => passage.text.slice(start, end)),
    );
    expect(contexts).toEqual([[], ["The mole is closed."], []]);
  });

  it("gives a sentence nothing of a section that ended before it", () => {
    const page = "<h2>Dogs</h2><details><summary>Big</summary><p>They stay outside.</p></details><p>However, members may bring theirs.</p>";
    const [document] = parseFile({ path: "a.html", bytes: Buffer.from(`<title>T</title>${page}`) });
    if (document === undefined) throw new Error("no document");
    const passage = {
      ...fakePassage({ pieces: [] }),
      text: document.text,
      units: unitsIn(document),
      range: { start: 0, end: document.text.length },
    };
    const pieces = piecesOf(passage, { maxCharacters: 1200, maxPieces: 20, wholeLists: false });
    expect(pieces.map(({ context, conditions }) => [context.length, conditions.length])).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });

  it.each([
    ["Its notice period is three months.", true],
    ["Clean it with a dry brush, never with water.", true],
    ["The clerk gives them back.", false],
    ["It is important to clean the blade.", false],
  ])("%s: means what stands before it: %s", (sentence, leans) => {
    const before = "The bread slicer is used by trained staff only.";
    const contextOf = (passage: Passage) => {
      const last = piecesOf(passage, { maxCharacters: 1200, maxPieces: 20, wholeLists: false }).at(-1);
      return last?.context.map(({ start, end }) => passage.text.slice(start, end));
    };
    expect(contextOf(rowsPassage([before, sentence]))).toEqual(leans ? [before] : []);
  });

  const contextsOf = (passage: Passage) =>
    piecesOf(passage, { maxCharacters: 1200, maxPieces: 20, wholeLists: false }).map(({ range, context }) =>
      [...context, range].map(({ start, end }) => passage.text.slice(start, end)),
    );

  it("gives a list that nothing announces the heading that says what its items are", () => {
    const item = (text: string) => ({ type: "list-item" as const, text });
    const heading = (text: string) => ({ type: "heading" as const, text });
    const list = fakePassage({ pieces: [heading("Not allowed"), item("Glass bottles"), item("Water pistols")] });
    expect(contextsOf(list)).toEqual([["Not allowed", "Glass bottles\nWater pistols"]]);
    const behind = fakePassage({ pieces: [heading("Not allowed"), "It is for your safety.", item("Glass bottles"), "Stay dry."] });
    expect(contextsOf(behind)).toEqual([["It is for your safety."], ["Not allowed", "Glass bottles"], ["Stay dry."]]);
    const announced = fakePassage({ pieces: [heading("Rules"), "Leave at home:", item("Glass bottles")] });
    expect(contextsOf(announced)).toEqual([["Leave at home:\nGlass bottles"]]);
    const titled = fakePassage({ title: "Pool rules", pieces: [heading("Pool rules"), item("No glass"), item("No dogs")] });
    expect(contextsOf(titled)).toEqual([["No glass\nNo dogs"]]);
  });

  it("gives a limit that announces a list with that list, and every row of a table what stands behind it", () => {
    const item = (text: string) => ({ type: "list-item" as const, text });
    const row = (text: string) => ({ type: "table-row" as const, text, header: 0 });
    const conditionsOf = (passage: Passage) =>
      piecesOf(passage, { maxCharacters: 1200, maxPieces: 20, wholeLists: false }).map(({ range, conditions }) =>
        [range, ...conditions].map(({ start, end }) => passage.text.slice(start, end)),
      );
    const fares = fakePassage({
      pieces: [row("Fare | Bags"), row("Light | 0"), row("Flex | 2"), "Exceptions:", item("Infants have none."), "Ask."],
    });
    expect(conditionsOf(fares).slice(0, 2)).toEqual([
      ["Light | 0", "Exceptions:\nInfants have none."],
      ["Flex | 2", "Exceptions:\nInfants have none."],
    ]);
    const numbers = fakePassage({ pieces: ["Numbers cannot be sold.", "The only exception is the transfer window.", "Pens are sold."] });
    expect(conditionsOf(numbers)[0]).toEqual(["Numbers cannot be sold.", "The only exception is the transfer window."]);
  });

  it("gives what answers below a question with it, never the question alone", () => {
    const item = (text: string) => ({ type: "list-item" as const, text });
    const terms = fakePassage({ pieces: ["How do I renew my permit?", item("Visit counter 5."), "Lockers", item("Bring a coin.")] });
    const pieces = piecesOf(terms, { maxCharacters: 1200, maxPieces: 20, wholeLists: true });
    const shown = pieces.map(({ range, context }) => [range, ...context].map(({ start, end }) => terms.text.slice(start, end)));
    expect(shown).toEqual([["Visit counter 5.", "How do I renew my permit?"], ["Lockers"], ["Bring a coin.", "Lockers"]]);
  });

  describe("a list of lists", () => {
    const item = (level: number, text: string) => ({ type: "list-item" as const, level, text });
    const fusidic = [item(1, "Fusidic acid drops"), item(2, "twice a day"), item(2, "keep cold")];
    const ofloxacin = [item(1, "Ofloxacin drops"), item(2, "four times a day")];
    const cleaner = item(1, "Ear cleaner: once a week");

    it("gives each item with what stands below it, below what announces them all", () => {
      const drops = fakePassage({ pieces: ["Give at home:", ...fusidic, cleaner, ...ofloxacin] });
      expect(textsOf(drops)).toEqual([
        "Fusidic acid drops\ntwice a day\nkeep cold",
        "Ear cleaner: once a week",
        "Ofloxacin drops\nfour times a day",
      ]);
      const [first, second] = piecesOf(drops, { maxCharacters: 1200, maxPieces: 20, wholeLists: false });
      expect([first, second].map((piece) => piece?.context.map(({ start, end }) => drops.text.slice(start, end)))).toEqual([
        ["Give at home:"],
        ["Give at home:"],
      ]);
    });

    it("stays whole where lists are asked for, and where one item alone has others below it", () => {
      const drops = fakePassage({ pieces: ["Give at home:", ...fusidic, ...ofloxacin] });
      expect(piecesOf(drops, { maxCharacters: 1200, maxPieces: 20, wholeLists: true }).map(({ range }) => range)).toEqual([drops.range]);
      expect(textsOf(fakePassage({ pieces: ["Give at home:", ...fusidic, cleaner] }))).toHaveLength(1);
    });
  });

  it("leaves two lines of a paragraph, and paragraphs of their own, apart", () => {
    expect(textsOf(rowsPassage(["Harbour office.", "Open from 8 to 12."]))).toHaveLength(2);
    expect(textsOf(fakePassage({ pieces: ["The mole is closed.", "Boats lie at the quay.", "They pay nothing."] }))).toHaveLength(3);
  });
});

const weights = readChooserWeights();
const { signal } = new AbortController();
const QUESTION = "What does a visitor pay for the boat?";

/** Sentences that share a word with the question each, and one that shares none. */
const SENTENCES = [
  "A visitor signs the book at the gate.",
  "The boat leaves at noon.",
  "Four dollars are due at the pier.",
  ...Array.from({ length: 12 }, (_, i) => `The boat of pier ${i} is white.`),
];

function chooseWith(read: ReadTexts | null, pieces: FakePassage["pieces"] = SENTENCES) {
  const evidence = [fakeEvidence(fakePassage({ title: "Ferry", headingPath: ["Prices"], pieces }))];
  return choosePieces(QUESTION, evidence, fakeWords(), { maxCharacters: 500, reranker: null, embed: null, weights, read, signal });
}

describe("choosePieces", () => {
  it("takes no piece that only repeats the question", async () => {
    const { pieces } = await chooseWith(null, [QUESTION, SENTENCES[2] as string, `${QUESTION} Four dollars.`]);
    expect(pieces.map(({ view }) => view.text).toSorted()).toEqual([SENTENCES[2], `${QUESTION} Four dollars.`]);
  });
});

describe("what a piece stands below", () => {
  it("is not quoted with it where it is the question itself", async () => {
    const item = (text: string) => ({ type: "list-item" as const, text });
    const { pieces } = await chooseWith(null, [QUESTION, item("A visitor pays four dollars."), "Boats", item("The boat is white.")]);
    expect(pieces.map(({ view }) => [view.text, view.piece.context.length])).toEqual([
      ["A visitor pays four dollars.", 0],
      ["The boat is white.", 1],
      ["Boats", 0],
    ]);
  });
});

describe("readPieces", () => {
  const isAbout = (text: string) => (text === QUESTION || text.endsWith("Four dollars are due at the pier.") ? "price" : text);

  it("puts the piece first that means what was asked, though it shares no word", async () => {
    const pieces = SENTENCES.slice(0, 6);
    const glance = await chooseWith(null, pieces);
    const reader = fakeReader({ nameOf: isAbout });
    const read = await chooseWith((texts, stop) => reader.read(texts, stop), pieces);
    expect(glance.pieces[0]?.view.text).not.toBe(SENTENCES[2]);
    expect(glance.glance).toBeNull();
    expect(read.pieces[0]?.view.text).toBe(SENTENCES[2]);
    expect(read.glance?.map(({ view }) => view.text)).toEqual(glance.pieces.map(({ view }) => view.text));
    expect(read.pieces.map(({ view }) => view.text).toSorted()).toEqual(glance.pieces.map(({ view }) => view.text).toSorted());
  });

  it("puts the piece first that answers when it is read beside the question, where all vectors are the same", async () => {
    const vector = Float32Array.of(1, 0);
    const together = fakeReadTexts((one) =>
      typeof one === "string" ? { vector } : { vector, answer: isAbout(one.text) === "price" ? 5 : -5 },
    );
    const { pieces } = await chooseWith(together, SENTENCES.slice(0, 6));
    expect(pieces[0]?.view.text).toBe(SENTENCES[2]);
    expect(pieces.map(({ reading }) => reading)).toEqual([
      { cross: 5, cosine: 1 },
      ...Array.from({ length: READ_ALONE - 1 }, () => ({ cross: -5, cosine: 1 })),
      ...Array.from({ length: 6 - READ_ALONE }, () => ({ cross: -5, cosine: null })),
    ]);
  });

  it("reads the best at a glance beside the question, below title and headings, and the most likely of them alone; the others stay behind them", async () => {
    const calls: ToRead[] = [];
    // The later a piece comes at a glance, the more likely it answers.
    const later = fakeReadTexts((one) => {
      calls.push(one);
      return { vector: Float32Array.of(1, 0), answer: calls.length };
    });
    const { pieces, glance } = await chooseWith(later);
    const best = (glance ?? []).slice(0, READ_PIECES).map(({ view }) => `Ferry › Prices\n${view.text}`);
    expect(calls).toEqual([...best.map((text) => ({ question: QUESTION, text })), QUESTION, ...best.slice(-READ_ALONE).toReversed()]);
    expect(pieces.map(({ reading }) => reading?.cross ?? null).slice(READ_ALONE)).toEqual(
      pieces.slice(READ_ALONE).map((_, i) => (i < READ_PIECES - READ_ALONE ? READ_PIECES - READ_ALONE - i : null)),
    );
    expect(pieces.map(({ reading }) => (reading?.cosine ?? null) !== null)).toEqual(pieces.map((_, i) => i < READ_ALONE));
    for (const of of ["score", "chance"] as const)
      expect(pieces.map((piece) => piece[of])).toEqual(pieces.map((piece) => piece[of]).toSorted((a, b) => b - a));
    expect(pieces.slice(READ_PIECES).map(({ view }) => view.text)).toEqual((glance ?? []).slice(READ_PIECES).map(({ view }) => view.text));
  });

  it("reads nothing that a glance puts far below the best", async () => {
    const glanced = await chooseWith(null, SENTENCES.slice(0, 4));
    // Scores at a glance are of another kind than those of what was read: here far above them.
    const scores = [44, 43, 40.9, 38];
    const pieces = glanced.pieces.map((piece, i) => ({ ...piece, score: scores[i] ?? 0, chance: 1 }));
    const choice = { ...glanced, pieces };
    const reader = fakeReader();
    const read = await readPieces(QUESTION, choice, { weights, readTexts: (texts, stop) => reader.read(texts, stop), signal });
    expect(reader.calls[0]).toHaveLength(2);
    expect(read.pieces.map(({ reading }) => reading !== null)).toEqual([true, true, false, false]);
    expect(read.pieces.slice(2).map(({ view }) => view.text)).toEqual(choice.pieces.slice(2).map(({ view }) => view.text));
    const last = read.pieces[1];
    expect(last?.score).toBeLessThan(38);
    expect(read.pieces.slice(2).map(({ score, chance }) => ({ score, chance }))).toEqual(
      Array.from({ length: 2 }, () => ({ score: last?.score, chance: last?.chance })),
    );
  });

  it("lets a glance stand where the reader could not read", async () => {
    const reader = fakeReader();
    // What fails: the pairs, the question, what is read alone.
    for (const failing of [1, 2, 3]) {
      let calls = 0;
      const unread = await chooseWith((texts, stop) => (++calls === failing ? Promise.resolve(null) : reader.read(texts, stop)));
      expect(calls).toBe(Math.max(2, failing));
      expect(unread.glance).toBeNull();
      expect(unread.pieces.map(({ view, score }) => [view.text, score])).toEqual(
        (await chooseWith(null)).pieces.map(({ view, score }) => [view.text, score]),
      );
    }
  });
});

describe("answerChance", () => {
  it("is made of the best piece's score and reading, its lead, and how far its reading lies above the mean of those read", async () => {
    const glanced = await chooseWith(null, SENTENCES.slice(0, 4));
    const readings = [0.9, 0.6, 0.3, null].map((cosine) => (cosine === null ? null : { cross: 1, cosine }));
    const scores = [5, 3, 2, 1];
    const pieces = glanced.pieces.map((piece, i) => ({ ...piece, score: scores[i] ?? 0, reading: readings[i] ?? null }));
    const read = { pieces, glance: glanced.pieces };
    const features = ["reading.above", "score.ahead", "glance"];
    // σ(2 · (.9 - (.9 + .6 + .3) / 3) + .5 · (5 - 3) + 0 · glance - 1.6) = σ(0)
    const scorer = { features, linear: [2, 0.5, 0], bias: -1.6 };
    const { chance, readings: told } = answerChance(read, new Map(), { answer: weights.answer, read_answer: scorer });
    expect(chance).toBeCloseTo(0.5, 12);
    expect(told).toMatchObject({ score: 5, "score.ahead": 2, reading: 0.9 });
    expect(told?.["reading.above"]).toBeCloseTo(0.3, 12);
  });

  it("knows a table's row, of which the reader says less than of a sentence", async () => {
    const header = { type: "table-row", text: "Place | Boat", header: 0 } as const;
    const row = { type: "table-row", text: "Pier four | a boat for four visitors", header: 0 } as const;
    const reader = fakeReader({ nameOf: () => "all the same" });
    const readTexts: ReadTexts = (texts, stop) => reader.read(texts, stop);
    const [ofRow, ofSentence] = [await chooseWith(readTexts, [header, row]), await chooseWith(readTexts, SENTENCES.slice(0, 1))];
    const likely = { ...weights, read_answer: { features: ["row"], linear: [1] } };
    expect([ofRow, ofSentence].map((choice) => answerChance(choice, new Map(), likely).chance)).toEqual([1 / (1 + Math.exp(-1)), 0.5]);
  });

  it("takes no lead from pieces that were not read: their scores are of another kind", async () => {
    const glanced = await chooseWith(null, SENTENCES.slice(0, 3));
    const choice = { ...glanced, pieces: glanced.pieces.map((piece, i) => ({ ...piece, score: i === 0 ? 9 : 1 })) };
    const reader = fakeReader({ nameOf: () => "all the same" });
    const read = await readPieces(QUESTION, choice, { weights, readTexts: (texts, stop) => reader.read(texts, stop), signal });
    expect(read.pieces.map(({ reading }) => reading !== null)).toEqual([true, false, false]);
    expect(answerChance(read, new Map(), weights).readings).toMatchObject({ "score.ahead": null, "cross.above": null });
  });
});
