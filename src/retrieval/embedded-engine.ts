import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Chunk, Scope } from "../shared/types.ts";
import type { DocumentHead } from "../store/document-rows.ts";
import { compareText } from "../text/normalise.ts";
import { createStemmer } from "../text/tokens.ts";
import { analysis, type CorpusFacts, decodeCorpus, encodeCorpus, readCorpusFacts } from "./corpus-snapshot.ts";
import { DenseIndex, type DenseOptions, type VectorRanking } from "./dense.ts";
import { type Entry, IndexedWindows, ScopeFilter, scopeSees } from "./indexed-windows.ts";
import { ScratchFile } from "./scratch-file.ts";
import { isOverlapped, partOf, rangeAround } from "./search-area.ts";
import type { EngineOptions, EngineRequest, IndexChanges, SearchEngine, SearchFilters, WindowId, WindowText } from "./search-engine.ts";
import { SnapshotKeeper, type SnapshotPlace } from "./snapshot-keeper.ts";
import { TableVectors, type VectorTables } from "./table-vectors.ts";
import { type Hit, type Scored, SlotSet, type TermCounts, type TimePart, untimed } from "./top-k.ts";

export interface EmbeddedEngineOptions {
  readonly domain: string;
  /** Stores and searches vectors in database tables. Absent: vectors are in this process. */
  readonly tables?: VectorTables | undefined;
  /** Place where the index is stored between two starts. Absent: it is not stored. */
  readonly snapshot?: SnapshotPlace | undefined;
  /** Options of the vector indexes. @default with `snapshot`, f32 vectors that do not fit the first WebAssembly memory are in a file */
  readonly dense?: DenseOptions | undefined;
}

/** Initial number of windows requested per wanted chunk. Most found chunks have one or two windows among the best. */
const WINDOWS_PER_CHUNK = 2;
/** Number of windows requested from a table per wanted chunk. At most a few of the best windows share a chunk, so eight are enough. */
const TABLE_WINDOWS_PER_CHUNK = 8;

/** Slot and score of the best window of each chunk, by chunk id, best first. */
type BestChunks = ReadonlyMap<string, Scored>;

const NO_CHUNKS: BestChunks = new Map();

/**
 * The in-process search engine: words and vectors of every window in typed arrays, stored in a file between two starts.
 */
export class EmbeddedEngine implements SearchEngine {
  private readonly options: EmbeddedEngineOptions;
  private readonly dense: DenseOptions;
  private readonly stem = createStemmer();
  private readonly scopes = new ScopeFilter(() => this.indexed.documents.values());
  /** Term counts of a scope's windows, cached until they change. */
  private readonly counts = new WeakMap<SlotSet, TermCounts>();
  private readonly keeper: SnapshotKeeper | null;
  private indexed = new IndexedWindows();
  /** Vectors by encoder id: of the active encoder and, during a switch, of the next encoder. */
  private readonly vectors = new Map<string, DenseIndex | TableVectors>();
  private serving: string | null = null;
  private reached = -1;

  constructor(options: EmbeddedEngineOptions) {
    this.options = options;
    const { snapshot } = options;
    this.dense = { createFile: snapshot === undefined ? null : () => new ScratchFile(dirname(snapshot.path)), ...options.dense };
    this.keeper = snapshot === undefined ? null : this.keeperOf(snapshot);
  }

  async revision(): Promise<number> {
    return this.reached;
  }

  async reconcile(documents: ReadonlyMap<string, DocumentHead>, encoder: string | null): Promise<string[]> {
    if (this.reached < 0) await this.restore(documents, encoder);
    this.reached = Math.max(this.reached, 0);
    const held = this.indexed.documents;
    await this.remove([...held].flatMap(([id, { version }]) => (documents.get(id)?.version === version ? [] : [id])));
    return [...documents.keys()].filter((id) => !held.has(id)).sort();
  }

  async index({ revision, documents = [], vectors }: IndexChanges): Promise<void> {
    const held = this.indexed.documents;
    const changed = documents.filter(({ id, version }) => held.get(id)?.version !== version);
    this.drop(changed.flatMap(({ id }) => (held.has(id) ? [id] : [])));
    for (const document of changed) this.indexed.insert(document, this.stem);
    if (changed.length > 0) this.windowsChanged();
    // Also documents of an equal version: one that was deleted and stored again has lost its vectors in the database.
    await this.adoptStored(documents.map(({ id }) => id));
    if (revision !== undefined) this.reached = revision;
    if (vectors !== undefined) await this.addVectors(vectors);
  }

