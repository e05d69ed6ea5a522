import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { AnswerEvent } from "../../shared/events.ts";
import type { Answer } from "../../shared/types.ts";
import * as wire from "../../wire/index.ts";
import { endpoint } from "../endpoint.ts";
import { answeredOrGone, encodeEvent, streamAnswer } from "./ask.ts";
import { type Asked, askModel, chatRequestSchema, piecesOf, roleSchema, seconds, usageOf, wholeOf } from "./chat.ts";

/** Schemas of OpenAI's Responses API: https://platform.openai.com/docs/api-reference/responses. Other fields are accepted and ignored. */

const { model, stream, user, tenant, profile } = chatRequestSchema.shape;
const textPart = z.looseObject({
  type: z.enum(["input_text", "output_text"], { error: "only text parts are supported" }),
  text: z.string(),
});
const itemSchema = z.looseObject({
  type: z.literal("message").optional(),
  role: roleSchema,
  content: z.union([z.string(), z.array(textPart)]),
});
const responseRequestSchema = z
  .looseObject({
    ...{ model, stream, user, tenant, profile },
    input: z
      .union([z.string(), z.array(itemSchema).min(1).max(500)])
      .describe("The question, or messages: the last user message is the question; earlier messages help to interpret it."),
  })
  .describe("POST /v1/responses; other fields of OpenAI's API are accepted but ignored");

const outputPart = z.object({ type: z.literal("output_text"), text: z.string(), annotations: z.array(z.unknown()) });
const responseSchema = z.object({
  id: z.string(),
  object: z.literal("response"),
  created_at: z.int(),
  status: z.enum(["in_progress", "completed"]),
  model: z.string(),
  error: z.null(),
  incomplete_details: z.null(),
  output: z.array(
    z.object({
      id: z.string(),
      type: z.literal("message"),
      role: z.literal("assistant"),
      status: z.enum(["in_progress", "completed"]),
      content: z.array(outputPart).describe("Sentences with `[n]`, followed by the cited sources; or the refusal."),
    }),
  ),
  usage: z.object({ input_tokens: z.int(), output_tokens: z.int(), total_tokens: z.int() }).nullable(),
  sourcebound: wire.askResponseSchema.optional().describe("The whole answer; an extension."),
});
type WireResponse = z.output<typeof responseSchema>;

export const responseEndpoints = {
  responses: endpoint({
    ...{ method: "POST", path: "/v1/responses", opens: "ask" },
    what: "OpenAI-compatible responses: like chat completions, with `input` instead of messages; with `stream`, as events.",
    body: { schema: responseRequestSchema, long: true },
    gives: { status: 200, schema: responseSchema, events: true },
    handle: async (call, services) => {
      const { context, body: request, signal } = call;
      const messages = typeof request.input === "string" ? [{ role: "user" as const, content: request.input }] : request.input;
      const { question, ask } = await askModel(call, request, messages, services);
      const begun = begin(request.model);
      const encode = (events: AsyncIterable<AnswerEvent>) => framesOf(begun, { question, events });
      const encodeError = (error: object) => encodeEvent("error", { type: "error", param: null, ...error });
      if (request.stream === true) return streamAnswer({ context, ask, encode, encodeError }, services);
      return answeredOrGone(signal, async () => {
        const { text, answer } = await wholeOf({ question, events: ask(signal) });
        return context.json(completed(begun, text, answer));
      });
    },
  }),
};

function begin(name: string): WireResponse {
  return {
    ...{ id: `resp_${randomUUID()}`, object: "response", created_at: seconds(new Date()), status: "in_progress", model: name },
    ...{ error: null, incomplete_details: null, output: [], usage: null },
  };
}

function outputText(text: string): z.output<typeof outputPart> {
  return { type: "output_text", text, annotations: [] };
}

function completed(begun: WireResponse, text: string, answer: Answer, id = `msg_${randomUUID()}`): WireResponse {
  const { prompt_tokens: input_tokens, completion_tokens: output_tokens, total_tokens } = usageOf(answer);
  return {
    ...begun,
    status: "completed",
    output: [{ id, type: "message", role: "assistant", status: "completed", content: [outputText(text)] }],
    usage: { input_tokens, output_tokens, total_tokens },
    sourcebound: wire.answerToWire(answer),
  };
}

/** Yields the events of a streamed response. Returns whether there was an answer. */
async function* framesOf(begun: WireResponse, asked: Asked): AsyncGenerator<string, boolean> {
  let sequence = 0;
  const frame = (type: string, data: object) => encodeEvent(type, { type, sequence_number: sequence++, ...data });
  const id = `msg_${randomUUID()}`;
  const at = { item_id: id, output_index: 0, content_index: 0 };
  const item = { id, type: "message", role: "assistant", status: "in_progress", content: [] };
  yield frame("response.created", { response: begun });
  yield frame("response.output_item.added", { output_index: 0, item });
  yield frame("response.content_part.added", { ...at, part: outputText("") });
  let text = "";
  for await (const piece of piecesOf(asked)) {
    if (typeof piece === "string") {
      text += piece;
      yield frame("response.output_text.delta", { ...at, delta: piece });
      continue;
    }
    const response = completed(begun, text, piece, id);
    yield frame("response.output_text.done", { ...at, text });
    yield frame("response.content_part.done", { ...at, part: outputText(text) });
    yield frame("response.output_item.done", { output_index: 0, item: response.output[0] });
    yield frame("response.completed", { response });
    return true;
  }
  return false;
}
