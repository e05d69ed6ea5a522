import { isDeepStrictEqual } from "node:util";
import { createEnglishWords, type EnglishWords } from "../language/content-words.ts";
import type { EmbedOptions, Encoder } from "../models/encoder.ts";
import type { QuerySettings } from "../profiles/profile.ts";
import type { Scope } from "../shared/types.ts";
import type { DocumentHead } from "../store/document-records.ts";
import type { DocumentStore } from "../store/documents.ts";
import type { EmbeddingStore } from "../store/embeddings.ts";
import { differInAffix, isSlipOfAny } from "../text/spelling.ts";
import { createStemmer, tokenize } from "../text/tokens.ts";
import { analysis, type CorpusFacts, decodeCorpus, encodeCorpus, readCorpusFacts } from "./corpus-snapshot.ts";
import type { FaceMemo } from "./deduplicate.ts";
import { EncoderSwitch } from "./encoder-switch.ts";
import { scopeSees } from "./indexed-windows.ts";
import type { Candidate, EncoderChoice, SearchIndex, SearchRequest, SwitchState, SyncOptions } from "./search-index.ts";
import { SnapshotKeeper, type SnapshotPlace } from "./snapshot-keeper.ts";
import { TableVectors, type VectorTables } from "./table-vectors.ts";
import { type Scored, untimed } from "./top-k.ts";
import {
  createThesaurus,
  type IndexWords,
  isSureRepair,
  type Repair,
  type Thesaurus,
  type ThesaurusEntries,
  type Understood,
  understand,
} from "./understand.ts";
import type { QuestionVector } from "./vector-index.ts";
import type { VocabularyOwner } from "./vocabulary.ts";
import { WindowSearch } from "./window-search.ts";

export interface CorpusOptions {
  readonly domain: string;
  readonly documents: Pick<DocumentStore, "revision" | "heads" | "changedSince" | "loadForIndex">;
  readonly embeddings: EmbeddingStore;
  /** Encoder of every index, or the question which one serves now, asked on every sync. */
  readonly encoder: Encoder | null | (() => Promise<EncoderChoice>);
  /** Texts in one call of the encoder. */
  readonly batch: number;
  /** Other words for the domain's words; none when absent. */
  readonly thesaurus?: ThesaurusEntries;
  /** Where many vectors are searched beside this process; nowhere when absent. */
  readonly tables?: VectorTables | undefined;
  /** @default the lists that ship, read for this index */
  readonly english?: Pick<EnglishWords, "real" | "isEnglish">;
  /** Where the index is kept between two starts; nowhere when absent. */
  readonly snapshot?: SnapshotPlace;
  /** Ends work in the background. */
  readonly signal?: AbortSignal;
  /** Milliseconds. @default Date.now */
  readonly now?: () => number;
}

/** Windows asked of a table for each chunk wanted: a chunk has a few among the best at most. */
const NEAR_PER_CHUNK = 8;

/**
 * The in-process index of one domain: words and vectors of every window, kept equal to the store by `sync`.
 * It holds all tenants and labels; every search filters by scope before ranking.
 */
export class Corpus implements SearchIndex {
  private readonly options: CorpusOptions;
  private readonly ranking: WindowSearch;
  private readonly vectors: EncoderSwitch;
  private readonly table: TableVectors | null;
  private readonly keeper: SnapshotKeeper | null;
  private readonly stem = createStemmer();
  private readonly thesaurus: Thesaurus;
  private readonly english: Pick<EnglishWords, "real" | "isEnglish">;
  /** What a question was read as, until the index changes. */
  private understood = new WeakMap<object, { readonly settings: QuerySettings; readonly understood: Understood }>();
  readonly faces: FaceMemo = new Map();
  private revision = -1;
  private restored = false;
  private syncing: Promise<void> = Promise.resolve();

  constructor(options: CorpusOptions) {
    this.options = options;
    this.english = options.english ?? createEnglishWords();
    this.ranking = new WindowSearch((text) => this.tokens(text));
    this.vectors = new EncoderSwitch({
      ...{ encoder: options.encoder, embeddings: options.embeddings, batch: options.batch, signal: options.signal },
      entries: () => this.ranking.indexed.entries,
      windows: () => this.windows,
      takeIn: (then) =>
        this.exclusive(async () => {
          await this.takeIn();
          await then?.();
        }),
      onChange: () => this.keeper?.markChanged(),
      now: options.now ?? Date.now,
    });
    this.table = options.tables === undefined ? null : new TableVectors(options.tables);
    const none = { abbreviations: {}, synonyms: [] };
    this.thesaurus = createThesaurus(options.thesaurus ?? none, (text) => this.tokens(text), this.stem);
    this.keeper = options.snapshot === undefined ? null : this.keeperOf(options.snapshot);
  }