  async remove(documentIds: readonly string[]): Promise<void> {
    this.drop(documentIds);
  }

  async serve(encoder: string | null): Promise<void> {
    for (const id of this.vectors.keys()) if (id !== encoder) this.vectors.delete(id);
    if (this.serving !== encoder && this.reached >= 0) this.keeper?.markChanged();
    this.serveFrom(encoder);
    await this.adoptStored([...this.indexed.documents.keys()]);
  }

  async coverage(encoder: string | null) {
    const { words } = this.indexed;
    const index = this.vectors.get(encoder ?? "");
    const bytes = { words: words.bytes, vectors: index?.bytes ?? 0 };
    return { windows: words.size, vectors: index?.size ?? 0, dimensions: index?.dimensions || null, bytes };
  }

  async *windowsWithout(encoder: string, batch: number): AsyncGenerator<WindowText[], void> {
    // Windows may be added while the caller works on a part, also on the last one.
    for (let slot = 0; slot < this.indexed.entries.length; ) {
      const part: WindowText[] = [];
      for (; slot < this.indexed.entries.length && part.length < batch; slot++) {
        const entry = this.indexed.entries[slot];
        if (entry == null || this.vectors.get(encoder)?.has(slot) === true) continue;
        const { document, chunk, window } = entry;
        const place = { documentId: document.id, chunkId: chunk.id, start: window.start };
        part.push({ ...place, title: document.title, headingPath: chunk.headingPath, text: document.textIn(window) });
      }
      if (part.length > 0) yield part;
    }
  }

  async search(request: EngineRequest, { signal, time = untimed }: EngineOptions = {}): Promise<Hit[]> {
    signal?.throwIfAborted();
    this.keeper?.postpone();
    const { vector, filters, k } = request;
    const index = vector === null ? undefined : this.vectors.get(vector.encoder.id);
    // Windows may change during this wait, but not during the synchronous steps that follow.
    const rankingOf = vector === null || index === undefined ? null : await this.rankByVector(vector.values, index, request, time);
    signal?.throwIfAborted();
    const accept = this.filter(filters);
    if (k <= 0 || accept === null) return [];
    const ranking = rankingOf?.() ?? null;
    const bm25 = time("words", () => this.bestByWords(request, accept));
    const dense = ranking === null ? NO_CHUNKS : time("vectors", () => this.bestChunks((wanted) => ranking.nearest(wanted, accept), k));
    return [...new Map([...bm25, ...dense])]
      .sort(([, a], [, b]) => this.order(a.slot, b.slot))
      .map(([id, { slot }]) => {
        const { document, chunk, window } = this.indexed.entries[slot] as Entry;
        const score = dense.get(id)?.score ?? null;
        return {
          ...{ documentId: document.id, version: document.version, chunk, window, title: document.title, text: document.textIn(window) },
          ...{ bm25: bm25.get(id)?.score ?? null, dense: score, cosine: score ?? ranking?.best(this.slotsIn(chunk, accept)) ?? null },
        };
      });
  }

  async statistics(terms: readonly string[], scope: Scope, { signal }: Pick<EngineOptions, "signal"> = {}) {
    signal?.throwIfAborted();
    const { words } = this.indexed;
    const counts = this.countsFor(scope);
    const frequencies = new Map(terms.map((term) => [term, words.frequency(term, counts)]));
    return { windows: counts.size, averageLength: words.averageLength, frequencies };
  }

  async similarWords(word: string, scope: Scope, { signal }: Pick<EngineOptions, "signal"> = {}) {
    signal?.throwIfAborted();
    return this.indexed.vocabulary.near(word, (owner) => scopeSees(scope, owner));
  }

  async idle(): Promise<void> {
    for (const index of this.vectors.values()) if (index instanceof TableVectors) await index.idle();
    await this.keeper?.flush();
  }

  private serveFrom(encoder: string | null): void {
    this.serving = encoder;
    if (encoder !== null) this.vectorsOf(encoder);
  }

  /** Returns the vectors of an encoder; creates an empty index if there are none. */
  private vectorsOf(encoder: string): DenseIndex | TableVectors {
    const { tables } = this.options;
    const make = () => (tables === undefined ? new DenseIndex(this.dense) : new TableVectors(tables, encoder, () => this.indexed));
    const index = this.vectors.get(encoder) ?? make();
    this.vectors.set(encoder, index);
    return index;
  }

