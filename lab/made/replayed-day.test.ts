import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/grade/metrics.ts";
import { differentNames, readDaySources } from "../sets/day-sources.ts";
import { mutateQuestion } from "./question-mutations.ts";

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
