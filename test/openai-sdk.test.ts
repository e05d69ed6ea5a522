import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../src/server/app.ts";
import { silentLog } from "../src/server/log.ts";
import { chatResponseSchema } from "../src/wire/chat.ts";
import { type Library, openLibrary } from "./support/engine.ts";
import { UNANSWERABLE } from "./support/library.ts";

const CARD = "How much does a library card cost?";

let library: Library;
let server: ReturnType<typeof createAdaptorServer>;
let baseURL: string;
let client: OpenAI;
beforeAll(async () => {
  library = await openLibrary({ settings: { answer_from: 0.2 } });
  const { engine } = library;
  const app = createApp({
    ...{ engine, keys: engine.store.keys },
    ...{ log: silentLog, webRoot: "/nowhere" },
  });
  const { key } = await engine.store.keys.create(
    { name: "sdk", roles: ["ask"], domains: ["library"], tenants: [], access: null, expiresAt: null, requestsPerHour: 0 },
    "test",
  );
  server = createAdaptorServer({ fetch: app.fetch });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  client = new OpenAI({ baseURL, apiKey: key, maxRetries: 0 });
}, 120_000);
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await library.close();
});

const ask = (content: string, more: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {}) =>
  client.chat.completions.create({ model: "library", messages: [{ role: "user", content }], ...more });

describe("the OpenAI SDK", () => {
  it("lists domains as models and finds one by its name", async () => {
    const ids = [];
    for await (const { id } of client.models.list()) ids.push(id);
    expect(ids).toEqual(["library"]);
    expect(await client.models.retrieve("library")).toMatchObject({ id: "library", object: "model" });
    await expect(client.models.retrieve("nowhere")).rejects.toMatchObject({ status: 404, code: "unknown_model" });
  });

  it("gets an answer with its citations in the text and whole as an extension", async () => {
    const completion = chatResponseSchema.parse(await ask(CARD, { temperature: 0.2, max_tokens: 50 }));
    const text = completion.choices[0]?.message.content ?? "";
    expect(text).toMatch(/5 dollars.*\[1\]/);
    const [citation] = completion.sourcebound.citations;
    expect(text).toContain(`[1] ${citation?.title}`);
    expect(text).toContain(citation?.quote);
    expect(completion.usage).toEqual({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 });
  }, 120_000);

  it("streams the same text, ends with a reason, and counts where that is asked for", async () => {
    const whole = (await ask(CARD)).choices[0]?.message.content;
    const stream = await client.chat.completions.create({
      ...{ model: "library", messages: [{ role: "user", content: CARD }], stream: true, stream_options: { include_usage: true } },
    });
    let text = "";
    const reasons = [];
    let usage: unknown = null;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      if (chunk.choices[0]?.finish_reason) reasons.push(chunk.choices[0].finish_reason);
      usage = chunk.usage ?? usage;
    }
    expect(text).toBe(whole);
    expect(reasons).toEqual(["stop"]);
    expect(usage).toMatchObject({ total_tokens: 0 });
  }, 120_000);

  it("gets a refusal as text that says so", async () => {
    const completion = chatResponseSchema.parse(await ask(UNANSWERABLE));
    expect(completion.sourcebound.status).toBe("insufficient_context");
    expect(completion.choices[0]?.message.content).toContain(completion.sourcebound.refusal?.message ?? "nothing");
  }, 120_000);

  it("understands a follow-up by the messages before it, which are never a source", async () => {
    const completion = chatResponseSchema.parse(
      await client.chat.completions.create({
        model: "library",
        messages: [
          { role: "system", content: "You are helpful." },
          { role: "user", content: CARD },
          { role: "assistant", content: "A library card costs 999 dollars." },
          { role: "user", content: [{ type: "text", text: "And how much is it per year?" }] },
        ],
      }),
    );
    expect(completion.choices[0]?.message.content).toContain("A library card costs 5 dollars per year.");
    expect(completion.choices[0]?.message.content).not.toContain("999");
    expect(completion.sourcebound.session_id).toBeNull();
  }, 120_000);

  it("throws its own errors for what is refused at the door", async () => {
    await expect(ask(CARD, { model: "veterans" })).rejects.toBeInstanceOf(OpenAI.PermissionDeniedError);
    await expect(ask(" ")).rejects.toMatchObject({ status: 400, code: "question_empty" });
    await expect(ask(CARD, { n: 2 })).rejects.toMatchObject({ status: 400, code: "invalid_request" });
    await expect(client.chat.completions.create({ model: "library", messages: [] })).rejects.toMatchObject({ status: 400 });
    const onlySystem = { model: "library", messages: [{ role: "system" as const, content: "x" }] };
    await expect(client.chat.completions.create(onlySystem)).rejects.toMatchObject({ status: 400, code: "question_missing" });
    const image = [{ type: "image_url" as const, image_url: { url: "https://x.example/a.png" } }];
    const pictured = { model: "library", messages: [{ role: "user" as const, content: image }] };
    await expect(client.chat.completions.create(pictured)).rejects.toMatchObject({ status: 400, code: "invalid_request" });
    const stranger = new OpenAI({ baseURL, apiKey: "sb_guessed", maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  }, 120_000);

  it("is let go when it goes away in the middle", async () => {
    const stream = await client.chat.completions.create({ model: "library", messages: [{ role: "user", content: CARD }], stream: true });
    for await (const _ of stream) break;
    expect((await ask(CARD)).choices).toHaveLength(1);
  }, 120_000);
});
