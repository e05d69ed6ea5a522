import { describe, expect, it } from "vitest";
import { openInTest } from "../../test/support/engine.ts";
import type { EngineParts } from "../engine/engine.ts";
import { readRankingWeights } from "../ranking/features.ts";
import { fakeChatModel } from "../testing/fake-chat-model.ts";

it("answers and reports a resolved follow-up, and shares its cache entry only with the same resolution", async () => {
  const days = { pension: 30, appeal: 90 };
  const documents = Object.fromEntries(
    Object.entries(days).map(([name, n]) => [`${name}.md`, `# The ${name}\n\nA decision on the ${name} takes ${n} days.\n`]),
  );
  const settings = { domain: "documents", embeddings: "none", answer_from: readRankingWeights().threshold.minimum };
  const { engine } = await openInTest({ documents, settings });
  const asked = async (sessionId: string, first: string) => {
    await engine.answer(first, { sessionId });
    const notices: string[] = [];
    for await (const event of engine.ask("How long does it take for a decision?", { sessionId })) {
      if (event.type === "notice") notices.push(event.code);
      if (event.type === "answer") return { ...event.answer, notices };
    }
    throw new Error("no answer");
  };
  const pension = await asked("one", "What is the pension decision?");
  expect(pension.question).toBe("How long does it take for a decision?");
  expect(pension.notices).toContain("follow_up");
  expect(pension.sentences.map(({ text }) => text).join(" ")).toContain("30 days");
  const appeal = await asked("two", "What is the appeal decision?");
  expect(appeal.cacheMode).toBe("miss");
  expect(appeal.sentences.map(({ text }) => text).join(" ")).toContain("90 days");
  expect((await asked("three", "What is the pension decision?")).cacheMode).toBe("exact");
  // A follow-up with no content words of its own is refused, because it would be answered from earlier turns alone.
  expect((await engine.answer("How long does it take?", { sessionId: "one" })).status).toBe("insufficient_context");
});

describe("the sentence that answered the previous turn", () => {
  const first = "The sauna opens at 10 and closes at 9 in the evening.";
  const children = "Children under 12 may come in when an adult is with them.";
  const others = "Towels are lent at the desk for 3 euros.\n\nThe heater is made of steel.";
  const documents = { "sauna.md": `# The sauna\n\n${first}\n\n${children}\n\n${others}\n` };
  const open = async (models?: EngineParts["models"], answerFrom = 0.5) => {
    const settings = { domain: "documents", answer_from: answerFrom };
    const { engine } = await openInTest({ documents, settings, ...(models === undefined ? {} : { models }) });
    const follow = async (sessionId: string, text: string) => {
      expect((await engine.answer("When does the sauna open?", { sessionId })).sentences[0]?.text).toBe(first);
      return (await engine.answer(text, { sessionId })).sentences.map((sentence) => sentence.text);
    };
    return { engine, follow };
  };

  it("answers a follow-up only if it contains the requested information", async () => {
    const { engine, follow } = await open();
    expect((await follow("kids", "what about my 8 year old kid, can she come along?"))[0]).toBe(children);
    expect((await follow("closing", "and when does it close in the evening?"))[0]).toBe(first);
    expect(await follow("another", "and the steam bath?")).toEqual([]);
    expect((await engine.answer("And the STEAM bath", { sessionId: "another" })).sentences).toEqual([]);
    expect(await follow("sunday", "and on sundays?")).toEqual([]);
    // Repeating the question answers it again.
    expect((await engine.answer("What about my 8 year old kid, can she come along", { sessionId: "kids" })).sentences[0]?.text).toBe(
      children,
    );
  });

  it("may be used by a model, which may say more about it", async () => {
    const model = fakeChatModel([[`${first.slice(0, -1)} [1].`]]);
    const { follow } = await open({ small: model, large: model }, 0.2);
    expect((await follow("sunday", "and on sundays?"))[0]).toBe(first);
    expect(model.calls.at(-1)?.prompt.user.split("Sources:")[1]).toContain(first);
  });
});
