import { RequestError } from "../errors.ts";

/** A page of a list with the cursor of the next one. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

/** Where a page begins. @throws RequestError `cursor_invalid` */
export function offsetOf(cursor: string | undefined): number {
  return cursor === undefined ? 0 : numberIn(cursor, "o");
}

function numberIn(cursor: string, mark: "o" | "b"): number {
  const text = Buffer.from(cursor, "base64url").toString("latin1");
  if (text.startsWith(mark) && /^.\d{1,9}$/.test(text)) return Number(text.slice(1));
  throw new RequestError("cursor_invalid", "This cursor is not one that the server gave: leave it out to begin anew.");
}

/** Cursor of the page that begins at `offset`; `null` where nothing follows. */
export function cursorAt(offset: number, total: number): string | null {
  return offset < total ? Buffer.from(`o${offset}`).toString("base64url") : null;
}

/** Of a list that grows at its beginning: the cursor of the page that begins below an entry, whatever is added meanwhile; `null` where nothing follows. */
export function cursorBelow(entry: number | null): string | null {
  return entry === null ? null : Buffer.from(`b${entry}`).toString("base64url");
}

/** The entry below which a page begins; `undefined`: it begins with the newest. @throws RequestError `cursor_invalid` */
export function entryOf(cursor: string | undefined): number | undefined {
  return cursor === undefined ? undefined : numberIn(cursor, "b");
}

/** A part of a list that is whole in memory. */
export function paginate<T>(
  all: readonly T[],
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Page<T> {
  const begin = offsetOf(cursor);
  return { items: all.slice(begin, begin + limit), next_cursor: cursorAt(begin + limit, all.length) };
}
