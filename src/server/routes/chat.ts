import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Engine } from "../../engine/engine.ts";
import { RequestError, withWarnings } from "../../shared/errors.ts";
import type { AnswerEvent } from "../../shared/events.ts";
import type { Answer, Turn } from "../../shared/types.ts";
import * as wire from "../../wire/index.ts";
import type { Line } from "../../writing/lines.ts";
import { citedLine, doubtText, nextLine, renderRefusalPlain, sourceLines } from "../../writing/render.ts";
import { narrow } from "../access/caller.ts";
import { type Call, endpoint, type Services } from "../endpoint.ts";
import { answeredOrGone, encodeData, streamAnswer } from "./ask.ts";
import { listReachable } from "./library.ts";

/** Schemas of OpenAI's chat API: https://platform.openai.com/docs/api-reference/chat. Fields not listed here are accepted and ignored. */

const textPart = z.object({ type: z.literal("text"), text: z.string() });
const content = z.union([z.string(), z.array(textPart, { error: 'only parts of type "text" are supported' })]);

export const roleSchema = z.enum(["system", "developer", "user", "assistant", "tool", "function"]);
const messageSchema = z.looseObject({
  role: roleSchema,
  content: content.nullish(),
});

export const chatRequestSchema = z
  .looseObject({
    model: z.string().min(1).max(100).describe("Name of a domain; `GET /v1/models` lists them."),
    messages: z
      .array(messageSchema)
      .min(1)
      .max(500)
      .describe("The last user message is the question; earlier messages help to interpret it."),
    stream: z.boolean().nullish(),
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
    n: z.literal(1, { error: "only one answer is supported: omit it" }).nullish(),
    user: z.string().max(200).nullish().describe("User who asks; only a keyed hash is stored."),
    tenant: z.string().min(1).optional().describe("Tenant within the domain; an extension."),
    profile: z.string().min(1).optional().describe("Profile that answers; an extension."),
  })
  .describe("POST /v1/chat/completions; other fields of OpenAI's API are accepted but ignored");

const usageSchema = z.object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() });

export const chatResponseSchema = z.object({
  id: z.string(),
  object: z.literal("chat.completion"),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.object({
      index: z.literal(0),
      message: z.object({
        role: z.literal("assistant"),
        content: z.string().describe("Sentences with `[n]`, followed by the cited sources; or the refusal."),
        refusal: z.null(),
      }),
      logprobs: z.null(),
      finish_reason: z.literal("stop"),
    }),
  ),
  usage: usageSchema.describe("Model tokens; 0 if no model was called or an endpoint did not report them."),
  sourcebound: wire.askResponseSchema.describe("The whole answer; an extension."),
});

const modelSchema = z.object({ id: z.string(), object: z.literal("model"), created: z.int(), owned_by: z.literal("sourcebound") });
const modelListSchema = z.object({ object: z.literal("list"), data: z.array(modelSchema) });

/** Maximum characters of an earlier message. Earlier messages only help to understand the question. */
const TURN_CHARACTERS = 4_000;

/** OpenAI-compatible endpoints. The `model` of a request names a domain. */
export const chatEndpoints = {
  chat: endpoint({
    ...{ method: "POST", path: "/v1/chat/completions", opens: "ask" },
    what: "OpenAI-compatible chat completions: a domain is a model, and the last user message is the question; with `stream`, in chunks.",
    body: { schema: chatRequestSchema, long: true },
    gives: { status: 200, schema: chatResponseSchema, events: true },
    handle: async (call, services) => {
      const { context, body: request, signal } = call;
      const { question, ask } = await askModel(call, request, request.messages, services);
      const head = { id: `chatcmpl-${randomUUID()}`, created: seconds(new Date()), model: request.model };
      if (request.stream !== true)
        return answeredOrGone(signal, async () => context.json(await completion(head, { question, events: ask(signal) })));
      const withUsage = request.stream_options?.include_usage === true;
      const encode = (events: AsyncIterable<AnswerEvent>) => chunks(head, { question, events }, withUsage);
      const encodeError = (error: object) => encodeData({ error: { ...error, type: "server_error" } });
      return streamAnswer({ context, ask, encode, encodeError }, services);
    },
  }),
  models: endpoint({
    ...{ method: "GET", path: "/v1/models", opens: "ask", uncounted: true },
    what: "Domains that the caller may ask, in the format of OpenAI's model list.",
    gives: { status: 200, schema: modelListSchema },
    handle: async (call, services) => ({ object: "list", data: await models(call, services) }),
  }),
  model: endpoint({
    ...{ method: "GET", path: "/v1/models/{name}", opens: "ask", uncounted: true },
    what: "One domain, in the format of an OpenAI model.",
    gives: { status: 200, schema: modelSchema },
    handle: async (call, services) => {
      const found = (await models(call, services)).find(({ id }) => id === call.id);
      if (found === undefined) throw modelNotFound();
      return found;
    },
  }),
};

async function models({ caller }: Call, { engine, startedAt }: Services) {
  const created = seconds(startedAt);
  const { domains } = await listReachable(engine, caller);
  return domains.map(({ name }) => ({ id: name, object: "model", created, owned_by: "sourcebound" }));
}

function isServed(engine: Pick<Engine, "domain">, name: string): boolean {
  try {
    engine.domain(name);
    return true;
  } catch (error) {
    if (error instanceof RequestError) return false;
    throw error;
  }
}

/** Returns the error for a domain that is unknown or forbidden, with the code that OpenAI's API uses. */
function modelNotFound(): RequestError {
  return new RequestError("model_not_found", "Unknown model. GET /v1/models lists the models.");
}

