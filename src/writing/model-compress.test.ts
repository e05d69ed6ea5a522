import { describe, expect, it } from "vitest";
import { compressByModel } from "../pipeline/compress.ts";
import { ModelError } from "../shared/errors.ts";
import type { ModelCall } from "../shared/types.ts";
import { type ChatStep, fakeChatModel } from "../testing/fake-chat-model.ts";
import { fakeEvidence, fakePassage } from "../testing/passages.ts";

const RATING = "Tinnitus is rated at 10 percent, unless it is part of another condition.";
const LIMIT = "However, only one rating is given for both ears.";
const row = (text: string) => ({ type: "table-row" as const, text, header: 0 });
const evidence = [
  fakeEvidence(fakePassage({ title: "Tinnitus", pieces: [RATING, LIMIT, "File within one year."] })),
  fakeEvidence(fakePassage({ title: "Table", pieces: [row("Condition | Percent"), row("Tinnitus | 10"), row("Migraine | 50")] })),
];

async function compress(...script: ChatStep[]) {
  const calls: ModelCall[] = [];
  const model = fakeChatModel([script], { id: "small", usage: { inputTokens: 400, outputTokens: 200 } });
  const picked = await compressByModel("What rating does tinnitus get?", evidence, model, calls, new AbortController().signal);
  return { picked, calls, prompt: model.calls[0]?.prompt, texts: picked.quotes.map(({ quote }) => quote.text) };
}
const reply = (...quotes: readonly (readonly [source: number, text: string])[]) =>
  JSON.stringify({ quotes: quotes.map(([source, text]) => ({ source, text })) });

describe("compressByModel", () => {
  it("takes quotes that stand in their passage, byte for byte", async () => {
    const { picked, texts, calls } = await compress(reply([1, "File within one year."]));
    expect(texts).toEqual(["File within one year."]);
    for (const { quote } of picked.quotes)
      expect(quote.passage.text.slice(quote.start - quote.passage.range.start, quote.end - quote.passage.range.start)).toBe(quote.text);
    expect(picked).toMatchObject({ dropped: 0, failure: null });
    expect(calls).toEqual([{ stage: "compress", model: "small", inputTokens: 400, outputTokens: 200 }]);
  });

  it.each([
    ["a changed number", reply([1, "Tinnitus is rated at 70 percent"])],
    ["another dash or case", reply([1, "file within one year."])],
    ["the wrong passage", reply([2, "File within one year."])],
    ["a passage that is none", reply([9, "File within one year."], [0, "File within one year."], [-1, "File within one year."])],
    ["nothing", reply([1, "  "])],
  ])("drops a quote with %s", async (_name, text) => {
    const { picked } = await compress(text);
    expect(picked).toMatchObject({ quotes: [], failure: null });
    expect(picked.dropped).toBeGreaterThan(0);
  });

  it("keeps the rest when one is altered", async () => {
    const { picked, texts } = await compress(reply([1, "File within two years."], [1, "File within one year."]));
    expect([texts, picked.dropped]).toEqual([["File within one year."], 1]);
  });

  it("takes the whole sentence of a part, so that its condition is not lost, and the exception behind it", async () => {
    const { picked, texts } = await compress(reply([1, "Tinnitus is rated at 10 percent"]));
    expect(texts).toEqual([RATING]);
    expect(picked.quotes[0]?.conditions?.map(({ text }) => text)).toEqual([LIMIT]);
  });

  it("takes a row with its header, and the same place once", async () => {
    const { picked, texts } = await compress(reply([2, "Tinnitus | 10"], [2, "| 10"]));
    expect(texts).toEqual(["Tinnitus | 10"]);
    expect(picked.quotes[0]?.context.map(({ text }) => text)).toEqual(["Condition | Percent"]);
  });

  it("reads JSON in a fence and in pieces", async () => {
    expect((await compress("```json\n", '{"quotes": [{"source": 1, ', '"text": "File within one year."}]}', "\n```")).texts).toHaveLength(
      1,
    );
  });

  it.each([
    ["prose", ["File within one year. [1]"]],
    ["nothing", [""]],
    ["100 kB", ["[".repeat(100_000)]],
    ["an error", [new ModelError("model_failed", "HTTP 500")]],
  ])("says why it picked nothing from %s", async (_name, script) => {
    const { picked, calls } = await compress(...script);
    expect(picked).toMatchObject({ quotes: [], failure: expect.stringMatching(/JSON|exceeds|HTTP 500/) });
    expect(calls).toHaveLength(1);
  });

  it("stops when it is cancelled", async () => {
    const controller = new AbortController();
    const model = fakeChatModel([["{", 60_000]]);
    const picking = compressByModel("?", evidence, model, [], controller.signal);
    controller.abort(new Error("reader left"));
    await expect(picking).rejects.toThrow("reader left");
  });
});
