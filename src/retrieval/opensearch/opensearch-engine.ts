import { z } from "zod";
import type { Scope } from "../../shared/types.ts";
import type { DocumentHead, IndexedDocument } from "../../store/document-rows.ts";
import { allowedEdits, editDistance, REPAIR_MIN_LETTERS } from "../../text/spelling.ts";
import { createStemmer, tokenize } from "../../text/tokens.ts";
import { scopeKey } from "../indexed-windows.ts";
import { weightsOf } from "../postings.ts";
import type { Coverage, EngineOptions, EngineRequest, IndexChanges, SearchEngine, TermStatistics, WindowText } from "../search-engine.ts";
import type { Hit } from "../top-k.ts";
import { type CatalogOptions, IndexCatalog, type Place } from "./catalog.ts";
import type { BulkItem, OpenSearchConnection } from "./connection.ts";
import {
  HIT_FIELDS,
  isIndexable,
  MAPPING_VERSION,
  routingOf,
  vectorField,
  vectorMapping,
  windowKey,
  windowSchema,
  windowsOf,
} from "./mapping.ts";
import { countQuery, countWordsQuery, nearWordsQuery, ofDocuments } from "./queries.ts";
import { type CheckCurrent, searchWindows } from "./search.ts";

export interface OpenSearchEngineOptions extends CatalogOptions {
  readonly isCurrent: CheckCurrent;
  /** True: builds a new index while searches still use the current one. @default false */
  readonly rebuild?: boolean | undefined;
}

/** Maximum number of ids per request. A `terms` query takes up to 65,536. */
const IDS_PER_REQUEST = 1_000;
/** Maximum number of terms per request of statistics. */
const TERMS_PER_REQUEST = 500;
/**
 * Maximum number of cached frequencies per scope. `MAX_SCOPES` is the maximum number of cached scopes. A change of the index empties both.
 */
const MAX_TERMS = 50_000;
const MAX_SCOPES = 64;
/** Maximum number of similar words to request for a misspelt word. Most are dropped: too different, or only in invisible documents. */
const NEAR_WORDS = 50;

const ANY = z.unknown();
const countSchema = z.object({ count: z.number() });
const bucketsSchema = z.record(z.string(), z.object({ doc_count: z.number() }));
const statisticsSchema = z.object({
  hits: z.object({ total: z.object({ value: z.number() }) }),
  aggregations: z.object({
    all: z.object({ length: z.object({ value: z.number().nullable() }) }),
    terms: z.object({ buckets: bucketsSchema }).optional(),
  }),
});
const nearSchema = z.object({
  suggest: z.object({ near: z.array(z.object({ options: z.array(z.object({ text: z.string() })) })) }).optional(),
});
const wordsSchema = z.object({ buckets: z.record(z.string(), z.object({ documents: z.object({ value: z.number() }) })) });
const wordCountsSchema = z.object({ aggregations: z.object({ words: wordsSchema }).optional() });
const missingSchema = z.object({ hits: z.object({ hits: z.array(z.object({ _source: windowSchema, sort: z.array(z.unknown()) })) }) });
const routedSchema = z.object({ hits: z.object({ hits: z.array(z.object({ _id: z.string(), _routing: z.string() })) }) });
const versionSchema = z.object({
  after_key: z.record(z.string(), z.string()).optional(),
  buckets: z.array(z.object({ key: z.object({ id: z.string(), version: z.string() }) })),
});
const versionsSchema = z.object({ aggregations: z.object({ versions: versionSchema }).optional() });

interface ScopeStatistics extends TermStatistics {
  readonly frequencies: Map<string, number>;
}

/**
 * A search engine in an OpenSearch cluster: BM25 and k-NN in one index per domain. Replicas share the index; one
 * replica at a time may write. As in the embedded engine, scores are computed from the statistics of the documents that
 * the user may see. A hit that the database does not confirm is dropped. So a stale index may miss documents, but never
 * shows outdated ones.
 */
export class OpenSearchEngine implements SearchEngine {
  private readonly options: OpenSearchEngineOptions;
  private readonly connection: OpenSearchConnection;
  private readonly catalog: IndexCatalog;
  private readonly stem = createStemmer();
  private readonly statisticsOf = new Map<string, ScopeStatistics>();
  /** Vector fields of the current index; `null`: not loaded since the last change. */
  private fields: Place["vectors"] | null = null;
  /** The new index that is being filled. When it is complete, it takes over the alias. */
  private building: Place | null = null;
  private serving: string | null = null;
  /** Encoders that are no longer used. The next write drops their vectors. */
  private readonly retired = new Set<string>();
  private writing: Promise<unknown> = Promise.resolve();

