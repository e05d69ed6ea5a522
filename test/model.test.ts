import { describe, expect, it } from "vitest";
import type { AskOptions } from "../src/engine/engine.ts";
import { profiles } from "../src/profiles/index.ts";
import type { Answer } from "../src/shared/types.ts";
import { brokenChatReplies, type ChatReply } from "../src/testing/fake-endpoint.ts";
import { countTokens } from "../src/text/cl100k.ts";
import { answerToWire } from "../src/wire/index.ts";
import {
  ask,
  askOnce,
  codes,
  DOCUMENTS,
  GOOD,
  isQuoted,
  near,
  open,
  promptOf,
  QUESTION,
  stream,
  TINNITUS,
  TINNITUS_CLAIM,
  texts,
  using,
} from "./support/model-engine.ts";

describe.concurrent("an answer by a model", () => {
  it("is streamed sentence by sentence with its citations", async () => {
    const { answer, events } = await askOnce(
      open({ chat: [{ type: "stream", pieces: GOOD, usage: { prompt_tokens: 300, completion_tokens: 30 } }] }),
    );
    expect(texts(answer)).toEqual(["Tinnitus is rated at 10 percent.", "You file VA Form 21-526EZ within one year."]);
    expect(answer.citations.map(({ quote }) => quote)).toEqual([TINNITUS, TINNITUS_CLAIM]);
    expect(answer).toMatchObject({
      status: "ok",
      model: "small",
      warnings: [],
      tokenUsage: { answer: 330, total: 330 },
      sentences: [{ citations: [1] }, { citations: [2] }],
    });
    const shown = events.filter((event) => event.type === "sentence");
    expect(shown.map(({ sentence }) => sentence)).toEqual(answer.sentences);
    expect(answerToWire(answer).answer_plain).toBe("Tinnitus is rated at 10 percent. [1]\nYou file VA Form 21-526EZ within one year. [2]");
  });
});

