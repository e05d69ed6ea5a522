import { randomUUID } from "node:crypto";
import { existsSync, realpathSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { bindCorrection } from "../answer/correct-answer.ts";
import { explainCache } from "../answer/explain-cache.ts";
import type { AnswerParts } from "../answer/parts.ts";
import { answer } from "../answer.ts";
import { createReader } from "../check/statements.ts";
import type { Config } from "../config.ts";
import { ConfigError, messageOf } from "../errors.ts";
import type { AnswerEvent } from "../events.ts";
import { createHotlineFinder, type HotlineFinder, hotlinesFirst } from "../guard/hotlines.ts";
import { createChatVerifier } from "../models/adapters/chat-verifier.ts";
import { createChatModel } from "../models/adapters/openai-compatible.ts";
import { loadCalibrations } from "../models/calibration/calibration.ts";
import type { Encoder } from "../models/encoder.ts";
import { createEncoderChoice } from "../models/encoder-choice.ts";
import { configuredSpec, encoderSpecSchema, openEncoder } from "../models/encoder-spec.ts";
import { loadPrices } from "../models/prices.ts";
import { VERSION } from "../package.ts";
import { usesSupport } from "../profiles/guards.ts";
import { profileNamed, profiles } from "../profiles/index.ts";
import type { Profile } from "../profiles/profile.ts";
import { createCommonWords } from "../reading/english-words.ts";
import { type Classify, createClassifier } from "../remember/classify.ts";
import type { Matcher } from "../remember/matcher.ts";
import { createMemory } from "../remember/memory.ts";
import { QuestionIndex } from "../remember/question-index.ts";
import { createTopicReader, type ReadTopics } from "../remember/topics.ts";
import { Corpus } from "../retrieve/corpus.ts";
import { VectorGroups } from "../retrieve/vector-groups.ts";
import type { Origin } from "../store/origins.ts";
import { reportsSince } from "../store/reports.ts";
import { openSqlite } from "../store/sqlite.ts";
import { createStore, type Store } from "../store/store.ts";
import { sha256Hex } from "../text/hash.ts";
import type { Answer, AskRequest, Question, Scope, StoredDocument } from "../types.ts";
import type { GateThreshold } from "../verify/calibration.ts";
import { createFactReader } from "../verify/facts.ts";
import { scanConflicts } from "../verify/scan-conflicts.ts";
import { type DomainPack, documentUrl, loadDomain, packHotlines, publishedContacts, scopeOf, tenantOf } from "./domain.ts";
import type { AskOptions, Engine, EngineParts } from "./engine-types.ts";
import { createGateThresholds, describeThreshold } from "./gate-thresholds.ts";
import { createLocalModels } from "./local-models.ts";
import { type RefreshResult, refreshDomain } from "./refresh.ts";
import { createReportReader } from "./reports.ts";
import { createWebParts } from "./web-parts.ts";

export type * from "./engine-types.ts";

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
  const retention = {
    interactionsDays: config.retention.interactions_days,
    interactionsRows: config.retention.interactions_rows,
    reportsDays: config.reports.days,
    auditDays: config.retention.audit_days,
  };
  const store = createStore(db, { now, retention });
  const open = parts.openEncoder ?? ((spec: unknown) => openEncoder(encoderSpecSchema.parse(spec), config));
  const spec = parts.encoder === undefined ? configuredSpec(config) : { given: parts.encoder?.id };
  const encoder = parts.encoder !== undefined ? parts.encoder : spec === null ? null : open(spec);
  const prices = loadPrices();
  const calibrations = loadCalibrations();
  const closing = new AbortController();
  const local = createLocalModels(config, calibrations);
  const { rerankers, support } = local;
  const secret = await store.secret();
  try {
    await store.reports.purge(reportsSince(now(), config.reports.days));
  } catch (error) {
    warn(`diagnostic reports that have expired could not be deleted: ${messageOf(error)}`);
  }
  const storeId = sha256Hex(`index of ${secret}`);
  const questions = new QuestionIndex(store.cache, (model) => new VectorGroups(model));
  const packs = new Map<string, DomainPack>();
  const corpora = new Map<string, Corpus>();
  const topicReaders = new WeakMap<DomainPack, ReadTopics>();
  const clock = () => performance.now();
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
  const matcher = (pack: DomainPack): Matcher => {
    const known = matchers.get(pack) ?? local.matcher(pack);
    matchers.set(pack, known);
    return known;
  };
  const webParts = createWebParts(config, { network: parts.network, support, reader: facts, now });
  const topicsOf = (pack: DomainPack): ReadTopics => {
    const known = topicReaders.get(pack) ?? createTopicReader(pack.topics);
    topicReaders.set(pack, known);
    return known;
  };
  const profileOf = (pack: DomainPack, name = config.profile ?? pack.default_profile) =>
    profileNamed(name, [...(parts.profiles ?? []), ...profiles]);
  const thresholds = createGateThresholds({
    ...{ config, models, warn, clock },
    weights: local.weightsOfGate,
    recent: store.interactions.recentChances,
  });
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
      questions: {
        index: questions,
        classify: classifier(pack),
        matcher: parts.matcher ?? matcher(pack),
        embed: encoder === null ? null : local.embedQuestion,
      },
      check: { hosts: pack.hosts, homePage: pack.home_page, reader, support: usesSupport(profile) ? support : null },
      guards: { contacts: publishedContacts(pack), tenants: pack.tenants },
      refusal: { contacts: pack.contacts },
      sufficiency: local.sufficiency,
      // What is measured must be the same tomorrow.
      web: isMeasured ? null : webParts(pack),
      threshold,
      verifier,
      compare: { reader: facts, precedence: pack.precedence },
      hotlines: hotlinesOf(pack.hotlines),
      complexity: pack.complexity,
      maxCharacters: config.question_characters,
      loadTokenCounter: async () => (await import("../text/cl100k.ts")).countTokens,
      prices,
      calibrations,
      createId,
      clock,
    };
  };

  const scope: Engine["scope"] = ({ domain: name, tenant } = {}) => scopeOf(domain(name), tenant, config.access);
  const memory = createMemory({
    store,
    privacy: config.privacy,
    sessionTurns: config.session.turns,
    retention,
    domain: (name) => domain(name).name,
    createId,
    bind: ({ domain: name, tenant, access, profile, question }, before, id, text) => {
      const pack = domain(name);
      return bindCorrection(
        { id, text, question: questionOf(question, scopeOf(pack, tenant, access), profile), cited: documentsByNumber(before) },
        partsFor(pack, profileOf(pack, profile), { type: "shipped" }),
      );
    },
  });
  const askedParts = async (pack: DomainPack, name: string): Promise<AnswerParts> => {
    const profile = profileOf(pack, name);
    return partsFor(pack, profile, await thresholds.of(pack, profile));
  };

  async function* path(question: string, options: AskOptions): AsyncGenerator<AnswerEvent, void> {
    const pack = domain(options.domain);
    const request = requestOf(question, options, pack, config);
    await corpus(pack.name).ready();
    const profile = profileOf(pack, request.profile);
    const threshold = options.measuring === true ? { type: "none" as const } : await thresholds.of(pack, profile);
    yield* answer(request, partsFor(pack, profile, threshold), options.signal ?? new AbortController().signal);
  }

  const hotlines = (message: string, name?: string) => hotlinesOf(packHotlines(name, config, domain))(message);

  const engine: Engine = {
    config,
    store,
    memory,
    scope,
    feedback: (request, options) => memory.feedback(request, scope(options)),
    domain,
    corpus,
    retrieveParts: (name) => ({ corpus: corpus(name), documents: store.documents, encoder, rerankers }),
    answerParts: async (name, profile) => askedParts(domain(name), profile),
    counts: (scope) => store.documents.counts(scope),
    gateFacts(name, profile) {
      const pack = domain(name);
      return thresholds.facts(pack, profileOf(pack, profile));
    },
    async *conflicts({ domain: name, tenant, signal = new AbortController().signal } = {}) {
      const pack = domain(name);
      const scope = scopeOf(pack, tenant, config.access);
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
      const { ingest } = await import("../ingest.ts");
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
      const counts = await store.documents.counts(scopeOf(pack, null, config.access));
      const threshold = await thresholds.of(pack, profileOf(pack), true);
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
    scope: scopeOf(pack, options.tenant, config.access),
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

function modelsOf({ model }: Config): AnswerParts["models"] {
  if (model === undefined) return null;
  const { base_url, api_key, small, large, timeout_ms, retries } = model;
  const endpoint = { baseUrl: base_url, apiKey: api_key, timeoutMs: timeout_ms, retries };
  return { small: createChatModel(small, endpoint), large: createChatModel(large ?? small, endpoint) };
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
