import { describe, expect, it, onTestFinished } from "vitest";
import { failureOf } from "../../testing/failure-of.ts";
import { type ChatReply, startFakeEndpoint } from "../../testing/fake-endpoint.ts";
import cases from "./endpoint-examples.cases.json" with { type: "json" };
import { createChatModel } from "./openai-compatible.ts";

/**
 * Streams and errors as the documentation of each server shows them. `usage` is the number of tokens of prompt and reply.
 * `tooLong` is the reply to a prompt that exceeds the context. `advises` is true if that error has a code, so that our
 * message says which setting to change.
 */
const EXAMPLES = Object.entries(cases);
type Example = (typeof EXAMPLES)[number][1];

async function start({ model, apiKey }: Pick<Example, "model" | "apiKey">, reply: ChatReply) {
  const endpoint = await startFakeEndpoint({ chat: [reply] });
  onTestFinished(() => endpoint.close());
  const options = { baseUrl: endpoint.url, apiKey, timeoutMs: 10_000, retries: 0, backoffMs: 1, replyTokens: 50 };
  const form = { name: "answer", schema: { type: "object" } };
  const events = () =>
    Array.fromAsync(
      createChatModel(model, options).stream({ system: "S", user: "Q" }, { temperature: 0, signal: new AbortController().signal, form }),
    );
  return { endpoint, events };
}

describe.each(EXAMPLES)("%s", (_name, example) => {
  it("is called in its own format, and its stream is parsed", async () => {
    const bytes = `${example.chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("")}data: [DONE]\n\n`;
    const { endpoint, events } = await start(example, { type: "bytes", bytes });
    const [inputTokens, outputTokens] = example.usage;
    expect(await events()).toEqual([
      { type: "text", text: "Ten" },
      { type: "text", text: " percent." },
      { type: "end", inputTokens, outputTokens },
    ]);
    const [request] = endpoint.requests;
    expect(request?.path).toBe("/v1/chat/completions");
    expect(request?.headers.authorization).toBe(example.apiKey === "" ? undefined : `Bearer ${example.apiKey}`);
    expect(request?.body).toMatchObject({ model: example.model, stream: true, max_tokens: 50, response_format: { type: "json_schema" } });
  });

  it("explains a prompt that exceeds the context", async () => {
    const { status, body } = example.tooLong;
    const { events } = await start(example, { type: "status", status, body: JSON.stringify(body) });
    const error = await failureOf(events());
    expect(error).toMatchObject({ code: "model_failed", message: expect.stringMatching(/HTTP 400: .*context/) });
    expect(error?.message.includes("Set model.prompt_tokens")).toBe(example.advises);
  });
});

describe("an endpoint that refuses a request", () => {
  it("leads to a message with the key setting, or the time to wait", async () => {
    const wrong = await start({ model: "m", apiKey: "sk-wrong" }, { type: "status", status: 401 });
    await expect(wrong.events()).rejects.toThrow("HTTP 401: scripted 401. Check the API key");
    const busy = await start({ model: "m", apiKey: "" }, { type: "status", status: 429, headers: { "retry-after": "3600" } });
    await expect(busy.events()).rejects.toThrow("HTTP 429: scripted 429 (retry after: 3600)");
  });
});
