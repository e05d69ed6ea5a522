import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { createEnglishWords, type EnglishWords } from "../language/content-words.ts";
import type { EmbedOptions, Encoder } from "../models/encoder.ts";
import type { QuerySettings } from "../profiles/profile.ts";
import type { Scope } from "../shared/types.ts";
import type { DocumentStore } from "../store/documents.ts";
import type { EmbeddingStore } from "../store/embeddings.ts";
import { createStemmer, tokenize } from "../text/tokens.ts";
import { EncoderSwitch, type EncoderSwitchOptions, type SwitchState, type SyncOptions } from "./encoder-switch.ts";
import { scopeKey } from "./indexed-windows.ts";
import type { EngineOptions, EngineRequest, QuestionVector, SearchEngine, SearchFilters, TermStatistics } from "./search-engine.ts";
import { type Candidate, type Fusion, fuseHits } from "./top-k.ts";
import type { AskedText, QuestionReader, Repair, Thesaurus, ThesaurusEntries, Understood } from "./understand.ts";
import { createThesaurus, isSureRepair, LoadedWords, understand } from "./understand.ts";

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
  /** Present if several processes share the engine, so that one of them at a time fills it. Absent: this process alone uses the engine. */
  readonly filling?: FillingTurn | undefined;
}

/** Runs work if this process may fill the engine. Resolves to `false`, without running the work, if another process fills it. */
export type FillingTurn = (work: () => Promise<void>) => Promise<boolean>;

export interface SearchRequest extends Fusion, Pick<EngineRequest, "terms" | "vector">, Pick<SearchFilters, "scope" | "area"> {
  /** Codes of the question. Passages with one of them come first. */
  readonly codes: readonly string[];
  readonly bm25: boolean;
  /** Number of chunks per ranking. */
  readonly candidates: number;
}

/** Maximum number of scopes with cached word statistics. A server has few tenants and labels in use at a time. */
const MAX_SCOPES = 64;
/** Number of documents loaded and indexed at once. Bounds memory, and the work to repeat after a crash. */
const DOCUMENTS_PER_BATCH = 200;
/**
 * Maximum milliseconds that a question waits for a shared engine to reach the last commit. After that it is answered
 * without the newest texts.
 */
const CATCH_UP_MS = 1_000;
/** Milliseconds between checks of a shared engine that another process fills. */
const POLL_MS = 50;

const ignore = () => undefined;

/** Keeps the search engine of one domain up to date with the database, analyses questions, and finds the matching passages. */
export class DomainIndex implements QuestionReader {
  private readonly options: DomainIndexOptions;
  private readonly vectors: EncoderSwitch;
  private readonly stem = createStemmer();
  private readonly thesaurus: Thesaurus;
  private readonly english: Pick<EnglishWords, "real" | "isEnglish">;
  /** Analyses of questions, cached until the index changes. */
  private understood = new WeakMap<object, { readonly settings: QuerySettings; readonly understood: Promise<Understood> }>();
  private readonly words = new LRUCache<string, LoadedWords>({ max: MAX_SCOPES });
  /** Number of indexed windows. */
  windows = 0;
  private revision = -1;
  /** Revision of the domain in the database when it was last read. */
  private committed = 0;
  private syncing: Promise<void> = Promise.resolve();
  /** Set while this process fills a shared engine, or waits for its turn. */
  private catchingUp: { readonly done: Promise<void>; readonly since: number } | null = null;

