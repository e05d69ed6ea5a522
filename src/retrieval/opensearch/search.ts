import { z } from "zod";
import type { Scope } from "../../shared/types.ts";
import { compareText } from "../../text/normalise.ts";
import { idfOf, scoreText } from "../postings.ts";
import type { EngineOptions, EngineRequest, TermStatistics } from "../search-engine.ts";
import { type Hit, untimed } from "../top-k.ts";
import type { OpenSearchConnection } from "./connection.ts";
import { innerProductOf, unpackChunk, unpackWindow, type WindowSource, windowSchema } from "./mapping.ts";
import { type Clause, filterGroups, MAX_CLAUSES, vectorQuery, wordQuery } from "./queries.ts";

/** Looks documents up in the database. The returned function checks whether a version is current and the scope may see it. */
export type CheckCurrent = (scope: Scope, ids: readonly string[]) => Promise<(id: string, version: string) => boolean>;

interface Request extends Pick<EngineRequest, "vector" | "filters" | "k"> {
  /** Terms with their weights. */
  readonly weights: ReadonlyMap<string, number>;
  readonly statistics: TermStatistics;
  /** Field with vectors of the question's encoder; `null`: the index has none. */
  readonly field: string | null;
}

interface Parts extends EngineOptions {
  readonly connection: OpenSearchConnection;
  readonly alias: string;
  readonly isCurrent: CheckCurrent;
}

/**
 * Number of extra chunks to request: a share of the wanted number, but at least `least`. Needed because some hits are
 * outdated, and because OpenSearch ranks with the statistics of all documents, not only of the visible ones.
 */
const SPARE = { share: 0.5, least: 10 } as const;
/** Number of windows per wanted chunk in the first request of a vector search. Several windows of one chunk may be among the best. */
const WINDOWS_PER_CHUNK = 8;
/** Maximum number of windows that a vector search may request. */
const MAX_WINDOWS = 10_000;

const responseSchema = z.object({
  hits: z.object({
    total: z.object({ value: z.number() }).optional(),
    hits: z.array(z.object({ _score: z.number(), _source: windowSchema })),
  }),
});
const failureSchema = z.object({ status: z.number(), error: z.object({ type: z.string(), reason: z.string().nullish() }) });
const multiSchema = z.object({ responses: z.array(z.union([responseSchema, failureSchema])) });

/** A found window with its score. */
interface Found {
  readonly source: WindowSource;
  readonly score: number;
}

/**
 * Finds the best chunks by words and by vector. Computes BM25 scores again from the statistics of the documents that
 * the user may see. Leaves out documents that the database does not confirm, before the best chunks are selected.
 * @returns hits, ordered by path, document and position
 */
export async function searchWindows(request: Request, parts: Parts): Promise<Hit[]> {
  const { k, vector, filters, field } = request;
  const { time = untimed, isCurrent } = parts;
  const groups = filterGroups(filters);
  if (groups.length === 0) return [];
  const wanted = k + Math.max(SPARE.least, Math.ceil(k * SPARE.share));
  const terms = rarest(request);
  const byWords = terms.size === 0 ? [] : groups.map((filter) => wordQuery(terms, filter, wanted));
  const [words, near] = await Promise.all([
    time("words", () => ask(byWords, parts)).then((responses) => responses.flatMap(({ found }) => found)),
    vector === null || field === null ? [] : time("vectors", () => nearest(field, vector.values, groups, wanted, parts)),
  ]);
  const current = await isCurrent(filters.scope, [...new Set([...words, ...near].map(({ source }) => source.document_id))]);
  const isShown = ({ source }: Found) => current(source.document_id, source.version);
  const dense = best(near.filter(isShown).map(toCosine), k);
  const held = words.filter(isShown);
  const missing = new Set(held.map(({ source }) => source.chunk.id).filter((id) => !dense.has(id)));
  const others = vector === null || field === null ? dense : await cosines(field, vector.values, missing, groups, parts);
  const asked = [...request.weights].map(([token, weight]) => ({ token, weight }));
  const scored = held.map(({ source }) => {
    const text = [{ tokens: source.terms.split(" "), weight: 1 }];
    return { source, score: scoreText(asked, text, request.statistics) };
  });
  const bm25 = best(scored, k);
  const shown = [...new Map([...bm25, ...dense]).values()].sort(byPlace);
  return shown.map(({ source: { document_id: documentId, version, title, text, chunk, window } }) => {
    const score = dense.get(chunk.id)?.score ?? null;
    return {
      ...{ documentId, version, title, text, chunk: unpackChunk(documentId, chunk), window: unpackWindow(window) },
      ...{ bm25: bm25.get(chunk.id)?.score ?? null, dense: score, cosine: score ?? others.get(chunk.id)?.score ?? null },
    };
  });
}

