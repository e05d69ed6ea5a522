import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/grade/metrics.ts";
import { differentNames, readDaySources } from "../sets/day-sources.ts";
import { mutateQuestion } from "./question-mutations.ts";
import { createReplayedDay, DAY_SHARES, type DaySources, EDIT_EVERY } from "./replayed-day.ts";

const sources: DaySources = {
  paraphrases: [{ stored: "How long may I keep a book?", asked: "for how many days can i have one of your books" }],
  lookAlikes: [{ stored: "How long may I keep a book?", asked: "How long may I keep a map?" }],
  questions: Array.from({ length: 120 }, (_, i) => `Can my wife borrow volume ${i + 3} of the atlas in 2019?`),
  documents: ["a.md", "b.md"],
  names: ["atlas", "yearbook"],
};
const day = (questions: number, seed: number) => createReplayedDay(sources, { questions, seed });

describe("createReplayedDay", () => {
  it("gives the same day for the same seed, and another one for another", () => {
    expect(day(200, 1)).toEqual(day(200, 1));
    expect(day(200, 1)).not.toEqual(day(200, 2));
  });

  it("asks of each class as often as it should", () => {
    const asks = day(500, 3).flatMap((step) => (step.type === "ask" ? [step] : []));
    expect(asks).toHaveLength(500);
    for (const [kind, share] of Object.entries(DAY_SHARES)) {
      expect(asks.filter((step) => step.class === kind).length / 500).toBeCloseTo(share, 1);
    }
  });

  it("repeats, rewords and changes only what was asked before, and asks nothing new twice", () => {
    const before = new Set<string>();
    for (const step of day(400, 4)) {
      if (step.type === "edit") continue;
      if (step.of !== null) expect(before.has(step.of)).toBe(true);
      if (step.class === "repeat") expect(step.question).toBe(step.of);
      else expect(before.has(step.question)).toBe(false);
      before.add(step.question);
    }
  });

  it("takes what people wrote before it makes wordings by rule", () => {
    const asks = day(300, 5).flatMap((step) => (step.type === "ask" ? [step] : []));
    expect(asks.some(({ source, question }) => source === "pair" && question === sources.paraphrases[0]?.asked)).toBe(true);
    expect(asks.some(({ source }) => source === "wording")).toBe(true);
  });

  it("edits a document every so many questions", () => {
    const edits = day(201, 6).flatMap((step) => (step.type === "edit" ? [step.at] : []));
    expect(edits).toEqual([EDIT_EVERY, 2 * EDIT_EVERY, 3 * EDIT_EVERY, 4 * EDIT_EVERY]);
  });

  it("repeats when nothing else is left, and needs at least one question", () => {
    const short = createReplayedDay(
      { paraphrases: [], lookAlikes: [], questions: ["Why?"], documents: [], names: [] },
      { questions: 30, seed: 1 },
    );
    expect(short).toHaveLength(30);
    expect(() =>
      createReplayedDay({ paraphrases: [], lookAlikes: [], questions: [], documents: [], names: [] }, { questions: 1, seed: 1 }),
    ).toThrow(RangeError);
  });
});

describe("mutateQuestion", () => {
  it.each([
    ["number", "Can I keep 14 books?"],
    ["date", "Was it open in 2019?"],
    ["person", "Can my wife join?"],
    ["branch", "books about the navy"],
    ["place", "branches in Ohio"],
    ["negation", "Which books can I borrow?"],
    ["opposite", "How do I start a loan?"],
    ["benefit", "Where is the atlas?"],
  ] as const)("%s: %s", (kind, question) => {
    const made = mutateQuestion(question, ["atlas", "yearbook"], createRandom(1)).find((one) => one.kind === kind);
    expect(made?.text).toBeDefined();
    expect(made?.text.toLowerCase()).not.toBe(question.toLowerCase());
  });

  it("changes a whole number, separators and all", () => {
    const text = (question: string) => mutateQuestion(question, [], createRandom(1)).find(({ kind }) => kind === "number")?.text;
    expect(text("How much is $100,000?")).toMatch(/^How much is \$[2-4]00,000\?$/);
    expect(text("How much is $1,5 or 2.5?")).toBeUndefined();
  });

  it("denies no question that denies already", () => {
    expect(mutateQuestion("Which books can't I borrow?", [], createRandom(1)).some(({ kind }) => kind === "negation")).toBe(false);
  });
});

describe("differentNames", () => {
  it("leaves out what is another spelling or another name of one before", () => {
    const names = {
      "VR&E": ["readiness and employment"],
      VRE: ["readiness"],
      VIA: ["visual aid"],
      R: ["readiness"],
      TDIU: ["iu"],
      IU: ["x"],
    };
    expect(differentNames(names)).toEqual(["VR&E", "VIA", "TDIU"]);
  });
});

describe("readDaySources", () => {
  it("reads pairs, questions and documents of the folders that it is given", () => {
    const folder = mkdtempSync(join(tmpdir(), "sourcebound-day-"));
    try {
      mkdirSync(join(folder, "pages", "sub"), { recursive: true });
      // A heading that is no question, and one that is, on a page of the half on which nothing was learned.
      writeFileSync(join(folder, "pages", "sub", "a.md"), "# A\n\n## What is there to read?\n");
      const pair = (id: string, same_answer: boolean) => JSON.stringify({ id, a: `${id} a`, b: `${id} b`, same_answer, kind: "made" });
      writeFileSync(join(folder, "va-pairs.jsonl"), `${pair("1", true)}\n${pair("2", false)}\n`);
      expect(readDaySources({ golden: folder, corpus: folder, names: ["X"] })).toEqual({
        paraphrases: [{ stored: "1 a", asked: "1 b" }],
        lookAlikes: [{ stored: "2 a", asked: "2 b" }],
        questions: ["What is there to read?"],
        documents: ["pages/sub/a.md"],
        names: ["X"],
      });
      expect(() => readDaySources({ golden: folder, corpus: join(folder, "none"), names: [] })).toThrow("There is no folder");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
