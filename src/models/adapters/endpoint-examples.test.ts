import { afterEach, describe, expect, it } from "vitest";
import type { ModelError } from "../../shared/errors.ts";
import { type ChatReply, type FakeEndpoint, startFakeEndpoint } from "../../testing/fake-endpoint.ts";
import { createChatModel } from "./openai-compatible.ts";

/** Streams and errors as the documentation of each server shows them. */
interface Example {
  readonly model: string;
  readonly apiKey: string;
  readonly chunks: readonly object[];
  readonly usage: readonly [input: number, output: number];
  /** Reply to a prompt that exceeds the context. */
  readonly tooLong: { readonly status: number; readonly body: object };
  /** Whether the error has a code for it, so that the message says what to set. */
  readonly advises: boolean;
}
const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) => ({
  ...{ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1764400000, model: "m" },
  choices: [{ index: 0, delta, finish_reason, ...more }],
});
const usageOf = (prompt_tokens: number, completion_tokens: number, more: object = {}) => ({
  ...{ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1764400000, model: "m", choices: [] },
  usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens, ...more },
});
const SAFE = { hate: { filtered: false, severity: "safe" }, violence: { filtered: false, severity: "safe" } };

const EXAMPLES: Readonly<Record<string, Example>> = {
  Ollama: {
    model: "llama3.2",
    apiKey: "",
    chunks: [
      { ...chunk({ role: "assistant", content: "Ten" }), system_fingerprint: "fp_ollama" },
      { ...chunk({ role: "assistant", content: " percent." }), system_fingerprint: "fp_ollama" },
      { ...chunk({ role: "assistant", content: "" }, "stop"), system_fingerprint: "fp_ollama" },
      usageOf(26, 4),
    ],
    usage: [26, 4],
    tooLong: {
      status: 400,
      body: {
        error: {
          message: "prompt too long; exceeded max context length by 9 tokens",
          type: "invalid_request_error",
          param: null,
          code: null,
        },
      },
    },
    advises: false,
  },
  "the server of llama.cpp": {
    model: "any",
    apiKey: "",
    chunks: [
      chunk({ role: "assistant", content: null }),
      chunk({ content: "Ten" }),
      chunk({ content: " percent." }),
      chunk({}, "stop"),
      { ...usageOf(31, 5), timings: { prompt_n: 31, prompt_ms: 80.1, predicted_n: 5, predicted_ms: 60.2 } },
    ],
    usage: [31, 5],
    tooLong: {
      status: 400,
      body: {
        error: {
          code: 400,
          message: "the request exceeds the available context size, try increasing it",
          type: "exceed_context_size_error",
          n_prompt_tokens: 5000,
          n_ctx: 4096,
        },
      },
    },
    advises: true,
  },
  vLLM: {
    model: "NousResearch/Meta-Llama-3-8B-Instruct",
    apiKey: "token-abc123",
    chunks: [
      chunk({ role: "assistant", content: "" }, null, { logprobs: null }),
      chunk({ content: "Ten" }, null, { logprobs: null }),
      chunk({ content: " percent." }, "stop", { logprobs: null, stop_reason: null }),
      usageOf(28, 4),
    ],
    usage: [28, 4],
    tooLong: {
      status: 400,
      body: {
        object: "error",
        message: "This model's maximum context length is 2048 tokens.",
        type: "BadRequestError",
        param: null,
        code: 400,
      },
    },
    advises: false,
  },
  OpenAI: {
    model: "gpt-4.1-mini",
    apiKey: "sk-example",
    chunks: [
      { ...chunk({ role: "assistant", content: "", refusal: null }, null, { logprobs: null }), service_tier: "default", usage: null },
      { ...chunk({ content: "Ten" }, null, { logprobs: null }), usage: null },
      { ...chunk({ content: " percent." }, null, { logprobs: null }), usage: null },
      { ...chunk({}, "stop", { logprobs: null }), usage: null },
      usageOf(24, 3, { prompt_tokens_details: { cached_tokens: 0 }, completion_tokens_details: { reasoning_tokens: 0 } }),
    ],
    usage: [24, 3],
    tooLong: {
      status: 400,
      body: {
        error: {
          message: "This model's maximum context length is 128000 tokens.",
          type: "invalid_request_error",
          param: "messages",
          code: "context_length_exceeded",
        },
      },
    },
    advises: true,
  },
  Azure: {
    model: "my-deployment",
    apiKey: "0123456789abcdef",
    chunks: [
      {
        id: "",
        object: "",
        created: 0,
        model: "",
        choices: [],
        prompt_filter_results: [{ prompt_index: 0, content_filter_results: SAFE }],
      },
      chunk({ role: "assistant", content: "", refusal: null }, null, { content_filter_results: {}, logprobs: null }),
      chunk({ content: "Ten" }, null, { content_filter_results: SAFE }),
      chunk({ content: " percent." }, null, { content_filter_results: SAFE }),
      chunk({}, "stop", { content_filter_results: {} }),
      usageOf(24, 3),
    ],
    usage: [24, 3],
    tooLong: {
      status: 400,
      body: {
        error: {
          message: "This model's maximum context length is 8192 tokens.",
          type: "invalid_request_error",
          param: "messages",
          code: "context_length_exceeded",
        },
      },
    },
    advises: true,
  },
};

const open: FakeEndpoint[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((endpoint) => endpoint.close()));
});

async function start({ model, apiKey }: Pick<Example, "model" | "apiKey">, reply: ChatReply) {
  const endpoint = await startFakeEndpoint({ chat: [reply] });
  open.push(endpoint);
  const options = { baseUrl: endpoint.url, apiKey, timeoutMs: 10_000, retries: 0, backoffMs: 1, replyTokens: 50 };
  const form = { name: "answer", schema: { type: "object" } };
  const events = () =>
    Array.fromAsync(
      createChatModel(model, options).stream({ system: "S", user: "Q" }, { temperature: 0, signal: new AbortController().signal, form }),
    );
  return { endpoint, events };
}

describe.each(Object.entries(EXAMPLES))("%s", (_name, example) => {
  it("is asked in its own form, and its stream is read", async () => {
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

  it("says what is wrong when the prompt exceeds the context", async () => {
    const { status, body } = example.tooLong;
    const { events } = await start(example, { type: "status", status, body: JSON.stringify(body) });
    const error = await events().then(
      () => null,
      (thrown: unknown) => thrown as ModelError,
    );
    expect(error).toMatchObject({ code: "model_failed", message: expect.stringMatching(/HTTP 400: .*context/) });
    expect(error?.message.includes("Set model.prompt_tokens")).toBe(example.advises);
  });
});

describe("an endpoint that refuses", () => {
  it("names the key, or the time to wait", async () => {
    const wrong = await start({ model: "m", apiKey: "sk-wrong" }, { type: "status", status: 401 });
    await expect(wrong.events()).rejects.toThrow("HTTP 401: scripted 401. Check the API key");
    const busy = await start({ model: "m", apiKey: "" }, { type: "status", status: 429, headers: { "retry-after": "3600" } });
    await expect(busy.events()).rejects.toThrow("HTTP 429: scripted 429 (retry after: 3600)");
  });
});
