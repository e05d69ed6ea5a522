import { z } from "zod";
import { FILTER_CHARACTERS, FILTER_DOCUMENTS } from "../retrieval/filters.ts";

/** A name in a filter. Only its length is checked here; admission validates the rest. */
const filterName = () => z.string().min(1).max(FILTER_CHARACTERS);

const selection = z.strictObject({
  document_id: z.string().min(1),
  start: z.int().min(0).describe("Offset in the normalised text, in UTF-16 code units."),
  end: z.int().min(1),
});

const pages = z.union([z.int(), z.string().min(1).max(40)], { error: 'use a page number from 1, or a range such as "12-15"' });
const filters = z.strictObject({
  document: filterName()
    .or(z.array(filterName()).min(1).max(FILTER_DOCUMENTS))
    .optional()
    .describe("Title, path, file name or id of a document, or a list of them."),
  chapter: filterName().optional().describe('A top-level heading, such as "Chapter 32. Cetology", or its number or name.'),
  section: filterName().optional().describe('Any heading, such as "§ 4.25 Combined ratings table", or its number or name.'),
  page: pages.optional().describe('A page, `12`, or pages, `"12-15"`; only for documents with pages.'),
});

export const askRequestSchema = z
  .strictObject({
    question: z.string().describe("The question, 1–500 characters after trimming (limit configurable)."),
    detail: z.enum(["normal", "more"]).default("normal").describe("`more` requests a longer answer."),
    write: z
      .enum(["answer", "quotes"])
      .optional()
      .describe("Task of the configured language model: write the answer, or select the quotes that answer. Absent: the server's setting."),
    domain: z.string().min(1).optional().describe("Domain to ask; the server's default domain when absent."),
    tenant: z.string().min(1).optional().describe("Tenant whose terms and documents apply."),
    profile: z
      .string()
      .min(1)
      .optional()
      .describe("Profile to answer with: a named set of methods and thresholds; the domain's default when absent."),
    session_id: z.string().min(1).max(100).optional().describe("Session to continue; every answer returns its id."),
    user_id: z.string().min(1).max(200).optional().describe("User of the session; only a keyed hash is stored."),
    privacy: z
      .enum(["redacted", "ephemeral"])
      .optional()
      .describe("`ephemeral`: no text of the question is stored. It can only make the server's setting stricter."),
    proof: z.boolean().optional().describe("Return the answer with its proof, in the format of `sourcebound prove export`."),
    selection: selection
      .optional()
      .describe(
        "Answer only from this range of a document; a range that is empty or begins after the end of the text fails with `selection_invalid`.",
      ),
    filters: filters
      .optional()
      .describe("Answer only from documents that match all filters. An unknown name fails with the nearest names."),
  })
  .describe("POST /v1/ask");

export type WireAskRequest = z.input<typeof askRequestSchema>;

/** Maximum number of items per page. */
const MAX_PAGE = 200;
const DEFAULT_PAGE = 50;

const cursor = z.string().regex(/^[A-Za-z0-9_-]{1,40}$/, "must be a cursor from an earlier response");

/** Query parameters of every list. */
export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE).describe("Items per page."),
  cursor: cursor.optional().describe("`next_cursor` of the previous page."),
};
export const nextCursor = z.string().nullable().describe("Send it as `cursor` for the next page; `null`: last page.");

const { domain, tenant } = askRequestSchema.shape;
/** Domain and tenant of a request. */
export const named = { domain, tenant };
export const scopeQuerySchema = z.strictObject(named);
export const listQuerySchema = z.strictObject({ ...named, ...pageQuery });

export const time = z.string().describe("ISO 8601, UTC.");
export const dateOrTime = z.iso.datetime({ offset: true }).or(z.iso.date()).optional();
