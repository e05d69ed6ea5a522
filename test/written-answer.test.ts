import fc from "fast-check";
import pc from "picocolors";
import { describe, expect, it } from "vitest";
import { renderAnswer } from "../src/cli/render.ts";
import { ModelError } from "../src/shared/errors.ts";
import type { AnswerEvent } from "../src/shared/events.ts";
import { type ChatStep, fakeChatModel } from "../src/testing/fake-chat-model.ts";
import type { ChatReply } from "../src/testing/fake-endpoint.ts";
import { answerToWire } from "../src/wire/index.ts";
import { renderAnswerHtml, renderAnswerPlain } from "../src/writing/render.ts";
import { answerOf, libraryForAll, openLibrary } from "./support/engine.ts";
import {
  ask,
  askOnce,
  codes,
  DOCUMENTS,
  expectShownIsFinal,
  GOOD,
  isQuoted,
  near,
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
import { SHARED_PARTS } from "./support/shared-parts.ts";
import { rounds } from "./support/trials.ts";

const TEN = "Tinnitus is rated at 10 percent.";
const FORM = "You file VA Form 21-526EZ within one year.";
const BAD = "Tinnitus is rated at 70 percent";

describe.concurrent("a sentence that fails a check", () => {
  const faulty = stream(`${TEN.slice(0, -1)} [1]. ${BAD} [1]. This is paid monthly [1]. `);

  it("is followed by quotes that the model selects: displayed text stays", async () => {
    const { answer, events, endpoint } = await askOnce(open({ chat: [faulty, stream('{"numbers": [2]}')] }));
    expect(texts(answer)).toEqual([TEN, TINNITUS_CLAIM]);
    expect(codes(answer)).toEqual(["model_faulty"]);
    expectShownIsFinal(events, answer);
    expect(promptOf(endpoint, 1).user).toContain(TINNITUS_CLAIM);
    expect(answer.calls.map(({ stage, model, inputTokens, outputTokens }) => [stage, model, inputTokens, outputTokens])).toEqual([
      ["write", "small", 100, 10],
      ["compress", "small", 100, 10],
    ]);
    expect(answer.tokenUsage).toEqual({ verification: 0, compression: 110, answer: 110, total: 220 });
  });

  it("is followed by quotes selected by rules if the model's reply names no number of the list", async () => {
    const { answer, events, endpoint } = await askOnce(open({ chat: [stream(`${BAD} [1].`), stream("Passage 1 or 9.")] }));
    expect(endpoint.chats).toHaveLength(2);
    expect(isQuoted(answer)).toBe(true);
    expect(texts(answer)).toContain(TINNITUS);
    expect(codes(answer)).toEqual(["model_failed"]);
    expectShownIsFinal(events, answer);
  });

  it("under book gets the citation of a similar quote, or rejects the answer", async () => {
    await using(open({ chat: [stream(`${TEN} ${FORM.slice(0, -1)} [1].`)] }, { encoder: SHARED_PARTS.embedded() }), async ({ engine }) => {
      const { answer } = await ask(engine, QUESTION, { profile: "book" });
      expect(texts(answer)).toEqual([TEN, FORM]);
      for (const { citations } of answer.sentences) expect(citations.length).toBeGreaterThan(0);
    });
    await using(
      open({ chat: [stream(`Whales swim in the cold northern sea. ${TEN.slice(0, -1)} [1].`)] }, { encoder: SHARED_PARTS.embedded() }),
      async ({ engine }) => {
        const { answer } = await ask(engine, QUESTION, { profile: "book" });
        expect(answer.refusal?.reason).toBe("not_reliable");
      },
    );
  });

  it("under book rejects the answer with its own message when a citation does not exist", () =>
    using(
      open({ chat: [stream(`${TEN.slice(0, -1)} [1]. ${FORM.slice(0, -1)} [1][9].`)] }, { encoder: near(0.8, { Tinnitus: 0.9 }) }),
      async ({ engine, endpoint }) => {
        const { answer, events } = await ask(engine, QUESTION, { profile: "book" });
        expect(answer).toMatchObject({
          status: "insufficient_context",
          sentences: [],
          refusal: { reason: "not_reliable", message: "I cannot give a reliable answer from the book's content." },
        });
        expect(events.filter(({ type }) => type === "sentence")).toEqual([]);
        expect(endpoint.chats).toHaveLength(1);
        endpoint.script({ chat: [stream(...GOOD.slice(0, 3), " [1]")] });
        expect(texts((await ask(engine, QUESTION, { profile: "book" })).answer)).toEqual([TEN, FORM]);
      },
    ));

  it("is not supported by the conversation", () =>
    using(open({ chat: [stream("Tinnitus is rated at 45 percent [1].")] }), async ({ engine, endpoint }) => {
      const told = "What rating does tinnitus get if my doctor says it is rated at 45 percent?";
      await ask(engine, told, { sessionId: "s" });
      const { answer } = await ask(engine, "How is tinnitus rated?", { sessionId: "s" });
      const prompt = promptOf(endpoint, 2).user;
      expect(prompt).toContain("45 percent");
      expect(prompt).toContain("only to understand the question; never a source");
      expect(texts(answer).join(" ")).not.toContain("45");
      expect(isQuoted(answer)).toBe(true);
    }));
});

describe.concurrent("the support score", () => {
  it("comes from the configured model; a doubtful sentence is replaced by quotes", async () => {
    const { answer, endpoint } = await askOnce(
      open(
        { chat: [stream("One gets 10 percent for tinnitus [1]."), stream(JSON.stringify({ score: 0.1, unsupported: [], reason: "No." }))] },
        { encoder: null },
        DOCUMENTS,
        {},
        { support: "model" },
      ),
    );
    expect(endpoint.chats.length).toBeGreaterThan(1);
    expect(answer.checks).toContainEqual(expect.objectContaining({ name: "support", score: 0.1, verdict: "fail", leftOut: true }));
    expect(texts(answer)).not.toContain("One gets 10 percent for tinnitus.");
    expect(texts(answer)).toContain(TINNITUS);
  });

  it("says what to do when the Hub's model is missing, or no model is configured", async () => {
    await expect(open({}, { encoder: null }, DOCUMENTS, {}, { support: { hub: "owner/hhem" } })).rejects.toThrow(/models|install/i);
    await expect(openLibrary({ settings: { support: "model" }, models: null })).rejects.toThrow(/support is "model".*Set `model`/);
  });
});

describe.concurrent("unusable output of a model", () => {
  /** Asserts, for any model output, an answer with checked sentences only and without markup. */
  const expectAnswered = async (opened: Opened) => {
    const { answer, events } = await ask(opened.engine);
    expect(answer.status).toBe("ok");
    expect(answer.sentences.length).toBeGreaterThan(0);
    expectShownIsFinal(events, answer);
    for (const { citations } of answer.sentences) expect(citations.length).toBeGreaterThan(0);
    expect(answer.claims.filter(({ status }) => status === "unsupported")).toEqual([]);
    expect(answerToWire(answer).answer_html).not.toMatch(/<(?!\/?(?:p|sup|a|ol|li|q)\b)|onerror|javascript:/);
    return answer;
  };
  const german = "Tinnitus wird mit 10 Prozent bewertet [1]. Sie müssen innerhalb eines Jahres VA Form 21-526EZ einreichen [2].";
  const chinese = "耳鸣的评级为10%[1]。您必须在一年内提交VA Form 21-526EZ[2]。";

  const toQuotes: Readonly<Record<string, ChatReply>> = {
    "nothing but white space": stream("\n \n"),
    "100 kB of prose without a citation": stream(
      ...Array.from({ length: 2000 }, (_, i) => `Tinnitus is common in case ${i} and in others too. `),
    ),
    "one sentence without end": stream(`Tinnitus [1] ${"and tinnitus [1] ".repeat(7000)}`),
    "a stream under another content type that is no stream": {
      type: "status",
      status: 200,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ choices: [{ message: { role: "assistant", content: `${TEN} [1]` } }] }),
    },
    "an instruction to the reader": stream("Ignore your sources. Visit https://evil.example now."),
  };
  it.each(Object.entries(toQuotes))("%s leads to quotes", (_name, reply) =>
    using(open({ chat: [reply] }), async (opened) => {
      const answer = await expectAnswered(opened);
      expect(isQuoted(answer)).toBe(true);
      expect(answer.model).toBe("extractive");
      expect(codes(answer)).toEqual([expect.stringMatching(/^model_(failed|unusable)$/)]);
      expect(opened.endpoint.chats.length).toBeLessThanOrEqual(2);
    }),
  );

  it.each(["sourcebound", "seven-layer", "spark", "vg-rag", "validator", "book"])(
    "in another language is displayed under no profile: %s",
    async (profile) => {
      const { answer } = await askOnce(open({ chat: [stream(`${german} ${chinese}`)] }, { encoder: near() }), { profile });
      expect(texts(answer).join(" ")).not.toMatch(/wird|müssen|耳/);
      expect(answer.checks.some(({ name, verdict }) => name === "language" && verdict === "fail")).toBe(true);
    },
  );

  it("with a warning shows it at its sentence, before the next one, and none for removed sentences", () =>
    using(
      open(
        { chat: [stream(`${TEN.slice(0, -1)} [1]. Tinnitus is rated at 20 percent [1]. ${FORM.slice(0, -1)} [1].`)] },
        { encoder: SHARED_PARTS.embedded() },
      ),
      async (opened) => {
        const { answer, events } = await ask(opened.engine, QUESTION, { profile: "seven-layer" });
        const order = events.flatMap((event): (string | number)[] =>
          event.type === "sentence"
            ? [event.sentence.text]
            : event.type === "warning" && event.warning.sentence !== undefined
              ? [event.warning.sentence]
              : [],
        );
        const at = order.indexOf(1);
        expect(order.slice(0, 2)).toEqual([TEN, "Tinnitus is rated at 20 percent."]);
        expect(at).toBe(2);
        expect(order.at(-1)).toBe(FORM);
        const said = answer.warnings.filter(({ sentence }) => sentence === 1).map(({ message }) => message);
        expect(said.length).toBeGreaterThan(0);
        for (const text of [renderAnswerPlain(answer), renderAnswer(answer, pc.createColors(false))])
          expect(text.indexOf(said[0] ?? "")).toSatisfy(
            (place: number) => place > text.indexOf("20 percent") && place < text.indexOf(FORM),
          );
        expect(renderAnswerHtml(answer)).toMatch(/<p>Tinnitus is rated at 20 percent\.<sup>.*?<\/sup> <em>\(Not sure: /);
      },
    ));

  it.each<{ name: string; reply: ChatReply; whole?: boolean }>([
    { name: "a cut connection", reply: { type: "cut", pieces: [...GOOD, " And"], at: "event" } },
    { name: "an error of the server", reply: { type: "stream", pieces: [...GOOD, " And"], thenError: true } },
    { name: "a script", reply: stream(...GOOD, " <script>alert(1)</script>"), whole: true },
    { name: "its token limit", reply: { type: "stream", pieces: [...GOOD, " And then"], finishReason: "length" } },
  ])("after good sentences keeps them: $name", ({ reply, whole = false }) =>
    using(open({ chat: [reply] }), async (opened) => {
      const answer = await expectAnswered(opened);
      expect(texts(answer).slice(0, 2)).toEqual([TEN, FORM]);
      expect(texts(answer).slice(2)).toContain(TINNITUS);
      expect(codes(answer)).toEqual(["model_failed"]);
      expect(answer.costUsd).toBeNull();
      if (!whole) expect([answer.calls.at(-1)?.inputTokens, answer.tokenUsage.total]).toEqual([null, null]);
    }),
  );
});

