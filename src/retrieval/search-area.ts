import { dot } from "../cross-encoder/reader.ts";
import type { Area, AreaPart, Chunk, Scope, Selection, StoredDocument, TextRange, Unit } from "../shared/types.ts";
import type { DocumentStore } from "../store/documents.ts";
import { compareText } from "../text/normalise.ts";
import { headingPathAt, type PassagePlace } from "../text/units.ts";
import type { DomainIndex, SearchRequest } from "./domain-index.ts";
import { FIELD_WEIGHTS } from "./indexed-windows.ts";
import { scoreText } from "./postings.ts";
import { type Candidate, type Fusion, fuseHits } from "./top-k.ts";

/** An offset after the end of any text. */
export const OPEN_END: number = Number.MAX_SAFE_INTEGER;

/** Sorts ranges, merges those that overlap or touch, and drops empty ranges. */
export function mergeRanges(ranges: readonly TextRange[]): TextRange[] {
  const merged: TextRange[] = [];
  for (const { start, end } of [...ranges].filter((one) => one.end > one.start).sort((a, b) => a.start - b.start || a.end - b.end)) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last.end) merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, end) };
    else merged.push({ start, end });
  }
  return merged;
}

/** Returns the intersection of two lists of ranges, in order. */
export function intersectRanges(a: readonly TextRange[], b: readonly TextRange[]): TextRange[] {
  const both = a.flatMap((one) => b.map((other) => ({ start: Math.max(one.start, other.start), end: Math.min(one.end, other.end) })));
  return mergeRanges(both);
}

/** Returns the range of an area that contains all of the given range, or `undefined`. */
export function rangeAround({ ranges }: AreaPart, { start, end }: TextRange): TextRange | undefined {
  return ranges.find((range) => inside({ start, end }, range));
}

export function isOverlapped({ ranges }: AreaPart, { start, end }: TextRange): boolean {
  return ranges.some((range) => start < range.end && range.start < end);
}

/** Returns the part of an area in a document; `undefined` if there is none or it is of another version. */
export function partOf(area: Area, { id, version }: { readonly id: string; readonly version: string }): AreaPart | undefined {
  const part = area.get(id);
  return part === undefined || (part.version !== null && part.version !== version) ? undefined : part;
}

export function selectionArea({ documentId, start, end }: Selection): Area {
  return new Map([[documentId, { version: null, ranges: [{ start, end }] }]]);
}

export function intersectSelection(area: Area, { documentId, start, end }: Selection): Area {
  const part = area.get(documentId);
  const ranges = part === undefined ? [] : intersectRanges(part.ranges, [{ start, end }]);
  return part === undefined || ranges.length === 0 ? new Map() : new Map([[documentId, { ...part, ranges }]]);
}

type AreaIndex = Pick<DomainIndex, "search" | "statistics" | "embed" | "tokens">;

/**
 * Ranks the text of an area. The index ranks only windows that are completely inside the area. A window that crosses an
 * edge is cut to the complete sentences inside, and the remaining text is scored with the statistics of the index. No
 * word outside the area affects a score or is shown.
 */
export async function searchArea(
  request: Omit<SearchRequest, "area">,
  area: Area,
  corpus: AreaIndex,
  documents: Pick<DocumentStore, "load">,
  signal: AbortSignal,
): Promise<Candidate[]> {
  const whole = await corpus.search({ ...request, area: { parts: area, fit: "window" } });
  const across = await corpus.search({ ...request, area: { parts: area, fit: "cut" } });
  if (across.length === 0) return whole;
  const cut = await scoreCut(await cutPieces(across, request.scope, area, documents), request, corpus, signal);
  return fuse([...whole, ...cut], request, area);
}

async function scoreCut(
  pieces: Awaited<ReturnType<typeof cutPieces>>,
  { terms, codes, vector, bm25, scope }: Omit<SearchRequest, "area">,
  corpus: AreaIndex,
  signal: AbortSignal,
): Promise<Candidate[]> {
  const texts = pieces.map(({ title, chunk, text }) => [title, ...chunk.headingPath, text].join("\n"));
  const vectors = vector === null ? null : await corpus.embed(texts, vector, signal);
  const tokens = [...terms.map((term) => (typeof term === "string" ? term : term.token)), ...codes];
  const statistics = await corpus.statistics(tokens, scope, { signal });
  return pieces.map(({ description, ...piece }, i) => {
    const fields = [
      { tokens: corpus.tokens(piece.title), weight: FIELD_WEIGHTS.title },
      { tokens: corpus.tokens(description ?? ""), weight: FIELD_WEIGHTS.description },
      { tokens: corpus.tokens(piece.chunk.headingPath.join(" ")), weight: FIELD_WEIGHTS.headings },
      { tokens: corpus.tokens(piece.text), weight: FIELD_WEIGHTS.body },
    ];
    const cosine = vector === null ? null : dot(vectors?.[i] as Float32Array, vector.values);
    const words = bm25 ? scoreText(terms, fields, statistics) : 0;
    const coded = codes.length > 0 && scoreText(codes, fields, statistics) > 0;
    return { ...piece, ...(coded ? { coded } : {}), dense: cosine, bm25: words > 0 ? words : null, fused: 0 };
  });
}

