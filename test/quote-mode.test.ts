import pc from "picocolors";
import { describe, expect, it } from "vitest";
import { renderAnswer } from "../src/cli/render.ts";
import {
  ask,
  askOnce,
  codes,
  DOCUMENTS,
  isQuoted,
  type Opened,
  open,
  promptOf,
  QUESTION,
  stream,
  TINNITUS,
  TINNITUS_CLAIM,
  texts,
  using,
} from "./support/model-engine.ts";

/** Quotes are the default of `sourcebound`. */
const SELECT = { write: undefined };
const choosing = (...replies: string[]): Promise<Opened> =>
  open({ chat: replies.map((reply) => stream(reply)) }, { encoder: null }, DOCUMENTS, {}, SELECT);
const refused = { answer_from: 0.99, write_from: 0.05 };

describe.concurrent("quotes selected by a model", () => {
  it.each(["1", "[1]", "The passage [1] answers.", "Passages 1 and 2", '{"numbers": [1, 2]}', "```json\n[2, 1]\n```", "2, 1"])(
    "are shown byte for byte for the reply %j",
    (reply) =>
      using(choosing(reply), async ({ engine, endpoint }) => {
        const { answer } = await ask(engine);
        const { user } = promptOf(endpoint);
        const numbers = [...new Set(reply.match(/\d/g))].map(Number);
        const offered = numbers.map((n) => [TINNITUS, TINNITUS_CLAIM].find((text) => user.includes(`[${n}] (Tinnitus rating) ${text}`)));
        expect(texts(answer)).toEqual(offered);
        expect(isQuoted(answer)).toBe(true);
        expect(renderAnswer(answer, pc.createColors(false))).toContain("selected by small, quoted verbatim");
        expect(answer).toMatchObject({ model: "extractive", warnings: [], tokenUsage: { compression: 110, answer: 0 } });
      }),
  );

  it("are refused with the nearest passages when the model finds no answer", () =>
    using(choosing("0"), async ({ engine }) => {
      const { answer } = await ask(engine);
      expect(answer).toMatchObject({ sentences: [], refusal: { reason: "evidence_too_weak" } });
      expect(answer.refusal?.nearest[0]?.quote).toBe(TINNITUS);
    }));

  it.each(["I would say the first one.", "[99]", '{"quotes": ["Tinnitus pays well."]}'])(
    "are chosen without the model after the unusable reply %j, above the threshold",
    (reply) =>
      using(choosing(reply), async ({ engine }) => {
        const { answer } = await ask(engine);
        expect(texts(answer)).toContain(TINNITUS);
        expect(isQuoted(answer)).toBe(true);
        expect(codes(answer)).toEqual(["model_failed"]);
      }),
  );

  it("are required below the threshold, where an unusable reply is a refusal", () =>
    using(
      open({ chat: [stream("1"), stream("nothing of use")] }, { encoder: null }, DOCUMENTS, {}, { ...SELECT, ...refused }),
      async ({ engine }) => {
        expect((await ask(engine)).answer.status).toBe("ok");
        expect((await ask(engine)).answer).toMatchObject({ sentences: [], refusal: { reason: "evidence_too_weak" } });
      },
    ));

  it("can be requested for one question, whatever the configuration", () =>
    using(open({ chat: [stream("1")] }), async ({ engine }) => {
      const { answer } = await ask(engine, QUESTION, { write: "quotes" });
      expect([answer.status, isQuoted(answer), codes(answer)]).toEqual(["ok", true, []]);
    }));
});

describe.concurrent("the time limit of an answer", () => {
  it.each([
    ["before its first word", { type: "silence" } as const, {}],
    ["after a sentence", { type: "stream", pieces: ["Tinnitus is rated at 10 percent [1]. "], thenSilence: true } as const, {}],
    ["that selects quotes", { type: "silence" } as const, SELECT],
  ])("stops a model %s, but still answers", async (_when, reply, settings) => {
    const { answer } = await askOnce(open({ chat: [reply] }, { encoder: null }, DOCUMENTS, { timeout_ms: 600_000 }, settings), {
      timeLimitMs: 2500,
    });
    expect(answer.status).toBe("ok");
    expect(texts(answer)).toContain(TINNITUS);
    expect(codes(answer)).toEqual(["model_failed"]);
    expect(answer.warnings[0]?.message).toContain("time limit");
  });
});
