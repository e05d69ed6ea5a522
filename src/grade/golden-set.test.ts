import { describe, expect, it } from "vitest";
import { RequestError } from "../errors.ts";
import { readSentQuestions } from "./golden-set.ts";

function faultOf(name: string, text: string): RequestError {
  try {
    readSentQuestions({ name, text });
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
  throw new Error(`${name} was read`);
}

describe("questions that were sent", () => {
  it("are read as a file of that name would be", () => {
    const row = { id: "a", question: "How long?", key_values: ["21 days"] };
    const yaml = readSentQuestions({ name: "own.yaml", text: "- { id: a, question: How long?, key_values: [21 days] }" });
    expect(yaml.answerable).toMatchObject([row]);
    expect(readSentQuestions({ name: "own.json", text: JSON.stringify([row]) })).toEqual(yaml);
    expect(readSentQuestions({ name: "own.jsonl", text: `\n${JSON.stringify(row)}\n` })).toEqual(yaml);
  });

  it("are named by their own name where they are wrong, with the row and its cause", () => {
    const bad = faultOf("own.yaml", "questions:\n  - question: What is this?\n");
    expect(bad.message).toMatch(/^own\.yaml: question 1 is not valid: /);
    expect([bad.code, bad.data]).toEqual(["golden_invalid", { path: "own.yaml", row: 1 }]);
    const line = faultOf("own.jsonl", '{"id":"a","question":"How long?","answer":"a week"}\n{');
    expect(line.message).toMatch(/^own\.jsonl:2 is not valid: /);
    expect([line.data, line.cause instanceof SyntaxError]).toEqual([{ path: "own.jsonl", line: 2 }, true]);
    expect(faultOf("own.yaml", "- &a { id: a, question: Q, answer: A }\n- *a\n").message).toContain(
      "own.yaml gives the id a to two questions",
    );
    expect(faultOf("own.yaml", "").code).toBe("golden_invalid");
    expect(faultOf("own.json", "[]").code).toBe("golden_missing");
  });

  it("may have any name, and no file of this machine is read for it", () => {
    expect(faultOf("/etc/hostname", "just words").message).toMatch(/^\/etc\/hostname holds no list of questions/);
  });

  it.each([
    ["lists in each other", "- ".repeat(50_000)],
    ["brackets in each other", "[".repeat(50_000)],
    ["records in each other", "{a: ".repeat(50_000)],
  ])("end no process with %s", (_, text) => {
    const { code, message } = faultOf("deep.yaml", text);
    expect([code, message]).toEqual([
      "golden_invalid",
      expect.stringContaining("deep.yaml could not be read: line 1: values are nested more than"),
    ]);
  });
});
