import { z } from "zod";
import { didYouMean } from "../../text/nearest.ts";
import { editDistance } from "../../text/spelling.ts";
import { keysAt } from "../../text/validate.ts";

/** What rows may carry without being asked why: notes of whoever wrote them, and a kind, which the reader of a file looks at. */
const ANYWHERE = ["notes", "kind"];
/** Letters by which a key differs from a known one at most, and no more than one of three, if it is that one misspelt. */
const SLIPS = 2;

/** Keys of rows that are not read, each with the known one that may have been meant and the ids of its rows. */
export type UnreadKeys = Map<string, { readonly hint: string; readonly ids: string[] }>;

/**
 * The schema of a row whose keys are looked at before it is read: one that is a known one misspelt is an error, for the row says something else than was meant;
 * others that hold something are kept in `unread`, to be named.
 */
export function withKeys<T>(schema: z.ZodType<T>, unread: UnreadKeys): z.ZodType<T> {
  const known = keysAt(schema, []);
  const looked = z.unknown().superRefine((row, context) => {
    if (typeof row !== "object" || row === null || Array.isArray(row)) return;
    for (const [key, value] of Object.entries(row)) {
      if (known.includes(key) || ANYWHERE.includes(key)) continue;
      const meant = known.find((name) => isSlip(key, name));
      if (meant !== undefined) {
        const message = `unknown key "${key}". Did you mean "${meant}"? What nobody is to read goes under "notes"`;
        context.addIssue({ code: "custom", message });
      } else if (!isEmpty(value)) {
        const { hint, ids } = unread.get(key) ?? { hint: didYouMean(key, known), ids: [] };
        unread.set(key, { hint, ids: [...ids, "id" in row ? String(row.id) : "?"] });
      }
    }
  });
  return looked.pipe(schema) as unknown as z.ZodType<T>;
}

/** One line that names what was not read; none where all was. */
export function unreadNotices(path: string, unread: UnreadKeys): string[] {
  if (unread.size === 0) return [];
  const keys = [...unread].map(
    ([key, { hint, ids }]) => `"${key}" of ${ids[0]}${ids.length === 1 ? "" : ` and ${ids.length - 1} more`}.${hint}`,
  );
  return [`${path}: keys that are not read: ${keys.join(" ")} What nobody is to read goes under "notes".`];
}

function isSlip(key: string, name: string): boolean {
  const [one, other] = [key, name].map((text) => text.toLowerCase().replaceAll(/[\s_-]/g, "")) as [string, string];
  const most = Math.min(SLIPS, Math.floor(Math.min(one.length, other.length) / 3));
  return editDistance(one, other, most) <= most;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0);
}
