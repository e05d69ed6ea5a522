import { z } from "zod";
import type { CitationStanding } from "../remember/citation-states.ts";
import { citationSchema } from "./answer.ts";
import { originalToWire } from "./answer-to-wire.ts";

const { title, url, quote, start, end, unit, document_id, document_version, heading_path, original } = citationSchema.shape;

/** `GET /v1/answers/ID/citations` */
export const citationStatesSchema = z.object({
  id: z.string().describe("Of the answer."),
  citations: z.array(
    z.object({
      n: z.int().describe("The number in the answer's text: `[n]`."),
      state: z
        .enum(["same", "moved", "changed", "gone"])
        .describe(
          "`same` characters at the same place; `moved`, byte for byte, elsewhere in the document or into another one; `changed`: what stands in its place differs; `gone`: deleted, or not open to the asker.",
        ),
      likeness: z.number().min(0).max(1).describe("Share of the quote's words, weighted by rarity, that stand there today."),
      now: z
        .object({ document_id, document_version, title, url, quote, start, end, unit, heading_path, original })
        .extend({ page: z.int().nullable().describe("Page on which it begins, from 1; `null`: the document has no pages.") })
        .nullable()
        .describe("Where it, or what it became, stands in the current version; `null`: gone."),
    }),
  ),
});

export type WireCitationStates = z.infer<typeof citationStatesSchema>;

export function citationStatesToWire(id: string, citations: readonly CitationStanding[]): WireCitationStates {
  return {
    id,
    citations: citations.map(({ n, state, likeness, now }) => ({ n, state, likeness, now: now === null ? null : nowToWire(now) })),
  };
}

function nowToWire(now: NonNullable<CitationStanding["now"]>): NonNullable<WireCitationStates["citations"][number]["now"]> {
  return {
    document_id: now.documentId,
    document_version: now.documentVersion,
    title: now.title,
    url: now.url,
    quote: now.quote,
    start: now.start,
    end: now.end,
    unit: "utf16",
    heading_path: [...now.headingPath],
    page: now.page,
    original: originalToWire(now.original),
  };
}
