import { ModelError } from "../errors.ts";
import { createEnglishWords } from "../language/english-words.ts";
import { createThesaurus, type Thesaurus, type ThesaurusEntries } from "../language/thesaurus.ts";
import type { Encoder } from "../models/encoder.ts";
import type { QuerySettings } from "../profiles/profile.ts";
import type { DocumentStore, IndexedDocument } from "../store/documents.ts";
import type { EmbeddingStore } from "../store/embeddings.ts";
import { sha256Hex } from "../text/hash.ts";
import { createStemmer, tokenize } from "../text/tokens.ts";
import type { Chunk, Scope, Selection, TextRange, Window } from "../types.ts";
import { Bm25Index, type WeightedTerm } from "./bm25.ts";
import type { FaceMemo } from "./deduplicate.ts";
import { DenseIndex } from "./dense.ts";
import { fuseMinMax, fuseReciprocalRank, type Ranked } from "./fuse.ts";
import { SlotSet } from "./slot-set.ts";
import type { Scored } from "./top-k.ts";
import { type Understood, understand } from "./understand.ts";
import { Vocabulary, type VocabularyOwner } from "./vocabulary.ts";

/** Weights of the fields that stand above every window of a document. The body has 1. Chosen on the development half of va-golden. */
export const FIELD_WEIGHTS = { title: 2, headings: 1, description: 1, body: 1 } as const;

export interface CorpusOptions {
  readonly domain: string;
  readonly documents: Pick<DocumentStore, "revision" | "versions" | "loadForIndex">;
  readonly embeddings: EmbeddingStore;
  readonly encoder: Encoder | null;
  /** Texts in one call of the encoder. */
  readonly batch: number;
  /** Other words for the domain's words; none when absent. */
  readonly thesaurus?: ThesaurusEntries;
}

export interface SearchRequest {
  /** What is searched for; a token without a weight counts 1. */
  readonly terms: readonly (string | WeightedTerm)[];
  /** Codes of the question: passages that hold one come first. */
  readonly codes: readonly string[];
  /** The question's unit vector; `null` ranks by words alone. */
  readonly vector: Float32Array | null;
  readonly scope: Scope;
  /** Keeps to chunks that lie wholly inside; chunks that only overlap are ranked by `searchSelection`. */
  readonly selection: Selection | null;
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
  /** Holds a code of the question: stands before all that do not, however they are reranked. */
  readonly coded?: boolean;
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
  private readonly vocabulary = new Vocabulary();
  private readonly thesaurus: Thesaurus;
  private readonly isWord = createEnglishWords();
  /** What a question was read as, until the index changes. */
  private understood = new WeakMap<object, { readonly settings: QuerySettings; readonly understood: Understood }>();
  /** Entry of each slot of `words`; `null` once deleted. */
  private readonly entries: (Entry | null)[] = [];
  /** Slot in `words` of each slot in `vectors`, and back. */
  private readonly wordSlotOfVector: number[] = [];
  private readonly vectorSlotOfWord = new Map<number, number>();
  private readonly slotsOfDocument = new Map<string, { version: string; slots: number[] }>();
  /** What twins were compared by, until the index changes. */
  readonly faces: FaceMemo = new Map();
  /** Windows of the chunk that has most. */
  private mostWindows = 1;
  private revision = -1;
  private syncing: Promise<void> = Promise.resolve();

  constructor(options: CorpusOptions) {
    this.options = options;
    const none = { abbreviations: {}, synonyms: [] };
    this.thesaurus = createThesaurus(options.thesaurus ?? none, (text) => this.tokens(text), this.stem);
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

  /** Length of its vectors; 0 before the first one. Vectors of another length are not comparable. */
  get dimensions(): number {
    return this.vectors.dimensions;
  }

  /** Tokens of a text as this index sees them. */
  tokens(text: string): string[] {
    return tokenize(text, this.stem);
  }

  /** Reads a question as this index can: only words of documents that its scope may see are known. */
  understand(question: { readonly resolved: string; readonly scope: Scope }, settings: QuerySettings): Understood {
    const known = this.understood.get(question);
    if (known?.settings === settings) return known.understood;
    const { scope } = question;
    const sees = (owner: VocabularyOwner) => scopeSees(scope, owner);
    const parts = {
      thesaurus: this.thesaurus,
      tokens: (text: string) => this.tokens(text),
      knows: (word: string) => this.vocabulary.has(this.stem(word), sees) || this.isWord(word),
      repair: (word: string) => this.vocabulary.repair(word, sees),
    };
    const understood = understand(question.resolved, parts, settings);
    this.understood.set(question, { settings, understood });
    return understood;
  }

  /** Vectors of texts, through the cache on disk. @throws RangeError without an encoder */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    const { encoder, embeddings } = this.options;
    if (encoder === null) throw new RangeError("There is no encoder to embed texts with.");
    return embedCached(texts, encoder, embeddings, { dimensions: this.dimensions, signal });
  }