  get domain(): string {
    return this.options.domain;
  }

  get windows(): number {
    return this.ranking.indexed.words.size;
  }

  /** Bytes of the arrays of words, and of the vectors that serve. */
  get bytes(): { readonly words: number; readonly vectors: number } {
    return { words: this.ranking.indexed.words.bytes, vectors: this.vectors.active?.bytes ?? 0 };
  }

  wordsIn(scope: Scope): IndexWords {
    return this.ranking.wordsIn(scope);
  }

  /** Tokens of a text as this index sees them. */
  tokens(text: string): string[] {
    return tokenize(text, this.stem);
  }

  get encoder(): Encoder | null {
    return this.vectors.encoder;
  }

  /** Revision of the documents that it indexes; 0 before it has read any. */
  get indexedRevision(): number {
    return Math.max(0, this.revision);
  }

  get switching(): SwitchState | null {
    return this.vectors.switching;
  }

  async ready(): Promise<void> {
    // Waits for nobody where the choice stands.
    if (await this.vectors.isChosen()) return;
    await this.exclusive(async () => {
      await this.vectors.choose();
    });
  }

  /** Takes in the documents as they stand in the store; makes no vectors. */
  async read(): Promise<void> {
    await this.exclusive(() => this.takeIn());
  }

  async embedQuestion(text: string, options: EmbedOptions = {}): Promise<QuestionVector | null> {
    const { active } = this.vectors;
    return active === null ? null : active.embedQuestion(text, options);
  }

  /** Vectors of texts by the encoder of a question's vector, through the cache on disk. */
  embed(texts: readonly string[], { index }: QuestionVector, signal: AbortSignal): Promise<Float32Array[]> {
    return index.embedTexts(texts, this.options.embeddings, { signal });
  }

  /** See `EncoderSwitch.switchTo`. */
  switchTo(encoder: Encoder, activate: (encoder: Encoder) => Promise<void>, options: SyncOptions = {}): Promise<void> {
    return this.vectors.switchTo(encoder, activate, options);
  }

  /** Waits for the switch that the choice of encoders asks for; its progress goes to `onEmbed`. */
  finishSwitch(options: SyncOptions = {}): Promise<void> {
    return this.vectors.finish(options);
  }

  /** Resolves when no work is under way and what changed is written. */
  async idle(): Promise<void> {
    await this.vectors.idle();
    await this.syncing;
    await this.table?.idle();
    await this.keeper?.flush();
  }

  /** Reads a question as this index can: only words of documents that its scope may see are known. */
  understand(question: { readonly resolved: string; readonly scope: Scope }, settings: QuerySettings): Understood {
    const known = this.understood.get(question);
    if (known?.settings === settings) return known.understood;
    const { scope } = question;
    const { vocabulary } = this.ranking.indexed;
    const sees = (owner: VocabularyOwner) => scopeSees(scope, owner);
    const parts = {
      thesaurus: this.thesaurus,
      tokens: (text: string) => this.tokens(text),
      knows: (word: string) => vocabulary.has(this.stem(word), sees) || this.english.real().has(word),
      repair: (word: string) => {
        const read = vocabulary.repair(word, sees);
        return read === null || differInAffix(word, read, this.english.real(), this.stem) ? null : read;
      },
      isSlipOfReal: (word: string) => isSlipOfAny(word, this.english.real()),
    };
    const understood = understand(question.resolved, parts, settings);
    this.understood.set(question, { settings, understood });
    return understood;
  }

  isSure({ resolved, scope }: { readonly resolved: string; readonly scope: Scope }, repairs: readonly Repair[]): boolean {
    const { vocabulary } = this.ranking.indexed;
    const meant = (word: string) => vocabulary.meant(word, (owner) => scopeSees(scope, owner));
    const parts = { real: this.english.real(), isKnown: this.english.isEnglish, meant, stem: this.stem };
    return repairs.every((repair) => isSureRepair(resolved, repair, parts));
  }

