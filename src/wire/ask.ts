import { z } from "zod";
import { FILTER_CHARACTERS } from "../pipeline/filters.ts";

/** The name in a filter; admission validates its content. */
const filterName = () => z.string().min(1).max(FILTER_CHARACTERS);

const selection = z.strictObject({
  document_id: z.string().min(1),
  start: z.int().min(0).describe("UTF-16 code units into the normalised text."),
  end: z.int().min(1),
});

const pages = z.union([z.int(), z.string().min(1).max(40)], { error: 'give a page number from 1, or a range such as "12-15"' });
const filters = z.strictObject({
  document: filterName().optional().describe("Title, path, file name or id."),
  chapter: filterName().optional().describe('A heading of the top level, such as "Chapter 32. Cetology", or its number or name.'),
  section: filterName().optional().describe('A heading of any level, such as "§ 4.25 Combined ratings table", or its number or name.'),
  page: pages.optional().describe('A page, `12`, or pages, `"12-15"`; of documents that have pages.'),
});

export const askRequestSchema = z
  .strictObject({
    question: z.string().describe("The question, 1–500 characters after trimming (limit configurable)."),
    detail: z.enum(["normal", "more"]).default("normal").describe("`more` asks for a longer answer."),
    domain: z.string().min(1).optional().describe("Body of knowledge; the server's default domain when absent."),
    tenant: z.string().min(1).optional().describe("Party inside the domain whose vocabulary and documents apply."),
    profile: z.string().min(1).optional().describe("Which stages run with which numbers; the domain's default when absent."),
    session_id: z.string().min(1).max(100).optional().describe("Continue a session. Sent back in every answer."),
    user_id: z.string().min(1).max(200).optional().describe("Whose session it is; only a keyed hash of it is stored."),
    privacy: z.enum(["redacted", "ephemeral"]).optional().describe("`ephemeral`: no text of it is stored. It only tightens."),
    proof: z.boolean().optional().describe("The answer comes with its proof, as `sourcebound prove export` writes it."),
    selection: selection.optional().describe("Answer only from this range; one that is empty or beyond the text is `selection_invalid`."),
    filters: filters.optional().describe("Answer only from what all of these name together. An unknown name is an error with the nearest."),
  })
  .describe("POST /v1/ask");

export type WireAskRequest = z.input<typeof askRequestSchema>;

/** Maximum number of items per page. */
const MAX_PAGE = 200;
const DEFAULT_PAGE = 50;

const cursor = z.string().regex(/^[A-Za-z0-9_-]{1,40}$/, "is no cursor that this server gave");

/** `limit` and `cursor` of every list. */
export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE).describe("Items of a page."),
  cursor: cursor.optional().describe("`next_cursor` of the page before."),
};
export const nextCursor = z.string().nullable().describe("To be sent as `cursor` for the page that follows; `null`: this was the last.");

const { domain, tenant } = askRequestSchema.shape;
/** The scope of a request. */
export const named = { domain, tenant };
export const scopeQuerySchema = z.strictObject(named);
export const listQuerySchema = z.strictObject({ ...named, ...pageQuery });

export const time = z.string().describe("ISO 8601, UTC.");
export const dateOrTime = z.iso.datetime({ offset: true }).or(z.iso.date()).optional();