  /** Takes in what other connections or processes committed. Cheap when nothing changed. Calls run one after the other. */
  sync(options: SyncOptions = {}): Promise<void> {
    const next = this.syncing.then(() => this.syncNow(options));
    this.syncing = next.catch(() => undefined);
    return next;
  }

  /** Chunks ranked by fused score, best first, those with a code of the question before all others; filters apply before ranking. */
  search(request: SearchRequest): Candidate[] {
    const accept = this.filter(request);
    const all = this.rank(request, accept);
    const coded = this.slotsWith(request.codes, accept);
    if (coded.size === 0) return all;
    const first = this.rank(request, (slot) => coded.has(slot)).map((candidate) => ({ ...candidate, coded: true }));
    const chunks = new Set(first.map(({ chunk }) => chunk.id));
    return [...first, ...all.filter(({ chunk }) => !chunks.has(chunk.id))];
  }

  /** Windows that hold a code. */
  private slotsWith(codes: readonly string[], accept: (slot: number) => boolean): Set<number> {
    if (codes.length === 0) return new Set();
    return new Set(this.words.search(codes, this.words.slots, accept).map(({ slot }) => slot));
  }

  private rank(request: SearchRequest, accept: (slot: number) => boolean): Candidate[] {
    // A chunk has at most `mostWindows`: that many times more windows hold enough chunks, however many of the best share one.
    const windows = request.candidates * this.mostWindows;
    const byWords = request.bm25 ? withTies((wanted) => this.words.search(request.terms, wanted, accept), windows) : [];
    const byVector = request.vector === null ? [] : this.searchVectors(request.vector, windows, accept);
    const bm25 = this.bestWindows(byWords, request.candidates);
    const dense = this.bestWindows(byVector, request.candidates);
    const slots = new Map([...bm25.slots, ...dense.slots]);
    const fused =
      request.fusion === "rrf" ? fuseReciprocalRank(dense.ranking, bm25.ranking) : fuseMinMax(dense.ranking, bm25.ranking, request);
    const slotOf = (id: string) => slots.get(id) as number;
    const ranked = fused.sort((a, b) => b.fused - a.fused || this.order(slotOf(a.id), slotOf(b.id)));
    return ranked.map(({ id, ...scores }) => {
      const { document, chunk, window } = this.entries[slotOf(id)] as Entry;
      // Also of a chunk that only the words found: gates judge by the cosine.
      const cosine = scores.dense ?? (request.vector === null ? null : this.cosineOf(chunk, request.vector, accept));
      const text = document.text.slice(window.start, window.end);
      return { documentId: document.id, version: document.version, chunk, window, title: document.title, text, ...scores, dense: cosine };
    });
  }

  private filter({ scope, selection }: SearchRequest): (slot: number) => boolean {
    return (slot) => {
      const entry = this.entries[slot];
      if (entry === null || entry === undefined) return false;
      const { document, chunk } = entry;
      if (!scopeSees(scope, document)) return false;
      if (selection === null) return true;
      if (document.id !== selection.documentId) return false;
      return chunk.start >= selection.start && chunk.end <= selection.end;
    };
  }

  private searchVectors(vector: Float32Array, k: number, accept: (slot: number) => boolean): Scored[] {
    const accepted = SlotSet.from(this.vectors.slots, (slot) => accept(this.wordSlotOfVector[slot] as number));
    return withTies((wanted) => this.vectors.search(vector, wanted, accepted), k).map(({ slot, score }) => ({
      slot: this.wordSlotOfVector[slot] as number,
      score,
    }));
  }

  /** Cosine of a chunk's best window; `null` when none has a vector. */
  private cosineOf(chunk: Chunk, vector: Float32Array, accept: (slot: number) => boolean): number | null {
    const cosines = (this.slotsOfDocument.get(chunk.documentId)?.slots ?? [])
      .filter((slot) => this.entries[slot]?.chunk === chunk && accept(slot))
      .flatMap((slot) => this.vectorSlotOfWord.get(slot) ?? [])
      .map((slot) => this.vectors.score(vector, slot));
    return cosines.length === 0 ? null : Math.max(...cosines);
  }

  /** Equal scores rank by place, not by slot: slots depend on what was ingested when. */
  private order(a: number, b: number): number {
    const one = this.entries[a] as Entry;
    const two = this.entries[b] as Entry;
    return (
      compareText(one.document.path, two.document.path) ||
      compareText(one.document.id, two.document.id) ||
      one.chunk.ordinal - two.chunk.ordinal ||
      one.window.start - two.window.start
    );
  }

