import { describe, expect, it } from "vitest";
import type { ReadTexts } from "../reader/reader.ts";
import { fakeReadTexts } from "../testing/fake-reader.ts";
import { type FakePassage, fakeEvidence, fakePassage, fakeWords } from "../testing/passages.ts";
import { choosePieces } from "./choose.ts";
import { FOLLOWING_FEATURES, readChooserWeights, type ScoredPiece } from "./chooser-weights.ts";
import { chooseQuotes, withNeighbours } from "./compress.ts";
import { withFollowing } from "./read-pieces.ts";

const shipped = readChooserWeights();
const { signal } = new AbortController();
const QUESTION = "Who was the first president of the club?";
const DENIAL = "The first president of the club was not Mr. Pollard.";
const ANSWER = "Edith Pollard signed as E. Pollard.";
const OTHER = "The club plays in brown and yellow.";

/** Log odds 4 for the denial, and so much for each text that holds the answer alone or behind it. */
function reads(answer: { readonly alone: number; readonly together: number }): ReadTexts {
  const vector = Float32Array.of(1, 0);
  return fakeReadTexts((one) => {
    if (typeof one === "string") return { vector };
    const [denies, answers] = [one.text.includes(DENIAL), one.text.includes(ANSWER)];
    return { vector, answer: denies ? (answers ? answer.together : 4) : answers ? answer.alone : -6 };
  });
}

/** σ(following + together − best − 4): half where what follows has log odds 0 and both together are 4 above the best. */
const following = { features: [...FOLLOWING_FEATURES], linear: [1, 1, -1, 0, 0], bias: -4, minimum: 0.5 };

async function choose(
  read: ReadTexts | null,
  pieces: FakePassage["pieces"] = [OTHER, DENIAL, ANSWER, OTHER],
  headings: readonly string[] = [],
) {
  const passage = fakePassage({ title: "History", pieces });
  const units = passage.units.map((unit, i) => (headings[i] === undefined ? unit : { ...unit, headingPath: [headings[i]] }));
  const evidence = [fakeEvidence({ ...passage, units })];
  const weights = { ...shipped, following };
  const options = { maxCharacters: 500, reranker: null, embed: null, weights, read, signal };
  const choice = await choosePieces(QUESTION, evidence, fakeWords(), options);
  return read === null ? choice : withFollowing(QUESTION, choice, { ...options, readTexts: read });
}

const quotesOf = (choice: Awaited<ReturnType<typeof choose>>) => {
  const [first] = chooseQuotes(choice, fakeWords(), 1);
  return first === undefined ? [] : withNeighbours(first).map(({ text }) => text);
};

describe("what follows the best piece", () => {
  it("is quoted with it where the reader says that it answers too", async () => {
    const choice = await choose(reads({ alone: 1, together: 8 }));
    expect(choice.pieces[0]?.view.text).toBe(DENIAL);
    expect(choice.followingChance).toBeCloseTo(1 / (1 + Math.exp(-1)), 9);
    expect(quotesOf(choice)).toEqual([DENIAL, ANSWER]);
  });

  it("is nothing at the end of a passage, where it stands with the best already, or where nothing was read", async () => {
    const likely = reads({ alone: 3, together: 9 });
    expect(await choose(likely, [OTHER, DENIAL])).toMatchObject({ followingChance: null });
    expect(await choose(likely, [DENIAL, `However, ${ANSWER}`])).toMatchObject({ followingChance: null });
    expect(quotesOf(await choose(likely, [DENIAL, `However, ${ANSWER}`]))).toEqual([DENIAL, `However, ${ANSWER}`]);
    expect(await choose(null)).toMatchObject({ followingChance: null });
    expect(await choose(likely, [])).toMatchObject({ followingChance: null, pieces: [] });
  });

  it("is nothing under another heading, nor a table's row, nor behind what is too long to be quoted", async () => {
    const likely = reads({ alone: 3, together: 9 });
    const heading = { type: "heading", text: "Presidents since" } as const;
    expect(await choose(likely, [DENIAL, heading, ANSWER])).toMatchObject({ followingChance: null });
    // Words that head a paragraph stand in no line of their own.
    expect(await choose(likely, [DENIAL, ANSWER], ["First", "First"])).not.toMatchObject({ followingChance: null });
    expect(await choose(likely, [DENIAL, ANSWER], ["First", "Later"])).toMatchObject({ followingChance: null });
    const rows = ["Who | What", DENIAL, ANSWER].map((text) => ({ type: "table-row", text, header: 0 }) as const);
    const inTable = await choose(likely, rows);
    expect(inTable.pieces[0]?.view.text).toBe(DENIAL);
    expect(inTable).toMatchObject({ followingChance: null });
    expect(await choose(likely, [DENIAL, "Many came. ".repeat(60), ANSWER])).toMatchObject({ followingChance: null });
  });

  it("is quoted with what announces it, though not with the best, which is quoted already", async () => {
    const lead = "For the club there signed:";
    const items = [ANSWER, "Many others. ".repeat(60)].map((text) => ({ type: "list-item", text }) as const);
    expect(quotesOf(await choose(reads({ alone: 0, together: 9 }), [DENIAL, lead, ...items]))).toEqual([DENIAL, lead, ANSWER]);
    const meant = `She is meant: ${ANSWER}`;
    const glanced = await choose(null, [DENIAL, meant]);
    const [denial, other] = [DENIAL, meant].map((text) => glanced.pieces.find(({ view }) => view.text === text)) as [
      ScoredPiece,
      ScoredPiece,
    ];
    expect(other.view.piece.context).toHaveLength(1);
    const [first] = chooseQuotes({ ...glanced, pieces: [{ ...denial, followedBy: other.view }] }, fakeWords(), 1);
    expect(first?.following?.map(({ text }) => text)).toEqual([meant]);
  });

  it("is left out where the reader fails on it, and a cancellation is passed on", async () => {
    const read = reads({ alone: 3, together: 9 });
    let calls = 0;
    const failing: ReadTexts = (texts, stop) => (++calls === 4 ? Promise.resolve(null) : read(texts, stop));
    const choice = await choose(failing);
    expect([calls, choice.followingChance, quotesOf(choice)]).toEqual([4, null, [DENIAL]]);
    const reason = new Error("nobody waits");
    calls = 0;
    const stopped: ReadTexts = (texts, stop) => (++calls === 4 ? Promise.reject(reason) : read(texts, stop));
    await expect(choose(stopped)).rejects.toBe(reason);
  });
});
