import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readGoldenFile, readGoldenFolder } from "./read-golden-files.ts";

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

  it("names the line and the key of a misspelt key, with the one that was meant", () => {
    const row = { id: "a", question: "How long?", keyvalues: ["99 days"], answer: "21 days" };
    const read = (rows: readonly unknown[], name = "a.jsonl") =>
      readGoldenFile(file(name, rows.map((one) => JSON.stringify(one)).join("\n")));
    const told = 'question 2 is not valid: unknown key "keyvalues". Did you mean "key_values"?';
    expect(() => read([{ question: "How much?", answer: "x" }, row])).toThrow(told);
    for (const key of ["gold_quote", "Key-Values", "must_nto", "answers"])
      expect(() => read([{ question: "How long?", answer: "x", [key]: ["y"] }])).toThrow(`unknown key "${key}"`);
    expect(() => read([{ question: "A piano?", kind: "near_miss", contradictingquotes: ["x"] }])).toThrow(
      'Did you mean "contradicting_quotes"?',
    );
    file("answerable.jsonl", `\n${JSON.stringify(row)}`);
    expect(() => readGoldenFolder(root)).toThrow(/answerable\.jsonl:2 is not valid: unknown key "keyvalues"/);
  });

  it("carries notes, and names other keys that it does not read without refusing the set", () => {
    const rows = [
      { id: "a", question: "How long?", answer: "x", kind: "answerable", notes: { by: "me" } },
      { id: "u", question: "A piano?", kind: "false_premise", absent: "pianos", gold_pages: [], contradicting_pages: ["a.md"] },
      { id: "v", question: "A cello?", kind: "near_miss", absent: "cellos" },
    ];
    const { notices, unanswerable } = readGoldenFile(file("a.json", JSON.stringify(rows)));
    expect(unanswerable).toHaveLength(2);
    expect(notices).toEqual([
      `${join(root, "a.json")}: keys that are not read: "absent" of u and 1 more. "contradicting_pages" of u. Did you mean "contradicting_quotes"? What nobody is to read goes under "notes".`,
    ]);
    expect(readGoldenFile(file("b.json", JSON.stringify(rows.slice(0, 1)))).notices).toEqual([]);
  });

  it.each([
    ["empty.yaml", "", "holds no list of questions"],
    ["none.json", "[]", "holds no question"],
    ["broken.yaml", "questions: [", "could not be read"],
    ["broken.json", "{", "could not be read"],
    ["text.yaml", "just words", "holds no list of questions"],
    ["bare.yaml", "- { question: How long? }", "says nothing of the right answer"],
    ["kind.yaml", "- { question: How long?, kind: odd }", "question 1 is not valid"],
    ["noquestion.json", '[{"answer": "x"}]', "question 1 is not valid"],
    ["number.yaml", "- 5", "question 1 is not valid"],
    ["aliases.yaml", `a: &a [x, x]\nb: &b [${"*a, ".repeat(60)}*a]\nquestions: [${"*b, ".repeat(60)}*b]`, "could not be read"],
  ])("says of %s what is wrong with it", (name, text, message) => {
    expect(() => readGoldenFile(file(name, text))).toThrow(message);
  });

  it("says that a file is not there", () => {
    expect(() => readGoldenFile(join(root, "nowhere.yaml"))).toThrow("There is no file or folder");
  });
});
