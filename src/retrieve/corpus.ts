import { isDeepStrictEqual } from "node:util";
import { messageOf, RequestError } from "../errors.ts";
import type { EmbedOptions, Encoder } from "../models/encoder.ts";
import type { QuerySettings } from "../profiles/profile.ts";
import { createEnglishWords } from "../reading/english-words.ts";
import type { DocumentHead, DocumentStore } from "../store/documents.ts";
import type { EmbeddingStore } from "../store/embeddings.ts";
import { createStemmer, tokenize } from "../text/tokens.ts";
import type { Area, Chunk, Scope, Selection, TextRange } from "../types.ts";
import { isOverlapped, partOf, rangeAround } from "./area.ts";
import type { Bm25Index, WeightedTerm } from "./bm25.ts";
import { analysis, type CorpusFacts, decodeCorpus, encodeCorpus, readCorpusFacts } from "./corpus-snapshot.ts";
import type { FaceMemo } from "./deduplicate.ts";
import { fuseMinMax, fuseReciprocalRank, type Ranked } from "./fuse.ts";
import { type Entry, FIELD_WEIGHTS, type Held, IndexedWindows } from "./indexed-windows.ts";
import { ScopeFilter, scopeSees } from "./scope-filter.ts";
import { SlotSet } from "./slot-set.ts";
import { SnapshotKeeper, type SnapshotPlace } from "./snapshot-keeper.ts";
import { createThesaurus, type Thesaurus, type ThesaurusEntries } from "./thesaurus.ts";
import { type TimePart, untimed } from "./time-part.ts";
import type { Scored } from "./top-k.ts";
import { type Understood, understand } from "./understand.ts";
import { type QuestionVector, VectorIndex } from "./vector-index.ts";
import type { VocabularyOwner } from "./vocabulary.ts";

export interface CorpusOptions {
  readonly domain: string;
  readonly documents: Pick<DocumentStore, "revision" | "heads" | "loadForIndex">;
  readonly embeddings: EmbeddingStore;
  /** Encoder of every index, or the question which one serves now, asked on every sync. */
  readonly encoder: Encoder | null | (() => Promise<EncoderChoice>);
  /** Texts in one call of the encoder. */
  readonly batch: number;
  /** Other words for the domain's words; none when absent. */
  readonly thesaurus?: ThesaurusEntries;
  /** Where the index is kept between two starts; nowhere when absent. */
  readonly snapshot?: SnapshotPlace;
  /** Ends work in the background. */
  readonly signal?: AbortSignal;
  /** Milliseconds. @default Date.now */
  readonly now?: () => number;
}

/** Which encoder serves a domain, and which one takes its place once its index is complete. */
export interface EncoderChoice {
  readonly serve: Encoder | null;
  readonly prepare: Encoder | null;
  /** Writes down that `prepare` serves from now on. */
  readonly activate: (encoder: Encoder) => Promise<void>;
}

/** How far the vectors of the next encoder are. */
export interface SwitchState {
  readonly from: string | null;
  readonly to: string;
  readonly done: number;
  readonly total: number;
  /** Why it stopped; it goes on by itself. */
  readonly failure: string | null;
}

export interface SearchRequest {
  /** What is searched for; a token without a weight counts 1. */
  readonly terms: readonly (string | WeightedTerm)[];
  /** Codes of the question: passages that hold one come first. */
  readonly codes: readonly string[];
  /** The question's vector with its index, from `embedQuestion`; `null` ranks by words alone. */
  readonly vector: QuestionVector | null;
  readonly scope: Scope;
  /** Keeps to chunks that lie wholly inside; chunks that only overlap are ranked by `searchSelection`. */
  readonly selection: Selection | null;
  /** Keeps to an area: to chunks or windows that lie wholly inside one of its ranges, or to windows that lie in it in part. Absent: everywhere. */
  readonly area?: { readonly parts: Area; readonly fit: "chunk" | "window" | "cut" } | null;
  readonly bm25: boolean;
  /** Chunks asked of each ranking. */
  readonly candidates: number;
  readonly alpha: number;
  readonly beta: number;
  readonly fusion: "min-max" | "rrf";
  /** @default untimed */
  readonly time?: TimePart;
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
  readonly onUsage?: EmbedOptions["onUsage"];
  /** May a switch begin in the background? @default true */
  readonly mayPrepare?: boolean;
}

/** Syncs in this many milliseconds after a switch failed do not try it again: whoever asks must not wait for an encoder that is down. */
const SWITCH_PAUSE_MS = 15_000;

