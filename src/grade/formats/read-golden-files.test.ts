import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readGoldenFile } from "./read-golden-files.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "sourcebound-formats-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function file(name: string, text: string): string {
  writeFileSync(join(root, name), text);
  return join(root, name);
}

describe("readGoldenFile", () => {
  it("reads our own questions from YAML, JSON and JSON lines alike", () => {
    const rows = [
      { question: "How long?", key_values: ["21 days"], keyphrases: ["21 days", "renewed twice"] },
      { id: "u", question: "A piano?", kind: "near_miss" },
    ];
    const yaml = `questions:\n  - question: How long?\n    key_values: [21 days]\n    keyphrases: [21 days, renewed twice]\n  - { id: u, question: A piano?, kind: near_miss }\n`;
    const read = [
      file("a.yaml", yaml),
      file("a.json", JSON.stringify({ questions: rows })),
      file("b.json", JSON.stringify(rows)),
      file("a.jsonl", rows.map((row) => JSON.stringify(row)).join("\n")),
    ].map(readGoldenFile);
    expect(read[0]?.answerable).toMatchObject([{ id: "q1", keyphrases: ["21 days", "renewed twice"], gold_quotes: [] }]);
    expect(read[0]?.unanswerable).toMatchObject([{ id: "u", kind: "near_miss" }]);
    for (const one of read.slice(1)) expect(one).toEqual(read[0]);
  });

  it("reads rows of Ragas by the names of today and of before, and says that answers in them are not graded", () => {
    const now = {
      user_input: "How long?",
      reference: "21 days.",
      reference_contexts: ["Books may be kept for 21 days."],
      response: "A year.",
    };
    const before = { question: "How much?", ground_truths: ["5 dollars"], contexts: ["x"] };
    const read = readGoldenFile(file("ragas.json", JSON.stringify([now, before])));
    expect(read.answerable).toMatchObject([
      { question: "How long?", answer: "21 days.", gold_quotes: ["Books may be kept for 21 days."], gold_pages: [] },
      { question: "How much?", answer: "5 dollars", gold_quotes: [] },
    ]);
    expect(read.notices).toEqual(["1 rows hold a response: it is not graded, the question is asked anew"]);
  });

  it("reads tests of promptfoo and names assertions that it cannot judge", () => {
    const tests = `tests:
  - vars: { question: How long? }
    assert:
      - { type: icontains, value: 21 days }
      - { type: not-contains, value: 14 days }
      - { type: contains-all, value: [book, reader] }
      - { type: llm-rubric, value: is polite }
  - vars: { query: A piano? }
    assert: [{ type: is-refusal }]
`;
    const read = readGoldenFile(file("promptfoo.yaml", tests));
    expect(read.answerable).toMatchObject([{ question: "How long?", key_values: ["21 days", "book", "reader"], must_not: ["14 days"] }]);
    expect(read.unanswerable).toMatchObject([{ question: "A piano?", kind: "out_of_scope" }]);
    expect(read.notices).toEqual(['1 assertions of type "llm-rubric" are not read: nothing is said of them']);
  });

  it.each([
    ["empty.yaml", "", "holds no list of questions"],
    ["none.json", "[]", "holds no question"],
    ["broken.yaml", "questions: [", "could not be read"],
    ["broken.json", "{", "could not be read"],
    ["text.yaml", "just words", "holds no list of questions"],
    ["bare.yaml", "- { question: How long? }", "says nothing of the right answer"],
    ["kind.yaml", "- { question: How long?, kind: odd }", "question 1 is not valid"],
    ["noquestion.json", '[{"reference": "x"}]', "question 1 is not valid"],
    ["number.yaml", "- 5", "question 1 is not valid"],
    ["aliases.yaml", `a: &a [x, x]\nb: &b [${"*a, ".repeat(60)}*a]\nquestions: [${"*b, ".repeat(60)}*b]`, "could not be read"],
  ])("says of %s what is wrong with it", (name, text, message) => {
    expect(() => readGoldenFile(file(name, text))).toThrow(message);
  });

  it("says that a file is not there", () => {
    expect(() => readGoldenFile(join(root, "nowhere.yaml"))).toThrow("There is no file or folder");
  });
});
