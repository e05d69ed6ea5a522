import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fakeChatModel } from "../src/testing/fake-chat-model.ts";
import { type Library, openLibrary } from "./support/engine.ts";

describe("a message that asks several things", () => {
  let library: Library;
  beforeAll(async () => {
    library = await openLibrary({ settings: { answer_from: 0.4 } });
  }, 60_000);
  afterAll(() => library.close());
  const BOTH = "What does replacing a lost card cost, and how often can a loan be renewed?";
  const ONE = "What do overdue books cost and who collects the money?";

  it("is answered part by part, each with a quote of its own", async () => {
    const { sentences, warnings } = await library.ask(BOTH);
    expect(sentences.map(({ text }) => text)).toEqual([
      "Replacing a lost card costs 3 dollars & takes two days.",
      "A loan can be renewed twice unless another reader has reserved the book.",
    ]);
    expect(warnings).toEqual([]);
  });

  it("is said not to be answered in a part for which nothing was found, before a sentence is shown, and again when it is asked again", async () => {
    for (let asked = 0; asked < 2; asked++) {
      const events = await library.events(ONE);
      const at = (type: string) => events.findIndex((event) => event.type === type);
      expect(at("warning")).toBeGreaterThan(0);
      expect(at("warning")).toBeLessThan(at("sentence"));
      const answer = events.at(-1);
      if (answer?.type !== "answer") throw new Error("no answer");
      expect(answer.answer.sentences.map(({ text }) => text)).toEqual(["Overdue books cost 20 cents per day."]);
      expect(answer.answer.warnings).toMatchObject([
        { code: "part_unanswered", message: expect.stringContaining("“who collects the money?”") },
      ]);
    }
  });

  it("says nothing of parts where one sentence answers all, where one thing is asked, and where nothing is shown", async () => {
    for (const question of ["For how long can a study room be reserved and how many people does it seat?", "What do overdue books cost?"]) {
      expect((await library.ask(question)).warnings).toEqual([]);
    }
    const refused = await library.ask("Which vaccines do penguins need, and who pays for them?");
    expect(refused.status).toBe("insufficient_context");
    expect(refused.warnings.map(({ code }) => code)).not.toContain("part_unanswered");
  });

  it("is left to a model that writes", async () => {
    const model = fakeChatModel([["Overdue books cost 20 cents per day [1]."]]);
    const written = await openLibrary({ settings: { answer_from: 0.4 }, models: { small: model, large: model } });
    try {
      expect((await written.ask(ONE)).warnings.map(({ code }) => code)).not.toContain("part_unanswered");
    } finally {
      await written.close();
    }
  });
});
