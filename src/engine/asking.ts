import { answer } from "../answer.ts";
import { CHECKS_REVISION } from "../checks/check.ts";
import type { GateThreshold } from "../evidence/calibration.ts";
import { createQuietFinder, hotlinesFirst } from "../guard/hotlines.ts";
import { QuestionIndex } from "../memory/recall.ts";
import { StoredAnswers } from "../memory/stored-answers.ts";
import { VERSION } from "../package.ts";
import { recordModels } from "../pipeline/assemble.ts";
import type { PipelineContext, RecordedCall, RecordedSettings } from "../pipeline/context.ts";
import { explainCache } from "../pipeline/lookup.ts";
import { usesSupport } from "../profiles/guards.ts";
import type { Profile } from "../profiles/profile.ts";
import { VectorGroups } from "../retrieval/dense.ts";
import { type Config, DEFAULT_DOMAIN } from "../shared/config.ts";
import { RequestError } from "../shared/errors.ts";
import { type AnswerEvent, answerIn } from "../shared/events.ts";
import type { Answer, AskRequest, Scope, Warning } from "../shared/types.ts";
import type { DocumentStore } from "../store/documents.ts";
import { sha256Hex } from "../text/hash.ts";
import { memoised } from "../text/memo.ts";
import { askingScope, type DomainPack, publishedContacts } from "./domain.ts";
import type { Domains } from "./domains.ts";
import type { AskOptions, ScopeOptions } from "./engine-types.ts";
import { fitToIndex, type GateThresholds } from "./gate-thresholds.ts";
import type { Indexes } from "./indexes.ts";
import type { Opened } from "./open.ts";
import type { createProver } from "./proofs.ts";
import { createSuggester } from "./suggestions.ts";

/** Maximum number of document titles in the line that describes the documents. */
const TITLES_NAMED = 3;

