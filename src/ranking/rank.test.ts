import { describe, expect, it } from "vitest";
import type { ReadTexts, ToRead } from "../cross-encoder/reader.ts";
import { fakeReadTexts } from "../testing/fake-reader.ts";
import { type FakePassage, fakePassage, fakeWords } from "../testing/passages.ts";
import { readRankingWeights } from "./features.ts";
import { CROSS_ENCODED, confidenceOf, rankCandidates, relevanceOfPassages, withFollowing } from "./rank.ts";

const weights = readRankingWeights();
const { signal } = new AbortController();
const vector = Float32Array.of(1, 0);
const embed = (texts: readonly string[]) => texts.map(() => vector);
const QUESTION = "What does a visitor pay for the boat?";
/** Sentences that each share a word with the question, and one that shares none. */
const SENTENCES = [
  "A visitor signs the book at the gate.",
  "The boat leaves at noon.",
  "Four dollars are due at the pier.",
  ...Array.from({ length: 20 }, (_, i) => `The boat of pier ${i} is white.`),
];

type Segments = FakePassage["segments"];

function rank(read: ReadTexts | null, ...passages: readonly Segments[]) {
  const given = passages.length === 0 ? [SENTENCES] : passages;
  const evidence = given.map((segments, i) => {
    const passage = fakePassage({ title: "Ferry", headingPath: ["Prices"], segments });
    return { passage: { ...passage, sid: `S${i + 1}`, document: { ...passage.document, id: `d${i}` } } };
  });
  return rankCandidates(QUESTION, evidence, fakeWords(), { maxCharacters: 500, weights, read, embed, signal });
}

/** Creates a cross-encoder that looks up the log odds by the end of the text; -5 for any text that is not listed. */
const odds = (...known: readonly (readonly [text: string, odds: number])[]) => {
  const calls: ToRead[] = [];
  const read = fakeReadTexts((one) => {
    calls.push(one);
    if (typeof one === "string") return { vector };
    return { vector, answer: known.find(([text]) => one.text.endsWith(text))?.[1] ?? -5 };
  });
  return { calls, read };
};

describe("rankCandidates", () => {
  it("excludes a candidate that only repeats the question", async () => {
    const { candidates } = await rank(null, [QUESTION, SENTENCES[2] as string, `${QUESTION} Four dollars.`]);
    expect(candidates.map(({ view }) => view.text).toSorted()).toEqual([SENTENCES[2], `${QUESTION} Four dollars.`]);
  });

  it("excludes the question above a quoted candidate", async () => {
    const item = (text: string) => ({ type: "list-item" as const, text });
    const { candidates } = await rank(null, [QUESTION, item("A visitor pays four dollars."), "Boats", item("The boat is white.")]);
    expect(candidates.map(({ view }) => [view.text, view.candidate.context.length]).toSorted()).toEqual([
      ["A visitor pays four dollars.", 0],
      ["Boats", 0],
      ["The boat is white.", 1],
    ]);
  });

  it("puts the candidate with the best cross-encoder score first, without shared words", async () => {
    const given = SENTENCES.slice(0, 6);
    const { read } = odds([SENTENCES[2] as string, 5]);
    const [first, ranked] = [await rank(null, given), await rank(read, given)];
    expect(first.candidates[0]?.view.text).not.toBe(SENTENCES[2]);
    expect(ranked.candidates[0]?.view.text).toBe(SENTENCES[2]);
    expect(ranked.candidates.map(({ cross }) => cross)).toEqual([5, -5, -5, -5, -5, -5]);
    expect(ranked.candidates.map(({ view }) => view.text).toSorted()).toEqual(first.candidates.map(({ view }) => view.text).toSorted());
  });

  it("scores a limited number of candidates, with title and headings, and ranks the others after them", async () => {
    const { calls, read } = odds();
    const [first, { candidates }] = [await rank(null), await rank(read)];
    const text = (view: { readonly text: string }) => ({ question: QUESTION, text: `Ferry › Prices\n${view.text}` });
    expect(calls).toEqual(first.candidates.slice(0, CROSS_ENCODED).map(({ view }) => text(view)));
    expect(candidates.map(({ cross }) => cross !== null)).toEqual(candidates.map((_, i) => i < CROSS_ENCODED));
    for (const of of ["score", "probability"] as const)
      expect(candidates.map((one) => one[of])).toEqual(candidates.map((one) => one[of]).toSorted((a, b) => b - a));
  });

  it("scores a candidate of each passage, which gives the passage its verdict", async () => {
    const { read } = odds(["Four dollars are due at the pier.", 4]);
    const choice = await rank(read, SENTENCES, [SENTENCES[2] as string], ["It is cold."]);
    const scored = choice.candidates.filter(({ cross }) => cross !== null);
    expect(scored).toHaveLength(CROSS_ENCODED);
    expect(new Set(scored.map(({ view }) => view.evidence.passage.sid))).toEqual(new Set(["S1", "S2", "S3"]));
    const relevance = relevanceOfPassages(choice);
    expect(relevance.get("S2")).toBeGreaterThan(relevance.get("S3") as number);
  });

  it("keeps the order of the first stage without the cross-encoder", async () => {
    const unread = await rank(async () => null);
    expect(unread.candidates).toEqual((await rank(null)).candidates);
  });

  describe("of rows with the number of the question in different columns", () => {
    const HEADER = "Loaf | Baking (min) | Resting (min)";
    const ROWS = ["Spelt tin | 45 | 40", "Potato bread | 60 | 45", "Rye round | 55 | 90"] as const;
    const segments = [HEADER, ...ROWS].map((text) => ({ type: "table-row", text, header: 0 }) as const);
    const whole = [
      [ROWS[0], 5],
      [ROWS[1], 4],
      [ROWS[2], 3],
    ] as const;
    const textsOf = async (read: ReadTexts, question: string) => {
      const passage = fakePassage({ title: "Oven card", segments });
      const options = { maxCharacters: 500, weights, read, embed, signal };
      const { candidates } = await rankCandidates(question, [{ passage }], fakeWords(), options);
      return candidates.map(({ view, cross }) => [view.text, cross]);
    };

    it("puts the one first whose cells with that number answer, with the scores of the places", async () => {
      const { calls, read } = odds(...whole, ["Loaf: Spelt tin; Baking (min): 45", -1], ["Loaf: Potato bread; Resting (min): 45", 3]);
      expect(await textsOf(read, "Which loaf rests 45 minutes?")).toEqual([
        [ROWS[1], 5],
        [ROWS[0], 4],
        [ROWS[2], 3],
      ]);
      expect(calls.at(-1)).toMatchObject({ text: "Oven card\nLoaf: Potato bread; Resting (min): 45" });
    });

    it("keeps the order of others", async () => {
      const { calls, read } = odds(...whole);
      expect(await textsOf(read, "Which loaf rests 90 minutes?")).toEqual(whole);
      expect(calls).toHaveLength(ROWS.length);
    });
  });

  it("rethrows a cancellation", async () => {
    const reason = new Error("nobody waits");
    await expect(rank(() => Promise.reject(reason))).rejects.toBe(reason);
  });
});

