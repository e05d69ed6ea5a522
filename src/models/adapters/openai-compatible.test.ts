import { describe, expect, it, onTestFinished } from "vitest";
import { ModelError } from "../../shared/errors.ts";
import { type ChatBehaviour, describeChatContract } from "../../testing/chat-contract.ts";
import { describeEncoderContract } from "../../testing/encoder-contract.ts";
import { failureOf } from "../../testing/failure-of.ts";
import { fakeChatModel } from "../../testing/fake-chat-model.ts";
import { encoderDown, fakeEncoder } from "../../testing/fake-encoder.ts";
import {
  brokenChatReplies,
  brokenEmbeddingsReplies,
  type ChatReply,
  type FakeEndpointOptions,
  startFakeEndpoint,
} from "../../testing/fake-endpoint.ts";
import type { ChatModel } from "../chat.ts";
import { batchTexts, createApiEncoder, createChatModel, type EndpointOptions } from "./openai-compatible.ts";

/** Returns a timeout: short for replies that only a timeout ends, otherwise long, for slow machines. */
const timeoutFor = (name: string) => ({ timeoutMs: ["silence", "a slow drip"].includes(name) ? 1_000 : 10_000 });
const KEY = "sk-very-secret-0123456789";

async function start(script: FakeEndpointOptions, over: Partial<EndpointOptions> = {}) {
  const endpoint = await startFakeEndpoint(script);
  onTestFinished(() => endpoint.close());
  const options: EndpointOptions = { baseUrl: endpoint.url, apiKey: KEY, timeoutMs: 10_000, retries: 1, backoffMs: 1, ...over };
  return { endpoint, model: createChatModel("small", options), encoder: createApiEncoder("vectors", options) };
}

const ask = (model: ChatModel, signal = new AbortController().signal) =>
  model.stream({ system: "Rules.", user: "Question?" }, { temperature: 0.3, signal });

function httpReply(behaviour: ChatBehaviour): ChatReply {
  switch (behaviour.type) {
    case "answer": {
      const { pieces, usage } = behaviour;
      return { type: "stream", pieces, usage: usage === null ? null : { prompt_tokens: usage.input, completion_tokens: usage.output } };
    }
    case "cut":
      return { type: "cut", pieces: behaviour.pieces, at: "event" };
    case "broken":
      return { type: "status", status: 500 };
    case "stalled":
      return { type: "stream", pieces: [behaviour.piece], thenSilence: true };
  }
}

describeChatContract("fake", async (behaviour) => {
  const cut = new ModelError("model_cut", "cut");
  const script =
    behaviour.type === "answer"
      ? behaviour.pieces
      : behaviour.type === "cut"
        ? [...behaviour.pieces, cut]
        : behaviour.type === "broken"
          ? [new ModelError("model_failed", "down")]
          : [behaviour.piece, 60_000];
  const counts = behaviour.type === "answer" ? behaviour.usage : null;
  const usage = { inputTokens: counts?.input ?? null, outputTokens: counts?.output ?? null };
  return { model: fakeChatModel([script], { usage }), close: async () => undefined };
});

describeChatContract("OpenAI-compatible", async (behaviour) => {
  const { model } = await start({ chat: [httpReply(behaviour)] }, { timeoutMs: 5000 });
  return { model, close: async () => undefined };
});

describeEncoderContract("fake", async (behaviour) => ({
  encoder: fakeEncoder(behaviour === "broken" ? { failure: encoderDown } : {}),
  close: async () => undefined,
}));

describeEncoderContract("OpenAI-compatible", async (behaviour) => {
  const reply = behaviour === "broken" ? ({ type: "status", status: 500 } as const) : ({ type: "vectors" } as const);
  const { encoder } = await start({ embeddings: [reply] }, { timeoutMs: 5000 });
  return { encoder, close: async () => undefined };
});

