import { describe, expect, it } from "vitest";
import type { Answer } from "../types.ts";
import { StoredAnswers } from "./stored-answers.ts";

const text = (id: string) => JSON.stringify({ id, sentences: [{ text: "Ten days.", citations: [1] }] });

describe("StoredAnswers", () => {
  it("reads a text once, another text of the same entry anew", () => {
    const answers = new StoredAnswers();
    const first = answers.read("k", text("a"));
    expect(answers.read("k", text("a"))).toBe(first);
    expect(answers.read("k", text("b")).id).toBe("b");
    expect(answers.read("k", text("a"))).not.toBe(first);
  });

  it("lets nobody change what the next reader gets", () => {
    const { sentences } = new StoredAnswers().read("k", text("a"));
    expect(sentences).toHaveLength(1);
    expect(() => Object.assign(sentences, { 1: sentences[0] })).toThrow(TypeError);
    expect(() => Object.assign(Object(sentences[0]), { text: "Twenty." })).toThrow(TypeError);
  });

  it("keeps that checks passed for one context, never that they failed", async () => {
    const answers = new StoredAnswers();
    const answer = answers.read("k", text("a"));
    const asked: string[] = [];
    const check = (context: string, verdict: boolean, of: Answer = answer) =>
      answers.passes(of, context, async () => {
        asked.push(context);
        return verdict;
      });
    expect([await check("x", false), await check("x", true), await check("x", false), await check("y", false)]).toEqual([
      ...[false, true, true, false],
    ]);
    expect(asked).toEqual(["x", "x", "y"]);
    expect(await check("x", false, answers.read("k", text("b")))).toBe(false);
  });

  it("shares what was taken over unchanged, of one answer once, and nothing of one that was changed", () => {
    const answers = new StoredAnswers();
    const parts = { sentences: [{ text: "Ten days." }], claims: [], citations: [], evidence: [], conflicts: [], checks: [] };
    const served = answers.read("k", JSON.stringify({ id: "a", ...parts, model: "none" }));
    const first = answers.share({ ...served, id: "b" }, served);
    expect(first?.own).toEqual({ id: "b", model: "none" });
    expect(JSON.parse(first?.content.body ?? "")).toEqual(parts);
    expect(answers.share({ ...served, id: "c" }, served)?.content).toBe(first?.content);
    for (const part of Object.keys(parts)) expect(answers.share({ ...served, [part]: [] }, served)).toBeNull();
  });
});
