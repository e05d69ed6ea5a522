import { z } from "zod";
import { UNANSWERABLE_KINDS } from "./golden.ts";

const nullableBoolean = z.boolean().nullable();

/** One judged question as it stands in a report, and as a baseline is read from one. */
export const goldenItemSchema = z.object({
  domain: z.string(),
  id: z.string(),
  question: z.string(),
  kind: z.enum(["answerable", ...UNANSWERABLE_KINDS]),
  needs: z.string(),
  /** Questions about one page are not independent of each other. */
  cluster: z.string(),
  shown: z.boolean(),
  right: z.boolean(),
  first: nullableBoolean,
  page: nullableBoolean,
  quoted: z.boolean(),
  lacks: z.array(z.string()),
  holds: z.array(z.string()),
  confidence: z.number().nullable(),
  words: z.int(),
  /** Why nothing was shown; `null`: something was. */
  refusal: z.string().nullable(),
  sentences: z.array(z.object({ text: z.string(), citations: z.array(z.int()) })),
  citations: z.array(
    z.object({ n: z.int(), path: z.string(), start: z.int(), end: z.int(), title: z.string(), heading: z.string(), quote: z.string() }),
  ),
});

export type GoldenItem = z.infer<typeof goldenItemSchema>;