/** Replies that end only by a timeout. */
const needsTimeout = new Set(["silence", "a slow drip"]);
describe.concurrent("a model that fails", () => {
  it.each(Object.entries(brokenChatReplies))("with %s leads to quotes and a warning", async (name, reply) => {
    const { answer, events, endpoint } = await askOnce(
      open({ chat: [reply] }, { encoder: null }, DOCUMENTS, { timeout_ms: needsTimeout.has(name) ? 300 : 10_000 }),
    );
    expect(answer).toMatchObject({ status: "ok", model: "extractive" });
    expect(answer.sentences.length).toBeGreaterThan(0);
    expect(isQuoted(answer)).toBe(true);
    expect(texts(answer)).toContain(TINNITUS);
    expect(codes(answer)).toEqual([expect.stringMatching(/^model_(failed|unusable)$/)]);
    expect(answer.warnings[0]?.message).toContain("quoted from the sources");
    expect(answer.warnings[0]?.message).not.toContain("sk-secret");
    expect(answerToWire(answer).answer_html).not.toMatch(/<script|alert\(/);
    const order = events.map(({ type }) => type);
    expect(order.indexOf("warning")).toBeLessThan(order.indexOf("sentence"));
    const once = name === "401";
    // On a busy machine a call may time out before it reaches the endpoint.
    const least = once || needsTimeout.has(name) ? 1 : 2;
    expect(endpoint.chats.length).toBeGreaterThanOrEqual(least);
    expect(endpoint.chats.length).toBeLessThanOrEqual(once ? 1 : 2);
  });

  it("leads to quotes and no unchecked sentence in every profile", () =>
    using(
      open({ chat: [stream("<html><script>alert(1)</script><p>Tinnitus is rated at 10 percent [1].</p></html>")] }, { encoder: near() }),
      async ({ engine }) => {
        for (const { name } of profiles) {
          const { answer } = await ask(engine, QUESTION, { profile: name });
          expect([name, answer.status, isQuoted(answer)]).toEqual([name, "ok", true]);
        }
      },
    ));
});

/** Above every confidence of these documents, so that quotes alone would be refused. */
const WEAK = { answer_from: 0.99, write_from: 0.05 };
const weak = (...chat: ChatReply[]) => open({ chat }, { encoder: null }, DOCUMENTS, {}, WEAK);

describe.concurrent("evidence below the answer threshold", () => {
  it("is refused without a model, and answered if a model's sentences pass the checks", () =>
    using(weak(stream(...GOOD)), async ({ engine }) => {
      const { answer } = await ask(engine);
      expect(answer.status).toBe("ok");
      expect(texts(answer)[0]).toBe("Tinnitus is rated at 10 percent.");
      const { sentences } = (await ask(engine, "How do whales sleep under the ice of Antarctica?")).answer;
      expect(sentences).toEqual([]);
    }));

  it.each([
    [
      "whose sentences all fail and that selects no quote",
      [stream("Tinnitus is rated at 70 percent [1]."), stream("0")],
      "not_reliable",
      "model_unusable",
    ],
    ["that fails", [{ type: "status", status: 500 } as const], "evidence_too_weak", "model_failed"],
    ["that finds no answer", [stream("INSUFFICIENT")], "evidence_too_weak", undefined],
  ])("is refused with the nearest passages by a model %s", async (_what, replies, reason, warning) => {
    const { answer } = await askOnce(weak(...replies));
    expect(answer).toMatchObject({ status: "insufficient_context", sentences: [], refusal: { reason } });
    expect(answer.refusal?.nearest[0]?.quote).toBe(TINNITUS);
    expect(codes(answer)).toEqual(warning === undefined ? [] : [warning]);
  });

  it("does not call a model below `write_from`", () =>
    using(open({}, { encoder: null }, DOCUMENTS, {}, { answer_from: 0.99, write_from: 0.98 }), async ({ engine, endpoint }) => {
      expect((await ask(engine)).answer.refusal?.reason).toBe("evidence_too_weak");
      expect(endpoint.requests).toEqual([]);
    }));
});

describe.concurrent("a reply in JSON", () => {
  const form = (sentences: unknown, inSources = true) => JSON.stringify({ in_sources: inSources, sentences });

  it("is requested, parsed sentence by sentence, and checked", () => {
    const reply = form([
      { text: "Tinnitus is rated at 10 percent.", sources: [1] },
      { text: "Tinnitus is rated at 70 percent.", sources: [1] },
    ]);
    return using(open({ chat: [stream(...reply.split(/(?<=\d)/)), stream(form([], false))] }), async ({ engine, endpoint }) => {
      const { answer } = await ask(engine);
      expect(endpoint.chats[0]?.body.response_format).toMatchObject({ type: "json_schema", json_schema: { name: "answer", strict: true } });
      expect(texts(answer)[0]).toBe("Tinnitus is rated at 10 percent.");
      expect(texts(answer).join(" ")).not.toContain("70");
    });
  });

  it("with `in_sources: false` is a refusal, whatever its sentences say", () =>
    using(
      open({ chat: [stream(form([{ text: "The sources say nothing about tinnitus.", sources: [1, 2] }], false))] }),
      async ({ engine }) => {
        expect((await ask(engine)).answer).toMatchObject({ sentences: [], refusal: { reason: "evidence_too_weak" } });
      },
    ));

  it("is not requested again from an endpoint without schemas", () => {
    const refusal = { type: "status", status: 400, body: JSON.stringify({ error: { message: "unknown field response_format" } }) } as const;
    return using(open({ chat: ({ body }) => ("response_format" in body ? refusal : stream(...GOOD)) }), async ({ engine, endpoint }) => {
      for (const asked of [QUESTION, `${QUESTION}?`]) expect(texts((await ask(engine, asked)).answer)).toHaveLength(2);
      expect(endpoint.chats.map(({ body }) => "response_format" in body)).toEqual([true, false, false]);
    });
  });
});

describe.concurrent("a reply in an unusual form", () => {
  const first = async (reply: string) => {
    const { answer } = await askOnce(open({ chat: [stream(reply)] }));
    const cited = ({ citations }: Answer["sentences"][number]) => answer.citations.filter(({ n }) => citations.includes(n));
    return { shown: texts(answer), quotes: answer.sentences.flatMap(cited).map(({ quote }) => quote) };
  };

  it.each([
    "Tinnitus is rated at 10 percent (1).",
    "Tinnitus is rated at 10 percent [1].",
    "Tinnitus is rated at 10 percent (Source 1).",
    "Tinnitus is rated at 10 percent. Source 1",
    "[1] (Tinnitus rating) Tinnitus is rated at 10 percent.",
  ])("cites its source: %s", async (reply) => {
    const { shown, quotes } = await first(reply);
    expect([shown[0], quotes[0]]).toEqual(["Tinnitus is rated at 10 percent.", TINNITUS]);
  });

  it("replaces a marker that is used as a noun by the title", async () => {
    expect((await first("According to [1], tinnitus is rated at 10 percent.")).shown[0]).toBe(
      "According to “Tinnitus rating”, tinnitus is rated at 10 percent.",
    );
  });

  it("of one word shows the cited quote", async () => {
    expect((await first("YES. [1]")).shown).toContain(TINNITUS);
    expect((await first("YES. [1]")).shown.join(" ")).not.toMatch(/yes/i);
  });
});

describe.concurrent("the prompt", () => {
  const many = Object.fromEntries(
    Array.from({ length: 12 }, (_, i) => [
      `page${i}.md`,
      `# Tinnitus ${i}\n\nTinnitus rating number ${i} is ${i + 3} percent. ${`The tinnitus rating of case ${i} is long `.repeat(20)}.\n`,
    ]),
  );
  const whole = Object.fromEntries(
    Array.from({ length: 9 }, (_, i) => [
      `page${i}.md`,
      `# Page ${i}\n\nTinnitus case ${i} is rated. ${"Nobody asks for this filler of the page. ".repeat(8)}\n\n## Rates\n\n- item ${i} of the list\n- a further item\n\n${"More words that fill the page follow here. ".repeat(8)}The last sentence of page ${i}.\n`,
    ]),
  );
  const risingCosines = Object.fromEntries(Object.keys(whole).map((_, i) => [`Page ${i}`, 0.9 + i / 100]));

  it("contains the rules and at most 6 verbatim quotes of 120 tokens, within 2,200 tokens in spark", () =>
    using(open({ chat: [stream("INSUFFICIENT")] }, { encoder: near() }, many), async ({ engine, endpoint }) => {
      await ask(engine, QUESTION, { profile: "spark" });
      const { system, user } = promptOf(endpoint);
      expect(system).toContain("Use the sources and nothing else");
      expect(user).toContain("INSUFFICIENT");
      const quotes = [...user.matchAll(/^\[\d\] \(.*?\) (.*)$/gm)].map((match) => match[1] as string);
      expect(quotes.length).toBeGreaterThan(2);
      expect(quotes.length).toBeLessThanOrEqual(6);
      const sources = Object.values(many).join("\n");
      for (const quote of quotes) {
        expect(countTokens(quote)).toBeLessThanOrEqual(120);
        expect(sources).toContain(quote);
      }
      expect(countTokens(system) + countTokens(user)).toBeLessThanOrEqual(2200);
      expect(user).toContain(`Question: ${QUESTION}`);
      expect(endpoint.chats.map(({ body }) => [body.model, body.temperature])).toEqual([
        ["small", 0],
        ["large", 0.3],
      ]);
    }));

  it("contains only the last five turns, and keeps its budget when they are long", () =>
    using(open({ chat: [stream(...GOOD)] }), async ({ engine, endpoint }) => {
      const variant = (i: number) => `What rating does tinnitus get${"?".repeat(i)}`;
      for (let i = 1; i <= 7; i++) await ask(engine, variant(i), { sessionId: "s" });
      const { user } = promptOf(endpoint);
      expect([...user.matchAll(/- Q: [^?]*(\?+)/g)].map((match) => match[1]?.length)).toEqual([2, 3, 4, 5, 6]);
      const long = (i: number) => `Tinnitus is rated at 10 percent ${"and so it is ".repeat(100 - i)}[1]. `;
      endpoint.script({ chat: [stream(...Array.from({ length: 6 }, (_, i) => long(i)))] });
      for (let i = 1; i <= 4; i++) await ask(engine, variant(i), { sessionId: "l" });
      const longer = promptOf(endpoint);
      expect(countTokens(longer.system) + countTokens(longer.user)).toBeLessThanOrEqual(4000);
      expect(longer.user).toContain(`Question: ${variant(4)}\n`);
      expect(longer.user).toContain(`- Q: ${variant(3)}\n`);
      expect(longer.user).not.toContain(`- Q: ${variant(1)}\n`);
    }));

  it.each([
    ["seven-layer", 7],
    ["vg-rag", 8],
    ["validator", 3],
    ["book", 5],
  ])("of %s contains the %i best passages by cosine completely, with title, headings and lists, within its budget", (profile, passages) =>
    using(open({ chat: [stream("INSUFFICIENT")] }, { encoder: near(0.9, risingCosines) }, whole), async ({ engine, endpoint }) => {
      await ask(engine, QUESTION, { profile });
      const { system, user } = promptOf(endpoint);
      expect([...user.matchAll(/^\[(\d+)\] \(Page \d/gm)].map(([, n]) => Number(n))).toEqual(
        Array.from({ length: passages }, (_, i) => i + 1),
      );
      const given = Object.keys(whole).filter((_, i) => user.includes(`(Page ${i})`));
      expect(given).toEqual(Object.keys(whole).slice(-passages));
      for (const name of given) {
        const n = /\d+/.exec(name)?.[0];
        for (const part of [`Tinnitus case ${n} is rated.`, "# Rates", `item ${n} of the list`, `The last sentence of page ${n}.`])
          expect(user).toContain(part);
      }
      expect(system.includes("If several sources support a sentence, cite all of them.")).toBe(profile === "seven-layer");
      expect(countTokens(system) + countTokens(user)).toBeLessThanOrEqual(profile === "vg-rag" ? 10_000 : 8000);
    }),
  );

  it("shortens each passage to its relevant sentences when the model's limit is lower, and drops none", () =>
    using(open({ chat: [stream("INSUFFICIENT")] }, { encoder: near() }, whole, { prompt_tokens: 1400 }), async ({ engine, endpoint }) => {
      await ask(engine, QUESTION, { profile: "seven-layer" });
      const { system, user } = promptOf(endpoint);
      expect(user.match(/^\[\d+\] /gm)).toHaveLength(7);
      expect(user).toMatch(/Tinnitus case \d is rated\./);
      expect(user).not.toContain("The last sentence of page");
      expect(countTokens(system) + countTokens(user)).toBeLessThanOrEqual(1400);
    }));

  it("binds sentences written from whole passages to the supporting sentences, and warns of unsupported ones", async () => {
    const { answer } = await askOnce(
      open(
        { chat: [stream(...GOOD.slice(0, 3), " [1]. Tinnitus is rated at 20 percent [1].")] },
        { encoder: near(0.8, { Tinnitus: 0.9 }) },
      ),
      { profile: "seven-layer" },
    );
    expect(answer.citations.map(({ quote }) => quote)).toEqual([TINNITUS, TINNITUS_CLAIM]);
    expect(answer.claims.map(({ status }) => status === "unsupported")).toEqual([false, false, true]);
    expect(codes(answer)).toContain("check_values");
  });

  it("goes to the large model by the routing rules, otherwise to the small one", () =>
    using(open({ chat: [stream(...GOOD)] }, { encoder: near() }), async ({ engine, endpoint }) => {
      const modelFor = async (question: string, over: AskOptions) => {
        await ask(engine, question, over);
        return endpoint.chats.at(-1)?.body.model;
      };
      expect(await modelFor(QUESTION, { profile: "seven-layer" })).toBe("small");
      expect(await modelFor("How do I appeal the tinnitus rating?", { profile: "seven-layer" })).toBe("large");
      expect(await modelFor("How do I appeal the tinnitus rating?", { profile: "book" })).toBe("small");
      expect(await modelFor(QUESTION, { profile: "spark" })).toBe("large");
    }));
});

describe.concurrent("profiles with an encoder", () => {
  const decided = async (cosine: number, profile: string, byText: Readonly<Record<string, number>> = {}) => {
    const { answer, endpoint } = await askOnce(open({ chat: [stream(...GOOD)] }, { encoder: near(cosine, byText) }), { profile });
    return { answer, calls: endpoint.requests.length };
  };

  it.each([
    ["seven-layer", 0.44, "evidence_too_weak"],
    ["spark", 0.02, "nothing_relevant"],
    ["vg-rag", 0.55, "evidence_too_weak"],
    ["book", 0.69, "nothing_relevant"],
  ])("refuse without a model call below their thresholds: %s at %d", async (profile, cosine, reason) => {
    expect(await decided(cosine, profile)).toMatchObject({ calls: 0, answer: { refusal: { reason }, tokenUsage: { total: 0 } } });
  });

  it("sourcebound ranks by vectors and words, and decides by words", async () => {
    const { answer } = await decided(0.1, "sourcebound", { Tinnitus: 0.2 });
    expect(answer.status).toBe("ok");
    expect(answer.evidence[0]?.passage.scores).toMatchObject({ dense: expect.closeTo(0.2, 5), bm25: expect.any(Number) });
  });

  it("answer a question without shared words that the vectors match", () =>
    using(open({ chat: [stream("A pension is paid every month [1].")] }, { encoder: near(0.2, { pension: 0.9 }) }), async ({ engine }) => {
      const { answer } = await ask(engine, "Regular money for old soldiers", { profile: "seven-layer" });
      expect(texts(answer)).toEqual(["A pension is paid every month."]);
    }));
});
