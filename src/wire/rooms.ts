import { z } from "zod";
import { askRequestSchema } from "./ask.ts";

/** What the page asks for beside answers, as it travels. */

const { domain, tenant } = askRequestSchema.shape;

export const documentQuerySchema = z.strictObject({
  domain,
  tenant,
  start: z.coerce.number().int().min(0).optional(),
  end: z.coerce.number().int().min(1).optional(),
  version: z.string().min(1).max(100).optional().describe("One that it had before, where its text is kept; today's when absent."),
});
