import { z } from "zod";
import { FILTER_CHARACTERS, FILTER_DOCUMENTS } from "../retrieval/filters.ts";
import { optional, setting } from "../text/validate.ts";

/** A name in a filter. Only its length is checked here; admission validates the rest. */
const filterName = z.string().min(1).max(FILTER_CHARACTERS);

const selection = z.strictObject({
  document_id: z.string().min(1),
  start: z.int().min(0).describe("Offset in the normalised text, in UTF-16 code units."),
  end: z.int().min(1),
});

const pages = z.union([z.int(), z.string().min(1).max(40)], { error: 'use a page number from 1, or a range such as "12-15"' });
const filters = z.strictObject({
  document: optional(
    filterName.or(z.array(filterName).min(1).max(FILTER_DOCUMENTS)),
    "Title, path, file name or id of a document, or a list of them.",
  ),
  chapter: optional(filterName, 'A top-level heading, such as "Chapter 32. Cetology", or its number or name.'),
  section: optional(filterName, 'Any heading, such as "§ 4.25 Combined ratings table", or its number or name.'),
  page: optional(pages, 'A page, `12`, or pages, `"12-15"`; only for documents with pages.'),
});

/** Returns the schema of a request body. @param route method and path, as description */
export function requestSchema<Shape extends z.core.$ZodLooseShape>(route: string, shape: Shape) {
  return z.strictObject(shape).describe(route);
}

const name = z.string().min(1);

export const askRequestSchema = requestSchema("POST /v1/ask", {
  question: z.string().describe("The question, 1–500 characters after trimming (limit configurable)."),
  detail: setting(z.enum(["normal", "more"]), "normal", "`more` requests a longer answer."),
  write: optional(
    z.enum(["answer", "quotes"]),
    "Task of the configured language model: write the answer, or select the quotes that answer. Absent: the server's setting.",
  ),
  domain: optional(name, "Domain to ask; the server's default domain when absent."),
  tenant: optional(name, "Tenant whose terms and documents apply."),
  profile: optional(name, "Profile to answer with: a named set of methods and thresholds; the domain's default when absent."),
  session_id: optional(name.max(100), "Session to continue; every answer returns its id."),
  user_id: optional(name.max(200), "User of the session; only a keyed hash is stored."),
  privacy: optional(
    z.enum(["redacted", "ephemeral"]),
    "`ephemeral`: no text of the question is stored. It can only make the server's setting stricter.",
  ),
  proof: optional(z.boolean(), "Return the answer with its proof, in the format of `sourcebound prove export`."),
  selection: optional(
    selection,
    "Answer only from this range of a document; a range that is empty or begins after the end of the text fails with `selection_invalid`.",
  ),
  filters: optional(filters, "Answer only from documents that match all filters. An unknown name fails with the nearest names."),
});

export type WireAskRequest = z.input<typeof askRequestSchema>;

/** Number of items per page. */
const PAGE = { default: 50, most: 200 } as const;

const cursor = z.string().regex(/^[A-Za-z0-9_-]{1,40}$/, "must be a cursor from an earlier response");

/** Query parameters of every list. */
export const pageQuery = {
  limit: setting(z.coerce.number().int().min(1).max(PAGE.most), PAGE.default, "Items per page."),
  cursor: optional(cursor, "`next_cursor` of the previous page."),
};
export const nextCursor = z.string().nullable().describe("Send it as `cursor` for the next page; `null`: last page.");

const { domain, tenant } = askRequestSchema.shape;
/** Domain and tenant of a request. */
export const named = { domain, tenant };
export const scopeQuerySchema = z.strictObject(named);
export const listQuerySchema = z.strictObject({ ...named, ...pageQuery });

export const time = z.string().describe("ISO 8601, UTC.");
export const dateOrTime = z.iso.datetime({ offset: true }).or(z.iso.date()).optional();
export const actor = z.string().min(1).max(100).describe("Name of the person responsible, for the audit log.");