  /** A chunk scores as its best window. */
  private bestWindows(scored: readonly Scored[], limit: number): { ranking: Ranked<string>[]; slots: Map<string, number> } {
    const slots = new Map<string, number>();
    const ranking: Ranked<string>[] = [];
    for (const { slot, score } of [...scored].sort((a, b) => b.score - a.score || this.order(a.slot, b.slot))) {
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
      this.understood = new WeakMap();
      this.faces.clear();
    }
    if (this.options.encoder !== null) await this.embedMissing(this.options.encoder, signal, onEmbed);
  }

  private insert(document: IndexedDocument): void {
    const title = this.tokens(document.title);
    const description = this.tokens(document.description ?? "");
    const slots: number[] = [];
    for (const chunk of document.chunks) {
      const headings = this.tokens(chunk.headingPath.join(" "));
      this.mostWindows = Math.max(this.mostWindows, chunk.windows.length);
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
    if (slots.length > 0) this.vocabulary.add(document, this.wordsOf(document));
  }

  /** Words of a document as written, with their stems. */
  private wordsOf({ title, description, text }: IndexedDocument): Map<string, string> {
    const found = new Map<string, string>();
    tokenize([title, description ?? "", text].join("\n"), (word) => {
      if (!found.has(word)) found.set(word, this.stem(word));
      return "";
    });
    return found;
  }

  private remove(documentId: string): void {
    const slots = this.slotsOfDocument.get(documentId)?.slots ?? [];
    const document = this.entries[slots[0] ?? -1]?.document;
    if (document !== undefined) this.vocabulary.remove(document, this.wordsOf(document));
    for (const slot of slots) {
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
      const vectors = await embedCached(texts, encoder, this.options.embeddings, { dimensions: this.vectors.dimensions, signal });
      slots.forEach((slot, i) => {
        const vectorSlot = this.vectors.add(vectors[i] as Float32Array);
        this.wordSlotOfVector[vectorSlot] = slot;
        this.vectorSlotOfWord.set(slot, vectorSlot);
      });
      onEmbed?.(Math.min(at + slots.length, missing.length), missing.length);
    }
  }
}

/** May the scope read what belongs to this owner? */
function scopeSees(scope: Scope, { tenant, access }: VocabularyOwner): boolean {
  return scope.access.includes(access) && (tenant === null || tenant === scope.tenant);
}

/** The `k` best of a ranking and whatever ties with the last of them: an index cuts ties by slot, and slots depend on what was ingested when. */
function withTies(search: (k: number) => Scored[], k: number): Scored[] {
  for (let wanted = k + 1; ; wanted *= 2) {
    const found = search(wanted);
    if (found.length < wanted) return found;
    const end = found.findIndex(({ score }, i) => i >= k && score < (found[k - 1] as Scored).score);
    if (end >= 0) return found.slice(0, end);
  }
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What an encoder sees of a window: title, headings, text. */
function passageText({ document, chunk, window }: Entry): string {
  return [document.title, ...chunk.headingPath, document.text.slice(window.start, window.end)].join("\n");
}

/**
 * Vectors of texts, through the cache on disk. What does not fit is not stored.
 * @param dimensions length that the vectors must have; 0: that of the first one
 * @throws ModelError `encoder_changed` when vectors have another length, or there are not as many as texts
 */
export async function embedCached(
  texts: readonly string[],
  encoder: Encoder,
  embeddings: EmbeddingStore,
  { dimensions = 0, signal }: { dimensions?: number; signal?: AbortSignal | undefined } = {},
): Promise<Float32Array[]> {
  const hashes = texts.map((text) => sha256Hex(text));
  const known = await embeddings.get(encoder.id, [...new Set(hashes)]);
  const fresh = [...new Set(hashes.filter((hash) => !known.has(hash)))];
  const width = dimensions || ([...known.values()][0]?.length ?? 0);
  assertComparable([...known.values()], known.size, width, encoder);
  if (fresh.length > 0) {
    const made = await encoder.embed(
      fresh.map((hash) => texts[hashes.indexOf(hash)] as string),
      signal === undefined ? {} : { signal },
    );
    assertComparable(made, fresh.length, width, encoder);
    const vectors = new Map(fresh.map((hash, i) => [hash, made[i] as Float32Array]));
    await embeddings.put(encoder.id, vectors);
    for (const [hash, vector] of vectors) known.set(hash, vector);
  }
  return hashes.map((hash) => known.get(hash) as Float32Array);
}

/** @throws ModelError `encoder_changed` */
export function assertComparable(vectors: readonly Float32Array[], expected: number, dimensions: number, { id }: Encoder): void {
  const width = dimensions || (vectors[0]?.length ?? 0);
  if (vectors.length === expected && vectors.every((vector) => vector.length === width && vector.every(Number.isFinite))) return;
  const lengths = [...new Set(vectors.map(({ length }) => length))].join(", ");
  throw new ModelError(
    "encoder_changed",
    `Encoder "${id}" gave ${vectors.length} vectors of length ${lengths} where ${expected} of length ${width} were expected. If its model changed, give it another name in the configuration.`,
    { encoder: id },
  );
}