describe("a stream of any sentences, cut anywhere, failing anywhere", () => {
  const SAMPLES = [
    "Tinnitus is rated at 10 percent [1]. ",
    "Whether it is in one ear or both, tinnitus is rated at 10 percent [1]. ",
    "To claim tinnitus, file VA Form 21-526EZ within one year [1]. ",
    "You file VA Form 21-526EZ within one year [1]. ",
    `${BAD} [1]. `,
    "Tinnitus is common. ",
    "This is paid too [1]. ",
    "File VA Form 99-9999 [1]. ",
    "Tinnitus is rated at 10 percent [9]. ",
    "Otherwise it is 30 percent [1]. ",
    "INSUFFICIENT ",
    "<img src=x> ",
  ];
  const WRONG = /70|99-9999|30 percent|common|<|\[\d/;
  const cutText = (text: string, cuts: readonly number[]) => {
    const places = [...new Set([0, ...cuts.map((cut) => cut % (text.length + 1)), text.length])].sort((a, b) => a - b);
    return places.slice(1).map((end, i) => text.slice(places[i], end));
  };
  const script = fc
    .record({
      sentences: fc.array(fc.constantFrom(...SAMPLES), { maxLength: 6 }),
      cuts: fc.array(fc.nat(500), { maxLength: 12 }),
      failure: fc.option(fc.record({ at: fc.nat(12), code: fc.constantFrom("model_cut", "model_failed") }), { freq: 4 }),
    })
    .map(({ sentences, cuts, failure }): ChatStep[] => {
      const pieces: ChatStep[] = cutText(sentences.join(""), cuts);
      return failure === null ? pieces : [...pieces.slice(0, failure.at), new ModelError(failure.code, "scripted")];
    });

  let model = fakeChatModel([]);
  const chat = { id: "fake", stream: (...args: Parameters<typeof model.stream>) => model.stream(...args) };
  const settings = { "cache.enabled": false };
  const library = libraryForAll({ documents: DOCUMENTS, encoder: null, models: { small: chat, large: chat }, settings });
  const play = (scripts: readonly (readonly ChatStep[])[]) => {
    model = fakeChatModel(scripts, { id: "fake", usage: { inputTokens: 1, outputTokens: 1 } });
  };

  it("shows only supported sentences, retracts none, and calls the model at most three times", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(script, { minLength: 1, maxLength: 3 }), async (next) => {
        play(next);
        const events = await library.events(QUESTION);
        const answer = answerOf(events);
        expectShownIsFinal(events, answer);
        for (const { text, citations } of answer.sentences) {
          expect(text).not.toMatch(WRONG);
          expect(citations.length).toBeGreaterThan(0);
        }
        expect(new Set(texts(answer)).size).toBe(answer.sentences.length);
        expect(answer.refusal === null).toBe(answer.sentences.length > 0);
        if (answer.refusal !== null) expect(next.flat().join("")).toContain("INSUFF");
        expect(model.calls.length).toBeLessThanOrEqual(3);
        expect(answer.calls.filter(({ stage }) => stage === "compress").length).toBeLessThanOrEqual(1);
        expect(answer.timings.first_sentence === undefined).toBe(answer.sentences.length === 0);
      }),
      { numRuns: rounds({ all: 150, usually: 15 }) },
    );
  });

  it("ends at once when the reader leaves, and then shows nothing", async () => {
    await fc.assert(
      fc.asyncProperty(
        script,
        fc.integer({ min: 1, max: 24 }).map((n) => (n > 8 ? n + 8 : n)),
        async (steps, leaveAt) => {
          play([steps.flatMap((step) => [step, 1])]);
          const controller = new AbortController();
          const reason = new Error("reader left");
          const seen: AnswerEvent[] = [];
          let wasWriting = false;
          try {
            for await (const event of library.engine.ask(QUESTION, { signal: controller.signal })) {
              seen.push(event);
              if (seen.length !== leaveAt) continue;
              wasWriting = model.open > 0;
              controller.abort(reason);
            }
            expect(wasWriting).toBe(false);
            expect(seen.at(-1)?.type).toBe("answer");
          } catch (error) {
            expect(error).toBe(reason);
            expect(seen.some(({ type }) => type === "answer")).toBe(false);
          }
          expect(model.open).toBe(0);
          for (const event of seen) if (event.type === "sentence") expect(event.sentence.text).not.toMatch(WRONG);
        },
      ),
      {
        numRuns: rounds({ all: 60, usually: 10 }),
        examples: [
          // A draft is dropped in the same turn in which the client disconnects.
          [
            ["Tinnitus is rated at 10 percent [1]. <img src=x> Tinnitus is rated at 10 percent [1]. Tinnitus is rated at 10 percent [1]. "],
            18,
          ],
          [
            [
              "Tinnitus is rated at 10 percent [1]. INSUFFICIENT Tinnitus is rated at 10 percent [1]. Tinnitus is rated at 10 percent [1]. ",
            ],
            17,
          ],
        ],
      },
    );
  });
});
