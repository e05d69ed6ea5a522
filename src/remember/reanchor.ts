import type { NamedDocument } from "../store/cached.ts";
import { passageHash } from "../text/hash.ts";
import { originalPlaceOf } from "../text/original-place.ts";
import { unitAt, unitsIn } from "../text/units.ts";
import type { Answer, Chunk, Citation, Evidence, StoredDocument } from "../types.ts";

/**
 * A stored answer in the current versions of its documents: every passage on which it rests stands unchanged and once, and so does every quote; only
 * places and versions are new. `null` when that does not hold.
 */
export function reanchor(
  answer: Answer,
  documents: readonly NamedDocument[],
  current: ReadonlyMap<string, StoredDocument>,
): { answer: Answer; documents: NamedDocument[] } | null {
  if (answer.conflicts.length > 0) return null;
  const places = new Map<string, readonly Chunk[]>();
  for (const { id, version, passages } of documents) {
    const document = current.get(id);
    if (document === undefined) return null;
    if (document.version === version) continue;
    const chunks = passages.map((hash) => chunkOf(hash, document));
    if (chunks.length === 0 || chunks.some((chunk) => chunk === null)) return null;
    places.set(id, chunks as Chunk[]);
  }
  const citations = answer.citations.map((citation) => anchorCitation(citation, places, current));
  const evidence = anchorEvidence(answer.evidence, places, current);
  if (evidence === null || citations.some((citation) => citation === null)) return null;
  const versionOf = (id: string) => current.get(id)?.version ?? "";
  const { seeAlso } = answer;
  return {
    answer: {
      ...answer,
      citations: citations as Citation[],
      evidence,
      ...(seeAlso ? { seeAlso: { ...seeAlso, documentVersion: versionOf(seeAlso.documentId) } } : {}),
    },
    documents: documents.map(({ id, passages }) => ({ id, passages, version: versionOf(id) })),
  };
}

/** The one chunk of this text; `null` when there is none or more than one. */
function chunkOf(hash: string, { text, chunks }: StoredDocument): Chunk | null {
  const found = chunks.filter(({ start, end }) => passageHash(text.slice(start, end)) === hash);
  return found.length === 1 ? (found[0] as Chunk) : null;
}

function anchorCitation(
  citation: Citation,
  places: ReadonlyMap<string, readonly Chunk[]>,
  current: ReadonlyMap<string, StoredDocument>,
): Citation | null {
  const document = current.get(citation.documentId);
  const chunks = places.get(citation.documentId);
  if (document === undefined) return null;
  if (chunks === undefined) return citation;
  const { text } = document;
  const chunk = chunks.find(({ start, end }) => text.slice(start, end) === citation.context);
  if (chunk === undefined) return null;
  const start = placeOf(citation.quote, text);
  if (start === null || start !== chunk.start + citation.quoteStart) return null;
  const end = start + citation.quote.length;
  const unit = unitAt({ units: unitsIn(document, chunk) }, start);
  if (unit === undefined) return null;
  const { row } = citation;
  const { header, caption } = unit;
  if (row !== undefined && header?.text !== row.header.text) return null;
  return {
    ...citation,
    documentVersion: document.version,
    chunkId: chunk.id,
    start,
    end,
    headingPath: unit.headingPath,
    page: unit.page,
    original: originalPlaceOf(document, { start, end }),
    ...(row === undefined || header === null ? {} : { row: { cells: row.cells, header, ...(caption === null ? {} : { caption }) } }),
  };
}

/** Where a text stands; `null` when it does not, or not only once. */
function placeOf(quote: string, text: string): number | null {
  const at = text.indexOf(quote);
  return at < 0 || quote === "" || text.indexOf(quote, at + 1) >= 0 ? null : at;
}

/** Evidence names its passages in the order of their hashes. */
function anchorEvidence(
  evidence: readonly Evidence[],
  places: ReadonlyMap<string, readonly Chunk[]>,
  current: ReadonlyMap<string, StoredDocument>,
): Evidence[] | null {
  const next = new Map<string, number>();
  const anchored: Evidence[] = [];
  for (const one of evidence) {
    const { passage } = one;
    const chunks = places.get(passage.document.id);
    const document = current.get(passage.document.id);
    if (document === undefined) return null;
    if (chunks === undefined) {
      anchored.push(one);
      continue;
    }
    const at = next.get(document.id) ?? 0;
    const chunk = chunks[at];
    next.set(document.id, at + 1);
    if (chunk === undefined) return null;
    const shift = chunk.start - passage.range.start;
    anchored.push({
      ...one,
      passage: {
        ...passage,
        chunkId: chunk.id,
        range: { start: chunk.start, end: chunk.end },
        window: { start: passage.window.start + shift, end: passage.window.end + shift },
        headingPath: chunk.headingPath,
        document: {
          ...passage.document,
          version: document.version,
          originalHash: document.originalHash,
          normaliser: document.normaliser,
        },
      },
    });
  }
  return anchored;
}
