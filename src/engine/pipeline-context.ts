import { CHECKS_REVISION } from "../checks/check.ts";
import type { GateThreshold } from "../evidence/calibration.ts";
import { createQuietFinder } from "../guard/hotlines.ts";
import { QuestionIndex } from "../memory/question-index.ts";
import { StoredAnswers } from "../memory/stored-answers.ts";
import { VERSION } from "../package.ts";
import type { PipelineContext, RecordedCall, RecordedSettings } from "../pipeline/context.ts";
import { recordModels } from "../pipeline/record.ts";
import { usesSupport } from "../profiles/guards.ts";
import type { Profile } from "../profiles/profile.ts";
import { VectorGroups } from "../retrieval/table-vectors.ts";
import { type Config, DEFAULT_DOMAIN } from "../shared/config.ts";
import type { Scope } from "../shared/types.ts";
import type { DocumentStore } from "../store/documents.ts";
import { sha256Hex } from "../text/hash.ts";
import { type DomainPack, publishedContacts } from "./domain.ts";
import { type Domains, perKey } from "./domains.ts";
import type { Indexes } from "./indexes.ts";
import type { Opened } from "./open.ts";

/** Titles that say what a folder of anybody's documents is about. */
const TITLES_NAMED = 3;

/** What the documents are about, in one line: the title of the pack, or, where the pack knows nothing of them, titles of their own. */
export async function aboutDocuments(
  { name, title }: Pick<DomainPack, "name" | "title">,
  scope: Scope,
  documents: Pick<DocumentStore, "titles">,
): Promise<string> {
  if (name !== DEFAULT_DOMAIN) return title;
  const { total, titles } = await documents.titles(scope, TITLES_NAMED);
  if (total === 0) return title;
  const more = total - titles.length;
  return `${titles.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Waits for this question's turn to compute. */
type Turn = () => Promise<void>;

interface Waiting {
  readonly arrival: number;
  readonly go: () => void;
}

/** Milliseconds of turns in one round of the event loop: what needs no turn waits no longer than this and the last piece of work. */
const ROUND_MS = 4;

/**
 * Who computes next, for questions that share one thread: the one that came first. In each round of the event loop turns are given for a few milliseconds, at
 * least one, so that what needs no turn (a health check, a request that arrives, a model's reply) is heard between two rounds; work that takes longer than that
 * has a round of its own.
 * @param clock milliseconds
 * @returns called once for each question as it arrives; the function that it gets is called before each piece of work
 */
export function createTurns(clock: () => number = () => performance.now()): () => Turn {
  const waiting: Waiting[] = [];
  let arrivals = 0;
  let due = 0;
  let begun = 0;
  // All immediates that were asked for before a round run in it, each with what follows from it at once; those asked for within it, in the next one.
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

/** What a question of a domain passes through, under a profile and a threshold. */
export type ContextFor = (pack: DomainPack, profile: Profile, threshold: GateThreshold) => PipelineContext;

export function createPipelineContext(opened: Opened, domains: Domains, indexes: Pick<Indexes, "of">, settingsOf: SettingsOf): ContextFor {
  const { config, store, secret, local, encoder, models, verifier, clock, warn, prices, calibrations, createId } = opened;
  const { readers } = domains;
  const questions = new QuestionIndex(store.cache, (model) => new VectorGroups(model));
  const answers = new StoredAnswers();
  const joinTurns = createTurns(clock);
  const quietFinder = perKey(({ hotlines }: DomainPack) => createQuietFinder(hotlines, local.findCrisis));
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
      remember: isMeasured ? null : rememberSettings(config),
      modelCalls: verifier === null ? modelCalls : null,
      reports: { topics: pack.topics, readTopics: domains.readTopics(pack), isCommon: readers.isCommon, warn },
      questions: {
        index: questions,
        classify: domains.classifier(pack),
        matcher: domains.matcher(pack),
        judgeRewording: local.judgeRewording,
        // Where a pack was measured its words explain more than the reader knows; elsewhere the rules alone served too many wrong answers.
        readAll: !pack.semantic_cache,
        embed: encoder === null || !servesRewordings(config, profile, pack) ? null : local.embedQuestion,
      },
      check: {
        ...{ hosts: pack.hosts, homePage: pack.home_page, reader: readers.statements },
        support: usesSupport(profile) ? local.support : null,
      },
      guards: { contacts: publishedContacts(pack), tenants: pack.tenants },
      refusal: { contacts: pack.contacts },
      isCommon: readers.isCommon,
      ranking: local.ranking,
      // What is measured must be the same tomorrow.
      web: isMeasured ? null : domains.web(pack),
      compare: { reader: readers.facts, precedence: pack.precedence },
      hotlines: domains.finder(pack),
      isCrisis: quietFinder(pack),
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

function rememberSettings({ cache, session, reports }: Config): NonNullable<PipelineContext["remember"]> {
  return {
    cache,
    session: { turns: session.turns, idleMinutes: session.idle_minutes, most: session.most },
    reports: { ...reports, text: true },
  };
}

/** Other wordings share an answer only where that was measured: elsewhere two of three such hits were wrong. */
function servesRewordings({ cache }: Config, profile: Pick<Profile, "rewordings">, pack: Pick<DomainPack, "semantic_cache">): boolean {
  if (cache.rewordings !== "pack") return cache.rewordings === "always";
  return profile.rewordings === "always" || pack.semantic_cache;
}

/** The settings that a record holds. */
type SettingsOf = (pack: DomainPack, profile: Profile, threshold: GateThreshold, encoder: string | null) => RecordedSettings;

/** Makes recorded settings once for as long as nothing of them changes: they are large, and every answer names them. */
export function createSettingsCache(config: Config): SettingsOf {
  const made = new WeakMap<DomainPack, Map<string, { readonly profile: Profile; readonly settings: RecordedSettings }>>();
  return (pack, profile, threshold, encoder) => {
    const ofPack = made.get(pack) ?? new Map();
    made.set(pack, ofPack);
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

/** Everything that shapes answers besides question, scope and documents; secrets and addresses of the machine are left out. */
function configHash(config: Config, pack: Omit<DomainPack, "folder">, profile: unknown, threshold: GateThreshold): string {
  const tokens = config.model?.prompt_tokens === undefined ? [] : [config.model.prompt_tokens];
  const model =
    config.model === undefined
      ? null
      : [config.model.base_url, config.model.small, config.model.large, config.model.temperature, ...tokens];
  const calibration = threshold.type === "calibrated" ? threshold.calibration.name : null;
  const { web_search: web } = config;
  const search = web === undefined ? [] : [[web.type, web.url, web.passages]];
  const support = config.support === "embedded" ? [] : [config.support];
  return sha256Hex(JSON.stringify([VERSION, model, pack, profile, config.verify.by, calibration, ...search, ...support]));
}
