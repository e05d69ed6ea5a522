import type { Encoder } from "../models/encoder.ts";
import type { DocumentStore, IndexedDocument } from "../store/documents.ts";
import type { EmbeddingStore } from "../store/embeddings.ts";
import { sha256Hex } from "../text/hash.ts";
import { createStemmer, tokenize } from "../text/tokens.ts";
import type { Chunk, Scope, Selection, TextRange, Window } from "../types.ts";
import { Bm25Index, type Scored } from "./bm25.ts";
import { DenseIndex } from "./dense.ts";
import { fuseMinMax, fuseReciprocalRank, type Ranked } from "./fuse.ts";

/** Weights of the fields that stand above every window of a document. The body has 1. Chosen on the development half of va-golden. */
export const FIELD_WEIGHTS = { title: 2, headings: 1, description: 1, body: 1 } as const;

/** Windows asked of a ranking for every chunk wanted: a chunk has a handful. */
const WINDOWS_PER_CHUNK = 4;

export interface CorpusOptions {
  readonly domain: string;
  readonly documents: Pick<DocumentStore, "revision" | "versions" | "loadForIndex">;
  readonly embeddings: EmbeddingStore;
  readonly encoder: Encoder | null;
  /** Texts in one call of the encoder. */
  readonly batch: number;
}

export interface SearchRequest {
  readonly tokens: readonly string[];
  /** The question's unit vector; `null` ranks by words alone. */
  readonly vector: Float32Array | null;
  readonly scope: Scope;
  readonly selection: Selection | null;
  readonly selectionMode: "containment" | "clip";
  readonly bm25: boolean;
  /** Chunks asked of each ranking. */
  readonly candidates: number;
  readonly alpha: number;
  readonly beta: number;
  readonly fusion: "min-max" | "rrf";
}

/** A chunk that was found, by its best window. */
export interface Candidate {
  readonly documentId: string;
  readonly version: string;
  readonly chunk: Chunk;
  readonly window: TextRange;
  readonly title: string;
  /** The window's text. */
  readonly text: string;
  readonly dense: number | null;
  readonly bm25: number | null;
  readonly fused: number;
}

export interface SyncOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onEmbed?: (done: number, total: number) => void;
}

interface Entry {
  readonly document: IndexedDocument;
  readonly chunk: Chunk;
  readonly window: Window;
}

/**
 * The in-process index of one domain: words and vectors of every window, kept equal to the store by `sync`.
 * It holds all tenants and labels; every search filters by scope before ranking.
 */
export class Corpus {
  private readonly options: CorpusOptions;
  private readonly words = new Bm25Index();
  private readonly vectors = new DenseIndex();
  private readonly stem = createStemmer();
  /** Entry of each slot of `words`; `null` once deleted. */
  private readonly entries: (Entry | null)[] = [];
  /** Slot in `words` of each slot in `vectors`, and back. */
  private readonly wordSlotOfVector: number[] = [];
  private readonly vectorSlotOfWord = new Map<number, number>();
  private readonly slotsOfDocument = new Map<string, { version: string; slots: number[] }>();
  private revision = -1;
  private syncing: Promise<void> = Promise.resolve();

  constructor(options: CorpusOptions) {
    this.options = options;
  }

  /** Number of windows indexed. */
  get windows(): number {
    return this.words.size;
  }

  /** Inverse document frequency of a stemmed token over windows. */
  idf(token: string): number {
    return this.words.idf(token);
  }

  has(token: string): boolean {
    return this.words.has(token);
  }

  /** Tokens of a text as this index sees them. */
  tokens(text: string): string[] {
    return tokenize(text, this.stem);
  }

  /** Takes in what other connections or processes committed. Cheap when nothing changed. Calls run one after the other. */
  sync(options: SyncOptions = {}): Promise<void> {
    const next = this.syncing.then(() => this.syncNow(options));
    this.syncing = next.catch(() => undefined);
    return next;
  }

  /** Chunks ranked by fused score, best first; filters apply before ranking. */
  search(request: SearchRequest): Candidate[] {
    const accept = this.filter(request);
    const windows = request.candidates * WINDOWS_PER_CHUNK;
    const byWords = request.bm25 ? this.words.search(request.tokens, windows, accept) : [];
    const byVector = request.vector === null ? [] : this.searchVectors(request.vector, windows, accept);
    const dense = this.bestWindows(byVector, request.candidates);
    const bm25 = this.bestWindows(byWords, request.candidates);
    const slots = new Map([...bm25.slots, ...dense.slots]);
    const fused =
      request.fusion === "rrf" ? fuseReciprocalRank(dense.ranking, bm25.ranking) : fuseMinMax(dense.ranking, bm25.ranking, request);
    return fused.map(({ id, ...scores }) => {
      const { document, chunk, window } = this.entries[slots.get(id) as number] as Entry;
      const text = document.text.slice(window.start, window.end);
      return { documentId: document.id, version: document.version, chunk, window, title: document.title, text, ...scores };
    });
  }

  private filter({ scope, selection, selectionMode }: SearchRequest): (slot: number) => boolean {
    const labels = new Set(scope.access);
    return (slot) => {
      const entry = this.entries[slot];
      if (entry === null || entry === undefined) return false;
      const { document, chunk, window } = entry;
      if (!labels.has(document.access) || (document.tenant !== null && document.tenant !== scope.tenant)) return false;
      if (selection === null) return true;
      if (document.id !== selection.documentId) return false;
      return selectionMode === "containment"
        ? chunk.start >= selection.start && chunk.end <= selection.end
        : window.start < selection.end && window.end > selection.start;
    };
  }