  constructor(options: DomainIndexOptions) {
    this.options = options;
    this.english = options.english ?? createEnglishWords();
    this.vectors = new EncoderSwitch({
      ...{ ...options, now: options.now ?? Date.now },
      takeIn: (then) => this.exclusive(() => this.update().then(then)),
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

  /** Revision of the domain up to which documents are indexed; 0 if none are indexed yet. */
  get indexedRevision(): number {
    return Math.max(0, this.revision);
  }

  /** Number of known commits that are not yet indexed. */
  get lag(): number {
    return Math.max(0, this.committed - this.indexedRevision);
  }

  /** Returns revision and lag of the engine, after reading the current revision of the database and of a shared engine. */
  async state(): Promise<{ readonly revision: number; readonly lag: number }> {
    await this.readCommitted();
    if (this.options.filling !== undefined) await this.reachedByOthers();
    return { revision: this.indexedRevision, lag: this.lag };
  }

  /** True if a question may be answered without the last commits, because another process may be filling the engine. */
  get mayLag(): boolean {
    return this.options.filling !== undefined && this.lag > 0;
  }

  /** Returns the tokens of a text as the index stores them. */
  tokens(text: string): string[] {
    return tokenize(text, this.stem);
  }

  /** Selects the active encoder. */
  async ready(): Promise<void> {
    // The lock is not needed if the selection is still valid.
    if (await this.vectors.isChosen()) return;
    await this.exclusive(() => this.vectors.choose());
  }

  /** Applies the documents of the store; computes no vectors. */
  async read(): Promise<void> {
    await this.exclusive(() => this.update());
  }

  /**
   * Applies commits of other connections or processes, and computes missing vectors. Without changes, it costs two
   * small reads and takes no lock.
   */
  async sync(options: SyncOptions = {}): Promise<void> {
    const { filling } = this.options;
    const isTakenIn = (await this.readCommitted()) === this.revision;
    if (isTakenIn && (await this.vectors.isCurrent(options))) return;
    if (filling === undefined) await this.exclusive(() => this.takeIn());
    else if (!isTakenIn) await this.catchUp(options);
    await this.vectors.follow(() => this.exclusive(() => this.vectors.choose()), options);
  }

  /** See `EncoderSwitch.switchTo`. */
  switchTo(encoder: Encoder, activate: (encoder: Encoder) => Promise<void>, options: SyncOptions = {}): Promise<void> {
    return this.vectors.switchTo(encoder, activate, options);
  }

  /** See `EncoderSwitch.finish`. */
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

  /** Embeds texts with the encoder that produced the question's vector. Reuses vectors cached in the database. */
  embed(texts: readonly string[], { encoder }: QuestionVector, signal: AbortSignal): Promise<Float32Array[]> {
    return this.vectors.embedderOf(encoder).embedTexts(texts, { signal });
  }

  understand(question: AskedText, settings: QuerySettings): Promise<Understood> {
    const known = this.understood.get(question);
    if (known?.settings === settings) return known.understood;
    const { scope, resolved } = question;
    const parts = {
      ...{ thesaurus: this.thesaurus, tokens: (text: string) => this.tokens(text), stem: this.stem, real: this.english.real },
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
    const tokens = (text: string) => this.tokens(text);
    const known = this.words.get(key) ?? new LoadedWords(tokens, (terms) => this.statistics(terms, scope));
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
    this.syncing = next.then(ignore, ignore);
    return next;
  }

  private async readCommitted(): Promise<number> {
    this.committed = await this.options.documents.revision(this.options.domain);
    return this.committed;
  }

  /** Brings the engine to the last commit. If another process is filling a shared engine, waits for that process. */
  private update(): Promise<void> {
    return this.options.filling === undefined ? this.takeIn() : this.catchUp({});
  }

  /** Waits until a shared engine has the last commit; a question waits for a limited time. */
  private async catchUp({ mayWaitForVectors = true, signal }: SyncOptions): Promise<void> {
    const { now = Date.now } = this.options;
    if ((await this.reachedByOthers()) >= this.committed) return;
    if (this.catchingUp === null) {
      const done = this.fill().finally(() => {
        this.catchingUp = null;
      });
      done.catch(ignore);
      this.catchingUp = { done, since: now() };
    }
    const { done, since } = this.catchingUp;
    const waitMs = mayWaitForVectors ? null : Math.max(0, since + CATCH_UP_MS - now());
    await withLimit(done, waitMs, signal);
  }

  /** Fills the shared engine, or waits until another process has filled it. */
  private async fill(): Promise<void> {
    const { filling, signal } = this.options;
    while (!(await filling?.(() => this.takeIn()))) {
      await sleep(POLL_MS, undefined, { signal });
      const committed = await this.readCommitted();
      if ((await this.reachedByOthers()) >= committed) return;
    }
  }

  /** Reads the revision of a shared engine, adopts it as the state of this object, and returns it. */
  private async reachedByOthers(): Promise<number> {
    const reached = await this.engine.revision();
    if (reached >= 0 && reached !== this.revision) await this.noteReached(reached);
    return reached;
  }

  /** Applies the changes of the store to the engine, in order of commit. */
  private async takeIn(): Promise<void> {
    const { domain, documents, engine, filling } = this.options;
    const revision = await this.readCommitted();
    // Read the revision of a shared engine, because another process may have filled it.
    const from = filling === undefined ? this.revision : await engine.revision();
    if (revision === from) return revision === this.revision ? undefined : this.noteReached(revision);
    if (filling !== undefined) await this.vectors.choose();
    // A lower revision means that the database was replaced, so its log cannot be followed.
    const isFollowed = from >= 0 && revision > from;
    const changes = isFollowed ? await documents.changedSince(domain, from) : (await this.begin()).map((id) => ({ id, revision }));
    for (let at = 0; at === 0 || at < changes.length; at += DOCUMENTS_PER_BATCH) {
      const ids = changes.slice(at, at + DOCUMENTS_PER_BATCH).map(({ id }) => id);
      const next = changes[at + DOCUMENTS_PER_BATCH];
      const fresh = await documents.loadForIndex(domain, ids);
      const there = new Set(fresh.map(({ id }) => id));
      await engine.remove(ids.filter((id) => !there.has(id)));
      // Embed first: a shared engine would have to write each window twice if its vector came later.
      const vectors = filling === undefined ? undefined : await this.vectors.vectorsOf(fresh);
      const reached = next === undefined ? revision : isFollowed ? next.revision - 1 : -1;
      await engine.index({ documents: fresh, vectors, revision: reached < 0 ? undefined : reached });
      if (reached >= 0) this.revision = reached;
    }
    await this.noteReached(revision);
  }

  private async noteReached(revision: number): Promise<void> {
    this.windows = (await this.engine.coverage(null)).windows;
    this.revision = revision;
    this.understood = new WeakMap();
    this.words.clear();
  }

  /** Selects the encoder, compares the engine with the database, and returns the ids of the documents that the engine lacks. */
  private async begin(): Promise<string[]> {
    const { domain, documents, engine } = this.options;
    await this.vectors.choose();
    return engine.reconcile(await documents.heads(domain), this.encoder?.id ?? null);
  }
}

/** Resolves when the work ends or after `ms` milliseconds; `null`: without a limit. Rejects if the work fails before, or on abort. */
async function withLimit(work: Promise<void>, ms: number | null, signal: AbortSignal | undefined): Promise<void> {
  const stop = new AbortController();
  const signals = signal === undefined ? [stop.signal] : [stop.signal, signal];
  const aborted = sleep(ms ?? 2 ** 31 - 1, undefined, { signal: AbortSignal.any(signals) });
  try {
    await Promise.race([work, aborted]);
  } finally {
    stop.abort();
    aborted.catch(ignore);
  }
}
