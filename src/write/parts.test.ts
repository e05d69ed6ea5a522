import { describe, expect, it } from "vitest";
import { openParts, type PartsOptions, withParts } from "../answer/choose.ts";
import { readQuestion } from "../reading/question.ts";
import { fakeReadTexts } from "../testing/fake-reader.ts";
import { fakeEvidence, fakePassage, fakeWords } from "../testing/passages.ts";
import { tokenize } from "../text/tokens.ts";
import type { QuestionPart } from "../types.ts";
import { choosePieces } from "./choose.ts";
import { readChooserWeights } from "./chooser-weights.ts";
import { chooseQuotes } from "./compress.ts";
import { writeExtractive } from "./extract.ts";

const weights = readChooserWeights();
const { signal } = new AbortController();
const ROPE = "The rope is two thirds of an inch thick.";
const HOLDS = "Three tons are what whale line bears.";
const COLOUR = "New line is golden to look at.";
const THICK: QuestionPart = { text: "how thick is it", resolved: "how thick is it", standsAlone: false };
const HOLD: QuestionPart = { text: "how much can it hold", resolved: "how much can it hold (rope)", standsAlone: false };
const COST: QuestionPart = { text: "what does it cost", resolved: "what does it cost (rope)", standsAlone: false };

/** Log odds by question and text; any other -6. */
type Odds = readonly (readonly [question: string, text: string, odds: number])[];

async function ask(parts: readonly QuestionPart[], odds: Odds, given: Partial<PartsOptions> = {}) {
  const evidence = [fakeEvidence(fakePassage({ title: "The line", pieces: [ROPE, COLOUR, HOLDS] }))];
  const asked: string[] = [];
  const readTexts = fakeReadTexts((one) => {
    const vector = Float32Array.of(1, 0);
    if (typeof one === "string") return { vector };
    asked.push(one.question);
    const found = odds.find(([question, text]) => one.question.startsWith(question) && one.text.endsWith(text));
    return { vector, answer: found?.[2] ?? -6 };
  });
  const options = { maxCharacters: 500, reranker: null, embed: null, weights, read: readTexts, signal };
  const pieces = (question: string) => choosePieces(question, evidence, fakeWords(), options);
  const choice = await pieces("rope");
  const choosePart = ({ resolved }: QuestionPart) => pieces(resolved);
  const whole = await withParts(choice, parts, { readTexts, choosePart, mayBeQuoted: () => true, signal, ...given });
  const quotes = chooseQuotes(whole, fakeWords(), 5);
  return { whole, asked, written: writeExtractive(quotes, { quotes: 5, words: 5 }).map(({ text }) => text) };
}

const best = ["rope", ROPE, 8] as const;