  private searchVectors(vector: Float32Array, k: number, accept: (slot: number) => boolean): Scored[] {
    return this.vectors
      .search(vector, k, (slot) => accept(this.wordSlotOfVector[slot] as number))
      .map(({ slot, score }) => ({ slot: this.wordSlotOfVector[slot] as number, score }));
  }

  /** A chunk scores as its best window. */
  private bestWindows(scored: readonly Scored[], limit: number): { ranking: Ranked<string>[]; slots: Map<string, number> } {
    const slots = new Map<string, number>();
    const ranking: Ranked<string>[] = [];
    for (const { slot, score } of scored) {
      const { chunk } = this.entries[slot] as Entry;
      if (slots.has(chunk.id)) continue;
      if (ranking.length === limit) break;
      slots.set(chunk.id, slot);
      ranking.push({ id: chunk.id, score });
    }
    return { ranking, slots };
  }

  private async syncNow({ signal, onEmbed }: SyncOptions): Promise<void> {
    const { domain, documents } = this.options;
    const revision = await documents.revision(domain);
    if (revision !== this.revision) {
      const current = await documents.versions(domain);
      for (const [id, { version }] of this.slotsOfDocument) if (current.get(id) !== version) this.remove(id);
      const missing = [...current.keys()].filter((id) => !this.slotsOfDocument.has(id)).sort();
      for (const document of await documents.loadForIndex(domain, missing)) this.insert(document);
      this.revision = revision;
    }
    if (this.options.encoder !== null) await this.embedMissing(this.options.encoder, signal, onEmbed);
  }

  private insert(document: IndexedDocument): void {
    const title = this.tokens(document.title);
    const description = this.tokens(document.description ?? "");
    const slots: number[] = [];
    for (const chunk of document.chunks) {
      const headings = this.tokens(chunk.headingPath.join(" "));
      for (const window of chunk.windows) {
        const slot = this.words.add([
          { tokens: title, weight: FIELD_WEIGHTS.title },
          { tokens: description, weight: FIELD_WEIGHTS.description },
          { tokens: headings, weight: FIELD_WEIGHTS.headings },
          { tokens: this.tokens(document.text.slice(window.start, window.end)), weight: FIELD_WEIGHTS.body },
        ]);
        this.entries[slot] = { document, chunk, window };
        slots.push(slot);
      }
    }
    this.slotsOfDocument.set(document.id, { version: document.version, slots });
  }

  private remove(documentId: string): void {
    for (const slot of this.slotsOfDocument.get(documentId)?.slots ?? []) {
      this.words.delete(slot);
      this.entries[slot] = null;
      const vectorSlot = this.vectorSlotOfWord.get(slot);
      if (vectorSlot !== undefined) this.vectors.delete(vectorSlot);
      this.vectorSlotOfWord.delete(slot);
    }
    this.slotsOfDocument.delete(documentId);
  }

  /** Vectors come from the cache on disk where they were paid for before; every batch is stored at once, so a crash loses one batch at most. */
  private async embedMissing(encoder: Encoder, signal: AbortSignal | undefined, onEmbed: SyncOptions["onEmbed"]): Promise<void> {
    const missing: number[] = [];
    this.entries.forEach((entry, slot) => {
      if (entry !== null && !this.vectorSlotOfWord.has(slot)) missing.push(slot);
    });
    for (let at = 0; at < missing.length; at += this.options.batch) {
      signal?.throwIfAborted();
      const slots = missing.slice(at, at + this.options.batch);
      const texts = slots.map((slot) => passageText(this.entries[slot] as Entry));
      const vectors = await embedCached(texts, encoder, this.options.embeddings, signal);
      slots.forEach((slot, i) => {
        const vectorSlot = this.vectors.add(vectors[i] as Float32Array);
        this.wordSlotOfVector[vectorSlot] = slot;
        this.vectorSlotOfWord.set(slot, vectorSlot);
      });
      onEmbed?.(Math.min(at + slots.length, missing.length), missing.length);
    }
  }
}

/** What an encoder sees of a window: title, headings, text. */
function passageText({ document, chunk, window }: Entry): string {
  return [document.title, ...chunk.headingPath, document.text.slice(window.start, window.end)].join("\n");
}

/** Vectors of texts, through the cache on disk. */
export async function embedCached(
  texts: readonly string[],
  encoder: Encoder,
  embeddings: EmbeddingStore,
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  const hashes = texts.map((text) => sha256Hex(text));
  const known = await embeddings.get(encoder.id, [...new Set(hashes)]);
  const fresh = [...new Set(hashes.filter((hash) => !known.has(hash)))];
  if (fresh.length > 0) {
    const made = await encoder.embed(
      fresh.map((hash) => texts[hashes.indexOf(hash)] as string),
      signal === undefined ? {} : { signal },
    );
    const vectors = new Map(fresh.map((hash, i) => [hash, made[i] as Float32Array]));
    await embeddings.put(encoder.id, vectors);
    for (const [hash, vector] of vectors) known.set(hash, vector);
  }
  return hashes.map((hash) => known.get(hash) as Float32Array);
}