/** A message in an OpenAI request. */
interface ChatMessage {
  readonly role: z.output<typeof roleSchema>;
  readonly content?: string | readonly { readonly text: string }[] | null | undefined;
}

function textOf({ content }: ChatMessage): string {
  return typeof content === "string" ? content : (content ?? []).map(({ text }) => text).join("\n");
}

/** Asks the domain whose name is `model`. @throws RequestError `model_not_found`, `question_missing` */
export async function askModel(
  { caller }: Pick<Call, "caller">,
  { model, tenant, profile, user = null }: Pick<z.output<typeof chatRequestSchema>, "model" | "tenant" | "profile" | "user">,
  said: readonly ChatMessage[],
  { engine }: Pick<Services, "engine">,
) {
  const { question, turns } = conversationOf(said);
  const isOpen = caller.domains === null || caller.domains.includes(model);
  if (!isOpen || !isServed(engine, model)) throw withWarnings(modelNotFound(), await engine.hotlines(question));
  const asked = { ...narrow(caller, { domain: model, tenant }), profile, userId: user, turns, detail: "normal" as const };
  return { question, ask: (signal: AbortSignal) => engine.ask(question, { ...asked, signal }) };
}

/** Returns the user's last message and the earlier turns. @throws RequestError `question_missing` */
function conversationOf(said: readonly ChatMessage[]): { question: string; turns: Turn[] } {
  const last = said.findLastIndex(({ role }) => role === "user");
  const asked = said[last];
  if (asked === undefined)
    throw new RequestError("question_missing", 'No message has the role "user". The last user message is the question.');
  const turns: { question: string; answer: string }[] = [];
  for (const message of said.slice(0, last)) {
    const text = textOf(message).slice(0, TURN_CHARACTERS);
    const open = turns.at(-1);
    if (message.role === "user") turns.push({ question: text, answer: "" });
    else if (message.role === "assistant" && open !== undefined) open.answer = open.answer === "" ? text : `${open.answer}\n${text}`;
  }
  return { question: textOf(asked), turns };
}

/** A question with the events of its answer. */
export interface Asked {
  readonly question: string;
  readonly events: AsyncIterable<AnswerEvent>;
}

type Head = Pick<z.output<typeof chatResponseSchema>, "id" | "created" | "model">;

async function completion(head: Head, asked: Asked) {
  const { text, answer } = await wholeOf(asked);
  const choices = [{ index: 0, message: { role: "assistant", content: text, refusal: null }, logprobs: null, finish_reason: "stop" }];
  return { ...head, object: "chat.completion", choices, usage: usageOf(answer), sourcebound: wire.answerToWire(answer) };
}

/** Returns the answer with its whole text. */
export async function wholeOf(asked: Asked): Promise<{ readonly text: string; readonly answer: Answer }> {
  let text = "";
  for await (const piece of piecesOf(asked)) {
    if (typeof piece !== "string") return { text, answer: piece };
    text += piece;
  }
  throw new Error("the engine ended without an answer");
}

/** Yields the chunks of a streamed answer. Returns whether the events included an answer. */
async function* chunks(head: Head, asked: Asked, withUsage: boolean): AsyncGenerator<string, boolean> {
  const frame = (delta: Record<string, unknown>, finish: "stop" | null, more: Record<string, unknown> = {}) =>
    encodeData({
      ...{ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] },
      ...(withUsage ? { usage: null } : {}),
      ...more,
    });
  yield frame({ role: "assistant", content: "" }, null);
  for await (const piece of piecesOf(asked)) {
    if (typeof piece === "string") yield frame({ content: piece }, null);
    else {
      yield frame({}, "stop", { sourcebound: wire.answerToWire(piece) });
      if (withUsage) yield encodeData({ ...head, object: "chat.completion.chunk", choices: [], usage: usageOf(piece) });
      yield "data: [DONE]\n\n";
      return true;
    }
  }
  return false;
}

/**
 * Yields the text of an answer in parts (warnings, sentences with `[n]`, a refusal, the cited sources), and the answer
 * itself at the end.
 */
export async function* piecesOf({ question, events }: Asked): AsyncGenerator<string | Answer, void> {
  let begun = false;
  const piece = (text: string, between: string) => {
    const whole = begun ? `${between}${text}` : text;
    begun = true;
    return whole;
  };
  const said = new Set<string>();
  let above: Line | undefined;
  for await (const event of events) {
    if (event.type === "warning") {
      const { message, sentence } = event.warning;
      said.add(message);
      yield sentence === undefined ? piece(message, "\n\n") : piece(`(${doubtText(event.warning)})`, "\n");
    } else if (event.type === "sentence") {
      const { sentence, citations, index } = event;
      above = nextLine(question, sentence, citations, above);
      yield piece(citedLine(above), index === 0 ? "\n\n" : "\n");
    } else if (event.type === "answer") {
      for (const { message } of event.answer.warnings) if (!said.has(message)) yield piece(message, "\n\n");
      if (event.answer.refusal !== null) yield piece(renderRefusalPlain(event.answer.refusal), "\n\n");
      const sources = sourceLines(event.answer.citations);
      if (sources.length > 0) yield piece(`Sources:\n${sources.join("\n")}`, "\n\n");
      yield event.answer;
      return;
    }
  }
}

export function usageOf({ calls }: Answer): z.infer<typeof usageSchema> {
  const sum = (of: (call: Answer["calls"][number]) => number | null) => calls.reduce((total, call) => total + (of(call) ?? 0), 0);
  const prompt_tokens = sum(({ inputTokens }) => inputTokens);
  const completion_tokens = sum(({ outputTokens }) => outputTokens);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

export function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
