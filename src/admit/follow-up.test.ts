import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tokenize } from "../text/tokens.ts";
import { leansOnHistory, resolveFollowUp } from "./follow-up.ts";

const turn = (question: string, answer = "You can.", titles?: string[]) => ({ question, answer, titles });

describe("resolveFollowUp", () => {
  it.each([
    ["How long does it take?", "What is a Higher-Level Review?", "Higher-Level Review"],
    ["And for my spouse?", "Can I get CHAMPVA coverage?", "CHAMPVA coverage"],
    ["What about online classes?", "How much is the housing allowance?", "housing allowance"],
    ["Who qualifies?", "Tell me about the clothing allowance", "clothing allowance"],
    ["Is that taxable?", "How much is the burial allowance?", "burial allowance"],
    ["When?", "When is the pension paid?", "pension"],
  ])("%s after %s is about it", (question, before, topic) => {
    const { text, added } = resolveFollowUp(question, [turn(before)]);
    expect(text.startsWith(question)).toBe(true);
    expect(added.join(" ")).toContain(topic);
  });

  it.each([
    "How do I appeal a disability decision?",
    "Is there a deadline for the GI Bill application?",
    "My brother went to prison for a felony. Does that change his compensation?",
    "I bought a house with a VA loan. Can I rent it out?",
    "Is it possible to get dental care after discharge?",
    "What form do I need that proves my service in Vietnam?",
    "champva application deadline",
  ])("leaves %s untouched", (question) => {
    expect(resolveFollowUp(question, [turn("What is a Higher-Level Review?")])).toEqual({ text: question, added: [] });
  });

  it("leaves everything untouched without history", () => {
    expect(resolveFollowUp("How long does it take?", [])).toEqual({ text: "How long does it take?", added: [] });
  });

  it("takes the title of what was cited when the question named no topic", () => {
    const { added } = resolveFollowUp("How do I apply for it?", [
      turn("I can't work because of my back", "You may get it.", ["Individual Unemployability"]),
    ]);
    expect(added).toContain("Individual Unemployability");
  });

  it("prefers the last turn to earlier ones", () => {
    const { added } = resolveFollowUp("How long does it take?", [turn("What is the pension?"), turn("What is a board appeal?")]);
    expect(added[0]).toContain("board appeal");
  });

  it("adds only words of the conversation, and keeps the question as it was asked", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), fc.string({ maxLength: 80 }), fc.string({ maxLength: 80 }), (question, before, answer) => {
        const { text, added } = resolveFollowUp(question, [turn(before, answer)]);
        if (added.length === 0) expect(text).toBe(question);
        for (const phrase of added) {
          for (const word of phrase.split(" ")) expect(`${before} ${answer}`.replaceAll(/[’‘ʼ]/g, "'")).toContain(word);
        }
        expect(text.startsWith(question.trim()) || text === question).toBe(true);
      }),
    );
  });

  it.each(["", "???", "🙂", "the the the", "مرحبا", "it ".repeat(200)])("stands %j", (question) => {
    expect(() => resolveFollowUp(question, [turn("What is the pension?")])).not.toThrow();
    expect(tokenize(resolveFollowUp(question, [turn("", "")]).text)).toEqual(tokenize(question));
  });

  it("sees that a short question without a topic leans on what came before", () => {
    expect(leansOnHistory("How much?")).toBe(true);
    expect(leansOnHistory("CHAMPVA?")).toBe(false);
  });

  it("takes the last of something that the question names for no other one", () => {
    expect(leansOnHistory("When does the last ferry leave Sandholm?")).toBe(false);
    expect(leansOnHistory("When does the last one leave?")).toBe(true);
    expect(leansOnHistory("How much is the second in March?")).toBe(true);
    expect(leansOnHistory("What does the latter cost in Norway?")).toBe(true);
  });
});
