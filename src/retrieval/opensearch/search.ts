import { z } from "zod";
import type { Scope } from "../../shared/types.ts";
import { compareText } from "../../text/normalise.ts";
import { idfOf, scoreText } from "../postings.ts";
import type { EngineOptions, EngineRequest, TermStatistics } from "../search-engine.ts";
import { type Hit, untimed } from "../top-k.ts";
import type { OpenSearchConnection } from "./connection.ts";
import { HIT_FIELDS, innerProductOf, unpackChunk, unpackWindow, type WindowSource, windowSchema } from "./mapping.ts";
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

const one = <T extends z.ZodType>(schema: T) => z.array(schema).min(1).max(1);
const placeSchema = z.object({
  _id: z.string(),
  _routing: z.string(),
  _score: z.number(),
  fields: z.object({
    ...{ document_id: one(z.string()), version: one(z.string()), path: one(z.string()), chunk_id: one(z.string()) },
    ...{ ordinal: one(z.number()), start: one(z.number()) },
  }),
});
const responseSchema = z.object({
  hits: z.object({ total: z.object({ value: z.number() }).optional(), hits: z.array(placeSchema) }),
});
const failureSchema = z.object({ status: z.number(), error: z.object({ type: z.string(), reason: z.string().nullish() }) });
const multiSchema = z.object({ responses: z.array(z.union([responseSchema, failureSchema])) });
const sourcesSchema = z.object({ docs: z.array(z.object({ _id: z.string(), _source: windowSchema.optional() })) });

/** A found window with its score, and the fields by which windows with equal scores are ordered. */
interface Place {
  readonly key: string;
  readonly routing: string;
  readonly documentId: string;
  readonly version: string;
  readonly path: string;
  readonly chunkId: string;
  readonly ordinal: number;
  readonly start: number;
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
  const byWords = groups.map((filter) => (terms.size === 0 ? null : wordQuery(terms, filter, wanted))).filter((query) => query !== null);
  const [words, near] = await Promise.all([
    time("words", () => ask(byWords, parts)).then((found) => found.flatMap(({ places }) => places)),
    vector === null || field === null ? [] : time("vectors", () => nearest(field, vector.values, groups, wanted, parts)),
  ]);
  const current = await isCurrent(filters.scope, [...new Set([...words, ...near].map(({ documentId }) => documentId))]);
  const isShown = ({ documentId, version }: Place) => current(documentId, version);
  const dense = best(
    near.filter(isShown).map((place) => ({ ...place, score: innerProductOf(place.score) })),
    k,
  );
  const held = words.filter(isShown);
  const [sources, others] = await Promise.all([
    load([...held, ...dense.values()], parts),
    vector === null || field === null
      ? new Map<string, number>()
      : cosines(
          field,
          vector.values,
          held.filter(({ chunkId }) => !dense.has(chunkId)),
          groups,
          parts,
        ),
  ]);
  const scored = held.flatMap((place) => {
    const source = sources.get(place.key);
    const text = [{ tokens: source?.terms.split(" ") ?? [], weight: 1 }];
    const asked = [...request.weights].map(([token, weight]) => ({ token, weight }));
    return source === undefined ? [] : [{ ...place, score: scoreText(asked, text, request.statistics) }];
  });
  const bm25 = best(scored, k);
  const shown = [...new Map([...bm25, ...dense]).values()].sort(byPlace);
  return shown.flatMap(({ chunkId, key }) => {
    const source = sources.get(key);
    const score = dense.get(chunkId)?.score ?? null;
    const scores = { bm25: bm25.get(chunkId)?.score ?? null, dense: score, cosine: score ?? others.get(chunkId) ?? null };
    return source === undefined ? [] : [{ ...hitOf(source), ...scores }];
  });
}

function hitOf({ document_id: documentId, version, title, text, chunk, window }: WindowSource) {
  return { documentId, version, title, text, chunk: unpackChunk(documentId, chunk), window: unpackWindow(window) };
}

