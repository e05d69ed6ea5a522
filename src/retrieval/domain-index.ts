import { createEnglishWords, type EnglishWords } from "../language/content-words.ts";
import type { EmbedOptions, Encoder } from "../models/encoder.ts";
import type { QuerySettings } from "../profiles/profile.ts";
import type { Scope } from "../shared/types.ts";
import type { DocumentStore } from "../store/documents.ts";
import type { EmbeddingStore } from "../store/embeddings.ts";
import { createStemmer, tokenize } from "../text/tokens.ts";
import type { FingerprintMemo } from "./deduplicate.ts";
import { EncoderSwitch, type EncoderSwitchOptions, type SwitchState, type SyncOptions } from "./encoder-switch.ts";
import { type Candidate, type Fusion, fuseHits } from "./fuse.ts";
import { scopeKey } from "./indexed-windows.ts";
import type { EngineOptions, EngineRequest, QuestionVector, SearchEngine, SearchFilters, TermStatistics } from "./search-engine.ts";
import {
  type AskedText,
  createThesaurus,
  isSureRepair,
  LoadedWords,
  type QuestionReader,
  type Repair,
  type Thesaurus,
  type ThesaurusEntries,
  type Understood,
  understand,
} from "./understand.ts";

export interface DomainIndexOptions extends Pick<EncoderSwitchOptions, "engine" | "encoder" | "batch" | "signal"> {
  readonly domain: string;
  readonly documents: Pick<DocumentStore, "revision" | "heads" | "changedSince" | "loadForIndex">;
  readonly embeddings: EmbeddingStore;
  /** Abbreviations and synonyms of the domain; absent: none. */
  readonly thesaurus?: ThesaurusEntries;
  /** @default the bundled lists, loaded for this index */
  readonly english?: Pick<EnglishWords, "real" | "isEnglish">;
  /** Returns the time in milliseconds. @default Date.now */
  readonly now?: () => number;
}

export interface SearchRequest extends Fusion, Pick<EngineRequest, "terms" | "vector">, Pick<SearchFilters, "scope" | "area"> {
  /** Codes of the question. Passages with one of them come first. */
  readonly codes: readonly string[];
  readonly bm25: boolean;
  /** Number of chunks per ranking. */
  readonly candidates: number;
}

/** Maximum number of scopes with cached word statistics. A server has few tenants and labels in use at a time. */
const MAX_SCOPES = 64;

/**
 * Keeps the search engine of one domain equal to the database, and answers what a question means and which passages
 * match it.
 */
export class DomainIndex implements QuestionReader {
  private readonly options: DomainIndexOptions;
  private readonly vectors: EncoderSwitch;
  private readonly stem = createStemmer();
  private readonly thesaurus: Thesaurus;
  private readonly english: Pick<EnglishWords, "real" | "isEnglish">;
  /** Analyses of questions, cached until the index changes. */
  private understood = new WeakMap<object, { readonly settings: QuerySettings; readonly understood: Promise<Understood> }>();
  private readonly words = new Map<string, LoadedWords>();
  /** Fingerprints for near-duplicates, cached until the index changes. */
  readonly fingerprints: FingerprintMemo = new Map();
  /** Number of indexed windows. */
  windows = 0;
  private revision = -1;
  private syncing: Promise<void> = Promise.resolve();

  constructor(options: DomainIndexOptions) {
    this.options = options;
    this.english = options.english ?? createEnglishWords();
    this.vectors = new EncoderSwitch({
      ...{ engine: options.engine, encoder: options.encoder, embeddings: options.embeddings, batch: options.batch, signal: options.signal },
      takeIn: (then) =>
        this.exclusive(async () => {
          await this.takeIn();
          await then?.();
        }),
      now: options.now ?? Date.now,
    });
    this.thesaurus = createThesaurus(options.thesaurus ?? { abbreviations: {}, synonyms: [] }, (text) => this.tokens(text), this.stem);
  }

  get domain(): string {
    return this.options.domain;
  }

  get engine(): SearchEngine {
    return this.options.engine;
  }

  /** The active encoder; `null`: words alone. */
  get encoder(): Encoder | null {
    return this.vectors.encoder;
  }

  get switching(): SwitchState | null {
    return this.vectors.switching;
  }

  /** Revision of the indexed documents; 0 before the first. */
  get indexedRevision(): number {
    return Math.max(0, this.revision);
  }

  /** Returns the tokens of a text in the index's form. */
  tokens(text: string): string[] {
    return tokenize(text, this.stem);
  }

  /** Selects the active encoder. */
  async ready(): Promise<void> {
    // Needs no lock if the selection is still valid.
    if (await this.vectors.isChosen()) return;
    await this.exclusive(async () => {
      await this.vectors.choose();
    });
  }

  /** Applies the documents of the store; computes no vectors. */
  async read(): Promise<void> {
    await this.exclusive(() => this.takeIn());
  }

  /**
   * Applies what other connections or processes committed, and computes missing vectors. Without changes, it costs two
   * small reads and takes no lock.
   */
  async sync(options: SyncOptions = {}): Promise<void> {
    const { domain, documents } = this.options;
    const isTakenIn = (await documents.revision(domain)) === this.revision;
    if (isTakenIn && (await this.vectors.isCurrent(options))) return;
    await this.exclusive(() => this.takeIn());
    await this.vectors.follow(() => this.exclusive(() => this.vectors.choose()), options);
  }

