import { dot } from "../reader/dot.ts";
import type { DocumentStore } from "../store/documents.ts";
import { compareText } from "../text/compare-text.ts";
import { headingPathAt } from "../text/outline.ts";
import type { Area, AreaPart, Chunk, Scope, StoredDocument, TextRange } from "../types.ts";
import { partOf, rangeAround } from "./area.ts";
import { spanOf, unitsInside } from "./clip.ts";
import { fuseMinMax, fuseReciprocalRank, type Ranked } from "./fuse.ts";
import type { Candidate, SearchIndex, SearchRequest } from "./search-index.ts";

/**
 * Ranks what lies in an area. Windows that lie in it whole are ranked by the index, with the filter inside. Windows that reach beyond it are cut to the
 * whole sentences inside and scored as cut, with the index's own statistics, as if they had been indexed that way: no word outside counts or is shown.
 */
export async function searchArea(
  request: Omit<SearchRequest, "area">,
  area: Area,
  corpus: SearchIndex,
  documents: Pick<DocumentStore, "load">,
  signal: AbortSignal,
): Promise<Candidate[]> {
  const whole = await corpus.search({ ...request, area: { parts: area, fit: "window" } });
  const across = await corpus.search({ ...request, area: { parts: area, fit: "cut" } });
  if (across.length === 0) return whole;
  const cut = await scoreCut(across, request, area, corpus, documents, signal);
  return fuse([...whole, ...cut], request, area);
}

async function scoreCut(
  across: readonly Candidate[],
  { terms, codes, vector, bm25, scope }: Omit<SearchRequest, "area">,
  area: Area,
  corpus: SearchIndex,
  documents: Pick<DocumentStore, "load">,
  signal: AbortSignal,
): Promise<Candidate[]> {
  const pieces = await cutPieces(across, scope, area, documents);
  const texts = pieces.map(({ title, chunk, text }) => [title, ...chunk.headingPath, text].join("\n"));
  const vectors = vector === null ? null : await corpus.embed(texts, vector, signal);
  return pieces.map((piece, i) => {
    const cosine = vector === null ? null : dot(vectors?.[i] as Float32Array, vector.values);
    const words = bm25 ? corpus.scoreText(piece, { terms, scope }) : 0;
    const coded = codes.length > 0 && corpus.scoreText(piece, { terms: codes, scope }) > 0;
    return { ...piece, ...(coded ? { coded } : {}), dense: cosine, bm25: words > 0 ? words : null, fused: 0 };
  });
}

/** Windows that reach beyond the area, cut to it; their headings are those above what is left. */
async function cutPieces(
  across: readonly Candidate[],
  scope: Scope,
  area: Area,
  documents: Pick<DocumentStore, "load">,
): Promise<Omit<Candidate, "dense" | "bm25" | "fused">[]> {
  const loaded = await documents.load(scope, [...new Set(across.map(({ documentId }) => documentId))]);
  return across.flatMap(({ documentId, version, chunk, title }) => {
    const document = loaded.get(documentId);
    const part = document?.version === version ? partOf(area, document) : undefined;
    if (document === undefined || part === undefined) return [];
    return cutRanges(document, chunk, part).map((window) => {
      const text = document.text.slice(window.start, window.end);
      return { documentId, version, chunk: { ...chunk, headingPath: headingPathAt(document, window.start) }, window, title, text };
    });
  });
}

function cutRanges({ units }: StoredDocument, { windows }: Chunk, part: AreaPart): TextRange[] {
  return windows
    .filter((window) => rangeAround(part, window) === undefined)
    .flatMap((window) => part.ranges.flatMap((range) => spanOf(unitsInside(units, window, range)) ?? []));
}

/** What lies of a chunk in one range of the area scores as its best window; what holds a code of the question comes first. */
function fuse(candidates: readonly Candidate[], { alpha, beta, fusion }: Omit<SearchRequest, "area">, area: Area): Candidate[] {
  const chunks = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const range = rangeAround(area.get(candidate.documentId) as AreaPart, candidate.window);
    const id = `${candidate.chunk.id} ${range?.start}`;
    chunks.set(id, [...(chunks.get(id) ?? []), candidate]);
  }
  const rank = (ranking: "dense" | "bm25"): Ranked<string>[] =>
    [...chunks]
      .flatMap(([id, some]) => {
        const score = bestOf(some, ranking);
        return score === null ? [] : [{ id, score }];
      })
      .sort((a, b) => b.score - a.score || compareText(a.id, b.id));
  const [dense, bm25] = [rank("dense"), rank("bm25")];
  const fused = fusion === "rrf" ? fuseReciprocalRank(dense, bm25) : fuseMinMax(dense, bm25, { alpha, beta });
  return fused
    .map(({ id, ...scores }) => {
      const some = chunks.get(id) as Candidate[];
      const coded = some.some((one) => one.coded === true);
      return { ...shownOf(some), ...scores, ...(coded ? { coded } : {}) };
    })
    .sort((a, b) => Number(b.coded === true) - Number(a.coded === true) || b.fused - a.fused || compareText(a.chunk.id, b.chunk.id));
}

function bestOf(candidates: readonly Candidate[], ranking: "dense" | "bm25"): number | null {
  return candidates.reduce<number | null>((best, one) => {
    const score = one[ranking];
    return score !== null && (best === null || score > best) ? score : best;
  }, null);
}

/** The window that is shown: the best by vector, else by words. */
function shownOf(candidates: readonly Candidate[]): Candidate {
  const ranking = candidates.some(({ dense }) => dense !== null) ? "dense" : "bm25";
  const best = bestOf(candidates, ranking);
  return candidates.find((one) => one[ranking] === best) as Candidate;
}