/** Returns the terms that occur in visible windows. If they are too many, returns those with the highest weight times idf. */
function rarest({ weights, statistics: { frequencies, windows } }: Request): ReadonlyMap<string, number> {
  const held = [...weights].filter(([token]) => (frequencies.get(token) ?? 0) > 0);
  if (held.length <= MAX_CLAUSES / 2) return new Map(held);
  const gain = ([token, weight]: readonly [string, number]) => weight * idfOf(frequencies.get(token) ?? 0, windows);
  return new Map(held.sort((a, b) => gain(b) - gain(a)).slice(0, MAX_CLAUSES / 2));
}

/** Returns the `k` best chunks, best first; equal scores rank by path, document and position. */
function best(places: readonly Place[], k: number): Map<string, Place> {
  const found = new Map<string, Place>();
  for (const place of [...places].sort((a, b) => b.score - a.score || byPlace(a, b))) {
    if (found.size === k) break;
    if (!found.has(place.chunkId)) found.set(place.chunkId, place);
  }
  return found;
}

function byPlace(a: Place, b: Place): number {
  return compareText(a.path, b.path) || compareText(a.documentId, b.documentId) || a.ordinal - b.ordinal || a.start - b.start;
}

/** Returns the best windows of the `wanted` nearest chunks. Requests more windows until they belong to enough chunks. */
async function nearest(field: string, values: Float32Array, groups: readonly Clause[][], wanted: number, parts: Parts): Promise<Place[]> {
  for (let windows = Math.min(MAX_WINDOWS, wanted * WINDOWS_PER_CHUNK); ; windows = Math.min(MAX_WINDOWS, windows * 4)) {
    const found = await ask(
      groups.map((filter) => vectorQuery(field, values, filter, windows, wanted)),
      parts,
    );
    const isComplete = found.every(({ places, total }) => places.length >= wanted || total < windows);
    if (isComplete || windows === MAX_WINDOWS) return found.flatMap(({ places }) => places);
  }
}

/** Returns, by chunk, the cosine of its best window. */
async function cosines(
  field: string,
  values: Float32Array,
  places: readonly Place[],
  groups: readonly Clause[][],
  parts: Parts,
): Promise<Map<string, number>> {
  const ids = [...new Set(places.map(({ chunkId }) => chunkId))];
  if (ids.length === 0) return new Map();
  const queries = groups.map((filter) => vectorQuery(field, values, [...filter, { terms: { chunk_id: ids } }], MAX_WINDOWS, ids.length));
  const found = (await ask(queries, parts)).flatMap(({ places: some }) => some);
  const scores = [...best(found, ids.length)].map(([id, { score }]) => [id, innerProductOf(score)] as const);
  return new Map(scores);
}

async function load(places: readonly Place[], { connection, alias, signal }: Parts): Promise<Map<string, WindowSource>> {
  const docs = [...new Map(places.map(({ key, routing }) => [key, { _id: key, routing }])).values()];
  if (docs.length === 0) return new Map();
  const query = { _source_includes: HIT_FIELDS.join(",") };
  const found = await connection.find({ method: "POST", path: `/${alias}/_mget`, query, body: { docs }, schema: sourcesSchema, signal });
  return new Map(found?.docs.flatMap(({ _id, _source }) => (_source === undefined ? [] : [[_id, _source] as const])));
}

async function ask(queries: readonly object[], { connection, alias, signal }: Parts): Promise<{ places: Place[]; total: number }[]> {
  if (queries.length === 0) return [];
  const lines = queries.flatMap((body) => [{ index: alias, allow_partial_search_results: false }, body]);
  const { responses } = await connection.call({ method: "POST", path: "/_msearch", lines, schema: multiSchema, signal });
  return responses.map((response) => {
    if ("hits" in response) return { places: response.hits.hits.map(placeOf), total: response.hits.total?.value ?? 0 };
    const { status, error } = response;
    if (error.type === "index_not_found_exception") return { places: [], total: 0 };
    throw connection.failure(status, error.reason ?? error.type);
  });
}

function placeOf({ _id, _routing, _score, fields }: z.infer<typeof placeSchema>): Place {
  const [documentId, version, path, chunkId] = [fields.document_id, fields.version, fields.path, fields.chunk_id].map(
    ([value]) => value as string,
  );
  return {
    ...{ key: _id, routing: _routing, score: _score, ordinal: fields.ordinal[0] as number, start: fields.start[0] as number },
    ...{ documentId: documentId as string, version: version as string, path: path as string, chunkId: chunkId as string },
  };
}