  /** Returns the vectors that a snapshot contains; `null` if there are none in this process. */
  private ownVectors(): DenseIndex | null {
    const index = this.vectors.get(this.serving ?? "");
    return index instanceof DenseIndex ? index : null;
  }

  /** Removes documents with their vectors. */
  private drop(documentIds: readonly string[]): void {
    for (const id of documentIds) for (const slot of this.indexed.remove(id)) for (const index of this.vectors.values()) index.delete(slot);
    if (documentIds.length > 0) this.windowsChanged();
  }

  /** Must be called whenever a document was added or removed. */
  private windowsChanged(): void {
    this.scopes.clear();
    this.keeper?.markChanged();
  }

  private async addVectors({ encoder, windows }: NonNullable<IndexChanges["vectors"]>): Promise<void> {
    const index = this.vectorsOf(encoder);
    const slots = this.slotsOf(windows);
    const missing = new Map<number, Float32Array>();
    for (const [i, slot] of slots.entries())
      if (slot !== undefined && !index.has(slot)) missing.set(slot, (windows[i] as (typeof windows)[number]).vector);
    if (index instanceof TableVectors) return index.put(missing);
    for (const [slot, vector] of missing) index.add(vector, slot);
    if (encoder === this.serving) this.keeper?.markChanged();
  }

  /** Notes which windows of documents already have vectors in the database. */
  private async adoptStored(documentIds: readonly string[]): Promise<void> {
    if (documentIds.length === 0) return;
    for (const index of this.vectors.values()) if (index instanceof TableVectors) await index.adopt(documentIds);
  }

  /** Returns the slots of windows; `undefined` for a window that is not indexed. */
  private slotsOf(windows: readonly WindowId[]): (number | undefined)[] {
    const known = new Map<string, number>();
    const keyOf = (chunkId: string, start: number) => `${start} ${chunkId}`;
    for (const id of new Set(windows.map(({ documentId }) => documentId)))
      for (const slot of this.indexed.documents.get(id)?.slots ?? []) {
        const { chunk, window } = this.indexed.entries[slot] as Entry;
        known.set(keyOf(chunk.id, window.start), slot);
      }
    return windows.map(({ chunkId, start }) => known.get(keyOf(chunkId, start)));
  }

  /** Compares a question's vector. The result must be called in the same step that uses it, because slots change with documents. */
  private async rankByVector(
    values: Float32Array,
    index: DenseIndex | TableVectors,
    request: EngineRequest,
    time: TimePart,
  ): Promise<() => VectorRanking> {
    if (index instanceof DenseIndex) return () => index.rank(values);
    const { scope, area = null, holding } = request.filters;
    const accept = this.filter(request.filters) ?? new SlotSet();
    const isRestricted = area !== null || holding !== undefined;
    const byWords = [...this.bestByWords(request, accept).values()];
    const wanted = {
      ...{ values, scope, k: request.k * TABLE_WINDOWS_PER_CHUNK, visible: this.scopes.slotsFor(scope).size },
      among: isRestricted ? accept.slots() : null,
      scored: byWords.flatMap(({ slot }) => this.slotsIn((this.indexed.entries[slot] as Entry).chunk, accept)),
    };
    return time("vectors", () => index.rank(wanted));
  }

  /** Returns the best chunks by words among the accepted windows. */
  private bestByWords({ terms, filters, k }: EngineRequest, accept: SlotSet): BestChunks {
    if (terms.length === 0 || k <= 0) return NO_CHUNKS;
    const counts = this.countsFor(filters.scope);
    return this.bestChunks((wanted) => this.indexed.words.search(terms, wanted, (slot) => accept.has(slot), counts), k);
  }

  private countsFor(scope: Scope): TermCounts {
    const visible = this.scopes.slotsFor(scope);
    const counts = this.counts.get(visible) ?? this.indexed.words.countsAmong(visible);
    this.counts.set(visible, counts);
    return counts;
  }

  /** Returns the windows that a request may find; `null` if there are none. */
  private filter({ scope, area = null, holding }: SearchFilters): SlotSet | null {
    const visible = this.scopes.slotsFor(scope);
    const inside = area === null ? visible : this.narrowed(visible, area);
    if (holding === undefined) return inside;
    const found = this.indexed.words.search(holding, this.indexed.words.slots, (slot) => inside.has(slot));
    return found.length === 0 ? null : SlotSet.of(found.map(({ slot }) => slot));
  }