  constructor(options: OpenSearchEngineOptions) {
    this.options = options;
    this.connection = options.connection;
    this.catalog = new IndexCatalog(options);
  }

  async revision(): Promise<number> {
    const place = this.options.rebuild === true ? this.building : await this.catalog.current();
    this.forget();
    return place === null || place.version < MAPPING_VERSION ? -1 : this.catalog.revision(place.index);
  }

  async reconcile(documents: ReadonlyMap<string, DocumentHead>, encoder: string | null): Promise<string[]> {
    return this.write(async () => {
      this.serving = encoder;
      const place = await this.catalog.current();
      const isUsable = place !== null && place.version >= MAPPING_VERSION && this.options.rebuild !== true;
      if (!isUsable) {
        const made = await this.catalog.create();
        if (place !== null) this.building = made;
        return [...documents.keys()].sort();
      }
      const held = await this.versionsIn(place.index);
      const stale = [...held].filter(([id, versions]) => versions.some((version) => documents.get(id)?.version !== version));
      const gone = new Map(stale.map(([id]) => [id, null]));
      await this.delete(place.index, gone);
      return [...documents.keys()].filter((id) => !held.has(id) || gone.has(id)).sort();
    });
  }

  async index({ revision, documents = [], vectors }: IndexChanges): Promise<void> {
    await this.write(async () => {
      const place = await this.target(vectors);
      const field = vectors === undefined ? null : vectorField(vectors.encoder);
      const given = new Map(vectors?.windows.map(({ chunkId, start, vector }) => [windowKey(chunkId, start), vector]));
      await this.connection.bulk(place.index, this.additions(documents, field, given));
      await this.connection.bulk(place.index, await this.updates(place.index, field, given));
      await this.delete(place.index, new Map(documents.map(({ id, version }) => [id, version])));
      if (revision === undefined) return;
      await this.catalog.setRevision(place.index, revision);
      if (this.building !== null) await this.catalog.serve(place.index);
      this.building = null;
    });
  }

  async remove(documentIds: readonly string[]): Promise<void> {
    if (documentIds.length === 0) return;
    await this.write(async () => {
      const place = this.building ?? (await this.catalog.current());
      if (place !== null) await this.delete(place.index, new Map(documentIds.map((id) => [id, null])));
    });
  }

  async serve(encoder: string | null): Promise<void> {
    if (this.serving !== null && this.serving !== encoder) this.retired.add(this.serving);
    if (encoder !== null) this.retired.delete(encoder);
    this.serving = encoder;
  }

  async coverage(encoder: string | null): Promise<Coverage> {
    const bytes = { words: 0, vectors: 0 };
    const place = this.building ?? (await this.catalog.current());
    if (place === null) return { windows: 0, vectors: 0, dimensions: null, bytes };
    const count = async (query: object) =>
      (await this.connection.call({ method: "POST", path: `/${place.index}/_count`, body: { query }, schema: countSchema })).count;
    const windows = await count({ match_all: {} });
    const field = encoder === null || this.retired.has(encoder) ? "" : vectorField(encoder);
    const dimensions = place.vectors[field] ?? null;
    return { windows, vectors: dimensions === null ? 0 : await count({ exists: { field } }), dimensions, bytes };
  }

  async *windowsWithout(encoder: string, batch: number): AsyncGenerator<WindowText[], void> {
    const place = this.building ?? (await this.catalog.current());
    if (place === null) return;
    const query = { bool: { must_not: [{ exists: { field: vectorField(encoder) } }] } };
    const sort = ["document_id", "ordinal", "start"].map((field) => ({ [field]: "asc" }));
    for (let after: readonly unknown[] | undefined; ; ) {
      const body: object = { size: batch, query, sort, _source: HIT_FIELDS, search_after: after };
      const { hits } = await this.searchIn(place.index, body, missingSchema);
      const part = hits.hits.map(({ _source: { document_id: documentId, title, chunk, text, window } }) => ({
        ...{ documentId, chunkId: chunk.id, start: window[0], title, headingPath: chunk.headings, text },
      }));
      if (part.length === 0) return;
      after = hits.hits.at(-1)?.sort ?? [];
      yield part;
    }
  }

