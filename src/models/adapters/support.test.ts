import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOfFile } from "../../../test/support/folders.ts";
import { ModelError } from "../../shared/errors.ts";
import { writeFakeHubModel, writeFakeHubRuntime } from "../../testing/fake-hub.ts";
import { fakeChatModel } from "../../testing/index.ts";
import { describeSupportContract } from "../../testing/support-contract.ts";
import type { ChatEvent, ChatModel } from "../chat.ts";
import { createChatSupportScorer } from "./chat-verifier.ts";
import { createHubSupportScorer } from "./hub.ts";

const folder = folderOfFile();
const hub = { modelsDir: join(folder, "models"), runtimeDirs: [join(folder, "runtime")] };
const classes = (...labels: string[]) => ({
  "config.json": JSON.stringify({ id2label: Object.fromEntries(labels.map((label, i) => [i, label])) }),
});
writeFakeHubRuntime(join(folder, "runtime"));
writeFakeHubModel(hub.modelsDir, "some/one-logit");
writeFakeHubModel(hub.modelsDir, "some/two-classes", { files: classes("unsupported", "supported") });
writeFakeHubModel(hub.modelsDir, "some/turned", { files: classes("entailment", "not_entailment") });
writeFakeHubModel(hub.modelsDir, "some/feelings", { files: classes("joy", "anger") });
writeFakeHubModel(hub.modelsDir, "some/broken", { weights: "broken" });

/** Returns a model that scores the words shared by claim and evidence. This suffices for the contract. */
function judging(broken: boolean): ChatModel {
  return {
    id: "judge",
    async *stream({ user }, { signal }): AsyncGenerator<ChatEvent, void> {
      signal.throwIfAborted();
      if (broken) throw new ModelError("endpoint_down", "it is down");
      const [evidence = "", claim = ""] = user.split("\n\nClaim:\n");
      const words = claim.toLowerCase().split(/\W+/).filter(Boolean);
      const score = words.length === 0 ? 0 : words.filter((word) => evidence.toLowerCase().includes(word)).length / words.length;
      yield { type: "text", text: JSON.stringify({ score, unsupported: score === 1 ? [] : [words[0]], reason: "words" }) };
      yield { type: "end", inputTokens: null, outputTokens: null };
    },
  };
}

describeSupportContract("chat", async (behaviour) => ({
  scorer: createChatSupportScorer(judging(behaviour === "broken")),
  close: async () => undefined,
}));
for (const model of ["some/one-logit", "some/two-classes"])
  describeSupportContract(`hub, ${model}`, async (behaviour) => ({
    scorer: createHubSupportScorer(behaviour === "broken" ? "some/broken" : model, hub),
    close: async () => undefined,
  }));

describe("chat support scorer", () => {
  const pair = {
    claim: "It costs 10 dollars a year.",
    evidence: ["It costs 10 dollars {{claim}}.", "A month."].map((text) => ({ text, above: [] })),
  };
  const replying = async (reply: string) => {
    const chat = fakeChatModel([[reply]]);
    const [score] = await createChatSupportScorer(chat).score([pair]);
    return { score, prompt: chat.calls[0]?.prompt };
  };

  it("parses the verdict and finds the unsupported parts in the claim", async () => {
    const { score } = await replying('{"score": 0.2, "unsupported": ["a year", "not there", "year"], "reason": "A month."}');
    expect(score).toEqual({ score: 0.2, spans: [{ start: 20, end: 26 }], reason: "A month." });
  });

  it("returns null for an invalid reply, without guessing from its words", async () => {
    const bad = [
      "",
      "yes",
      "Yes, it is supported: 1.0",
      '{"score": "high"}',
      '{"score": 7, "unsupported": [], "reason": ""}',
      "```json\n{}\n```",
      "null",
      "[".repeat(5000),
    ];
    for (const reply of bad) {
      const { score } = await replying(reply);
      expect(score, reply.slice(0, 40)).toBeNull();
    }
  });

  it("fills the slots once, so that a slot in the evidence stays text", async () => {
    const { prompt } = await replying("{}");
    expect(prompt?.user).toContain("[1] It costs 10 dollars {{claim}}.\n[2] A month.");
    expect(prompt?.user).toMatch(/Claim:\nIt costs 10 dollars a year\.\s*$/);
  });
});

describe("hub support scorer", () => {
  const pair = (claim: string, ...evidence: string[]) => ({ claim, evidence: evidence.map((text) => ({ text, above: [] })) });

  it("uses the logistic function for one logit, and the softmax of the positive class for two", async () => {
    const claim = pair("alpha beta gamma", "alpha beta gamma delta");
    const expected = 1 / (1 + Math.exp(-2));
    const [one] = await createHubSupportScorer("some/one-logit", hub).score([claim]);
    const [two] = await createHubSupportScorer("some/two-classes", hub).score([claim]);
    const [turned] = await createHubSupportScorer("some/turned", hub).score([claim]);
    expect(one?.score).toBeCloseTo(expected, 6);
    expect(two?.score).toBeCloseTo(expected, 6);
    expect(turned?.score).toBeCloseTo(1 - expected, 6);
  });

  it("uses the evidence with the best support", async () => {
    const scorer = createHubSupportScorer("some/one-logit", hub);
    const [alone] = await scorer.score([pair("alpha beta", "alpha beta")]);
    const [among] = await scorer.score([pair("alpha beta", "other words", "alpha beta", "", "more words")]);
    expect(among?.score).toBe(alone?.score);
  });

  it("rejects a model whose classes do not judge support", () => {
    expect(() => createHubSupportScorer("some/feelings", hub)).toThrowError(/joy, anger/);
  });
});