/** Windows asked of a ranking for each chunk wanted, at first: most chunks that are found have one or two among the best. */
const WINDOWS_PER_CHUNK = 2;

/** Chunks by their best windows, best first, with the slots of those. */
interface BestChunks {
  readonly ranking: readonly Ranked<string>[];
  readonly slots: ReadonlyMap<string, number>;
}

const NO_CHUNKS: BestChunks = { ranking: [], slots: new Map() };

/**
 * The in-process index of one domain: words and vectors of every window, kept equal to the store by `sync`.
 * It holds all tenants and labels; every search filters by scope before ranking.
 */
export class Corpus {
  private readonly options: CorpusOptions;
  private indexed = new IndexedWindows();
  private readonly keeper: SnapshotKeeper | null;
  private active: VectorIndex | null = null;
  private next: VectorIndex | null = null;
  private state: SwitchState | null = null;
  private background: Promise<void> | null = null;
  private switchAgainAt = 0;
  private readonly stem = createStemmer();
  private readonly thesaurus: Thesaurus;
  private readonly isWord = createEnglishWords();
  /** What a question was read as, until the index changes. */
  private understood = new WeakMap<object, { readonly settings: QuerySettings; readonly understood: Understood }>();
  /** What twins were compared by, until the index changes. */
  readonly faces: FaceMemo = new Map();
  private readonly scopes = new ScopeFilter(() => this.slotsOfDocument.values());
  private revision = -1;
  private restored = false;
  private syncing: Promise<void> = Promise.resolve();

  constructor(options: CorpusOptions) {
    this.options = options;
    if (typeof options.encoder === "object" && options.encoder !== null) this.active = new VectorIndex(options.encoder);
    const none = { abbreviations: {}, synonyms: [] };
    this.thesaurus = createThesaurus(options.thesaurus ?? none, (text) => this.tokens(text), this.stem);
    this.keeper = options.snapshot === undefined ? null : this.keeperOf(options.snapshot);
  }

  private get words(): Bm25Index {
    return this.indexed.words;
  }

  private get entries(): readonly (Entry | null)[] {
    return this.indexed.entries;
  }

  private get slotsOfDocument(): ReadonlyMap<string, Held> {
    return this.indexed.documents;
  }

  /** Number of windows indexed. */
  get windows(): number {
    return this.words.size;
  }

  /** Bytes of the arrays of words, and of the vectors that serve. */
  get bytes(): { readonly words: number; readonly vectors: number } {
    return { words: this.words.bytes, vectors: this.active?.bytes ?? 0 };
  }

  /** Inverse document frequency of a stemmed token over windows. */
  idf(token: string): number {
    return this.words.idf(token);
  }

  has(token: string): boolean {
    return this.words.has(token);
  }

  /** Does a document that the scope may see hold the token? */
  holds(token: string, scope: Scope): boolean {
    const visible = this.scopes.slotsFor(scope);
    return this.words.search([token], 1, (slot) => visible.has(slot)).length > 0;
  }

  /** Tokens of a text as this index sees them. */
  tokens(text: string): string[] {
    return tokenize(text, this.stem);
  }

  /** The encoder whose vectors serve; `null`: words alone, or not chosen before the first `ready` or `sync`. */
  get encoder(): Encoder | null {
    return this.active?.encoder ?? null;
  }

  /** The switch that is under way or that failed and goes on later; `null` when there is none. */
  get switching(): SwitchState | null {
    return this.state;
  }

  /** Chooses the encoder that serves. */
  ready(): Promise<void> {
    return this.exclusive(async () => {
      await this.choose();
    });
  }

  /** The vector of a question in the index that serves now; `null` without an encoder. Throws what the encoder throws. */
  async embedQuestion(text: string, options: EmbedOptions = {}): Promise<QuestionVector | null> {
    return this.active === null ? null : this.active.embedQuestion(text, options);
  }