  private narrowed(slots: SlotSet, { parts, fit }: NonNullable<SearchFilters["area"]>): SlotSet {
    const left = new SlotSet();
    for (const id of parts.keys()) {
      const held = this.indexed.documents.get(id);
      const part = held === undefined ? undefined : partOf(parts, held.document);
      if (held === undefined || part === undefined) continue;
      for (const slot of held.slots) {
        const { window } = this.indexed.entries[slot] as Entry;
        const isInside = rangeAround(part, window) !== undefined;
        const fits = fit === "window" ? isInside : !isInside && isOverlapped(part, window);
        if (fits && slots.has(slot)) left.add(slot);
      }
    }
    return left;
  }

  /** Returns the accepted windows of a chunk. */
  private slotsIn(chunk: Chunk, accept: SlotSet): number[] {
    const slots = this.indexed.documents.get(chunk.documentId)?.slots ?? [];
    return slots.filter((slot) => this.indexed.entries[slot]?.chunk === chunk && accept.has(slot));
  }

  /** Orders windows with equal scores by path, document and position, because their slots depend on the order of ingestion. */
  private order(a: number, b: number): number {
    const one = this.indexed.entries[a] as Entry;
    const two = this.indexed.entries[b] as Entry;
    return (
      compareText(one.document.path, two.document.path) ||
      compareText(one.document.id, two.document.id) ||
      one.chunk.ordinal - two.chunk.ordinal ||
      one.window.start - two.window.start
    );
  }

  /**
   * Returns the `limit` best chunks of a ranking of windows, each with the score of its best window. If many windows
   * share a chunk, it requests more windows until there are enough chunks.
   */
  private bestChunks(search: (windows: number) => Scored[], limit: number): BestChunks {
    for (let windows = limit * WINDOWS_PER_CHUNK; ; windows *= 2) {
      const scored = withTies(search, windows).sort((a, b) => b.score - a.score || this.order(a.slot, b.slot));
      const best = new Map<string, Scored>();
      for (const one of scored) {
        const { chunk } = this.indexed.entries[one.slot] as Entry;
        if (best.size < limit && !best.has(chunk.id)) best.set(chunk.id, one);
      }
      if (best.size === limit || scored.length < windows) return best;
    }
  }

  /** Loads the stored snapshot, without the documents that have changed in the database since. */
  private async restore(heads: ReadonlyMap<string, DocumentHead>, encoder: string | null): Promise<void> {
    const { domain, snapshot } = this.options;
    this.serveFrom(encoder);
    if (this.keeper === null || snapshot === undefined) return;
    const kept = await this.keeper.read((file) => decodeCorpus(file, { store: snapshot.store, domain, encoder, heads, dense: this.dense }));
    if (kept === null) return;
    this.indexed = kept.windows;
    this.scopes.clear();
    if (kept.vectors !== null && encoder !== null && this.options.tables === undefined) this.vectors.set(encoder, kept.vectors);
    await this.adoptStored([...this.indexed.documents.keys()]);
    if (kept.outdated) this.keeper.markChanged();
    if (kept.otherEncoder !== null)
      snapshot.warn(
        `The stored search index ${snapshot.path} contains vectors of the encoder "${kept.otherEncoder}", but "${encoder}" is in use. Its vectors are loaded from the database or computed now.`,
      );
  }

  private keeperOf(place: SnapshotPlace): SnapshotKeeper {
    const facts = (): CorpusFacts => {
      const { reached, serving } = this;
      const vectors = this.ownVectors()?.size ?? 0;
      return { store: place.store, domain: this.options.domain, revision: reached, encoder: serving, vectors, analysis: analysis() };
    };
    return new SnapshotKeeper(place, {
      equals: (file) => isDeepStrictEqual(readCorpusFacts(file), facts()),
      capture: () => {
        const { revision } = facts();
        if (revision <= 0) return null;
        const pieces = encodeCorpus(this.indexed, this.ownVectors(), facts());
        return { pieces, isCurrent: async () => (await place.revision()) === revision };
      },
    });
  }
}

/**
 * Returns the `k` best entries and all entries with the score of the last of them. An index cuts ties by slot, and
 * slots depend on the order of ingestion.
 */
function withTies(search: (k: number) => Scored[], k: number): Scored[] {
  for (let wanted = k + 1; ; wanted *= 2) {
    const found = search(wanted);
    if (found.length < wanted) return found;
    const end = found.findIndex(({ score }, i) => i >= k && score < (found[k - 1] as Scored).score);
    if (end >= 0) return found.slice(0, end);
  }
}