  /** See `EncoderSwitch.switchTo`. */
  switchTo(encoder: Encoder, activate: (encoder: Encoder) => Promise<void>, options: SyncOptions = {}): Promise<void> {
    return this.vectors.switchTo(encoder, activate, options);
  }

  /** Waits for the switch that the encoder selection requests. Progress goes to `onEmbed`. */
  finishSwitch(options: SyncOptions = {}): Promise<void> {
    return this.vectors.finish(options);
  }

  /** Resolves when no work is pending and all changes are written. */
  async idle(): Promise<void> {
    await this.vectors.idle();
    await this.syncing;
    await this.engine.idle();
  }

  /**
   * Embeds a question. Throws the encoder's errors.
   * @returns `null` without an encoder
   */
  async embedQuestion(text: string, options: EmbedOptions = {}): Promise<QuestionVector | null> {
    return this.vectors.active === null ? null : this.vectors.active.embedQuestion(text, options);
  }

  /** Returns vectors of texts from the encoder of a question's vector, using the cache on disk. */
  embed(texts: readonly string[], { encoder }: QuestionVector, signal: AbortSignal): Promise<Float32Array[]> {
    return this.vectors.embedderOf(encoder).embedTexts(texts, { signal });
  }

  understand(question: AskedText, settings: QuerySettings): Promise<Understood> {
    const known = this.understood.get(question);
    if (known?.settings === settings) return known.understood;
    const { scope, resolved } = question;
    const parts = {
      thesaurus: this.thesaurus,
      tokens: (text: string) => this.tokens(text),
      stem: this.stem,
      real: this.english.real,
      held: async (tokens: readonly string[]) => {
        const { frequencies } = await this.engine.statistics(tokens, scope);
        return new Set(tokens.filter((token) => (frequencies.get(token) ?? 0) > 0));
      },
      similar: (word: string) => this.engine.similarWords(word, scope),
    };
    const understood = understand(resolved, parts, settings);
    this.understood.set(question, { settings, understood });
    understood.catch(() => this.understood.delete(question));
    return understood;
  }

  async isSure({ resolved, scope }: AskedText, repairs: readonly Repair[]): Promise<boolean> {
    for (const repair of repairs) {
      const similar = await this.engine.similarWords(repair.written, scope);
      const parts = { real: this.english.real(), isKnown: this.english.isEnglish, similar: similar.keys(), stem: this.stem };
      if (!isSureRepair(resolved, repair, parts)) return false;
    }
    return true;
  }

  wordsIn(scope: Scope, texts: Iterable<string> = []): Promise<LoadedWords> {
    const key = scopeKey(scope);
    const known =
      this.words.get(key) ??
      new LoadedWords(
        (text) => this.tokens(text),
        (terms) => this.statistics(terms, scope),
      );
    if (this.words.size >= MAX_SCOPES && !this.words.has(key)) this.words.clear();
    this.words.set(key, known);
    return known.load(texts);
  }

  statistics(terms: readonly string[], scope: Scope, options?: Pick<EngineOptions, "signal">): Promise<TermStatistics> {
    return this.engine.statistics(terms, scope, options);
  }

  /** Returns chunks by fused score, best first, with those that contain a code of the question before all others. */
  async search(request: SearchRequest, options: EngineOptions = {}): Promise<Candidate[]> {
    const { vector, codes, scope, area, candidates: k } = request;
    const find = async (filters: SearchFilters) =>
      fuseHits(await this.engine.search({ terms: request.bm25 ? request.terms : [], vector, filters, k }, options), request);
    const filters = area === undefined ? { scope } : { scope, area };
    const all = await find(filters);
    const coded = codes.length === 0 ? [] : await find({ ...filters, holding: codes });
    const chunks = new Set(coded.map(({ chunk }) => chunk.id));
    return [...coded.map((one) => ({ ...one, coded: true })), ...all.filter(({ chunk }) => !chunks.has(chunk.id))];
  }

  private exclusive<T>(run: () => Promise<T>): Promise<T> {
    const next = this.syncing.then(run);
    this.syncing = next.then(
      () => undefined,
      () => undefined,
    );
    return next;
  }

  /** Updates the engine to the documents in the store. */
  private async takeIn(): Promise<void> {
    const { domain, documents, engine } = this.options;
    const revision = await documents.revision(domain);
    if (revision === this.revision) return;
    // A lower revision means another database, whose log cannot be followed.
    const isFollowed = this.revision >= 0 && revision > this.revision;
    const ids = isFollowed ? await documents.changedSince(domain, this.revision) : await this.begin();
    const fresh = await documents.loadForIndex(domain, ids);
    const there = new Set(fresh.map(({ id }) => id));
    await engine.remove(ids.filter((id) => !there.has(id)));
    await engine.index({ revision, documents: fresh });
    this.windows = (await engine.coverage(null)).windows;
    this.revision = revision;
    this.understood = new WeakMap();
    this.words.clear();
    this.fingerprints.clear();
  }

  /** Returns the ids of the documents that the engine lacks at the start. */
  private async begin(): Promise<string[]> {
    const { domain, documents, engine } = this.options;
    await this.vectors.choose();
    return engine.reconcile(await documents.heads(domain), this.encoder?.id ?? null);
  }
}