/** Returns the windows that cross an edge of the area, cut to the area. Their heading paths are those of the remaining text. */
async function cutPieces(across: readonly Candidate[], scope: Scope, area: Area, documents: Pick<DocumentStore, "load">) {
  const loaded = await documents.load(scope, [...new Set(across.map(({ documentId }) => documentId))]);
  return across.flatMap(({ documentId, version, chunk, title }) => {
    const document = loaded.get(documentId);
    const part = document?.version === version ? partOf(area, document) : undefined;
    if (document === undefined || part === undefined) return [];
    return cutRanges(document, chunk, part).map((window) => {
      const own = { ...chunk, headingPath: headingPathAt(document, window.start) };
      const text = document.text.slice(window.start, window.end);
      return { documentId, version, chunk: own, window, title, description: document.description, text };
    });
  });
}

function cutRanges({ units }: StoredDocument, { windows }: Chunk, part: AreaPart): TextRange[] {
  return windows
    .filter((window) => rangeAround(part, window) === undefined)
    .flatMap((window) => part.ranges.flatMap((range) => spanInside(units, window, range) ?? []));
}

/**
 * Fuses the rankings by vector and by words. Windows of one chunk in one range of the area are merged; the best score
 * counts. Chunks with a code of the question come first.
 */
function fuse(candidates: readonly Candidate[], fusion: Fusion, area: Area): Candidate[] {
  const chunks = Map.groupBy(candidates, ({ chunk, documentId, window }) => {
    return `${chunk.id} ${rangeAround(area.get(documentId) as AreaPart, window)?.start}`;
  });
  const hits = [...chunks]
    .sort(([a], [b]) => compareText(a, b))
    .map(([, some]) => {
      const dense = bestOf(some, "dense");
      return { ...shownOf(some), coded: some.some(({ coded }) => coded === true), dense, cosine: dense, bm25: bestOf(some, "bm25") };
    });
  const found = hits.filter(({ dense, bm25 }) => dense !== null || bm25 !== null);
  return fuseHits(found, fusion).sort((a, b) => Number(b.coded) - Number(a.coded));
}

function bestOf(candidates: readonly Candidate[], ranking: "dense" | "bm25"): number | null {
  const scores = candidates.flatMap((one) => one[ranking] ?? []);
  return scores.length === 0 ? null : Math.max(...scores);
}

/** Returns the window to show: the best by vector or, if no window has a vector score, by words. */
function shownOf(candidates: readonly Candidate[]): Candidate {
  const ranking = candidates.some(({ dense }) => dense !== null) ? "dense" : "bm25";
  const best = bestOf(candidates, ranking);
  return candidates.find((one) => one[ranking] === best) as Candidate;
}

/** Returns the range of the units (sentences, list items, rows) that are completely inside both ranges; `null`: there are none. */
function spanInside(units: readonly Unit[], range: TextRange, selection: TextRange): TextRange | null {
  const found = units.filter((unit) => inside(unit, range) && inside(unit, selection));
  const [first, last] = [found[0], found.at(-1)];
  return first === undefined || last === undefined ? null : { start: first.start, end: last.end };
}

/**
 * Returns the text of a chunk that may be shown; `null`: none. With an area, this is the text inside the range around
 * the chunk's best window, so that no text between two ranges is shown. Without an area, it is the whole chunk.
 */
export function placeWithin(
  area: Area | null,
  document: StoredDocument,
  { chunk, window }: { readonly chunk: Chunk; readonly window: TextRange },
): Pick<PassagePlace, "range" | "bounds" | "headingPath"> | null {
  const part = area === null ? null : (partOf(area, document) ?? null);
  const bounds = part === null ? null : (rangeAround(part, window) ?? null);
  if (area !== null && bounds === null) return null;
  const range = bounds === null ? { start: chunk.start, end: chunk.end } : spanInside(document.units, chunk, bounds);
  return range === null ? null : { range, bounds, headingPath: range.start === chunk.start ? chunk.headingPath : undefined };
}

function inside(inner: TextRange, outer: TextRange): boolean {
  return inner.start >= outer.start && inner.end <= outer.end;
}
