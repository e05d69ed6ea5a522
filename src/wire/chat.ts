import { z } from "zod";
import { askResponseSchema } from "./answer.ts";

/** The OpenAI-compatible door: https://platform.openai.com/docs/api-reference/chat. What is not named here may be sent and has no effect. */

const textPart = z.object({ type: z.literal("text"), text: z.string() });
const content = z.union([z.string(), z.array(textPart, { error: 'only parts of the type "text" are read' })]);

const messageSchema = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool", "function"]),
  content: content.nullish(),
});

export const chatRequestSchema = z
  .looseObject({
    model: z.string().min(1).max(100).describe("Name of a domain; `GET /v1/models` lists them."),
    messages: z
      .array(messageSchema)
      .min(1)
      .max(500)
      .describe("The last message of the user is the question; earlier ones help to understand it and are never a source."),
    stream: z.boolean().nullish(),
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
    n: z.literal(1, { error: "one answer is given: leave it out" }).nullish(),
    user: z.string().max(200).nullish().describe("Whose question it is; only a keyed hash of it is stored."),
    tenant: z.string().min(1).optional().describe("Party inside the domain; an extension."),
    profile: z.string().min(1).optional().describe("An extension."),
  })
  .describe("POST /v1/chat/completions; other fields of OpenAI's API are taken and have no effect");
export type ChatRequest = z.output<typeof chatRequestSchema>;

const usageSchema = z.object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() });
export type ChatUsage = z.infer<typeof usageSchema>;

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
        content: z.string().describe("Sentences with `[n]`, then the sources that they cite; a refusal says so."),
        refusal: z.null(),
      }),
      logprobs: z.null(),
      finish_reason: z.literal("stop"),
    }),
  ),
  usage: usageSchema.describe("Of models; 0 where none was called or an endpoint did not count."),
  sourcebound: askResponseSchema.describe("The whole answer; an extension."),
});

const modelSchema = z.object({ id: z.string(), object: z.literal("model"), created: z.int(), owned_by: z.literal("sourcebound") });
export const modelListSchema = z.object({ object: z.literal("list"), data: z.array(modelSchema) });
export { modelSchema };

export function textOf(message: ChatRequest["messages"][number]): string {
  const { content: given } = message;
  if (typeof given === "string") return given;
  return (given ?? []).map(({ text }) => text).join("\n");
}
