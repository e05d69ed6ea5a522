import { z } from "zod";
import { warningSchema } from "./answer.ts";

/** What every failed request answers: a problem (RFC 9457) whose `error` says the same to programs, and is the data of the `error` event. */
export const errorResponseSchema = z.object({
  type: z.string().describe("`urn:sourcebound:problem:CODE`"),
  title: z.string().describe("The code in words."),
  status: z.int(),
  detail: z.string().describe("What failed, and what to do."),
  request_id: z.string().describe("Also the header `X-Request-Id`; the server's log names it."),
  error: z.object({
    code: z.string(),
    message: z.string(),
    data: z.record(z.string(), z.unknown()).optional(),
    warnings: z
      .array(warningSchema)
      .optional()
      .describe("To be shown before the error: the hotlines that the message calls for; absent when there are none."),
  }),
});

export type WireError = z.infer<typeof errorResponseSchema>;