  /**
   * Makes the vectors of another encoder beside those that serve, and switches when every window has one. Questions meanwhile, and those that
   * began before, are ranked by the old encoder. What was made is kept when it ends early.
   * @throws RequestError `switch_running`; ModelError of the new encoder
   */
  async switchTo(encoder: Encoder, activate: (encoder: Encoder) => Promise<void>, options: SyncOptions = {}): Promise<void> {
    if (this.next !== null) {
      throw new RequestError("switch_running", `Vectors of ${this.next.encoder.id} are being made; wait until that has ended.`);
    }
    if (this.active?.encoder.id === encoder.id) return activate(encoder);
    const next = new VectorIndex(encoder);
    this.next = next;
    const from = this.active?.encoder.id ?? null;
    const onEmbed = (done: number, total: number) => {
      this.state = { from, to: encoder.id, done, total, failure: null };
      options.onEmbed?.(done, total);
    };
    this.state = { from, to: encoder.id, done: 0, total: 0, failure: null };
    try {
      await this.exclusive(() => this.takeIn());
      onEmbed(0, this.windows);
      await this.embedMissing(next, { ...options, onEmbed });
      await this.exclusive(async () => {
        await this.takeIn();
        await this.embedMissing(next, { ...options, onEmbed });
        await activate(encoder);
        this.active = next;
        this.keeper?.markChanged();
      });
      this.state = null;
    } catch (cause) {
      this.state = { ...(this.state as SwitchState), failure: messageOf(cause) };
      throw cause;
    } finally {
      this.next = null;
    }
  }

  /** Waits for the switch that the choice of encoders asks for; its progress goes to `onEmbed`. */
  async finishSwitch(options: SyncOptions = {}): Promise<void> {
    if (this.background !== null) await this.background;
    const { prepare, activate } = await this.choice();
    if (prepare !== null && prepare.id !== this.encoder?.id) await this.switchTo(prepare, activate, options);
  }

