import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { hashedWords } from "./fake-encoder.ts";

export type EndpointReply =
  /** A complete response with this status and body. */
  | {
      readonly type: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Uint8Array;
    }
  /** Nothing is sent, and the connection stays open. */
  | { readonly type: "silence" };

export type ChatReply =
  | EndpointReply
  /** Texts as server-sent events, then the finish reason and the usage. `delayMs`: pause before each text in milliseconds. */
  | {
      readonly type: "stream";
      readonly pieces: readonly string[];
      readonly delayMs?: number;
      readonly finishReason?: string;
      readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
      /** True: nothing follows the texts, and the connection stays open. */
      readonly thenSilence?: boolean;
      /** True: an error event follows the texts. */
      readonly thenError?: boolean;
      /** @default "text/event-stream" */
      readonly contentType?: string;
    }
  /** Texts, then the end of the connection: after an event, inside an event, inside a character, or normally but without an end event. */
  | { readonly type: "cut"; readonly pieces: readonly string[]; readonly at: "event" | "inside-event" | "inside-character" | "clean" }
  /** An event stream of these bytes. */
  | { readonly type: "bytes"; readonly bytes: string | Uint8Array };

export type EmbeddingsReply =
  | EndpointReply
  /** Vectors of the texts, by default `hashedWords`. `order: "reversed"` returns them in reverse order. */
  | { readonly type: "vectors"; readonly vectorOf?: (text: string, index: number) => readonly number[]; readonly order?: "reversed" }
  /** One vector less than there are texts. */
  | { readonly type: "missing" };

export interface EndpointRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
  /** True if the client disconnected before the response was complete. */
  aborted: boolean;
}

/** A list of replies in order, whose last one repeats; or a function that returns the reply to each call. */
export type Script<Reply> = readonly Reply[] | ((request: EndpointRequest, call: number) => Reply | Promise<Reply>);

export interface FakeEndpointOptions {
  readonly chat?: Script<ChatReply>;
  readonly embeddings?: Script<EmbeddingsReply>;
}

export interface FakeEndpoint {
  /** Base URL, such as `http://127.0.0.1:40123/v1`. */
  readonly url: string;
  readonly requests: readonly EndpointRequest[];
  readonly chats: readonly EndpointRequest[];
  /** Replaces the replies. Calls are counted from 0 again. */
  script(options: FakeEndpointOptions): void;
  close(): Promise<void>;
}

/** Starts an HTTP server with OpenAI-compatible `/chat/completions` and `/embeddings`, on a free port. */
export async function startFakeEndpoint(options: FakeEndpointOptions = {}): Promise<FakeEndpoint> {
  const requests: EndpointRequest[] = [];
  let scripts = options;
  const counts = { chat: 0, embeddings: 0 };
  const server = createServer(async (incoming, response) => {
    const request = await readRequest(incoming);
    requests.push(request);
    response.on("close", () => {
      request.aborted = !response.writableFinished;
    });
    if (request.path === "/v1/chat/completions") {
      await replyToChat(response, await nextReply(scripts.chat ?? [{ type: "stream", pieces: ["Hello."] }], request, counts.chat++));
    } else if (request.path === "/v1/embeddings") {
      replyWithVectors(response, request, await nextReply(scripts.embeddings ?? [{ type: "vectors" }], request, counts.embeddings++));
    } else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    get chats() {
      return requests.filter(({ path }) => path.endsWith("/chat/completions"));
    },
    script(next) {
      scripts = next;
      counts.chat = 0;
      counts.embeddings = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function nextReply<Reply>(script: Script<Reply>, request: EndpointRequest, call: number): Reply | Promise<Reply> {
  if (typeof script === "function") return script(request, call);
  return script[Math.min(call, script.length - 1)] as Reply;
}

async function readRequest(incoming: IncomingMessage): Promise<EndpointRequest> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  const body = JSON.parse(Buffer.concat(parts).toString("utf8") || "{}") as Record<string, unknown>;
  return { path: incoming.url ?? "", headers: incoming.headers, body, aborted: false };
}

const EVENT_STREAM = "text/event-stream";

async function replyToChat(response: ServerResponse, reply: ChatReply): Promise<void> {
  if (reply.type === "silence") return;
  if (reply.type === "status") {
    replyWithStatus(response, reply);
    return;
  }
  response.writeHead(200, { "content-type": reply.type === "stream" ? (reply.contentType ?? EVENT_STREAM) : EVENT_STREAM });
  if (reply.type === "bytes") {
    response.end(reply.bytes);
    return;
  }
  const pieces = [...reply.pieces];
  if (reply.type === "cut") {
    for (const piece of pieces) response.write(textEvent(piece));
    await pause(5);
    if (reply.at === "clean") {
      response.end();
      return;
    }
    if (reply.at === "inside-event") response.write(textEvent("never seen").slice(0, 40));
    if (reply.at === "inside-character") response.write(Buffer.from(textEvent("§")).subarray(0, -20));
    await pause(5);
    response.destroy();
    return;
  }
  for (const piece of pieces) {
    if (reply.delayMs !== undefined) await pause(reply.delayMs);
    if (response.destroyed) return;
    response.write(textEvent(piece));
  }
  if (reply.thenSilence === true) return;
  if (reply.thenError === true) {
    response.end(`data: ${JSON.stringify({ error: { message: "the server had an error", type: "server_error", code: 500 } })}\n\n`);
    return;
  }
  response.write(event({ choices: [{ index: 0, delta: {}, finish_reason: reply.finishReason ?? "stop" }] }));
  const usage = reply.usage === undefined ? { prompt_tokens: 100, completion_tokens: 10 } : reply.usage;
  if (usage !== null) {
    response.write(event({ choices: [], usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens } }));
  }
  response.end("data: [DONE]\n\n");
}

function replyWithVectors(response: ServerResponse, { body }: EndpointRequest, reply: EmbeddingsReply): void {
  if (reply.type === "silence") return;
  if (reply.type === "status") {
    replyWithStatus(response, reply);
    return;
  }
  const texts = body.input as string[];
  const vectorOf = (reply.type === "vectors" ? reply.vectorOf : undefined) ?? ((text: string) => [...hashedWords(text)]);
  const data = texts.map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text, index) }));
  if (reply.type === "missing") data.pop();
  else if (reply.order === "reversed") data.reverse();
  const usage = { prompt_tokens: texts.length, total_tokens: texts.length };
  replyWithStatus(response, { type: "status", status: 200, body: JSON.stringify({ object: "list", data, usage }) });
}

