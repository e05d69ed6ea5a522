import type { AreaPart, Scope } from "../../shared/types.ts";
import type { SearchFilters } from "../search-engine.ts";
import { HIT_FIELDS, WRITTEN_FIELD } from "./mapping.ts";

export type Clause = Readonly<Record<string, unknown>>;

/** Maximum number of clauses per query. OpenSearch allows 1,024 by default. */
export const MAX_CLAUSES = 900;

/** Fields by which windows with equal scores are ordered. */
const BY_PLACE = ["path", "document_id", "ordinal", "start"];

/** Returns the clauses that select the windows visible to a scope. */
export function scopeClauses({ tenant, access }: Scope): Clause[] {
  return [{ terms: { access } }, { terms: { tenant: tenant === null ? [""] : ["", tenant] } }];
}

/**
 * Returns groups of clauses that filter a search. A window must match all clauses of one group. A large area needs
 * several groups, each in a query of its own. Returns no group if no window can match.
 */
export function filterGroups({ scope, area = null, holding }: SearchFilters): Clause[][] {
  if (scope.access.length === 0 || holding?.length === 0) return [];
  const common = [...scopeClauses(scope), ...(holding === undefined ? [] : [{ terms: { terms: holding } }])];
  if (area === null) return [common];
  const { parts, fit } = area;
  return groupsOf([...parts].flatMap(([id, part]) => partClauses(id, part, fit))).map((should) => [
    ...common,
    { bool: { should: should.map(({ clause }) => clause), minimum_should_match: 1 } },
  ]);
}

interface Sized {
  readonly clause: Clause;
  readonly size: number;
}

/** Returns the clauses for one document of an area. Its ranges are disjoint, so they can be split into several clauses. */
function partClauses(id: string, { version, ranges }: AreaPart, fit: "window" | "cut"): Sized[] {
  const own: Clause[] = [{ term: { document_id: id } }, ...(version === null ? [] : [{ term: { version } }])];
  const clauses: Sized[] = [];
  for (let at = 0; at < ranges.length; at += MAX_CLAUSES / 4) {
    const some = ranges.slice(at, at + MAX_CLAUSES / 4);
    const within = some.map((range) => placed(range, "within"));
    const bool =
      fit === "window"
        ? { filter: own, should: within, minimum_should_match: 1 }
        : { filter: own, should: some.map((range) => placed(range, "intersects")), minimum_should_match: 1, must_not: within };
    clauses.push({ clause: { bool }, size: own.length + some.length * 2 });
  }
  return clauses;
}

/** Largest value of an `integer_range`. */
const LAST_OFFSET = 2 ** 31 - 1;

function placed({ start, end }: { readonly start: number; readonly end: number }, relation: "within" | "intersects"): Clause {
  return { range: { place: { gte: start, lt: Math.min(end, LAST_OFFSET), relation } } };
}

function groupsOf(clauses: readonly Sized[]): Sized[][] {
  const groups: Sized[][] = [];
  let left = 0;
  for (const one of clauses) {
    if (one.size > left) {
      groups.push([]);
      left = MAX_CLAUSES / 2;
    }
    groups.at(-1)?.push(one);
    left -= one.size;
  }
  return groups;
}

/** Builds a query that ranks chunks by their best window. @param terms token → weight */
export function wordQuery(terms: ReadonlyMap<string, number>, filter: readonly Clause[], size: number): object {
  const should = [...terms].map(([value, boost]) => ({ term: { terms: { value, boost } } }));
  return { ...ranked(size), query: { bool: { filter, should, minimum_should_match: 1 } } };
}

/** @param windows number of windows that the vector search of each shard returns before they are grouped by chunk */
export function vectorQuery(field: string, vector: Float32Array, filter: readonly Clause[], windows: number, size: number): object {
  const knn = { [field]: { vector: Array.from(vector), k: windows, filter: { bool: { filter } } } };
  return { ...ranked(size), track_total_hits: true, query: { knn } };
}

function ranked(size: number) {
  return {
    ...{ size, _source: HIT_FIELDS, track_total_hits: false },
    ...{ collapse: { field: "chunk_id" }, sort: [{ _score: "desc" }, ...BY_PLACE.map((field) => ({ [field]: "asc" }))] },
  };
}

/** Builds a query that counts the windows with each term, and all windows that the scope may see. */
export function countQuery(terms: readonly string[], scope: Scope): object {
  const filters = Object.fromEntries(terms.map((term, i) => [String(i), { term: { terms: term } }]));
  return {
    ...{ size: 0, track_total_hits: true, query: { bool: { filter: scopeClauses(scope) } } },
    aggs: {
      all: { global: {}, aggs: { length: { avg: { field: "length" } } } },
      ...(terms.length > 0 && { terms: { filters: { filters } } }),
    },
  };
}

/** Builds a query for words similar to a word. They are not stemmed, and may come from documents that the user must not see. */
export function nearWordsQuery(word: string, edits: number, size: number): object {
  const term = {
    ...{ field: WRITTEN_FIELD, suggest_mode: "always", max_edits: edits, prefix_length: 0, min_word_length: 1 },
    ...{ size, shard_size: size, max_term_freq: 1_000_000_000, accuracy: 0.01 },
  };
  return { size: 0, suggest: { near: { text: word, term } } };
}

/** Builds a query that counts, for each unstemmed word, the visible documents that contain it. */
export function countWordsQuery(words: readonly string[], scope: Scope): object {
  const filters = Object.fromEntries(words.map((word, i) => [String(i), { term: { [WRITTEN_FIELD]: word } }]));
  const documents = { cardinality: { field: "document_id", precision_threshold: 3_000 } };
  return {
    ...{ size: 0, track_total_hits: false, query: { bool: { filter: scopeClauses(scope) } } },
    aggs: { words: { filters: { filters }, aggs: { documents } } },
  };
}

/** Returns a clause that selects the windows of these documents. */
export function ofDocuments(ids: readonly string[]): Clause {
  return { terms: { document_id: ids } };
}
