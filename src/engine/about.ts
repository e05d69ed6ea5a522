import { DEFAULT_DOMAIN } from "../config.ts";
import type { DocumentStore } from "../store/documents.ts";
import type { Scope } from "../types.ts";
import type { DomainPack } from "./domain.ts";

/** Titles that say what a folder of anybody's documents is about. */
const TITLES_NAMED = 3;

/** What the documents are about, in one line: the title of the pack, or, where the pack knows nothing of them, titles of their own. */
export async function aboutDocuments(
  { name, title }: Pick<DomainPack, "name" | "title">,
  scope: Scope,
  documents: Pick<DocumentStore, "titles">,
): Promise<string> {
  if (name !== DEFAULT_DOMAIN) return title;
  const { total, titles } = await documents.titles(scope, TITLES_NAMED);
  if (total === 0) return title;
  const more = total - titles.length;
  return `${titles.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