  async search(request: EngineRequest, { signal, time }: EngineOptions = {}): Promise<Hit[]> {
    signal?.throwIfAborted();
    const { vector, filters, terms } = request;
    if (request.k <= 0) return [];
    const weights = weightsOf(terms, isIndexable);
    const statistics = await this.statistics([...weights.keys()], filters.scope, { signal });
    const field = vector === null ? null : await this.searchable(vector.encoder.id);
    return searchWindows(
      { ...request, weights, statistics, field },
      { connection: this.connection, alias: this.catalog.alias, isCurrent: this.options.isCurrent, signal, time },
    );
  }

  async statistics(terms: readonly string[], scope: Scope, { signal }: Pick<EngineOptions, "signal"> = {}): Promise<TermStatistics> {
    signal?.throwIfAborted();
    const key = scopeKey(scope);
    const known = this.statisticsOf.get(key) ?? null;
    const isUnknown = (term: string) => isIndexable(term) && known?.frequencies.has(term) !== true;
    if (known !== null && !terms.some(isUnknown)) return known;
    const frequencies = known !== null && known.frequencies.size < MAX_TERMS ? known.frequencies : new Map<string, number>();
    let last: ScopeStatistics = { windows: 0, averageLength: 1, frequencies };
    const asked = [...new Set(terms)].filter((term) => isIndexable(term) && !frequencies.has(term));
    for (let at = 0; at === 0 || at < asked.length; at += TERMS_PER_REQUEST) {
      const part = asked.slice(at, at + TERMS_PER_REQUEST);
      const answer = await this.ask(countQuery(part, scope), statisticsSchema, signal);
      for (const [i, term] of part.entries()) frequencies.set(term, answer?.aggregations.terms?.buckets[String(i)]?.doc_count ?? 0);
      const averageLength = answer?.aggregations.all.length.value ?? 1;
      last = { windows: answer?.hits.total.value ?? 0, averageLength: averageLength || 1, frequencies };
    }
    if (this.statisticsOf.size >= MAX_SCOPES) this.statisticsOf.clear();
    this.statisticsOf.set(key, last);
    return last;
  }

  async similarWords(word: string, scope: Scope, { signal }: Pick<EngineOptions, "signal"> = {}): Promise<ReadonlyMap<string, number>> {
    signal?.throwIfAborted();
    const edits = allowedEdits(word.length);
    if (edits === 0) return new Map();
    const proposed = await this.ask(nearWordsQuery(word, edits, NEAR_WORDS), nearSchema, signal);
    const options = proposed?.suggest?.near.flatMap(({ options: some }) => some.map(({ text }) => text)) ?? [];
    const near = [...new Set(options)].filter((one) => one.length >= REPAIR_MIN_LETTERS && editDistance(word, one, edits) <= edits).sort();
    if (near.length === 0) return new Map();
    const counted = await this.ask(countWordsQuery(near, scope), wordCountsSchema, signal);
    const buckets = counted?.aggregations?.words.buckets ?? {};
    return new Map(near.map((one, i) => [one, buckets[String(i)]?.documents.value ?? 0] as const).filter(([, count]) => count > 0));
  }

  async idle(): Promise<void> {
    await this.writing;
  }

  /** Runs a write after all earlier ones. */
  private write<T>(run: () => Promise<T>): Promise<T> {
    const next = this.writing.then(run);
    this.writing = next.catch(() => undefined).then(() => this.forget());
    return next;
  }

  /** Clears cached data of the index after a change. */
  private forget(): void {
    this.statisticsOf.clear();
    this.fields = null;
  }

  /** Returns the name of the field with an encoder's vectors; `null`: the index has none. */
  private async searchable(encoder: string): Promise<string | null> {
    this.fields ??= (await this.catalog.current())?.vectors ?? null;
    const field = vectorField(encoder);
    return this.retired.has(encoder) || this.fields?.[field] === undefined ? null : field;
  }

  /** Sends a search to the current index; returns `null` if there is none yet. */
  private ask<Schema extends z.ZodType>(body: object, schema: Schema, signal?: AbortSignal): Promise<z.infer<Schema> | null> {
    return this.connection.find({
      ...{ method: "POST", path: `/${this.catalog.alias}/_search`, body, schema, signal },
      query: { allow_partial_search_results: false },
    });
  }

