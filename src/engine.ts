import { randomUUID } from "node:crypto";
import { existsSync, realpathSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { answer } from "./answer.ts";
import { createReader } from "./check/statements.ts";
import { type Config, hubFolders } from "./config.ts";
import { bindCorrection } from "./correct-answer.ts";
import { calibrationFolder } from "./data-folders.ts";
import { type DomainPack, documentUrl, loadDomain, packHotlines, publishedContacts, tenantOf } from "./domain.ts";
import { ConfigError, ModelError, messageOf } from "./errors.ts";
import type { AnswerEvent, IngestEvent } from "./events.ts";
import { createHotlineFinder, type HotlineFinder, hotlinesFirst } from "./hotlines.ts";
import { createCommonWords } from "./language/english-words.ts";
import { createLikeness } from "./language/likeness.ts";
import { createSlotVocabulary } from "./language/slot-vocabulary.ts";
import { createTopicReader, type ReadTopics } from "./language/topics.ts";
import { type CacheExplanation, explainCache } from "./memory-steps.ts";
import { createChatVerifier } from "./models/adapters/chat-verifier.ts";
import { createHubReranker, DEFAULT_CROSS_ENCODER } from "./models/adapters/hub-reranker.ts";
import { createChatModel } from "./models/adapters/openai-compatible.ts";
import { loadCalibrations, scaleFor } from "./models/calibration/calibration.ts";
import { type EmbeddedEncoder, loadEmbeddedEncoder } from "./models/embedded-encoder.ts";
import { createEmbeddedSupportScorer } from "./models/embedded-support.ts";
import type { Encoder } from "./models/encoder.ts";
import { createEncoderChoice } from "./models/encoder-choice.ts";
import { configuredSpec, type EncoderSpec, encoderSpecSchema, openEncoder } from "./models/encoder-spec.ts";
import { loadPrices } from "./models/prices.ts";
import type { Reranker } from "./models/reranker.ts";
import type { SupportScorer } from "./models/support.ts";
import type { WebNetwork } from "./models/web-network.ts";
import { usesSupport } from "./profiles/guards.ts";
import { profileNamed, profiles } from "./profiles/index.ts";
import type { Profile } from "./profiles/profile.ts";
import { type RefreshResult, refreshDomain } from "./refresh.ts";
import { type Classify, createClassifier } from "./remember/classify.ts";
import { type MatchWeights, readMatchWeights } from "./remember/match.ts";
import type { Matcher } from "./remember/matcher.ts";
import { createMemory, type FeedbackRequest, type Memory } from "./remember/memory.ts";
import { QuestionIndex } from "./remember/question-index.ts";
import { createSlotMatcher } from "./remember/slot-matcher.ts";
import { createReportReader, type ReportReader } from "./reports.ts";
import { Corpus } from "./retrieve/corpus.ts";
import { Lexicon } from "./retrieve/lexicon.ts";
import { createEmbeddedReranker, readRerankWeights } from "./retrieve/rerank.ts";
import type { RetrieveParts } from "./retrieve/retrieve.ts";
import { VectorGroups } from "./retrieve/vector-groups.ts";
import type { AnswerParts } from "./steps.ts";
import type { CorpusCounts } from "./store/documents.ts";
import type { Origin } from "./store/origins.ts";
import { reportsSince } from "./store/reports.ts";
import { openSqlite } from "./store/sqlite.ts";
import { createStore, type Store } from "./store/store.ts";
import { sha256Hex } from "./text/hash.ts";
import type { Answer, AskRequest, FilterRequest, Privacy, Question, Scope, Selection, StoredDocument, Warning } from "./types.ts";
import { type GateFacts, type GateThreshold, misfitOf } from "./verify/calibration.ts";
import { CalibrationFiles } from "./verify/calibration-files.ts";
import { createFactReader } from "./verify/facts.ts";
import { type LearnedParts, type RelevanceWeights, readRelevanceWeights } from "./verify/relevance.ts";
import { type ScanEvent, scanConflicts } from "./verify/scan-conflicts.ts";
import { readSufficiencyWeights, type SufficiencyWeights } from "./verify/sufficiency.ts";
import { DriftWatch } from "./verify/watch-drift.ts";
import { VERSION } from "./version.ts";
import { createWebParts } from "./web-parts.ts";

export type { CacheExplanation } from "./memory-steps.ts";
export type { RefreshResult } from "./refresh.ts";

/** A question with everything but its text optional; the configuration fills the rest. */
export interface AskOptions {
  readonly domain?: string | undefined;
  readonly tenant?: string | null | undefined;
  readonly profile?: string | undefined;
  readonly detail?: "normal" | "more" | undefined;
  readonly sessionId?: string | null | undefined;
  readonly selection?: Selection | null | undefined;
  /** Searches only in the documents, chapters, sections and pages named. */
  readonly filters?: FilterRequest | null | undefined;
  /** Whose session it is; only a keyed hash of it is stored. */
  readonly userId?: string | null | undefined;
  /** What may be stored of this question; it can only tighten what the configuration says. */
  readonly privacy?: Privacy | undefined;
  /** Answers whatever the learned gate's chance, asks no cache and stores nothing: how a calibration asks. @default false */
  readonly measuring?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface IngestOptions {
  readonly domain?: string | undefined;
  readonly tenant?: string | null | undefined;
  /** Paths of documents are relative to this; the folder itself when absent. */
  readonly root?: string | undefined;
  readonly source?: string | undefined;
  readonly access?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly allowEmpty?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface SwitchOptions {
  readonly domain?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onEmbed?: ((done: number, total: number) => void) | undefined;
}

export interface ConflictOptions {
  readonly domain?: string | undefined;
  readonly tenant?: string | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Health {
  readonly status: "ok" | "degraded";
  readonly domain: string;
  readonly documents: number;
  readonly chunks: number;
  readonly revision: number;
  readonly encoder: string;
  readonly model: string;
  /** Name of the calibration whose threshold holds; `null`: the shipped one. */
  readonly calibration: string | null;
  /** What somebody should look at: a calibration that cannot be used, confidences that have moved since. */
  readonly warnings: readonly string[];
}

/** Everything in one place; open one per process and close it. */
export interface Engine extends ReportReader {
  readonly config: Config;
  readonly store: Store;
  /** Texts of the hotlines that a message calls for, whatever it is; `ask` says them by itself. */
  hotlines(message: string, domain?: string): Warning[];
  /** The path of a question as events; the last one is the answer. */
  ask(question: string, options?: AskOptions): AsyncGenerator<AnswerEvent, void>;
  /** The answer alone. */
  answer(question: string, options?: AskOptions): Promise<Answer>;
  /** The path of a folder of documents as events. */
  ingest(folder: string, options?: IngestOptions): AsyncGenerator<IngestEvent, void>;
  /** Ingests the documents that a domain pack brings. */
  ingestDomain(domain: string, signal?: AbortSignal): AsyncGenerator<IngestEvent, void>;
  domain(name?: string): DomainPack;
  corpus(domain: string): Corpus;
  /** What the retrieval stage of a domain works with: for measuring and for tests. */
  retrieveParts(domain: string): RetrieveParts;
  /** What a question passes through: for measuring and for tests. */
  answerParts(domain: string, profile: string): Promise<AnswerParts>;
  counts(scope: Scope): Promise<CorpusCounts>;
  /** What is remembered of questions: review, sessions, feedback, figures, forgetting. */
  readonly memory: Memory;
  /** Who asks: domain and tenant by name, with the configured access. */
  scope(options?: { domain?: string | undefined; tenant?: string | null | undefined }): Scope;
  /** A reader's verdict on an answer. @throws RequestError `unknown_answer`, `feedback_too_long`, `feedback_too_often` */
  feedback(request: FeedbackRequest, options?: { domain?: string | undefined; tenant?: string | null | undefined }): Promise<void>;
  /** What the learned gate of a profile depends on; `null` for a profile whose gate is another one. */
  gateFacts(domain?: string, profile?: string): GateFacts | null;
  /** Contradictions between the documents of a domain, as far as the configured access sees them, most certain first. */
  conflicts(options?: ConflictOptions): AsyncGenerator<ScanEvent, void>;
  /** Makes the vectors of another encoder for a domain beside those that serve, then switches at once; it stays until the configuration names another one. */
  switchEncoder(target: EncoderSpec, options?: SwitchOptions): Promise<{ domain: string; encoder: string }>;
  /**
   * Reads every source of a domain again as it was ingested last, builds its index anew from the database and puts it in the place of the old one; what
   * rested on documents that have changed goes. One at a time for a domain: who asks meanwhile gets the same result.
   */
  refresh(domain?: string): Promise<RefreshResult>;
  /** What the caches would do with a question, and by which rule; nothing is stored and nothing dropped. */
  explainCache(question: string, options?: AskOptions): Promise<CacheExplanation>;
  health(): Promise<Health>;
  close(): Promise<void>;
}

export interface EngineParts {
  /** Replaces the encoder that the configuration names. */
  readonly encoder?: Encoder | null;
  /** Opens an encoder by what names it, instead of what the configuration says. */
  readonly openEncoder?: (spec: unknown) => Encoder;
  /** Profiles beside those that ship; one of the same name takes its place. */
  readonly profiles?: readonly Profile[];
  /** Decides which stored questions are the same as the one asked. */
  readonly matcher?: Matcher;
  /** Replaces the models that the configuration names. */
  readonly models?: AnswerParts["models"];
  /** Replaces the network by which pages of the web are reached; which addresses are taken stays as it is. */
  readonly network?: WebNetwork;
  readonly now?: () => Date;
  readonly createId?: () => string;
  /** Told what went wrong without anything being lost. @default process.emitWarning */
  readonly warn?: (message: string) => void;
}

/** Texts in one call of the embedded encoder: enough to report progress, few enough to stop soon. */
const EMBEDDED_BATCH = 256;

/**
 * Opens the store and wires all parts.
 * @throws StoreError when the data folder cannot be used; ConfigError when the configuration names a part that it does not set up
 */
export async function createEngine(config: Config, parts: EngineParts = {}): Promise<Engine> {
  const { now = () => new Date(), createId = randomUUID, warn = (message: string) => process.emitWarning(message) } = parts;
  const models = parts.models !== undefined ? parts.models : modelsOf(config);
  const verifier = verifierOf(config, models);
  const db = await openSqlite(join(config.data_dir, "sourcebound.db"));
  const store = createStore(db, { now });
  const open = parts.openEncoder ?? ((spec: unknown) => openEncoder(encoderSpecSchema.parse(spec), config));
  const spec = parts.encoder === undefined ? configuredSpec(config) : { given: parts.encoder?.id };
  const encoder = parts.encoder !== undefined ? parts.encoder : spec === null ? null : open(spec);
  const prices = loadPrices();
  const calibrations = loadCalibrations();
  const closing = new AbortController();
  // The reranker compares words by the embedded encoder's vectors, whichever encoder ranks passages; it is loaded when first asked.
  let embeddedReranker: Reranker | null = null;
  let known: { encoder: EmbeddedEncoder; lexicon: Lexicon } | null = null;
  const wordsByVectors = () => {
    if (known === null) {
      const encoder = loadEmbeddedEncoder();
      known = { encoder, lexicon: new Lexicon(encoder) };
    }
    return known;
  };
  let gateWeights: SufficiencyWeights | null = null;
  const weightsOfGate = (): SufficiencyWeights => {
    gateWeights ??= readSufficiencyWeights();
    return gateWeights;
  };
  let passageWeights: RelevanceWeights | null = null;
  const weightsOfPassages = (): RelevanceWeights => {
    passageWeights ??= readRelevanceWeights();
    return passageWeights;
  };
  const sufficiency = (): LearnedParts => {
    const { encoder, lexicon } = wordsByVectors();
    return { weights: weightsOfGate(), relevance: weightsOfPassages(), space: lexicon, encoder: encoder.id };
  };
  let crossEncoder: Reranker | null = null;
  const rerankers = {
    get embedded(): Reranker {
      if (embeddedReranker === null) {
        const { encoder, lexicon } = wordsByVectors();
        embeddedReranker = createEmbeddedReranker(encoder, readRerankWeights(), lexicon);
      }
      return embeddedReranker;
    },
    /** Only where its runtime and files are installed. */
    get "cross-encoder"(): Reranker | undefined {
      crossEncoder ??= installedCrossEncoder(config);
      return crossEncoder ?? undefined;
    },
  };
  // Loaded when the first sentence that is no quote is scored.
  let embeddedSupport: SupportScorer | null = null;
  const support: Pick<SupportScorer, "id" | "score"> = {
    id: "embedded",
    score: (pairs, options) => {
      embeddedSupport ??= createEmbeddedSupportScorer(loadEmbeddedEncoder());
      return embeddedSupport.score(pairs, options);
    },
  };
  const secret = await store.secret();
  try {
    await store.reports.purge(reportsSince(now(), config.reports.days));
  } catch (error) {
    warn(`diagnostic reports that have expired could not be deleted: ${messageOf(error)}`);
  }
  const storeId = sha256Hex(`index of ${secret}`);
  const questions = new QuestionIndex(store.cache, (model) => new VectorGroups(model));
  // Questions are compared by the embedded encoder, whichever encoder ranks passages: it costs nothing, and the matcher was measured with it.
  const embedQuestion = async (text: string) => {
    const { encoder } = wordsByVectors();
    return { model: encoder.id, values: encoder.embedSync([text])[0] as Float32Array };
  };
  const packs = new Map<string, DomainPack>();
  const corpora = new Map<string, Corpus>();
  const topicReaders = new WeakMap<DomainPack, ReadTopics>();
  const clock = () => performance.now();
  const calibrationFiles = new CalibrationFiles({ folder: calibrationFolder(config.data_dir), clock });
  const driftWatch = new DriftWatch({ recent: store.interactions.recentChances, warn });
  const warned = new Set<string>();
  const warnOnce = (message: string) => {
    if (!warned.has(message)) warn(message);
    warned.add(message);
  };
  const reader = createReader();
  const facts = createFactReader();
  const isCommon = createCommonWords();

  const finders = new WeakMap<DomainPack["hotlines"], HotlineFinder>();
  const hotlinesOf = (hotlines: DomainPack["hotlines"]): HotlineFinder => {
    const finder = finders.get(hotlines) ?? createHotlineFinder(hotlines);
    finders.set(hotlines, finder);
    return finder;
  };
  const domain = (name = config.domain): DomainPack => {
    const known = packs.get(name) ?? loadDomain(name, config.domains_dir);
    packs.set(name, known);
    return known;
  };
  const refreshing = new Map<string, Promise<RefreshResult>>();
  const snapshotPath = (name: string) => join(config.data_dir, "index", `${name}.snapshot`);
  const corpus = (name: string): Corpus => {
    const known = corpora.get(name) ?? openCorpus(name);
    corpora.set(name, known);
    return known;
  };
  /** A new index beside the one that serves, from the database alone; questions under way end on the old one. */
  const rebuild = async (name: string): Promise<Corpus> => {
    const old = corpora.get(name);
    await old?.idle();
    rmSync(snapshotPath(name), { force: true });
    const made = openCorpus(name);
    await made.ready();
    await made.sync({ signal: closing.signal, mayPrepare: false });
    corpora.set(name, made);
    return made;
  };
  const openCorpus = (name: string): Corpus => {
    const { documents, embeddings, encoders } = store;
    const choice = encoder === null ? null : createEncoderChoice({ domain: name, store: encoders, configured: { encoder, spec }, open });
    return new Corpus({
      domain: name,
      documents,
      embeddings,
      encoder: choice,
      batch: typeof config.embeddings === "object" && "batch" in config.embeddings ? config.embeddings.batch : EMBEDDED_BATCH,
      thesaurus: domain(name),
      snapshot: { path: snapshotPath(name), store: storeId, warn },
      signal: closing.signal,
    });
  };
  const classifiers = new Map<DomainPack, Classify>();
  const classifier = (pack: DomainPack): Classify => {
    const known = classifiers.get(pack) ?? createClassifier(pack);
    classifiers.set(pack, known);
    return known;
  };
  const matchers = new Map<DomainPack, Matcher>();
  let matchWeights: MatchWeights | null = null;
  const matcher = (pack: DomainPack): Matcher => {
    const known = matchers.get(pack) ?? openMatcher(pack);
    matchers.set(pack, known);
    return known;
  };
  const openMatcher = (pack: DomainPack): Matcher => {
    const { encoder } = wordsByVectors();
    return createSlotMatcher({
      vocabulary: createSlotVocabulary(pack),
      likeness: createLikeness(encoder),
      weights: () => {
        matchWeights ??= readMatchWeights();
        return matchWeights;
      },
      carry: (cosine, of) => scaleFor(of, encoder, calibrations).threshold(cosine),
    });
  };
  const webParts = createWebParts(config, { network: parts.network, support, reader: facts, now });
  const topicsOf = (pack: DomainPack): ReadTopics => {
    const known = topicReaders.get(pack) ?? createTopicReader(pack.topics);
    topicReaders.set(pack, known);
    return known;
  };
  const profileOf = (pack: DomainPack, name = config.profile ?? pack.default_profile) =>
    profileNamed(name, [...(parts.profiles ?? []), ...profiles]);
  const gateFacts = (pack: DomainPack, profile: Profile): GateFacts | null =>
    profile.gate.type !== "sufficiency"
      ? null
      : {
          domain: pack.name,
          profile: profile.name,
          settings: sha256Hex(JSON.stringify([profile.retrieve, profile.gate, profile.write, profile.check])),
          writer: models === null || profile.write.writer === "extractive" ? "extractive" : `${models.small.id}, ${models.large.id}`,
          weights: `${weightsOfGate().id}, ${weightsOfPassages().id}`,
        };
  /** @param look compares confidences with the calibration's now, not only when it is due */
  const thresholdOf = async (pack: DomainPack, profile: Profile, look = false): Promise<GateThreshold> => {
    const shipped = pack.calibration === null ? null : join(pack.folder, pack.calibration);
    const found = profile.gate.type === "sufficiency" ? calibrationFiles.find(pack.name, profile.name, shipped) : null;
    const facts = found === null ? null : gateFacts(pack, profile);
    if (facts === null || found === null) return { type: "shipped" };
    const why = found.type === "found" ? misfitOf(found.calibration, facts) : found.why;
    if (found.type === "found" && why === null) {
      const { calibration } = found;
      return { type: "calibrated", calibration, drift: await (look ? driftWatch.look(calibration) : driftWatch.question(calibration)) };
    }
    const name = found.type === "found" ? found.calibration.name : found.name;
    const unusable = { type: "unusable" as const, name, why: `calibration ${name}: ${why}` };
    warnOnce(`${unusable.why}. The shipped threshold is used; run \`sourcebound calibrate\` again, or remove the file.`);
    return unusable;
  };
  const partsFor = (pack: DomainPack, profile: Profile, threshold: GateThreshold): AnswerParts => {
    const isMeasured = threshold.type === "none";
    return {
      store,
      documents: store.documents,
      corpus: corpus(pack.name),
      encoder,
      rerankers,
      profile,
      models,
      cache: {
        secret,
        language: pack.language,
        encoder: corpus(pack.name).encoder?.id ?? "none",
        configHash: configHash(config, pack, profile, threshold),
      },
      remember: isMeasured
        ? null
        : {
            cache: config.cache,
            session: { turns: config.session.turns, idleMinutes: config.session.idle_minutes },
            reports: { ...config.reports, text: true },
          },
      reports: { topics: pack.topics, readTopics: topicsOf(pack), isCommon, warn },
      recall: {
        index: questions,
        classify: classifier(pack),
        matcher: parts.matcher ?? matcher(pack),
        embed: encoder === null ? null : embedQuestion,
      },
      check: { hosts: pack.hosts, homePage: pack.home_page, reader, support: usesSupport(profile) ? support : null },
      guards: { contacts: publishedContacts(pack), tenants: pack.tenants },
      refusal: { contacts: pack.contacts },
      sufficiency,
      // What is measured must be the same tomorrow.
      web: isMeasured ? null : webParts(pack),
      threshold,
      verifier,
      compare: { reader: facts, precedence: pack.precedence },
      hotlines: hotlinesOf(pack.hotlines),
      complexity: pack.complexity,
      maxCharacters: config.question_characters,
      loadTokenCounter: async () => (await import("./text/cl100k.ts")).countTokens,
      prices,
      calibrations,
      createId,
      clock,
    };
  };

  const scopeOf: Engine["scope"] = ({ domain: name, tenant } = {}) => {
    const pack = domain(name);
    return { domain: pack.name, tenant: tenantOf(pack, tenant), access: config.access };
  };
  const memory = createMemory({
    store,
    privacy: config.privacy,
    sessionTurns: config.session.turns,
    retention: {
      interactionsDays: config.retention.interactions_days,
      reportsDays: config.reports.days,
      auditDays: config.retention.audit_days,
    },
    domain: (name) => domain(name).name,
    createId,
    bind: ({ domain: name, tenant, access, profile, question }, before, id, text) =>
      bindCorrection(
        { id, text, question: questionOf(question, { domain: name, tenant, access }, profile), cited: documentsByNumber(before) },
        partsFor(domain(name), profileOf(domain(name), profile), { type: "shipped" }),
      ),
  });
  const askedParts = async (pack: DomainPack, name: string): Promise<AnswerParts> => {
    const profile = profileOf(pack, name);
    return partsFor(pack, profile, await thresholdOf(pack, profile));
  };

  async function* path(question: string, options: AskOptions): AsyncGenerator<AnswerEvent, void> {
    const pack = domain(options.domain);
    const request = requestOf(question, options, pack, config);
    await corpus(pack.name).ready();
    const profile = profileOf(pack, request.profile);
    const threshold = options.measuring === true ? { type: "none" as const } : await thresholdOf(pack, profile);
    yield* answer(request, partsFor(pack, profile, threshold), options.signal ?? new AbortController().signal);
  }

  const hotlines = (message: string, name?: string) => hotlinesOf(packHotlines(name, config, domain))(message);

  const engine: Engine = {
    config,
    store,
    memory,
    scope: scopeOf,
    feedback: (request, options) => memory.feedback(request, scopeOf(options)),
    domain,
    corpus,
    retrieveParts: (name) => ({ corpus: corpus(name), documents: store.documents, encoder, rerankers }),
    answerParts: async (name, profile) => askedParts(domain(name), profile),
    counts: (scope) => store.documents.counts(scope),
    gateFacts(name, profile) {
      const pack = domain(name);
      return gateFacts(pack, profileOf(pack, profile));
    },
    async *conflicts({ domain: name, tenant, signal = new AbortController().signal } = {}) {
      const pack = domain(name);
      const scope = { domain: pack.name, tenant: tenantOf(pack, tenant), access: config.access };
      const index = corpus(pack.name);
      await index.ready();
      const ids = (await store.documents.outlines(scope)).map(({ id }) => id);
      yield* scanConflicts(documentsOf(ids, scope, store), index, { total: ids.length, precedence: pack.precedence, signal });
    },
    ...createReportReader({ store, config, domain, now }),
    hotlines,
    ask: (question, options = {}) => hotlinesFirst(hotlines(question, options.domain), path(question, options)),
    async answer(question, options) {
      for await (const event of engine.ask(question, options)) if (event.type === "answer") return event.answer;
      throw new Error("answer() ended without an answer");
    },
    async *ingest(folder, options = {}) {
      const pack = domain(options.domain);
      // Parsers are loaded only where documents are read.
      const { ingest } = await import("./ingest.ts");
      const absolute = canonicalPath(folder);
      const origin: Origin = {
        domain: pack.name,
        tenant: tenantOf(pack, options.tenant),
        source: options.source ?? absolute,
        folder: absolute,
        root: canonicalPath(options.root ?? folder),
        access: options.access ?? pack.documents.access,
        baseUrl: options.baseUrl ?? null,
      };
      const address = options.baseUrl === undefined ? pack : { ...pack, base_url: options.baseUrl };
      const events = ingest(
        {
          ...{ domain: origin.domain, tenant: origin.tenant, folder: origin.folder, root: origin.root },
          ...{ source: origin.source, access: origin.access, allowEmpty: options.allowEmpty ?? false },
        },
        {
          store,
          corpus: corpus(pack.name),
          prices: encoder === null ? null : prices,
          urlOf: (path) => documentUrl(address, path),
          maxFileBytes: config.file_bytes,
          clock,
        },
        options.signal ?? new AbortController().signal,
      );
      for await (const event of events) {
        if (event.type === "ingest-end") await store.origins.put(origin);
        yield event;
      }
    },
    async *ingestDomain(name, signal) {
      const pack = domain(name);
      const folder = join(pack.folder, pack.documents.path);
      yield* engine.ingest(folder, { domain: name, root: pack.folder, source: `domain:${name}`, signal });
    },
    async switchEncoder(target, { domain: name, signal, onEmbed } = {}) {
      const pack = domain(name);
      const chosen = open(target);
      const configured = JSON.stringify(spec);
      const activate = ({ id }: Encoder) => store.encoders.activate(pack.name, { id, spec: target, configured });
      await corpus(pack.name).ready();
      await corpus(pack.name).switchTo(chosen, activate, { signal, ...(onEmbed === undefined ? {} : { onEmbed }) });
      return { domain: pack.name, encoder: chosen.id };
    },
    refresh(name) {
      const pack = domain(name);
      const running = refreshing.get(pack.name);
      if (running !== undefined) return running;
      const started = refreshDomain(pack.name, {
        store,
        clock,
        ingest: (folder, options) => engine.ingest(folder, { ...options, domain: pack.name, signal: closing.signal }),
        rebuild: () => rebuild(pack.name),
      }).finally(() => refreshing.delete(pack.name));
      refreshing.set(pack.name, started);
      return started;
    },
    async explainCache(question, options = {}) {
      const pack = domain(options.domain);
      const request = requestOf(question, options, pack, config);
      await corpus(pack.name).ready();
      return explainCache(request, await askedParts(pack, request.profile), options.signal ?? new AbortController().signal);
    },
    async health() {
      const pack = domain();
      const counts = await store.documents.counts({ domain: pack.name, tenant: null, access: config.access });
      const threshold = await thresholdOf(pack, profileOf(pack), true);
      return {
        status: counts.documents > 0 ? "ok" : "degraded",
        domain: pack.name,
        documents: counts.documents,
        chunks: counts.chunks,
        revision: counts.revision,
        encoder: corpus(pack.name).encoder?.id ?? encoder?.id ?? "none (words only)",
        model: models?.small.id ?? "extractive",
        ...describeThreshold(threshold),
      };
    },
    async close() {
      closing.abort();
      await Promise.allSettled(refreshing.values());
      await Promise.all([...corpora.values()].map((one) => one.idle()));
      await store.close();
    },
  };
  return engine;
}

/** Documents held in memory at once while a corpus is scanned. */
const SCAN_BATCH = 50;

async function* documentsOf(ids: readonly string[], scope: Scope, store: Store): AsyncGenerator<StoredDocument, void> {
  for (let at = 0; at < ids.length; at += SCAN_BATCH) {
    const batch = ids.slice(at, at + SCAN_BATCH);
    const loaded = await store.documents.load(scope, batch);
    for (const id of batch) {
      const document = loaded.get(id);
      if (document !== undefined) yield document;
    }
  }
}

/** One spelling of a folder, so that the same one reached through a link is the same source. */
function canonicalPath(folder: string): string {
  const absolute = resolve(folder);
  return existsSync(absolute) ? realpathSync(absolute) : absolute;
}

function requestOf(question: string, options: AskOptions, pack: DomainPack, config: Config): AskRequest {
  return {
    question,
    scope: { domain: pack.name, tenant: tenantOf(pack, options.tenant), access: config.access },
    profile: options.profile ?? config.profile ?? pack.default_profile,
    detail: options.detail ?? "normal",
    sessionId: options.sessionId ?? null,
    selection: options.selection ?? null,
    filters: options.filters ?? null,
    userId: options.userId ?? null,
    privacy: config.privacy === "ephemeral" ? "ephemeral" : (options.privacy ?? "redacted"),
  };
}

/** A question of earlier as it stands alone. */
function questionOf(text: string, scope: Scope, profile: string): Question {
  const alone = { sessionId: null, selection: null, history: [], injectionSignals: [] };
  return { ...alone, text, resolved: text, scope, profile, detail: "normal" };
}

function documentsByNumber({ citations }: Answer): Map<number, string> {
  return new Map(citations.map(({ n, documentId }) => [n, documentId]));
}

/** The hub's cross-encoder; `null` when it is not installed. */
function installedCrossEncoder(config: Config): Reranker | null {
  try {
    return createHubReranker(DEFAULT_CROSS_ENCODER, hubFolders(config));
  } catch (error) {
    if (error instanceof ModelError && error.code.startsWith("hub_")) return null;
    throw error;
  }
}

function modelsOf({ model }: Config): AnswerParts["models"] {
  if (model === undefined) return null;
  const { base_url, api_key, small, large, timeout_ms, retries } = model;
  const endpoint = { baseUrl: base_url, apiKey: api_key, timeoutMs: timeout_ms, retries };
  return { small: createChatModel(small, endpoint), large: createChatModel(large ?? small, endpoint) };
}

function describeThreshold(threshold: GateThreshold): Pick<Health, "calibration" | "warnings"> {
  switch (threshold.type) {
    case "calibrated":
      return { calibration: threshold.calibration.name, warnings: threshold.drift === null ? [] : [threshold.drift] };
    case "unusable":
      return { calibration: null, warnings: [threshold.why] };
    case "shipped":
    case "none":
      return { calibration: null, warnings: [] };
    default:
      return threshold satisfies never;
  }
}

/** @throws ConfigError `config_invalid` when a model is to verify and none is configured */
function verifierOf({ verify }: Config, models: AnswerParts["models"]): AnswerParts["verifier"] {
  if (verify.by === "rules") return null;
  if (models === null) {
    throw new ConfigError("config_invalid", 'verify.by is "model", and no model is configured: set `model`, or verify.by: rules.');
  }
  return { verifier: createChatVerifier(models.small), timeoutMs: verify.timeout_ms };
}

/** Everything that shapes answers besides question, scope and documents; secrets and addresses of the machine are left out. */
function configHash(config: Config, pack: DomainPack, profile: unknown, threshold: GateThreshold): string {
  const model =
    config.model === undefined ? null : [config.model.base_url, config.model.small, config.model.large, config.model.temperature];
  const { folder: _folder, ...packFacts } = pack;
  const calibration = threshold.type === "calibrated" ? threshold.calibration.name : null;
  const { web_search: web } = config;
  const search = web === undefined ? [] : [[web.type, web.url, web.passages]];
  return sha256Hex(JSON.stringify([VERSION, model, packFacts, profile, config.verify.by, calibration, ...search]));
}