  async nearest({ vector, scope, selection, area, candidates, time = untimed }: SearchRequest): Promise<readonly Scored[] | null> {
    const { table } = this;
    // What is asked of parts of documents, no table can tell apart: all that lie there are compared.
    if (table === null || vector === null || selection !== null || area) return null;
    const wanted = { vector, scope, k: candidates * NEAR_PER_CHUNK, accept: this.ranking.visibleTo(scope) };
    return time("vectors", () => table.search(wanted, this.ranking.indexed));
  }

  search(request: SearchRequest): Candidate[] {
    return this.ranking.search(request);
  }

  scoreText(piece: Pick<Candidate, "documentId" | "chunk" | "text">, request: Pick<SearchRequest, "terms" | "scope">): number {
    return this.ranking.scoreText(piece, request);
  }

  /** Takes in what other connections or processes committed. */
  async sync(options: SyncOptions = {}): Promise<void> {
    this.keeper?.postpone();
    const { domain, documents } = this.options;
    const isTakenIn = (await documents.revision(domain)) === this.revision;
    if (!isTakenIn || !(await this.vectors.isCurrent(options))) {
      await this.exclusive(() => this.takeIn());
      await this.vectors.follow(() => this.exclusive(() => this.vectors.choose()), options);
    }
    this.table?.follow(this.vectors.active, this.ranking.indexed);
  }

  private exclusive<T>(run: () => Promise<T>): Promise<T> {
    const next = this.syncing.then(run);
    this.syncing = next.then(
      () => undefined,
      () => undefined,
    );
    return next;
  }

  /** Documents as they stand in the store. */
  private async takeIn(): Promise<void> {
    const { domain, documents } = this.options;
    const revision = await documents.revision(domain);
    if (revision === this.revision) return;
    const { ranking } = this;
    const held = ranking.indexed.documents;
    // A revision that went back is another database: the log tells nothing of it.
    const isFollowed = this.restored && revision > this.revision;
    const ids = isFollowed ? await documents.changedSince(domain, this.revision) : await this.begin();
    const fresh = await documents.loadForIndex(domain, ids);
    const versions = new Map(fresh.map(({ id, version }) => [id, version]));
    for (const id of ids) if (held.has(id) && held.get(id)?.version !== versions.get(id)) this.remove(id);
    const missing = fresh.filter(({ id }) => !held.has(id));
    ranking.clear();
    for (const document of missing) ranking.indexed.insert(document, this.stem);
    if (missing.length > 0) this.keeper?.markChanged();
    this.table?.clear();
    this.revision = revision;
    this.understood = new WeakMap();
    this.faces.clear();
  }

  /** Drops what the store does not hold like this; returns the ids of what is missing. */
  private async begin(): Promise<string[]> {
    const heads = await this.options.documents.heads(this.options.domain);
    if (!this.restored) await this.restore(heads);
    const { documents } = this.ranking.indexed;
    for (const [id, { version }] of documents) if (heads.get(id)?.version !== version) this.remove(id);
    return [...heads.keys()].filter((id) => !documents.has(id)).sort();
  }

  private remove(documentId: string): void {
    this.ranking.clear();
    for (const slot of this.ranking.indexed.remove(documentId)) this.vectors.delete(slot);
    this.keeper?.markChanged();
  }

  /** Begins with what the last run kept, as far as the store still holds it like that. */
  private async restore(heads: ReadonlyMap<string, DocumentHead>): Promise<void> {
    const { domain, snapshot } = this.options;
    await this.vectors.choose();
    this.restored = true;
    if (this.keeper === null || snapshot === undefined) return;
    const { encoder } = this;
    const kept = await this.keeper.read((file) => decodeCorpus(file, { store: snapshot.store, domain, encoder, heads }));
    if (kept === null) return;
    this.ranking.indexed = kept.windows;
    this.ranking.clear();
    if (kept.vectors !== null) this.vectors.active = kept.vectors;
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
      const pieces = encodeCorpus(this.ranking.indexed, this.vectors.active, facts);
      return { pieces, isCurrent: async () => (await documents.revision(domain)) === facts.revision };
    };
    return new SnapshotKeeper(place, {
      equals: (file) => isDeepStrictEqual(readCorpusFacts(file), this.facts(place.store)),
      capture: () => this.exclusive(capture),
    });
  }

  private facts(store: string): CorpusFacts {
    const { domain } = this.options;
    const vectors = this.vectors.active?.size ?? 0;
    return { store, domain, revision: this.revision, encoder: this.encoder?.id ?? null, vectors, analysis: analysis() };
  }
}