/** Describes the documents in one line: by the pack's title or, under the default pack, by document titles. */
export async function aboutDocuments({ name, title }: DomainPack, scope: Scope, documents: DocumentStore): Promise<string> {
  if (name !== DEFAULT_DOMAIN) return title;
  const { total, titles } = await documents.titles(scope, TITLES_NAMED);
  if (total === 0) return title;
  const more = total - titles.length;
  return `${titles.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Waits until the question may run its next step. */
type Turn = () => Promise<void>;

/** Milliseconds that questions may work per round of the event loop. Other events wait at most this long plus the last step. */
const ROUND_MS = 4;

/**
 * Creates a scheduler for questions that share one thread: first come, first served. In each round of the event loop, questions
 * get turns for a few milliseconds, at least one turn, so that other events (health checks, requests, model replies) run between rounds.
 * @param clock milliseconds
 * @returns a function to call once per question, on arrival; it returns a function to await before each step of work
 */
export function createTurns(clock: () => number = () => performance.now()): () => Turn {
  const waiting: { readonly arrival: number; readonly go: () => void }[] = [];
  let arrivals = 0;
  let due = 0;
  let begun = 0;
  // In a round, Node.js runs the immediates that were queued before the round, each followed by its microtasks.
  // Immediates that are queued during a round run in the next round.
  const give = (isFirst: boolean) => {
    due--;
    if (isFirst) begun = clock();
    if (isFirst || clock() - begun < ROUND_MS) waiting.shift()?.go();
    if (due === 0) ask();
  };
  const ask = () => {
    for (; due < waiting.length; due++) setImmediate(give, due === 0);
  };
  return () => {
    const arrival = arrivals++;
    return () =>
      new Promise((go) => {
        const at = waiting.findLastIndex((one) => one.arrival <= arrival) + 1;
        waiting.splice(at, 0, { arrival, go });
        if (due === 0) ask();
      });
  };
}

/** Creates the pipeline's inputs for a domain, profile and threshold. */
export type ContextFor = (pack: DomainPack, profile: Profile, threshold: GateThreshold) => PipelineContext;

export function createPipelineContext(opened: Opened, domains: Domains, indexes: Pick<Indexes, "of">, settingsOf: SettingsOf): ContextFor {
  const { config, store, secret, local, encoder, models, verifier, clock, warn, prices, calibrations, createId } = opened;
  const { readers } = domains;
  const questions = new QuestionIndex(store.cache, () => new VectorGroups());
  const answers = new StoredAnswers();
  const joinTurns = createTurns(clock);
  const quietFinder = memoised(({ hotlines }: DomainPack) => createQuietFinder(hotlines, local.findCrisis));
  return (pack, profile, threshold) => {
    const corpus = indexes.of(pack.name);
    const isMeasured = threshold.type === "none";
    const modelCalls: RecordedCall[] = [];
    const settings = settingsOf(pack, profile, threshold, corpus.encoder?.id ?? null);
    return {
      ...{ store, documents: store.documents, corpus, answers, profile, threshold, settings },
      ...{ encoder, verifier, clock, prices, calibrations, createId },
      models: recordModels(models, modelCalls),
      rerankers: local.rerankers,
      agreement: local.support,
      cache: { secret, language: pack.language, encoder: corpus.encoder?.id ?? "none", configHash: settings.configHash },
      remember: isMeasured ? null : config,
      modelCalls: verifier === null ? modelCalls : null,
      reports: { topics: pack.topics, readTopics: domains.readTopics(pack), isCommon: readers.isCommon, warn },
      questions: {
        index: questions,
        classify: domains.classifier(pack),
        matcher: domains.matcher(pack),
        embed: encoder === null || !servesRewordings(config, profile, pack) ? null : local.embedQuestion,
      },
      check: {
        ...{ hosts: pack.hosts, homePage: pack.home_page, reader: readers.statements },
        support: usesSupport(profile) ? local.support : null,
      },
      guards: { contacts: publishedContacts(pack), tenants: pack.tenants },
      contacts: pack.contacts,
      isCommon: readers.isCommon,
      ranking: local.ranking,
      // Measurements never use the web, because they must be reproducible.
      web: isMeasured ? null : domains.web(pack),
      compare: { reader: readers.facts, precedence: pack.precedence },
      hotlines: domains.finder(pack),
      isCrisis: quietFinder(pack),
      isInstruction: local.isInstruction,
      about: (scope) => aboutDocuments(pack, scope, store.documents),
      language: pack.language,
      complexity: pack.complexity,
      modelTokens: config.model?.prompt_tokens ?? null,
      maxCharacters: config.question_characters,
      turn: joinTurns(),
      loadTokenCounter: async () => (await import("../text/cl100k.ts")).countTokens,
    };
  };
}

/**
 * Returns whether a stored answer may be served for a paraphrase of its question. By default, only domain packs with
 * `semantic_cache` allow it, because a test found no wrong answer there. In other domains, two of three such answers
 * were wrong.
 */
function servesRewordings({ cache }: Config, profile: Pick<Profile, "rewordings">, pack: Pick<DomainPack, "semantic_cache">): boolean {
  if (cache.rewordings !== "pack") return cache.rewordings === "always";
  return profile.rewordings === "always" || pack.semantic_cache;
}

/** Returns the settings that the record of an answer refers to. */
type SettingsOf = (pack: DomainPack, profile: Profile, threshold: GateThreshold, encoder: string | null) => RecordedSettings;

/** Caches recorded settings until they change: they are large, and every answer refers to them. */
export function createSettingsCache(config: Config): SettingsOf {
  const made = memoised((_: DomainPack) => new Map<string, { readonly profile: Profile; readonly settings: RecordedSettings }>());
  return (pack, profile, threshold, encoder) => {
    const ofPack = made(pack);
    const known = ofPack.get(profile.name);
    const isSame =
      known?.profile === profile &&
      known.settings.encoder === encoder &&
      JSON.stringify(known.settings.threshold) === JSON.stringify(threshold);
    if (isSame) return known.settings;
    const { folder: _folder, ...facts } = pack;
    const hash = configHash(config, facts, profile, threshold);
    const settings = { software: VERSION, checks: CHECKS_REVISION, configHash: hash, encoder, pack: facts, profile, threshold };
    ofPack.set(profile.name, { profile, settings });
    return settings;
  };
}

/** Hashes the settings that determine answers, without secrets. Leaves out the encoder, which is recorded separately. */
function configHash(config: Config, pack: Omit<DomainPack, "folder">, profile: unknown, threshold: GateThreshold): string {
  const { model: asked, web_search: web } = config;
  const tokens = asked?.prompt_tokens === undefined ? [] : [asked.prompt_tokens];
  const model = asked === undefined ? null : [asked.base_url ?? asked.local, asked.small, asked.large, asked.temperature, ...tokens];
  const calibration = threshold.type === "calibrated" ? threshold.calibration.name : null;
  const minimum = threshold.type === "set" ? [threshold] : [];
  const search = web === undefined ? [] : [[web.type, web.url, web.passages]];
  const support = config.support === "embedded" ? [] : [config.support];
  return sha256Hex(JSON.stringify([VERSION, model, pack, profile, config.verify.by, calibration, ...minimum, ...search, ...support]));
}

export function createAsking(
  { config, store }: Opened,
  domains: Domains,
  indexes: Indexes,
  thresholds: GateThresholds,
  contextFor: ContextFor,
  prove: ReturnType<typeof createProver>["prove"],
) {
  const contextOf = (pack: DomainPack, name: string, { write, measuring }: Pick<AskOptions, "write" | "measuring"> = {}) => {
    const profile = domains.profile(pack, name, write);
    return contextFor(pack, profile, measuring === true ? { type: "none" } : thresholds.of(pack, profile));
  };
  /** Validates the options of a question, and returns the pipeline's inputs once the index is loaded. */
  const prepare = async (question: string, options: AskOptions) => {
    const pack = domains.pack(options.domain);
    const request = requestOf(question, options, pack, config);
    await indexes.of(pack.name).ready();
    return { request, context: contextOf(pack, request.profile, options), signal: options.signal ?? new AbortController().signal };
  };
  async function* path(question: string, options: AskOptions): AsyncGenerator<AnswerEvent, void> {
    const { request, context, signal } = await prepare(question, options);
    const events = answer(request, context, signal);
    if (options.proof !== true) return yield* events;
    for await (const event of events) yield event.type === "answer" ? { ...event, answer: await withProof(event.answer, options) } : event;
  }
  /** Attaches a proof. If that fails, the answer gets a warning instead of an error. */
  const withProof = async (made: Answer, options: AskOptions): Promise<Answer> => {
    try {
      return { ...made, proof: { ...(await prove(made.id, options)) } };
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      return { ...made, proof: null, warnings: [...made.warnings, { code: "proof_missing", message: error.message }] };
    }
  };
  /** Returns the hotlines that fit a message; empty for most messages. `ask` includes them by itself. */
  const hotlines = (message: string, name?: string): Promise<readonly Warning[]> => domains.hotlines(name)(message);
  /**
   * Answers a question as a stream of events; the last one is the answer.
   * @example
   * import { createEngine, loadProcessConfig } from "sourcebound";
   * const engine = await createEngine(loadProcessConfig());
   * for await (const event of engine.ask("What does a lost card cost to replace?")) {
   *   if (event.type === "sentence") console.log("sentence", event.sentence.text);
   *   if (event.type === "answer") console.log("answer", event.answer.status);
   * }
   * await engine.close();
   */
  const ask = (question: string, options: AskOptions = {}): AsyncGenerator<AnswerEvent, void> =>
    hotlinesFirst(() => hotlines(question, options.domain), path(question, options));
  /** Returns whether the documents answer a question. Nothing is stored, and neither a model nor the web is asked. */
  const isAnswered = async (question: string, options: ScopeOptions): Promise<boolean> => {
    const { request, context, signal } = await prepare(question, { ...options, privacy: "ephemeral" });
    const { status } = await answerIn(answer(request, { ...context, models: null, remember: null, web: null }, signal));
    return status === "ok";
  };
  const suggest = createSuggester(store.documents, isAnswered);
  return {
    hotlines,
    ask,
    /** Answers a question without intermediate events. */
    answer: (question: string, options?: AskOptions): Promise<Answer> => answerIn(ask(question, options)),
    /** Returns up to three questions that the documents answer. A question is listed only after a trial found its answer. */
    async suggestions(options: ScopeOptions = {}): Promise<readonly string[]> {
      const scope = domains.scope(options);
      return suggest(scope, await store.documents.revision(scope.domain), domains.pack(scope.domain).examples);
    },
    /** Explains the caches' decision on a question, without storing or dropping entries. */
    async explainCache(question: string, options: AskOptions = {}) {
      const { request, context, signal } = await prepare(question, options);
      return explainCache(request, context, signal);
    },
    /** Returns the pipeline's inputs, for measurements and tests. */
    pipelineContext: async (domain: string, profile: string) => contextOf(domains.pack(domain), profile),
    /** Returns what a calibration of the profile's `sufficiency` gate depends on; `null` for profiles with another gate. */
    gateFacts(name?: string, profile?: string) {
      const pack = domains.pack(name);
      return thresholds.facts(pack, domains.profile(pack, profile));
    },
    /** Returns the gate's threshold for a domain's default profile and current index; `unusable` if a calibration does not fit them. */
    async gateThreshold(name?: string) {
      const pack = domains.pack(name);
      const index = indexes.of(pack.name);
      await index.read();
      return fitToIndex(thresholds.of(pack, domains.profile(pack)), { windows: index.windows, ranker: index.encoder?.id ?? null });
    },
  };
}

function requestOf(question: string, options: AskOptions, pack: DomainPack, config: Config): AskRequest {
  const { profile = config.profile ?? pack.default_profile, detail = "normal", sessionId = null, selection = null } = options;
  const { turns, filters = null, userId = null, verbose, timeLimitMs, privacy = "redacted" } = options;
  return {
    ...{ question, scope: askingScope(pack, options, config), profile, detail, sessionId, turns, selection, filters, userId, verbose },
    timeLimitMs,
    privacy: config.privacy === "ephemeral" ? "ephemeral" : privacy,
  };
}
