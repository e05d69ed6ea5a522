import { LRUCache } from "lru-cache";
import type { Scope, StoredDocument } from "../shared/types.ts";
import type { DocumentOutline } from "../store/document-rows.ts";
import type { DocumentStore } from "../store/documents.ts";
import { cellsOf } from "../text/units.ts";

type Documents = Pick<DocumentStore, "outlines" | "load">;

/** Number of suggestions. */
const SUGGESTIONS = 3;
/** Maximum number of questions to try for one list of suggestions. */
const MOST_TRIED = 12;
/** Maximum number of documents to search for headings, and maximum number whose tables are read. */
const MOST_OUTLINES = 200;
const MOST_TABLES = 6;
/** Maximum number of remembered lists, one per scope and revision. */
const MOST_LISTS = 100;

/**
 * Creates a finder of questions that the documents answer. Each question is asked before it is listed; those of the
 * pack come first.
 * @returns a function of the scope, the revision of the index (a new one asks again) and the pack's examples
 */
export function createSuggester(documents: Documents, isAnswered: (question: string, scope: Scope) => Promise<boolean>) {
  const known = new LRUCache<string, Promise<readonly string[]>>({ max: MOST_LISTS });
  const find = async (scope: Scope, examples: readonly string[]) => {
    const outlines = await documents.outlines(scope, MOST_OUTLINES);
    const answered: string[] = [];
    for (const question of [...examples, ...(await sentencesAbout(outlines, scope, documents))].slice(0, MOST_TRIED)) {
      if (answered.length === SUGGESTIONS) break;
      if (await isAnswered(question, scope)) answered.push(question);
    }
    return answered;
  };
  return (scope: Scope, revision: number, examples: readonly string[]): Promise<readonly string[]> => {
    const key = JSON.stringify([scope, revision]);
    const found = known.get(key) ?? find(scope, examples);
    known.set(key, found);
    found.catch(() => known.delete(key));
    return found;
  };
}

/** Creates questions from headings and from the first table row of some documents, those without headings first. */
async function sentencesAbout(outlines: readonly DocumentOutline[], scope: Scope, documents: Pick<Documents, "load">): Promise<string[]> {
  const read = outlines.toSorted((a, b) => Number(a.headings.length > 0) - Number(b.headings.length > 0)).slice(0, MOST_TABLES);
  const loaded = await documents.load(
    scope,
    read.map(({ id }) => id),
  );
  const ofRows = [...loaded.values()].flatMap((document) => {
    const label = rowLabel(document);
    return label === null ? [] : [questionAbout(document.title, label)];
  });
  const ofHeadings = outlines.map(({ title, headings }) =>
    headings
      .map(({ text }) => text.trim())
      .filter((text) => text !== "" && text.toLowerCase() !== title.trim().toLowerCase())
      .map((text) => (text.endsWith("?") ? text : questionAbout(title, withoutCapital(text)))),
  );
  return [ofRows, ...ofHeadings].flatMap((group) => group.slice(0, 1)).concat([ofRows, ...ofHeadings].flatMap((group) => group.slice(1)));
}

/** Returns the first cell of a document's first table row, or `null` if no table has a header. */
function rowLabel({ text, blocks }: Pick<StoredDocument, "text" | "blocks">): string | null {
  const row = blocks.find(({ type, header }, i) => type === "table-row" && header >= 0 && header !== i);
  const [label = ""] = row === undefined ? [] : cellsOf(text.slice(row.start, row.end));
  return label === "" ? null : label;
}

function questionAbout(title: string, topic: string): string {
  return `What does “${title}” say about ${topic}?`;
}

/** Lowers the initial capital of a heading, unless it seems to be a name. */
function withoutCapital(heading: string): string {
  const [first = "", second = ""] = heading.split(" ");
  const isName = !/^(?:the|an?)\s/i.test(heading) && (/\p{Lu}.*\p{Lu}|\d/u.test(first) || /^\p{Lu}/u.test(second));
  return isName ? heading : heading.charAt(0).toLowerCase() + heading.slice(1);
}
