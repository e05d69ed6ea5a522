import { z } from "zod";

/** Kinds of faults in drafts; `none`: without a fault. */
export const FAULTS = ["number", "citation", "url", "entity", "negation", "unsupported", "none"] as const;
export type Fault = (typeof FAULTS)[number];

export const draftSchema = z.object({
  id: z.string(),
  question_id: z.string().default(""),
  source_pages: z.array(z.string()).min(1),
  draft: z.string(),
  fault: z.enum(FAULTS),
  faulty_span: z.tuple([z.int(), z.int()]).nullable().default(null),
  note: z.string().nullable().default(null),
});
export type Draft = z.infer<typeof draftSchema>;
