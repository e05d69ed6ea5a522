import type { Store } from "../store/store.ts";
import type { Question } from "../types.ts";

/** Where filters and selection kept the search to, in words. */
export async function searchedWithin(
  { filters, selection, scope }: Pick<Question, "filters" | "selection" | "scope">,
  { documents }: Pick<Store, "documents">,
): Promise<string | null> {
  const selected = selection === null ? null : (await documents.load(scope, [selection.documentId])).get(selection.documentId);
  const parts = [
    ...(filters ? [filters.searchedIn] : []),
    ...(selection === null ? [] : [selected ? `the selected text of "${selected.title}"` : "the selected text"]),
  ];
  return parts.length === 0 ? null : parts.join(", ");
}
