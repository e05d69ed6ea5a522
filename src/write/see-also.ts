import type { Citation, Evidence, Passage, SeeAlso } from "../types.ts";

/** Where to read on: the best usable passage of a document that the answer does not cite; `null` when there is none. */
export function chooseSeeAlso(evidence: readonly Evidence[], citations: readonly Citation[]): SeeAlso | null {
  const cited = new Set(citations.flatMap(({ documentId, alsoIn = [] }) => [documentId, ...alsoIn.map((other) => other.documentId)]));
  const further = evidence.find(({ passage: { document } }) => !cited.has(document.id) && document.title !== "");
  if (further === undefined) return null;
  const { document } = further.passage;
  return {
    documentId: document.id,
    documentVersion: document.version,
    title: document.title,
    heading: headingOf(further.passage),
    url: document.url,
  };
}

/** The last heading at or above the window that was found. */
function headingOf({ units, window, range, text, headingPath }: Passage): string | null {
  const above = units.filter(({ type, start }) => type === "heading" && start <= window.start).at(-1);
  if (above === undefined) return headingPath.at(-1) ?? null;
  return text.slice(above.start - range.start, above.end - range.start);
}
