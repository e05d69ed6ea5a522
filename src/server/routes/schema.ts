import type { Context } from "hono";
import { z } from "zod";
import {
  askRequestSchema,
  askResponseSchema,
  citationSchema,
  errorResponseSchema,
  refreshRequestSchema,
  refreshResponseSchema,
  warningSchema,
} from "../../wire/index.ts";
import { feedbackRequestSchema } from "../../wire/memory.ts";

/** `GET /v1/schema`: JSON Schema of the request, the response, the error and the data of each event. */
export function schema(context: Context): Response {
  const answer = z.toJSONSchema(askResponseSchema);
  const error = z.toJSONSchema(errorResponseSchema);
  return context.json({
    request: z.toJSONSchema(askRequestSchema, { io: "input" }),
    response: answer,
    feedback: z.toJSONSchema(feedbackRequestSchema, { io: "input" }),
    error,
    refresh: { request: z.toJSONSchema(refreshRequestSchema, { io: "input" }), response: z.toJSONSchema(refreshResponseSchema) },
    events: {
      stage: z.toJSONSchema(stageEventSchema),
      notice: z.toJSONSchema(noticeEventSchema),
      warning: z.toJSONSchema(warningSchema),
      sentence: z.toJSONSchema(sentenceEventSchema),
      answer,
      error: z.toJSONSchema(errorResponseSchema.shape.error),
    },
  });
}

const stageEventSchema = z.object({
  stage: z.string(),
  phase: z.enum(["start", "end"]),
  ms: z.number().optional(),
  facts: z.record(z.string(), z.unknown()).optional(),
});

const noticeEventSchema = z.object({ stage: z.string(), code: z.string(), message: z.string() });

const sentenceEventSchema = z.object({ index: z.int(), text: z.string(), citations: z.array(citationSchema) });