  /** Resolves when no work is under way and what changed is written. */
  async idle(): Promise<void> {
    await this.background;
    await this.syncing;
    await this.keeper?.flush();
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
      knows: (word: string) => this.indexed.vocabulary.has(this.stem(word), sees) || this.isWord(word),
      repair: (word: string) => this.indexed.vocabulary.repair(word, sees),
    };
    const understood = understand(question.resolved, parts, settings);
    this.understood.set(question, { settings, understood });
    return understood;
  }

  /** Vectors of texts by the encoder of a question's vector, through the cache on disk. */
  embed(texts: readonly string[], { index }: QuestionVector, signal: AbortSignal): Promise<Float32Array[]> {
    return index.embedTexts(texts, this.options.embeddings, { signal });
  }

  /** Takes in what other connections or processes committed. Cheap when nothing changed. Calls run one after the other. */
  sync(options: SyncOptions = {}): Promise<void> {
    this.keeper?.postpone();
    return this.exclusive(() => this.syncNow(options));
  }

  private exclusive<T>(run: () => Promise<T>): Promise<T> {
    const next = this.syncing.then(run);
    this.syncing = next.then(
      () => undefined,
      () => undefined,
    );
    return next;
  }

  /** Chunks ranked by fused score, best first, those with a code of the question before all others; filters apply before ranking. */
  search(request: SearchRequest): Candidate[] {
    const accept = this.filter(request);
    const all = this.rank(request, accept);
    const coded = this.slotsWith(request.codes, accept);
    if (coded === null) return all;
    const first = this.rank(request, coded).map((candidate) => ({ ...candidate, coded: true }));
    const chunks = new Set(first.map(({ chunk }) => chunk.id));
    return [...first, ...all.filter(({ chunk }) => !chunks.has(chunk.id))];
  }

  /** BM25 of a text as if it were a window of its document, under its headings. */
  scoreText({ documentId, chunk, text }: Pick<Candidate, "documentId" | "chunk" | "text">, terms: SearchRequest["terms"]): number {
    const document = this.entries[this.slotsOfDocument.get(documentId)?.slots[0] ?? -1]?.document;
    return this.words.score(terms, [
      { tokens: this.tokens(document?.title ?? ""), weight: FIELD_WEIGHTS.title },
      { tokens: this.tokens(document?.description ?? ""), weight: FIELD_WEIGHTS.description },
      { tokens: this.tokens(chunk.headingPath.join(" ")), weight: FIELD_WEIGHTS.headings },
      { tokens: this.tokens(text), weight: FIELD_WEIGHTS.body },
    ]);
  }

  /** Windows that hold a code; `null`: none does. */
  private slotsWith(codes: readonly string[], accept: SlotSet): SlotSet | null {
    if (codes.length === 0) return null;
    const found = this.words.search(codes, this.words.slots, (slot) => accept.has(slot));
    if (found.length === 0) return null;
    const slots = new SlotSet();
    for (const { slot } of found) slots.add(slot);
    return slots;
  }

  private rank(request: SearchRequest, accept: SlotSet): Candidate[] {
    const { vector, candidates, time = untimed } = request;
    const isAccepted = (slot: number) => accept.has(slot);
    const byWords = (windows: number) => withTies((wanted) => this.words.search(request.terms, wanted, isAccepted), windows);
    const bm25 = request.bm25 ? time("words", () => this.bestChunks(byWords, candidates)) : NO_CHUNKS;
    const byVector = ({ index, values }: QuestionVector) => {
      return (windows: number) => withTies((wanted) => index.search(values, wanted, accept), windows);
    };
    const dense = vector === null ? NO_CHUNKS : time("vectors", () => this.bestChunks(byVector(vector), candidates));
    const slotOf = (id: string) => (dense.slots.get(id) ?? bm25.slots.get(id)) as number;
    const fused =
      request.fusion === "rrf" ? fuseReciprocalRank(dense.ranking, bm25.ranking) : fuseMinMax(dense.ranking, bm25.ranking, request);
    const ranked = fused.sort((a, b) => b.fused - a.fused || this.order(slotOf(a.id), slotOf(b.id)));
    return ranked.map(({ id, ...scores }) => {
      const { document, chunk, window } = this.entries[slotOf(id)] as Entry;
      // Also of a chunk that only the words found: gates judge by the cosine.
      const cosine = scores.dense ?? (vector === null ? null : this.cosineOf(chunk, vector, accept));
      const text = document.textIn(window);
      return { documentId: document.id, version: document.version, chunk, window, title: document.title, text, ...scores, dense: cosine };
    });
  }

  /** Windows that a request may find: those of its scope, narrowed by what else it asks. */
  private filter({ scope, selection, area = null }: SearchRequest): SlotSet {
    const visible = this.scopes.slotsFor(scope);
    const selected =
      selection === null
        ? visible
        : this.narrowed(visible, [selection.documentId], ({ chunk }) => chunk.start >= selection.start && chunk.end <= selection.end);
    return area === null ? selected : this.narrowed(selected, area.parts.keys(), (entry) => liesIn(area, entry));
  }

  private narrowed(slots: SlotSet, documentIds: Iterable<string>, lies: (entry: Entry) => boolean): SlotSet {
    const left = new SlotSet();
    for (const id of documentIds) {
      for (const slot of this.slotsOfDocument.get(id)?.slots ?? [])
        if (slots.has(slot) && lies(this.entries[slot] as Entry)) left.add(slot);
    }
    return left;
  }

  /** Cosine of a chunk's best window; `null` when none has a vector. */
  private cosineOf(chunk: Chunk, { index, values }: QuestionVector, accept: SlotSet): number | null {
    const slots = this.slotsOfDocument.get(chunk.documentId)?.slots ?? [];
    return index.best(
      values,
      slots.filter((slot) => this.entries[slot]?.chunk === chunk && accept.has(slot)),
    );
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

  /**
   * The `limit` best chunks of a ranking of windows; a chunk scores as its best window. Asks for more windows until they hold as many
   * chunks: however many of the best share one, none is missed.
   */
  private bestChunks(search: (windows: number) => Scored[], limit: number): BestChunks {
    for (let windows = limit * WINDOWS_PER_CHUNK; ; windows *= 2) {
      const scored = search(windows);
      const best = this.bestWindows(scored, limit);
      if (best.ranking.length === limit || scored.length < windows) return best;
    }
  }

  private bestWindows(scored: readonly Scored[], limit: number): BestChunks {
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

  private async syncNow(options: SyncOptions): Promise<void> {
    await this.takeIn();
    const { prepare, activate } = await this.choose();
    if (this.active !== null) await this.embedMissing(this.active, options);
    if (prepare !== null && prepare.id !== this.encoder?.id && options.mayPrepare !== false) this.prepareLater(prepare, activate);
  }

  private async choice(): Promise<EncoderChoice> {
    const { encoder } = this.options;
    return typeof encoder === "function" ? encoder() : { serve: encoder, prepare: null, activate: async () => undefined };
  }

  /** Another process may have switched: its vectors are in the store then, and this one follows. */
  private async choose(): Promise<EncoderChoice> {
    const choice = await this.choice();
    if (choice.serve?.id !== this.encoder?.id) this.active = choice.serve === null ? null : new VectorIndex(choice.serve);
    return choice;
  }

  private now(): number {
    return (this.options.now ?? Date.now)();
  }

  private prepareLater(encoder: Encoder, activate: EncoderChoice["activate"]): void {
    if (this.background !== null || this.next !== null || this.now() < this.switchAgainAt) return;
    const { signal } = this.options;
    this.background = this.switchTo(encoder, activate, signal === undefined ? {} : { signal })
      .catch(() => {
        this.switchAgainAt = this.now() + SWITCH_PAUSE_MS;
      })
      .finally(() => {
        this.background = null;
      });
  }

  /** Documents as they stand in the store. */
  private async takeIn(): Promise<void> {
    const { domain, documents } = this.options;
    const revision = await documents.revision(domain);
    if (revision === this.revision) return;
    const heads = await documents.heads(domain);
    if (!this.restored) await this.restore(heads);
    for (const [id, { version }] of this.slotsOfDocument) if (heads.get(id)?.version !== version) this.remove(id);
    const missing = [...heads.keys()].filter((id) => !this.slotsOfDocument.has(id)).sort();
    const fresh = await documents.loadForIndex(domain, missing);
    this.scopes.clear();
    for (const document of fresh) this.indexed.insert(document, this.stem);
    if (missing.length > 0) this.keeper?.markChanged();
    this.revision = revision;
    this.understood = new WeakMap();
    this.faces.clear();
  }

  private remove(documentId: string): void {
    this.scopes.clear();
    for (const slot of this.indexed.remove(documentId)) {
      this.active?.delete(slot);
      this.next?.delete(slot);
    }
    this.keeper?.markChanged();
  }

  /** Begins with what the last run kept, as far as the store still holds it like that. */
  private async restore(heads: ReadonlyMap<string, DocumentHead>): Promise<void> {
    const { domain, snapshot } = this.options;
    await this.choose();
    this.restored = true;
    if (this.keeper === null || snapshot === undefined) return;
    const { encoder } = this;
    const kept = await this.keeper.read((file) => decodeCorpus(file, { store: snapshot.store, domain, encoder, heads }));
    if (kept === null) return;
    this.indexed = kept.windows;
    this.scopes.clear();
    if (kept.vectors !== null) this.active = kept.vectors;
    if (kept.outdated) this.keeper.markChanged();
    if (kept.otherEncoder !== null)
      snapshot.warn(
        `${snapshot.path} holds vectors of "${kept.otherEncoder}", and "${encoder?.id}" serves: vectors are taken from the database, or made.`,
      );
  }

  private keeperOf(place: SnapshotPlace): SnapshotKeeper {
    const { domain, documents } = this.options;
    const capture = async () => {
      const facts = this.facts(place.store);
      if (facts.revision <= 0) return null;
      const pieces = encodeCorpus(this.indexed, this.active, facts);
      return { pieces, isCurrent: async () => (await documents.revision(domain)) === facts.revision };
    };
    return new SnapshotKeeper(place, {
      equals: (file) => isDeepStrictEqual(readCorpusFacts(file), this.facts(place.store)),
      capture: () => this.exclusive(capture),
    });
  }

  private facts(store: string): CorpusFacts {
    const { domain } = this.options;
    const vectors = this.active?.size ?? 0;
    return { store, domain, revision: this.revision, encoder: this.encoder?.id ?? null, vectors, analysis: analysis() };
  }

  /** Vectors come from the cache on disk where they were paid for before; every batch is stored at once, so a crash loses one batch at most. */
  private async embedMissing(index: VectorIndex, { signal, onEmbed, onUsage }: SyncOptions): Promise<void> {
    if (index.size === this.windows) return;
    const missing: number[] = [];
    this.entries.forEach((entry, slot) => {
      if (entry !== null && !index.has(slot)) missing.push(slot);
    });
    const options = { ...(signal === undefined ? {} : { signal }), ...(onUsage === undefined ? {} : { onUsage }) };
    const batch = Math.min(index.encoder.batch ?? this.options.batch, this.options.batch);
    for (let at = 0; at < missing.length; at += batch) {
      signal?.throwIfAborted();
      const slots = missing.slice(at, at + batch).filter((slot) => this.entries[slot] !== null);
      const entries = slots.map((slot) => this.entries[slot] as Entry);
      const vectors = await index.embedTexts(entries.map(passageText), this.options.embeddings, options);
      slots.forEach((slot, i) => {
        if (this.entries[slot] === entries[i]) index.add(slot, vectors[i] as Float32Array);
      });
      onEmbed?.(Math.min(at + batch, missing.length), missing.length);
    }
    if (missing.length > 0 && index === this.active) this.keeper?.markChanged();
  }
}

function liesIn({ parts, fit }: NonNullable<SearchRequest["area"]>, { document, chunk, window }: Entry): boolean {
  const part = partOf(parts, document);
  if (part === undefined) return false;
  if (fit === "chunk") return rangeAround(part, chunk) !== undefined;
  const isInside = rangeAround(part, window) !== undefined;
  return fit === "window" ? isInside : !isInside && isOverlapped(part, window);
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
