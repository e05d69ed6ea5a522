import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOfTest } from "../../test/support/folders.ts";
import { readLabelledQuestions } from "./labelled-questions.ts";

const here = folderOfTest();

function write(name: string, rows: readonly unknown[]): string {
  const path = join(here.folder, name);
  writeFileSync(path, rows.map((row) => (typeof row === "string" ? row : JSON.stringify(row))).join("\n"));
  return path;
}
const yes = (id: string, question: string) => ({ id, question, gold_pages: ["a.md"], key_values: ["3"], topic: "t" });
const no = (id: string, question: string) => ({ id, question, kind: "near_miss", why: "not in the pages" });

describe("readLabelledQuestions", () => {
  it("reads every file of a folder that names answerable questions, and no other", () => {
    write("va-answerable-dev.jsonl", [yes("1", "What is A?"), "", yes("2", "What is B?")]);
    write("va-unanswerable-dev.jsonl", [no("3", "What is C?"), { ...no("4", "Why is D free?"), kind: "false_premise" }]);
    write("va-drafts-dev.jsonl", ["{}"]);
    const { questions, repeated } = readLabelledQuestions(here.folder);
    expect(questions.map(({ id, kind }) => [id, kind])).toEqual([
      ["1", "answerable"],
      ["2", "answerable"],
      ["3", "near_miss"],
      ["4", "false_premise"],
    ]);
    expect(questions[0]).toEqual({
      id: "1",
      question: "What is A?",
      gold_pages: ["a.md"],
      gold_quotes: [],
      key_values: ["3"],
      kind: "answerable",
    });
    expect(repeated).toBe(0);
  });

  it("reads one file of both kinds, leaves out what stands before, and names what it read by its hash", () => {
    const path = write("mine.jsonl", [yes("1", "What is A?"), yes("2", "what  is a?"), no("3", "What is C?")]);
    const read = readLabelledQuestions(path);
    expect(read.questions.map(({ id }) => id)).toEqual(["1", "3"]);
    expect(read.repeated).toBe(1);
    const other = write("other.jsonl", [yes("1", "What is A?"), no("3", "What is D?")]);
    expect(readLabelledQuestions(other).sha256).not.toBe(read.sha256);
    expect(readLabelledQuestions(path).sha256).toBe(read.sha256);
  });

  it("says what is wrong with a line in one line", () => {
    const path = write("mine.jsonl", [{ id: 1, question: "q", kind: "near_miss" }]);
    expect(() => readLabelledQuestions(path)).toThrow(/^\S+mine\.jsonl:1 is not valid: id: [^\n{]+$/);
  });

  it.each([
    ["neither label", { id: "1", question: "q" }, /mine.jsonl:2 is not valid.*needs gold_pages, or, if unanswerable, a kind \(near_miss/s],
    ["an unknown kind", { id: "1", question: "q", kind: "odd" }, /mine.jsonl:2 is not valid.*kind/s],
    ["no pages", { id: "1", question: "q", gold_pages: [] }, /mine.jsonl:2 is not valid.*gold_pages/s],
    ["no object", "[1]", /mine.jsonl:2 is not valid/],
    ["no JSON", "{", /mine.jsonl:2 is not valid/],
  ])("names file and line of a row with %s", (_, row, message) => {
    const path = write("mine.jsonl", [yes("0", "fine"), row]);
    expect(() => readLabelledQuestions(path)).toThrowError(message);
  });

  it("refuses a question that is labelled both ways, and an id that two questions share", () => {
    expect(() => readLabelledQuestions(write("a.jsonl", [yes("1", "What is A?"), no("2", "What is A?")]))).toThrowError(
      /as answerable and as unanswerable: 1 and 2/,
    );
    expect(() => readLabelledQuestions(write("b.jsonl", [yes("1", "What is A?"), no("1", "What is B?")]))).toThrowError(
      /two questions with the id 1/,
    );
  });

  it("says what is missing", () => {
    expect(() => readLabelledQuestions(join(here.folder, "none"))).toThrowError(/none does not exist.*--golden/);
    mkdirSync(join(here.folder, "empty"));
    expect(() => readLabelledQuestions(join(here.folder, "empty"))).toThrowError(/contains no file \*answerable\*\.jsonl/);
  });
});