describe("withParts", () => {
  it("quotes what answers each part, behind what answers the first, whatever its share of words or of the best one's chance", async () => {
    const { whole, written } = await ask([THICK, HOLD], [best, ["how thick", ROPE, 3], ["how much", HOLDS, 0]]);
    expect(written).toEqual([ROPE, HOLDS]);
    expect(whole.pieces.map(({ answersPart }) => answersPart)).toEqual([undefined, true, undefined]);
    expect(whole.open).toBeUndefined();
  });

  it("leaves a part open for which nothing lies near", async () => {
    const { whole, written } = await ask([THICK, COST], [best, ["how thick", ROPE, 3], ["what does", COLOUR, -1.6]]);
    expect(written).toEqual([ROPE]);
    expect(whole.open).toEqual([{ part: COST, isNothing: true }]);
  });

  it("leaves open what may answer a part, and does not call it nothing", async () => {
    const open = [{ part: COST, isNothing: false }];
    const { whole, written } = await ask([THICK, COST], [best, ["how thick", ROPE, 3], ["what does", COLOUR, -0.1]]);
    expect(written).toEqual([ROPE]);
    expect(whole.open).toEqual(open);
    const near = await ask([THICK, COST], [best, ["how thick", ROPE, 3], ["what does", ROPE, -1.4]]);
    expect(near.whole.open).toEqual(open);
    const alone = await ask([THICK, COST], [best, ["how thick", ROPE, 3], ["what does", ROPE, -1.4]], {
      choosePart: async () => ({ pieces: [] }),
    });
    expect(alone.whole.open).toEqual(open);
  });

  it("looks no further for a part that the first answers, and shows one piece for two parts once", async () => {
    const same = await ask([THICK, HOLD], [best, ["how thick", ROPE, 3], ["how much", ROPE, 0], ["how much", HOLDS, 5]]);
    expect(same.written).toEqual([ROPE]);
    const twice = await ask([HOLD, COST], [best, ["how much", HOLDS, 2], ["what does", HOLDS, 2]]);
    expect(twice.written).toEqual([ROPE, HOLDS]);
    expect(twice.whole.pieces).toHaveLength(3);
  });

  it("takes the likeliest of what was read for a part, whatever else puts another first", async () => {
    const { whole } = await ask([HOLD], [best]);
    const read = (text: string, cross: number) =>
      whole.pieces.flatMap((piece) => (piece.view.text === text ? { ...piece, reading: { cross, cosine: null } } : []));
    const { written } = await ask([HOLD], [best], { choosePart: async () => ({ pieces: [...read(COLOUR, -2), ...read(HOLDS, 1)] }) });
    expect(written).toEqual([ROPE, HOLDS]);
  });

  it("neither quotes what may not be quoted nor says that nothing was found", async () => {
    const { whole, written } = await ask([HOLD], [best, ["how much", HOLDS, 3]], { mayBeQuoted: ({ view }) => view.text !== HOLDS });
    expect(written).toEqual([ROPE]);
    expect(whole.open).toEqual([{ part: HOLD, isNothing: false }]);
  });

  it("says which part it found nothing for, and for which nothing that is sure", () => {
    const said = openParts([
      { part: COST, isNothing: true },
      { part: HOLD, isNothing: false },
    ]);
    expect(said).toMatchObject([
      { code: "part_unanswered", message: expect.stringContaining("“what does it cost”") },
      { code: "part_refused", message: expect.stringContaining("“how much can it hold”") },
    ]);
    expect(openParts([])).toEqual([]);
  });

  it("asks nothing where one thing is asked", async () => {
    const { asked } = await ask([], [best]);
    expect(new Set(asked)).toEqual(new Set(["rope"]));
  });

  const row = (text: string) => ({ type: "table-row" as const, text, header: 0 });

  it.each([
    ["when's the deposit due", true],
    ["how much is vienna and what price", true],
    ["who cooks in vienna", false],
    ["what is the trip vienna", false],
    ["when does the guide come home", false],
  ])("sees by the names of its columns that the row which is shown answers a part: %s", async (text, isAnswered) => {
    const trips = [row("Trip | Deposit due | Guide"), row("Vienna | 2 December 2025 | Mr Okoro")];
    const priced = [row("Trip | Price | Deposit due"), row("Vienna | $510 | 2 December 2025")];
    const passage = fakePassage({ pieces: text.includes("price") ? priced : trips });
    const readTexts = fakeReadTexts((one) => ({ vector: Float32Array.of(1), ...(typeof one === "string" ? {} : { answer: -4 }) }));
    const options = { maxCharacters: 500, reranker: null, embed: null, weights, read: readTexts, signal };
    const words = { ...fakeWords(), questionTokens: (question: string) => tokenize(readQuestion(question).content) };
    const choice = await choosePieces(`vienna trip and ${text}`, [fakeEvidence(passage)], words, options);
    const part = { text, resolved: `${text} (vienna)`, standsAlone: false };
    const choosePart = async () => ({ pieces: [] });
    const { open } = await withParts(choice, [part], { readTexts, choosePart, mayBeQuoted: () => true, signal });
    expect(open === undefined).toBe(isAnswered);
  });

  it("keeps a row beside the asked one where it answers a part", async () => {
    const hours = [row("day | sauna"), row("Thursday | 15 to 22"), row("Friday | 16 to 23")];
    const options = { maxCharacters: 500, reranker: null, embed: null, weights, read: null, signal };
    const { pieces, ...choice } = await choosePieces(
      "sauna thursday",
      [fakeEvidence(fakePassage({ pieces: hours }))],
      fakeWords(),
      options,
    );
    const parts = pieces.map((piece) => (piece.view.text.startsWith("Friday") ? { ...piece, answersPart: true as const } : piece));
    const days = (own: typeof pieces) =>
      chooseQuotes({ ...choice, pieces: own }, fakeWords(), 5).map(({ quote }) => quote.text.split(" ")[0]);
    expect(days(pieces)).toEqual(["Thursday"]);
    expect(days(parts).sort()).toEqual(["Friday", "Thursday"]);
  });
});
