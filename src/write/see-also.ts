import { headingOf } from "../text/heading-of.ts";
import type { Citation, Evidence, SeeAlso } from "../types.ts";

/** Where to read on: the best passage that was found to bear on the question, of a document that the answer does not cite; `null` when there is none. */
export function chooseSeeAlso(evidence: readonly Evidence[], citations: readonly Citation[]): SeeAlso | null {
  const cited = new Set(citations.flatMap(({ documentId, alsoIn = [] }) => [documentId, ...alsoIn.map((other) => other.documentId)]));
  const further = evidence.find(
    ({ passage: { document }, verdict }) => verdict === "verified" && !cited.has(document.id) && document.title !== "",
  );
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
