import { describe, expect, it } from "vitest";
import { answerChance } from "../answer/decide.ts";
import type { ReadTexts, ToRead } from "../reader/reader.ts";
import { fakeReader, fakeReadTexts } from "../testing/fake-reader.ts";
import { type FakePassage, fakeEvidence, fakePassage, fakeWords } from "../testing/passages.ts";
import { choosePieces } from "./choose.ts";
import { readChooserWeights } from "./chooser-weights.ts";
import { READ_ALONE, READ_PIECES, readPieces } from "./read-pieces.ts";

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
