import type { AnswerParts } from "../answer/parts.ts";
import { createReader } from "../check/statements.ts";
import { createHotlineFinder, type HotlineFinder } from "../guard/hotlines.ts";
import { graded } from "../profiles/graded.ts";
import { profileNamed, profiles } from "../profiles/index.ts";
import type { Profile } from "../profiles/profile.ts";
import { createWordReader } from "../reading/content-words.ts";
import { type Classify, createClassifier, createTopicReader, type ReadTopics } from "../remember/classify.ts";
import type { Matcher } from "../remember/matcher.ts";
import { recent } from "../text/recent.ts";
import type { Scope } from "../types.ts";
import { createFactReader } from "../verify/facts.ts";
import { askingScope, type DomainPack, loadDomain, packHotlines } from "./domain.ts";
import type { ScopeOptions } from "./engine-types.ts";
import type { Opened } from "./open.ts";
import { perKey } from "./per-key.ts";
import { createWebParts } from "./web-parts.ts";

/** Domain packs, and what is made of each once. */
export interface Domains {
  /** @throws ConfigError, RequestError when there is no such pack or it cannot be used */
  pack(name?: string): DomainPack;
  scope(options?: ScopeOptions): Scope;
  profile(pack: DomainPack, name?: string): Profile;
  /** Finds the hotlines that a message calls for, also where no domain can be read. */
  hotlines(name?: string): HotlineFinder;
  finder(pack: DomainPack): HotlineFinder;
  classifier(pack: DomainPack): Classify;
  matcher(pack: DomainPack): Matcher;
  readTopics(pack: DomainPack): ReadTopics;
  /** `null`: no web search is configured. */
  web(pack: DomainPack): AnswerParts["web"];
  /** Read for all domains alike. */
  readonly readers: {
    readonly statements: AnswerParts["check"]["reader"];
    readonly facts: AnswerParts["compare"]["reader"];
    readonly isCommon: (word: string) => boolean;
  };
}

/** Messages of which is known whether they call for a hotline: each is asked several times on the path of a question. */
const RECENT_MESSAGES = 1_000;

export function createDomains({ config, given, local, words, now }: Opened): Domains {
  const { english } = words;
  const readers = {
    statements: createReader(createWordReader(english)),
    facts: createFactReader(createWordReader(english)),
    isCommon: english.isCommon,
  };
  const packs = perKey((name: string) => given.packs?.find((one) => one.name === name) ?? loadDomain(name, config.domains_dir));
  const finders = perKey((hotlines: DomainPack["hotlines"]) => recent(RECENT_MESSAGES, createHotlineFinder(hotlines, local.findCrisis)));
  const pack = (name = config.domain) => packs(name);
  return {
    pack,
    scope: (options = {}) => askingScope(pack(options.domain), options, config),
    profile: (of, name = config.profile ?? of.default_profile) => {
      const named = profileNamed(name, [...(given.profiles ?? []), ...profiles]);
      return config.grade === "always" ? graded(named) : named;
    },
    hotlines: (name) => finders(packHotlines(name, config, pack)),
    finder: ({ hotlines }) => finders(hotlines),
    classifier: perKey(createClassifier),
    matcher: perKey((of: DomainPack) => given.matcher ?? local.matcher(of)),
    readTopics: perKey(({ topics }: DomainPack) => createTopicReader(topics)),
    web: createWebParts(config, { network: given.network, support: local.support, reader: readers.facts, now }),
    readers,
  };
}
