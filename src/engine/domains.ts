import { createReader } from "../checks/statements.ts";
import { createFactReader } from "../evidence/facts.ts";
import type { WebParts } from "../evidence/web.ts";
import { createHotlineFinder, type HotlineFinder } from "../guard/hotlines.ts";
import { createPageReader } from "../ingest/web-page.ts";
import { createWordReader } from "../language/content-words.ts";
import { createClassifier, createTopicReader } from "../memory/classify.ts";
import { createWebSearch, SEARCH_URLS } from "../models/adapters/web-search.ts";
import { fetchWebPage, INTERNET, type WebNetwork } from "../models/web-page.ts";
import { createConfigured, profileNamed, profiles } from "../profiles/index.ts";
import type { Profile } from "../profiles/profile.ts";
import type { Config } from "../shared/config.ts";
import { ConfigError } from "../shared/errors.ts";
import type { Scope } from "../shared/types.ts";
import { recent } from "../text/hash.ts";
import { memoised } from "../text/memo.ts";
import { askingScope, type DomainPack, loadDomain, packHotlines } from "./domain.ts";
import type { ReachOptions, ScopeOptions } from "./engine-types.ts";
import type { Opened } from "./open.ts";

/** Number of messages whose hotline results are cached. A question looks up the same message several times. */
const RECENT_MESSAGES = 1_000;

/** Creates functions that return domain packs and the parts derived from them. Each pack and part is created once. */
export function createDomains({ config, given, store, local, words, now }: Opened) {
  const read = () => createWordReader(words);
  const readers = { statements: createReader(read()), facts: createFactReader(read()), isCommon: words.isCommon };
  const packs = memoised((name: string) => given.packs?.find((one) => one.name === name) ?? loadDomain(name, config.domains_dir));
  const finders = memoised((hotlines: DomainPack["hotlines"]) => recent(RECENT_MESSAGES, createHotlineFinder(hotlines, local.findCrisis)));
  const configured = createConfigured(config);
  const pack = (name = config.domain): DomainPack => packs(name);
  const scope = (options: ScopeOptions = {}): Scope => askingScope(pack(options.domain), options, config);
  return {
    /** @throws ConfigError, RequestError when the pack is missing or invalid */
    pack,
    scope,
    /** Returns the scope for listing and deleting files; with `everyLabel`, for administrators, it includes every label. */
    async reach({ everyLabel = false, ...options }: ReachOptions = {}): Promise<Scope> {
      const reads = scope(options);
      if (!everyLabel) return reads;
      return { ...reads, access: [...new Set([...reads.access, ...(await store.documents.labels(reads.domain))])] };
    },
    profile(of: DomainPack, name = config.profile ?? of.default_profile, mode = config.write): Profile {
      return configured(profileNamed(name, [...(given.profiles ?? []), ...profiles]), mode);
    },
    /** Returns a finder of hotlines that works even if no pack can be loaded. */
    hotlines: (name?: string): HotlineFinder => finders(packHotlines(name, config, pack)),
    finder: ({ hotlines }: DomainPack): HotlineFinder => finders(hotlines),
    classifier: memoised(createClassifier),
    matcher: memoised((of: DomainPack) => given.matcher ?? local.matcher(of)),
    readTopics: memoised(({ topics }: DomainPack) => createTopicReader(topics)),
    /** `null`: no web search is configured. */
    web: createWebParts(config, given.network ?? INTERNET, { support: local.support, reader: readers.facts, now }),
    /** Shared by all domains. */
    readers,
  };
}
export type Domains = ReturnType<typeof createDomains>;

/** Returns a function from a domain pack to the dependencies of its web check, or to `null` if no search is configured. */
function createWebParts(config: Config, network: WebNetwork, parts: Pick<WebParts, "support" | "reader" | "now">) {
  const { web_search: settings } = config;
  if (settings === undefined) return () => null;
  const { type, api_key: apiKey, timeout_ms: timeoutMs, passages } = settings;
  const url = settings.url ?? (type === "searxng" ? undefined : SEARCH_URLS[type]);
  if (url === undefined) throw new ConfigError("config_invalid", "web_search.url is missing: set the address of the SearXNG instance");
  const search = createWebSearch({ type, url, apiKey, timeoutMs });
  // Parsing one page may take half of the time limit. So even if the first page never finishes, a second one can be parsed.
  const readPage = createPageReader(timeoutMs / 2);
  return (pack: DomainPack): WebParts => ({
    ...parts,
    search,
    hosts: pack.web.hosts ?? pack.hosts,
    fetchPage: (url, options) => fetchWebPage(url, network, options),
    readPage,
    ...{ passages, timeoutMs },
  });
}
