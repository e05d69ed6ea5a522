import { z } from "zod";
import type { AnswerEvent } from "../shared/events.ts";
import { citationSchema, warningSchema } from "../shared/types/answer.ts";
import type { Line } from "../writing/lines.ts";
import { askResponseSchema, displaySchema } from "./answer.ts";
import { answerToWire, citationToWire, warningToWire } from "./answer-to-wire.ts";

/** Body of every failed request: a problem (RFC 9457). Its `error` is also the data of the `error` event. */
export const errorResponseSchema = z.object({
  type: z.string().describe("`urn:sourcebound:problem:CODE`"),
  title: z.string().describe("Readable form of the code."),
  status: z.int(),
  detail: z.string().describe("What failed and what to do."),
  request_id: z.string().describe("Also in the header `X-Request-Id` and in the server log."),
  error: z.object({
    code: z.string(),
    message: z.string(),
    data: z.record(z.string(), z.unknown()).optional(),
    warnings: z.array(warningSchema).optional().describe("Show these before the error: hotlines; absent if there are none."),
  }),
});

export type WireError = z.infer<typeof errorResponseSchema>;

/** Data of each Server-Sent Event: `event: NAME`, `data: JSON`. */
export const eventSchemas = {
  stage: z.object({
    stage: z.string(),
    phase: z.enum(["start", "end"]),
    ms: z.number().optional(),
    facts: z.record(z.string(), z.unknown()).optional(),
  }),
  notice: z.object({ stage: z.string(), code: z.string(), message: z.string() }),
  warning: warningSchema,
  sentence: z.object({ index: z.int(), text: z.string(), citations: z.array(citationSchema), ...displaySchema }),
  answer: askResponseSchema,
  error: errorResponseSchema.shape.error,
};
type EventSchemas = typeof eventSchemas;
export type WireEvent = {
  readonly [Name in keyof EventSchemas]: { readonly event: Name; readonly data: z.infer<EventSchemas[Name]> };
}[keyof EventSchemas];

/** Converts an event to its wire format. */
export function eventToWire(event: AnswerEvent): WireEvent {
  switch (event.type) {
    case "notice":
      return { event: "notice", data: { stage: event.stage, code: event.code, message: event.message } };
    case "warning":
      return { event: "warning", data: warningToWire(event.warning) };
    case "sentence":
      return sentenceToWire(event, null);
    case "answer":
      return { event: "answer", data: answerToWire(event.answer) };
    default: {
      const at = event.type.lastIndexOf("-");
      const data = { stage: event.type.slice(0, at), phase: event.type.endsWith("-start") ? ("start" as const) : ("end" as const) };
      return { event: "stage", data: "ms" in event ? { ...data, ms: event.ms, facts: { ...event.facts } } : data };
    }
  }
}

/** Converts a sentence to its wire format. @param line how it is displayed; `null`: without a label */
export function sentenceToWire(
  { index, sentence: { text }, citations }: AnswerEvent & { readonly type: "sentence" },
  line: Pick<Line, "label" | "askedCell"> | null,
): WireEvent {
  const shown = { label: line?.label ?? undefined, asked_cell: line?.askedCell ?? undefined };
  return { event: "sentence", data: { index, text, citations: citations.map(citationToWire), ...shown } };
}