function replyWithStatus(response: ServerResponse, { status, headers, body }: EndpointReply & { type: "status" }): void {
  const text = body ?? JSON.stringify({ error: { message: `scripted ${status}`, type: "scripted" } });
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
}

function textEvent(text: string): string {
  return event({ choices: [{ index: 0, delta: { content: text }, finish_reason: null }] });
}

function event(value: Record<string, unknown>): string {
  return `data: ${JSON.stringify({ id: "chat-1", object: "chat.completion.chunk", created: 1, model: "fake", ...value })}\n\n`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** Returns an event stream with these deltas and an end. */
export function deltaStream(deltas: readonly Readonly<Record<string, unknown>>[], finishReason = "stop"): ChatReply {
  const choices = deltas.map((delta) => event({ choices: [{ index: 0, delta, finish_reason: null }] }));
  const end = event({ choices: [{ index: 0, delta: {}, finish_reason: finishReason }] });
  return { type: "bytes", bytes: `${choices.join("")}${end}data: [DONE]\n\n` };
}

/** Faulty replies of a chat endpoint, by name. None of them contains a usable answer. */
export const brokenChatReplies: Readonly<Record<string, ChatReply>> = {
  "429 with retry-after": { type: "status", status: 429, headers: { "retry-after": "0" } },
  "500": { type: "status", status: 500 },
  "401": { type: "status", status: 401 },
  silence: { type: "silence" },
  "a slow drip": { type: "stream", pieces: Array.from("A drip that never ends [1]", (letter) => letter), delayMs: 1500 },
  "an error in HTML": {
    type: "status",
    status: 502,
    headers: { "content-type": "text/html" },
    body: "<html><script>alert(1)</script></html>",
  },
  "a page in HTML instead of a stream": {
    type: "status",
    status: 200,
    headers: { "content-type": "text/html" },
    body: "<html>Sign in</html>",
  },
  "an empty stream": { type: "bytes", bytes: "" },
  "an end without an answer": { type: "stream", pieces: [] },
  "a stream cut before the first word": { type: "cut", pieces: [], at: "event" },
  "a stream cut inside a sentence": { type: "cut", pieces: ["Tinnitus is ra"], at: "event" },
  "a stream cut inside an event": { type: "cut", pieces: ["Tinnitus is ra"], at: "inside-event" },
  "a stream cut inside a character": { type: "cut", pieces: ["See "], at: "inside-character" },
  "a stream closed inside a sentence": { type: "cut", pieces: ["Tinnitus is rated at 10 percent [1]"], at: "clean" },
  "an answer cut by its token limit": { type: "stream", pieces: ["Tinnitus is rated at 10"], finishReason: "length" },
  "garbage bytes": { type: "bytes", bytes: Uint8Array.from({ length: 4096 }, (_, i) => (i * 197 + 31) % 256) },
  "events that are no JSON": { type: "bytes", bytes: 'data: {"choices": [\n\ndata: nonsense\n\n' },
  "a tool call instead of text": deltaStream(
    [
      {
        tool_calls: [{ index: 0, id: "call-1", type: "function", function: { name: "answer", arguments: '{"text": "10 percent [1]."}' } }],
      },
    ],
    "tool_calls",
  ),
  "content that is null": deltaStream([{ role: "assistant", content: null }, { content: null }]),
  "content that is no text": deltaStream([{ content: { text: "Tinnitus is rated at 10 percent [1]." } }]),
  "an error inside the stream": { type: "bytes", bytes: `data: {"error":{"message":"overloaded","type":"server_error"}}\n\n` },
};

/** Faulty replies of an embeddings endpoint, by name. */
export const brokenEmbeddingsReplies: Readonly<Record<string, EmbeddingsReply>> = {
  "429 with retry-after": { type: "status", status: 429, headers: { "retry-after": "0" } },
  "500": { type: "status", status: 500 },
  "401": { type: "status", status: 401 },
  silence: { type: "silence" },
  "a vector too few": { type: "missing" },
  "vectors of different dimension": { type: "vectors", vectorOf: (_text, index) => Array.from({ length: 3 + index }, () => 1) },
  "empty vectors": { type: "vectors", vectorOf: () => [] },
  "a value that is no number": {
    type: "status",
    status: 200,
    body: `{"data":[{"index":0,"embedding":[null,1]},{"index":1,"embedding":[1,1]}]}`,
  },
  "a value beyond all numbers": {
    type: "status",
    status: 200,
    body: `{"data":[{"index":0,"embedding":[1e39,1]},{"index":1,"embedding":[1,1]}]}`,
  },
  "no JSON": { type: "status", status: 200, body: "<html>Sign in</html>" },
};