/** Returns the terms that occur in visible windows. If they are too many, returns those with the highest weight times idf. */
function rarest({ weights, statistics: { frequencies, windows } }: Request): ReadonlyMap<string, number> {
  const held = [...weights].filter(([token]) => (frequencies.get(token) ?? 0) > 0);
  if (held.length <= MAX_CLAUSES / 2) return new Map(held);
  const gain = ([token, weight]: readonly [string, number]) => weight * idfOf(frequencies.get(token) ?? 0, windows);
  return new Map(held.sort((a, b) => gain(b) - gain(a)).slice(0, MAX_CLAUSES / 2));
}

/** Returns the best windows of the `k` best chunks, best first, by chunk. Equal scores rank by path, document and position. */
function best(windows: readonly Found[], k: number): Map<string, Found> {
  const found = new Map<string, Found>();
  for (const one of windows.toSorted((a, b) => b.score - a.score || byPlace(a, b))) {
    const { id } = one.source.chunk;
    if (found.size < k && !found.has(id)) found.set(id, one);
  }
  return found;
}

function byPlace({ source: a }: Found, { source: b }: Found): number {
  const place = compareText(a.path, b.path) || compareText(a.document_id, b.document_id);
  return place || a.chunk.ordinal - b.chunk.ordinal || a.window[0] - b.window[0];
}

function toCosine({ source, score }: Found): Found {
  return { source, score: innerProductOf(score) };
}

/** Returns the best windows of the `wanted` nearest chunks. Requests more windows until they belong to enough chunks. */
async function nearest(field: string, values: Float32Array, groups: readonly Clause[][], wanted: number, parts: Parts): Promise<Found[]> {
  for (let windows = Math.min(MAX_WINDOWS, wanted * WINDOWS_PER_CHUNK); ; windows = Math.min(MAX_WINDOWS, windows * 4)) {
    const queries = groups.map((filter) => vectorQuery(field, values, filter, windows, wanted));
    const responses = await ask(queries, parts);
    const isComplete = responses.every(({ found, total }) => found.length >= wanted || total < windows);
    if (isComplete || windows === MAX_WINDOWS) return responses.flatMap(({ found }) => found);
  }
}

/** Returns the best window of each of these chunks, with its cosine. */
async function cosines(field: string, values: Float32Array, chunks: ReadonlySet<string>, groups: readonly Clause[][], parts: Parts) {
  const within = { terms: { chunk_id: [...chunks] } };
  const queries = groups.map((filter) => vectorQuery(field, values, [...filter, within], MAX_WINDOWS, chunks.size));
  const responses = await ask(chunks.size === 0 ? [] : queries, parts);
  return best(
    responses.flatMap(({ found }) => found.map(toCosine)),
    chunks.size,
  );
}

async function ask(queries: readonly object[], { connection, alias, signal }: Parts): Promise<{ found: Found[]; total: number }[]> {
  if (queries.length === 0) return [];
  const lines = queries.flatMap((body) => [{ index: alias, allow_partial_search_results: false }, body]);
  const { responses } = await connection.call({ method: "POST", path: "/_msearch", lines, schema: multiSchema, signal });
  return responses.map((response) => {
    if ("hits" in response) {
      const { hits, total } = response.hits;
      return { found: hits.map(({ _source, _score }) => ({ source: _source, score: _score })), total: total?.value ?? 0 };
    }
    const { status, error } = response;
    if (error.type === "index_not_found_exception") return { found: [], total: 0 };
    throw connection.failure(status, error.reason ?? error.type);
  });
}