  /** Returns the index to write to, with a field for the vectors and without the fields of retired encoders. */
  private async target(vectors: IndexChanges["vectors"]): Promise<Place> {
    let place = this.building ?? (await this.catalog.current()) ?? (await this.catalog.create());
    const fields = [...this.retired].map(vectorField).filter((field) => field in place.vectors);
    if (fields.length > 0) place = await this.catalog.copyWithout(place, fields);
    this.retired.clear();
    const first = vectors?.windows[0]?.vector;
    const field = vectors === undefined ? "" : vectorField(vectors.encoder);
    if (first === undefined || field in place.vectors) return place;
    await this.catalog.addVectors(place.index, field, vectorMapping(first.length));
    const grown = { ...place, vectors: { ...place.vectors, [field]: first.length } };
    if (this.building !== null) this.building = grown;
    return grown;
  }

  /** Yields bulk operations that index the windows of documents with their vectors, if given. Removes used vectors from `given`. */
  private *additions(
    documents: readonly IndexedDocument[],
    field: string | null,
    given: Map<string, Float32Array>,
  ): Generator<BulkItem, void> {
    const tokens = (text: string) => tokenize(text, this.stem);
    for (const document of documents)
      for (const { key, source } of windowsOf(document, tokens)) {
        const vector = field === null ? undefined : given.get(key);
        given.delete(key);
        yield {
          action: { index: { _id: key, routing: routingOf(document) } },
          source: vector === undefined ? source : { ...source, [field as string]: Array.from(vector) },
        };
      }
  }

  /** Returns bulk operations that add the given vectors to windows that are already in the index. */
  private async updates(index: string, field: string | null, given: ReadonlyMap<string, Float32Array>): Promise<BulkItem[]> {
    const items: BulkItem[] = [];
    const keys = [...given.keys()];
    for (let at = 0; field !== null && at < keys.length; at += IDS_PER_REQUEST) {
      const values = keys.slice(at, at + IDS_PER_REQUEST);
      const body = { size: values.length, _source: false, query: { ids: { values } } };
      const { hits } = await this.searchIn(index, body, routedSchema);
      for (const { _id, _routing: routing } of hits.hits)
        items.push({ action: { update: { _id, routing } }, source: { doc: { [field]: Array.from(given.get(_id) as Float32Array) } } });
    }
    return items;
  }

  /**
   * Deletes all versions of documents except the given one of each (`null`: deletes all). Then refreshes the index,
   * which makes all earlier writes visible.
   */
  private async delete(index: string, versions: ReadonlyMap<string, string | null>): Promise<void> {
    const ids = [...versions.keys()];
    for (let at = 0; at < ids.length; at += IDS_PER_REQUEST / 4) {
      const part = ids.slice(at, at + IDS_PER_REQUEST / 4);
      const kept = part.flatMap((id) => {
        const version = versions.get(id) ?? null;
        return version === null ? [] : [{ bool: { filter: [{ term: { document_id: id } }, { term: { version } }] } }];
      });
      const query = { bool: { filter: [ofDocuments(part)], must_not: kept } };
      await this.connection.call({
        ...{ method: "POST", path: `/${index}/_delete_by_query`, body: { query }, schema: ANY, isLong: true },
        query: { conflicts: "proceed" },
      });
    }
    await this.connection.call({ method: "POST", path: `/${index}/_refresh`, schema: ANY, isLong: true });
  }

  private searchIn<Schema extends z.ZodType>(index: string, body: object, schema: Schema): Promise<z.infer<Schema>> {
    return this.connection.call({ method: "POST", path: `/${index}/_search`, body, schema });
  }

  /** Returns the versions of each document in an index. */
  private async versionsIn(index: string): Promise<Map<string, string[]>> {
    const found = new Map<string, string[]>();
    const sources = [{ id: { terms: { field: "document_id" } } }, { version: { terms: { field: "version" } } }];
    for (let after: Readonly<Record<string, string>> | undefined; ; ) {
      const body: object = { size: 0, aggs: { versions: { composite: { size: IDS_PER_REQUEST, sources, after } } } };
      const { aggregations } = await this.searchIn(index, body, versionsSchema);
      for (const { key } of aggregations?.versions.buckets ?? []) found.set(key.id, [...(found.get(key.id) ?? []), key.version]);
      after = aggregations?.versions.after_key;
      if (after === undefined) return found;
    }
  }
}