describe("chat over HTTP", () => {
  it("sends the key as bearer token, the prompt and the temperature, and requests usage", async () => {
    const { endpoint, model } = await start({ chat: [{ type: "stream", pieces: ["Yes."] }] });
    await Array.fromAsync(ask(model));
    expect(endpoint.requests).toHaveLength(1);
    expect(endpoint.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(endpoint.requests[0]?.body).toMatchObject({
      model: "small",
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.3,
      messages: [
        { role: "system", content: "Rules." },
        { role: "user", content: "Question?" },
      ],
    });
  });

  it("limits the tokens of a reply by the parameter that the endpoint accepts, and names the setting of a cut reply", async () => {
    const refusal = JSON.stringify({ error: { message: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead." } });
    const { endpoint, model } = await start(
      {
        chat: ({ body }) =>
          "max_tokens" in body
            ? { type: "status", status: 400, body: refusal }
            : { type: "stream", pieces: ["Yes."], finishReason: "length" },
      },
      { replyTokens: 70 },
    );
    for (let asked = 0; asked < 2; asked++)
      await expect(Array.fromAsync(ask(model))).rejects.toThrow("length after at most 70 tokens: raise model.reply_tokens");
    expect(endpoint.chats.map(({ body }) => [body.max_tokens, body.max_completion_tokens])).toEqual([
      [70, undefined],
      [undefined, 70],
      [undefined, 70],
    ]);
  });

  it.each(Object.entries(brokenChatReplies))("throws a ModelError after %s", async (name, reply) => {
    const { endpoint, model } = await start({ chat: [reply] }, timeoutFor(name));
    const error = await failureOf(Array.fromAsync(ask(model)));
    expect(error).toBeInstanceOf(ModelError);
    expect(error?.message).toMatch(/^Model "small" at 127\.0\.0\.1:\d+ failed: \S/);
    expect(error?.message).not.toContain("[object");
    const received = error?.code === "model_cut";
    expect(received).toBe(reply.type !== "status" && "pieces" in reply && reply.pieces.length > 0 && name !== "a slow drip");
    expect(endpoint.chats).toHaveLength(received || name === "401" ? 1 : 2);
  });

  it.each(Object.entries(brokenChatReplies).filter(([name]) => name !== "401"))("recovers from %s", async (name, reply) => {
    const { endpoint, model } = await start({ chat: [reply, { type: "stream", pieces: ["Yes ", "[1]."] }] }, timeoutFor(name));
    const events = await Array.fromAsync(ask(model)).catch((error: ModelError) => error.code);
    if (events !== "model_cut") {
      expect(endpoint.chats).toHaveLength(2);
      expect(events).toMatchObject([{ text: "Yes " }, { text: "[1]." }, { type: "end" }]);
    }
  });

  it("waits as long as retry-after says, but fails at once if that exceeds the timeout", async () => {
    const limited = (seconds: string): ChatReply => ({ type: "status", status: 429, headers: { "retry-after": seconds } });
    const patient = await start({ chat: [limited("0.2"), { type: "stream", pieces: ["Yes."] }] });
    const begun = performance.now();
    await Array.fromAsync(ask(patient.model));
    expect(performance.now() - begun).toBeGreaterThan(190);
    const hasty = await start({ chat: [limited("3600"), { type: "stream", pieces: ["Yes."] }] });
    await expect(Array.fromAsync(ask(hasty.model))).rejects.toThrow("HTTP 429");
    expect(hasty.endpoint.chats).toHaveLength(1);
  });

  it("never reveals the key, even if the endpoint repeats it", async () => {
    const body = JSON.stringify({ error: { message: `Incorrect API key provided: ${KEY}. ${"x".repeat(5000)}` } });
    const { model, encoder } = await start({
      chat: [{ type: "status", status: 401, body }],
      embeddings: [{ type: "status", status: 401, body }],
    });
    for (const call of [() => Array.fromAsync(ask(model)), () => encoder.embed(["a"])]) {
      const error = await failureOf(call());
      expect(error?.message).toContain("Incorrect API key provided: [key].");
      expect(error?.message.length).toBeLessThan(400);
      expect(JSON.stringify([error, error?.cause, error?.stack, (error?.cause as Error | undefined)?.stack])).not.toContain(KEY);
    }
  });

  it.each([
    [
      "a login page",
      "text/html",
      `<html>\u001b[31m\u202e Sign in ${KEY} ${"to go on ".repeat(300)}`,
      "received text/html beginning with “<html> [31m Sign in [key] to go on",
    ],
    ["JSON that is cut off", "application/json", '{"choices":[{"mess', 'received application/json beginning with “{"choices":[{"mess”'],
    ["JSON instead of a stream", "application/json", '{"choices":[],"usage":null}', 'beginning with “{"choices":[],"usage":null}”'],
  ])("describes %s and what to check", async (_what, type, body, told) => {
    const reply = { type: "status" as const, status: 200, headers: { "content-type": type }, body };
    const { model, encoder } = await start({ chat: [reply], embeddings: [reply] });
    const chat = await Array.fromAsync(ask(model)).catch(({ message }: ModelError) => message);
    const vectors = await encoder.embed(["a"]).catch(({ message }: ModelError) => message);
    expect(chat).toContain(told);
    expect(chat).toMatch(/Check that model\.base_url is/);
    expect(vectors).toContain(told);
    expect(vectors).toMatch(/Check that embeddings\.base_url is/);
    expect(String(chat).length).toBeLessThan(450);
    expect(`${chat}${vectors}`).not.toMatch(new RegExp(`${KEY}|\\p{C}`, "u"));
  });

  it("accepts a slow reply within the timeout, but not an endless one", async () => {
    const drip = (pieces: number): ChatReply => ({ type: "stream", pieces: Array.from({ length: pieces }, () => "drip "), delayMs: 300 });
    // The whole reply takes longer than the timeout, but each gap is a third of it.
    const { model } = await start({ chat: [drip(4), drip(400)] }, { timeoutMs: 1000 });
    expect(await Array.fromAsync(ask(model))).toHaveLength(5);
    await expect(Array.fromAsync(ask(model))).rejects.toThrow("no complete response within 10000 ms");
  });

  it("closes the connection when it is cancelled, and does not retry", async () => {
    const { endpoint, model } = await start({ chat: [{ type: "silence" }] }, {});
    const controller = new AbortController();
    const reading = Array.fromAsync(ask(model, controller.signal));
    await expect.poll(() => endpoint.chats.length).toBe(1);
    controller.abort(new Error("reader left"));
    await expect(reading).rejects.toThrow("reader left");
    await expect.poll(() => endpoint.requests[0]?.aborted).toBe(true);
    expect(endpoint.chats).toHaveLength(1);
  });

  it("removes a model's reasoning", async () => {
    const pieces = ["<thi", "nk>Perhaps 70 percent [1].</th", "ink>Tinnitus is rated at 10 percent [1]."];
    const { model } = await start({ chat: [{ type: "stream", pieces }] });
    const events = await Array.fromAsync(ask(model));
    const said = events.map((event) => (event.type === "text" ? event.text : "")).join("");
    expect(said.trim()).toBe("Tinnitus is rated at 10 percent [1].");
  });
});

describe("vectors over HTTP", () => {
  it("orders vectors by their index", async () => {
    const vectorOf = (text: string) => (text === "a" ? [1, 0] : [0, 1]);
    const { encoder } = await start({ embeddings: [{ type: "vectors", vectorOf, order: "reversed" }] });
    expect((await encoder.embed(["a", "b"])).map((vector) => [...vector])).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  it.each(Object.entries(brokenEmbeddingsReplies))("throws a ModelError after %s, and retries if that may help", async (name, reply) => {
    const { endpoint, encoder } = await start({ embeddings: [reply] }, timeoutFor(name));
    await expect(encoder.embed(["a", "b"])).rejects.toMatchObject({ name: "ModelError", code: "encoder_failed" });
    expect(endpoint.requests).toHaveLength(name === "401" ? 1 : 2);
    endpoint.script({ embeddings: [reply, { type: "vectors" }] });
    if (name !== "401") expect(await encoder.embed(["a", "b"])).toHaveLength(2);
  });

  it("has an id of endpoint and model, so that vectors of two endpoints are never mixed", () => {
    const options = { apiKey: "", timeoutMs: 100, retries: 0 };
    const ids = ["http://a.test/v1", "http://a.test/v1/", "http://a.test/other/v1", "http://b.test/v1"].map(
      (baseUrl) => createApiEncoder("m", { ...options, baseUrl }).id,
    );
    expect(ids).toEqual(["a.test/v1/m", "a.test/v1/m", "a.test/other/v1/m", "b.test/v1/m"]);
  });
});

describe("vectors over HTTP: limits and cost", () => {
  it("splits texts into requests below the limits of count and tokens, in order; an over-long text is sent alone", () => {
    const short = Array.from({ length: 5000 }, (_, i) => `text ${i}`);
    expect(batchTexts(short).map(({ length }) => length)).toEqual([2048, 2048, 904]);
    const long = Array.from({ length: 6 }, () => "x".repeat(200_000));
    expect(batchTexts(long).map(({ length }) => length)).toEqual([2, 2, 2]);
    expect(batchTexts(["a", "x".repeat(600_000), "b"])).toEqual([["a"], ["x".repeat(600_000)], ["b"]]);
    expect(batchTexts(short).flat()).toEqual(short);
  });

  it("rejects vectors of a known model with other dimensions", async () => {
    const { endpoint } = await start({ embeddings: [{ type: "vectors" }] });
    const options = { baseUrl: endpoint.url, apiKey: "", timeoutMs: 250, retries: 0, backoffMs: 1 };
    const encoder = createApiEncoder("text-embedding-3-small", options);
    await expect(encoder.embed(["one"])).rejects.toThrowError(/received vectors of 64 dimensions, but expected 1536/);
  });
});
