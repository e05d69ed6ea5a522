import { describe, expect, it } from "vitest";
import { chatResponseSchema } from "../src/server/routes/chat.ts";
import { keyedAppForAll } from "./support/keyed-app.ts";
import { CARD, UNANSWERABLE } from "./support/library.ts";

const keyed = keyedAppForAll("clients");

const headers = () => ({ authorization: `Bearer ${keyed.key}`, "content-type": "application/json" });
const post = (body: unknown, more: Record<string, string> = {}) =>
  keyed.app.request("/v1/chat/completions", { method: "POST", headers: { ...headers(), ...more }, body: JSON.stringify(body) });

/** Open WebUI asks for the title of a chat with a prompt like this. */
const TITLE_TASK = `### Task:\nGenerate a title of 3-5 words.\n### Guidelines:\n${"- Write the title in the chat's language.\n".repeat(12)}`;

interface Chunk {
  readonly object: string;
  readonly choices: readonly {
    readonly delta: { readonly role?: string; readonly content?: string };
    readonly finish_reason: string | null;
  }[];
  readonly usage?: Record<string, number> | null;
}

/** Parses a stream as both clients do: lines with the prefix `data: `, until `[DONE]`. */
async function chunksOf(response: Response): Promise<Chunk[]> {
  const data = (await response.text()).split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
  expect(data.at(-1)).toBe("[DONE]");
  return data.slice(0, -1).map((one) => JSON.parse(one) as Chunk);
}
const textOf = (chunks: readonly Chunk[]) => chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");

/** Open WebUI verifies a connection by `/models`, then streams chats (https://docs.openwebui.com, "Starting with OpenAI-compatible"). */
describe("Open WebUI's way", () => {
  it("verifies a connection by listing models with a bearer token, and rejects a wrong token", async () => {
    const listed = await keyed.app.request("/v1/models", { headers: headers() });
    expect(listed.status).toBe(200);
    expect(await listed.json()).toMatchObject({ object: "list", data: [{ id: "library", object: "model" }] });
    expect(await (await keyed.app.request("/v1/models/library", { headers: headers() })).json()).toMatchObject({
      id: "library",
      object: "model",
    });
    const missing = await keyed.app.request("/v1/models/nowhere", { headers: headers() });
    expect([missing.status, await missing.json()]).toMatchObject([404, { error: { code: "model_not_found" } }]);
    const wrong = await keyed.app.request("/v1/models", { headers: { authorization: "Bearer none" } });
    expect([401, 403]).toContain(wrong.status);
  });

  it("streams a chat with a system prompt and its own parameters", async () => {
    const response = await post({
      stream: true,
      model: "library",
      messages: [
        { role: "system", content: "User Context:\n\nYou are a helpful assistant." },
        { role: "user", content: CARD },
      ],
      ...{ temperature: 0.7, top_p: 0.9, max_tokens: 512, stop: ["</s>"], frequency_penalty: 0, seed: 7 },
      stream_options: { include_usage: true },
    });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const chunks = await chunksOf(response);
    expect(chunks[0]?.choices[0]?.delta.role).toBe("assistant");
    expect(textOf(chunks)).toMatch(/5 dollars/);
    expect(chunks.some(({ choices }) => choices[0]?.finish_reason === "stop")).toBe(true);
    expect(chunks.at(-1)?.usage).toMatchObject({ total_tokens: 0 });
  });
});

/** LangChain's `ChatOpenAI` with `configuration.baseURL` (https://docs.langchain.com/oss/javascript/integrations/chat/openai.md). */
describe("LangChain's way", () => {
  const stainless = { "x-stainless-lang": "js", "user-agent": "langchainjs-openai/1.0.0" };

  it("accepts messages as text blocks, and returns id, content and usage", async () => {
    const response = await post(
      {
        model: "library",
        ...{ temperature: 0, n: 1, stream: false, top_p: 1, presence_penalty: 0, frequency_penalty: 0 },
        messages: [
          { role: "system", content: "Answer from the documents." },
          { role: "user", content: [{ type: "text", text: CARD }] },
        ],
      },
      stainless,
    );
    const body = (await response.json()) as { choices: { message: { role: string; content: string }; finish_reason: string }[] };
    expect(body).toMatchObject({ object: "chat.completion", usage: { prompt_tokens: 0, completion_tokens: 0 } });
    expect(body.choices[0]).toMatchObject({ message: { role: "assistant" }, finish_reason: "stop" });
    expect(body.choices[0]?.message.content).toMatch(/5 dollars.*\[1\]/);
  });

  it("uses neither earlier replies nor tool results as sources, and calls no tool", async () => {
    const tools = [{ type: "function", function: { name: "get_weather", parameters: { type: "object", properties: {} } } }];
    const response = await post({
      ...{ model: "library", tools, tool_choice: "auto" },
      messages: [
        { role: "user", content: CARD },
        { role: "assistant", content: "A library card costs 90 dollars." },
        { role: "tool", tool_call_id: "call_1", content: "card: 90 dollars" },
        { role: "user", content: CARD },
      ],
    });
    const { choices } = (await response.json()) as { choices: { finish_reason: string; message: { content: string } }[] };
    expect(choices[0]).toMatchObject({ finish_reason: "stop", message: { content: expect.stringMatching(/5 dollars/) } });
    expect(choices[0]?.message.content).not.toContain("90");
  });
});

