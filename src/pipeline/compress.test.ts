import { describe, expect, it } from "vitest";
import { quoteOf } from "../ranking/candidates.ts";
import { ModelError } from "../shared/errors.ts";
import type { ModelCall } from "../shared/types.ts";
import { type ChatStep, fakeChatModel } from "../testing/fake-chat-model.ts";
import { fakePassage } from "../testing/passages.ts";
import { selectByModel } from "./compress.ts";

const TEXTS = ["Tinnitus is rated at 10 percent.", "File within one year.", "A pension is paid monthly."];
const passage = fakePassage({ title: "Tinnitus", segments: TEXTS });
const candidates = passage.units.map((unit) => ({ quote: quoteOf(passage, unit), context: [] }));

async function select(
  script: readonly ChatStep[],
  { most = 2, fits = () => true }: { most?: number; fits?: (prompt: { user: string }) => boolean } = {},
) {
  const calls: ModelCall[] = [];
  const model = fakeChatModel([script], { id: "small", usage: { inputTokens: 400, outputTokens: 2 } });
  const selected = await selectByModel("?", candidates, { model, most, fits }, calls, new AbortController().signal);
  return {
    texts: selected.type === "chosen" ? selected.quotes.map(({ quote }) => quote.text) : selected.reason,
    calls,
    asked: model.calls,
  };
}

describe("selectByModel", () => {
  it("returns the numbered quotes in the order of the reply, each once, up to the limit", async () => {
    const { texts, calls } = await select(["3, 1, ", "3, 2"]);
    expect(texts).toEqual([TEXTS[2], TEXTS[0]]);
    expect(calls).toEqual([{ stage: "compress", model: "small", inputTokens: 400, outputTokens: 2 }]);
  });

  it.each(["0", '{"numbers": []}', "[]"])("returns none for %j", async (reply) => {
    expect((await select([reply])).texts).toEqual([]);
  });

  it.each([
    ["prose", ["The first one answers."], "did not name quotes"],
    ["an unknown number", ["4"], "did not name quotes"],
    ["nothing", [""], "did not name quotes"],
    ["100 kB", ["[".repeat(100_000)], "exceeds"],
    ["an error", [new ModelError("model_failed", "HTTP 500")], "HTTP 500"],
  ])("fails with the reason for %s", async (_what, script, reason) => {
    const { texts, calls } = await select(script);
    expect(texts).toContain(reason);
    expect(calls).toHaveLength(1);
  });

  it("drops the last quotes if the prompt has no room, and does not call the model if none fits", async () => {
    const { asked } = await select(["1"], { fits: ({ user }) => !user.includes(TEXTS[2] as string) });
    expect(asked[0]?.prompt.user).toContain(TEXTS[1]);
    expect((await select(["1"], { fits: () => false })).calls).toEqual([]);
  });

  it("stops when it is cancelled", async () => {
    const controller = new AbortController();
    const model = fakeChatModel([["{", 60_000]]);
    const selecting = selectByModel("?", candidates, { model, most: 1, fits: () => true }, [], controller.signal);
    controller.abort(new Error("reader left"));
    await expect(selecting).rejects.toThrow("reader left");
  });
});