describe("confidenceOf", () => {
  it("rises with the cross-encoder's score of the best candidate, and is 0 without any", async () => {
    const of = async (best: number) => confidenceOf(await rank(odds([SENTENCES[2] as string, best]).read, SENTENCES.slice(0, 6)), weights);
    expect(await of(5)).toBeGreaterThan(await of(1));
    expect(confidenceOf(await rank(null, []), weights)).toBe(0);
  });
});

describe("withFollowing", () => {
  const DENIAL = "The first president of the club was not Mr. Pollard.";
  const ANSWER = "Edith Pollard signed as E. Pollard.";
  const OTHER = "The club plays in brown and yellow.";
  /**
   * Creates a cross-encoder that returns 4 for the negation, 1 for the answer and `together` for both sentences in one
   * text.
   */
  const reads = (together: number) => odds([`${DENIAL} ${ANSWER}`, together], [DENIAL, 4], [ANSWER, 1]).read;

  async function follow(read: ReadTexts, segments: Segments = [OTHER, DENIAL, ANSWER, OTHER], headings: readonly string[] = []) {
    const passage = fakePassage({ title: "History", segments });
    const units = passage.units.map((unit, i) => (headings[i] === undefined ? unit : { ...unit, headingPath: [headings[i]] }));
    const options = { maxCharacters: 500, weights, read, embed, signal };
    const choice = await rankCandidates("Who was the first president?", [{ passage: { ...passage, units } }], fakeWords(), options);
    return (await withFollowing("Who was the first president?", choice, read, signal)).candidates[0];
  }

  it("adds the next sentence if both together answer better", async () => {
    expect(await follow(reads(6))).toMatchObject({ view: { text: DENIAL }, followedBy: { text: ANSWER } });
    expect((await follow(reads(4)))?.followedBy).toBeUndefined();
  });

  it("adds nothing across the end of a passage, a heading or a gap, or from a table", async () => {
    const read = reads(6);
    const heading = { type: "heading", text: "Presidents since" } as const;
    const rows = ["Who | What", DENIAL, ANSWER].map((text) => ({ type: "table-row", text, header: 0 }) as const);
    for (const segments of [[OTHER, DENIAL], [DENIAL, heading, ANSWER], [DENIAL, "Many came. ".repeat(60), ANSWER], rows])
      expect((await follow(read, segments))?.followedBy).toBeUndefined();
    expect((await follow(read, [DENIAL, ANSWER], ["First", "Later"]))?.followedBy).toBeUndefined();
  });
});
