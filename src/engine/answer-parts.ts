import type { AnswerParts, RecordedCall, RecordedSettings } from "../answer/parts.ts";
import { recordModels } from "../answer/record.ts";
import { CHECKS_REVISION } from "../check/check.ts";
import type { Config } from "../config.ts";
import { createQuietFinder } from "../guard/hotlines.ts";
import { VERSION } from "../package.ts";
import { usesSupport } from "../profiles/guards.ts";
import type { Profile } from "../profiles/profile.ts";
import { QuestionIndex } from "../remember/question-index.ts";
import { StoredAnswers } from "../remember/stored-answers.ts";
import { VectorGroups } from "../retrieve/table-vectors.ts";
import { sha256Hex } from "../text/hash.ts";
import type { GateThreshold } from "../verify/calibration.ts";
import { aboutDocuments } from "./about.ts";
import { type DomainPack, publishedContacts } from "./domain.ts";
import type { Domains } from "./domains.ts";
import type { GateThresholds } from "./gate-thresholds.ts";
import type { Indexes } from "./indexes.ts";
import type { Opened } from "./open.ts";
import { perKey } from "./per-key.ts";
import { createTurns } from "./turns.ts";

/** What a question of a domain passes through, under a profile and a threshold. */
export type PartsFor = (pack: DomainPack, profile: Profile, threshold: GateThreshold) => AnswerParts;

export function createAnswerParts(opened: Opened, domains: Domains, indexes: Pick<Indexes, "of">): PartsFor {
  const { config, store, secret, encoder, local, models, verifier, prices, calibrations, createId, clock, warn } = opened;
  const { readers } = domains;
  const questions = new QuestionIndex(store.cache, (model) => new VectorGroups(model));
  const answers = new StoredAnswers();
  const joinTurns = createTurns(clock);
  const quietFinder = perKey(({ hotlines }: DomainPack) => createQuietFinder(hotlines, local.findCrisis));
  const settingsOf = createSettingsCache(config);
  return (pack, profile, threshold) => {
    const corpus = indexes.of(pack.name);
    const isMeasured = threshold.type === "none";
    const modelCalls: RecordedCall[] = [];
    const settings = settingsOf(pack, profile, threshold, corpus.encoder?.id ?? null);
    return {
      ...{
        store,
        documents: store.documents,
        corpus,
        answers,
        encoder,
        profile,
        models: recordModels(models, modelCalls),
        threshold,
        verifier,
        prices,
        calibrations,
        createId,
        clock,
      },
      rerankers: local.rerankers,
      agreement: local.support,
      cache: {
        secret,
        language: pack.language,
        encoder: corpus.encoder?.id ?? "none",
        configHash: settings.configHash,
      },
      remember: isMeasured ? null : rememberSettings(config),
      modelCalls: verifier === null ? modelCalls : null,
      settings,
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
        readClaims: local.readClaims,
      },
      guards: { contacts: publishedContacts(pack), tenants: pack.tenants },
      refusal: { contacts: pack.contacts, isCommon: readers.isCommon },
      sufficiency: local.sufficiency,
      chooser: local.chooser,
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

function rememberSettings({ cache, session, reports }: Config): NonNullable<AnswerParts["remember"]> {
  return {
    cache,
    session: { turns: session.turns, idleMinutes: session.idle_minutes, most: session.most },
    reports: { ...reports, text: true },
  };
}

/** Recorded settings, made once for as long as nothing of them changes: they are large, and every answer names them. */
/** Other wordings share an answer only where that was measured: elsewhere two of three such hits were wrong. */
function servesRewordings({ cache }: Config, profile: Pick<Profile, "rewordings">, pack: Pick<DomainPack, "semantic_cache">): boolean {
  if (cache.rewordings !== "pack") return cache.rewordings === "always";
  return profile.rewordings === "always" || pack.semantic_cache;
}

function createSettingsCache(config: Config) {
  const made = new WeakMap<DomainPack, Map<string, { readonly profile: Profile; readonly settings: RecordedSettings }>>();
  return (pack: DomainPack, profile: Profile, threshold: GateThreshold, encoder: string | null): RecordedSettings => {
    const ofPack = made.get(pack) ?? new Map();
    made.set(pack, ofPack);
    const known = ofPack.get(profile.name);
    const isSame =
      known !== undefined &&
      known.profile === profile &&
      known.settings.encoder === encoder &&
      JSON.stringify(known.settings.threshold) === JSON.stringify(threshold);
    if (isSame) return known.settings;
    const settings = recordedSettings(configHash(config, pack, profile, threshold), encoder, { pack, profile, threshold });
    ofPack.set(profile.name, { profile, settings });
    return settings;
  };
}

function recordedSettings(
  configHash: string,
  encoder: string | null,
  { pack, profile, threshold }: { readonly pack: DomainPack; readonly profile: Profile; readonly threshold: GateThreshold },
): RecordedSettings {
  const { folder: _folder, ...facts } = pack;
  return { software: VERSION, checks: CHECKS_REVISION, configHash, encoder, pack: facts, profile, threshold };
}

/** Everything that shapes answers besides question, scope and documents; secrets and addresses of the machine are left out. */
function configHash(config: Config, pack: DomainPack, profile: unknown, threshold: GateThreshold): string {
  const tokens = config.model?.prompt_tokens === undefined ? [] : [config.model.prompt_tokens];
  const model =
    config.model === undefined
      ? null
      : [config.model.base_url, config.model.small, config.model.large, config.model.temperature, ...tokens];
  const { folder: _folder, ...packFacts } = pack;
  const calibration = threshold.type === "calibrated" ? threshold.calibration.name : null;
  const { web_search: web } = config;
  const search = web === undefined ? [] : [[web.type, web.url, web.passages]];
  const support = config.support === "embedded" ? [] : [config.support];
  return sha256Hex(JSON.stringify([VERSION, model, packFacts, profile, config.verify.by, calibration, ...search, ...support]));
}

/** Reads today's settings of a domain and a profile, as a record holds them. */
export function createSettingsReader(
  { config }: Pick<Opened, "config">,
  domains: Pick<Domains, "pack" | "profile">,
  indexes: Pick<Indexes, "of">,
  thresholds: Pick<GateThresholds, "of">,
) {
  return async (domain: string, name: string) => {
    const pack = domains.pack(domain);
    const profile = domains.profile(pack, name);
    const threshold = await thresholds.of(pack, profile);
    const hash = configHash(config, pack, profile, threshold);
    return {
      pack,
      profile,
      threshold,
      recorded: recordedSettings(hash, indexes.of(domain).encoder?.id ?? null, { pack, profile, threshold }),
    };
  };
}