/** The OpenAI SDK distinguishes errors by status and `error.code` (https://github.com/openai/openai-node). */
describe("the OpenAI SDK's way", () => {
  it("receives an answer as text and as an extension, streamed too, and a refusal as text", async () => {
    const asked = { model: "library", messages: [{ role: "user", content: CARD }] };
    const answer = chatResponseSchema.parse(await (await post(asked)).json());
    expect(textOf(await chunksOf(await post({ ...asked, stream: true })))).toBe(answer.choices[0]?.message.content);
    const [citation] = answer.sourcebound.citations;
    expect(answer.choices[0]?.message.content).toContain(`[1] ${citation?.title}`);
    expect(answer.choices[0]?.message.content).toContain(citation?.quote);
    const refused = await post({ model: "library", messages: [{ role: "user", content: UNANSWERABLE }] });
    const { sourcebound, choices } = chatResponseSchema.parse(await refused.json());
    expect(sourcebound.status).toBe("insufficient_context");
    const { message, note, nearest } = sourcebound.refusal ?? { message: "nothing", note: "nothing", nearest: [] };
    expect(nearest.length).toBeGreaterThan(0);
    for (const part of [message, note, ...nearest.flatMap(({ title, quote }) => [title, quote ?? ""])])
      expect(choices[0]?.message.content).toContain(part);
  });

  it("accepts a question, a conversation and a stream through the Responses API", async () => {
    const respond = (body: object) =>
      keyed.app.request("/v1/responses", { method: "POST", headers: headers(), body: JSON.stringify({ model: "library", ...body }) });
    const whole = (await (await respond({ input: CARD, temperature: 0 })).json()) as {
      status: string;
      output: { content: { text: string }[] }[];
      sourcebound: { answer_plain: string };
    };
    const text = whole.output[0]?.content[0]?.text ?? "";
    expect([whole.status, text.startsWith(whole.sourcebound.answer_plain)]).toEqual(["completed", true]);
    const input = [
      { role: "developer", content: "Answer briefly." },
      { role: "user", content: [{ type: "input_text", text: "Hello" }] },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello!" }] },
      { role: "user", content: [{ type: "input_text", text: CARD }] },
    ];
    const streamed = await (await respond({ input, stream: true })).text();
    const events = streamed.split("\n\n").flatMap((frame) => /^event: \S+\ndata: (.*)$/.exec(frame)?.[1] ?? []);
    const parsed = events.map((event) => JSON.parse(event) as { type: string; delta?: string; sequence_number: number });
    expect(parsed.map(({ sequence_number: n }) => n)).toEqual(parsed.map((_, i) => i));
    expect([parsed[0]?.type, parsed.at(-1)?.type]).toEqual(["response.created", "response.completed"]);
    expect(parsed.map(({ delta = "" }) => delta).join("")).toMatch(/5 dollars.*\[1\]/);
    expect((await respond({ input: CARD, model: "gpt-4o" })).status).toBe(404);
  });

  it.each([
    ["another domain", { model: "veterans" }, 404, "model_not_found"],
    ["a domain that does not exist", { model: "gpt-4o" }, 404, "model_not_found"],
    ["an empty question", { messages: [{ role: "user", content: " " }] }, 400, "question_empty"],
    ["several answers at once", { n: 2 }, 400, "invalid_request"],
    ["a task of a client's own", { messages: [{ role: "user", content: TITLE_TASK }] }, 400, "question_too_long"],
    ["no message", { messages: [] }, 400, null],
    ["no question", { messages: [{ role: "system", content: "x" }] }, 400, "question_missing"],
    [
      "a picture",
      { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "https://x.example/a.png" } }] }] },
      400,
      "invalid_request",
    ],
  ])("is rejected for %s", async (_what, over, status, code) => {
    const response = await post({ model: "library", messages: [{ role: "user", content: CARD }], ...over });
    expect(response.status).toBe(status);
    const { error } = (await response.json()) as { error: { code: string } };
    if (code !== null) expect(error.code).toBe(code);
  });
});
