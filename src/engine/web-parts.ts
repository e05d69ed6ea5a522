import type { Config } from "../config.ts";
import { ConfigError } from "../errors.ts";
import { createPageReader } from "../ingest/read-page-apart.ts";
import { createWebSearch, SEARCH_URLS, type SearchEndpoint } from "../models/adapters/web-search.ts";
import { fetchWebPage, INTERNET, type WebNetwork } from "../models/web-page.ts";
import type { WebParts } from "../verify/web.ts";
import type { DomainPack } from "./domain.ts";

export interface WebPartsOptions extends Pick<WebParts, "support" | "reader" | "now"> {
  /** @default INTERNET */
  readonly network?: WebNetwork | undefined;
}

/** What asking the web needs, by domain pack; `null` where no search is configured. */
export function createWebParts(
  { web_search: settings }: Pick<Config, "web_search">,
  { network = INTERNET, ...parts }: WebPartsOptions,
): (pack: Pick<DomainPack, "web" | "hosts">) => WebParts | null {
  if (settings === undefined) return () => null;
  const search = createWebSearch(endpointOf(settings));
  // Of two pages the second can still be read where the first is never done.
  const readPage = createPageReader(settings.timeout_ms / 2);
  return (pack) => ({
    ...parts,
    search,
    hosts: pack.web.hosts ?? pack.hosts,
    fetchPage: (url, options) => fetchWebPage(url, network, options),
    readPage,
    passages: settings.passages,
    timeoutMs: settings.timeout_ms,
  });
}

function endpointOf({ type, url, api_key, timeout_ms }: NonNullable<Config["web_search"]>): SearchEndpoint {
  const address = url ?? (type === "searxng" ? undefined : SEARCH_URLS[type]);
  if (address === undefined) throw new ConfigError("config_invalid", "web_search.url is missing: set the address of the SearXNG instance");
  return { type, url: address, apiKey: api_key, timeoutMs: timeout_ms };
}
