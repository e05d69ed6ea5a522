import { mkdir, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { RequestError, UnavailableError } from "../errors.ts";
import type { IngestEvent } from "../events.ts";
import { INTERNET, type WebNetwork } from "../models/web-network.ts";
import { checkUrl, fetchWebPage, isListedHost } from "../models/web-page.ts";
import { sha256Hex } from "../text/hash.ts";
import { tenantOf } from "./domain.ts";
import type { Domains } from "./domains.ts";
import type { CrawlRequest, Engine, IngestOptions } from "./engine-types.ts";
import type { Opened } from "./open.ts";

export interface SourceParts {
  readonly opened: Pick<Opened, "config" | "closing" | "changes">;
  readonly domains: Domains;
  readonly ingest: Engine["ingest"];
  /** @default INTERNET */
  readonly network?: WebNetwork | undefined;
}

/** Documents that lie in no folder of the user's: pages of the web, and what is handed over. They are kept in the data folder, and read from there. */
export function createSources({ opened, domains, ingest, network = INTERNET }: SourceParts): Pick<Engine, "ingestUrl" | "ingestBytes"> {
  const { config, closing, changes } = opened;
  const folderOf = (kind: "web" | "input", { domain, tenant }: IngestOptions, name: string) => {
    if (changes !== null) throw notShared();
    const pack = domains.pack(domain);
    return join(config.data_dir, kind, pack.name, tenantOf(pack, tenant) ?? "_", sha256Hex(name).slice(0, 16));
  };
  return {
    async *ingestUrl(url, options = {}) {
      const signal = options.signal ?? closing.signal;
      const start = normalised(url);
      const folder = folderOf("web", options, start);
      yield* fetchInto(folder, start, { ...options, signal }, network);
      const { depth: _depth, hosts: _hosts, maxPages: _pages, ...rest } = options;
      yield* ingest(folder, { ...rest, source: options.source ?? start, allowEmpty: true, signal });
    },
    async *ingestBytes({ name, bytes }, options = {}) {
      const plain = basename(name).replaceAll(/[\p{Cc}/\\]/gu, "_");
      if (plain === "" || plain.startsWith("."))
        throw new RequestError("input_name", `"${name}" is no name of a file: give one such as notes.md.`);
      const source = options.source ?? "input";
      const folder = folderOf("input", options, source);
      await mkdir(folder, { recursive: true });
      const part = join(dirname(folder), `.${sha256Hex(plain).slice(0, 16)}`);
      await writeFile(part, bytes);
      await rename(part, join(folder, plain));
      yield* ingest(folder, { ...options, source });
    },
  };
}

/** The next process would find only its own part of the folder, and delete the rest. */
function notShared(): UnavailableError {
  const message =
    "With PostgreSQL (DATABASE_URL), pages of the web and standard input are not ingested: they are kept in a folder of this machine, which other processes do not see. Save them in a folder and ingest that, or upload them.";
  return new UnavailableError("source_not_shared", message);
}

function normalised(url: string): string {
  const message = `"${url.slice(0, 200)}" is no address: give one that begins with https://.`;
  if (!URL.canParse(url)) throw new RequestError("unknown_url", message);
  const parsed = new URL(url);
  parsed.hash = "";
  return parsed.href;
}

async function* fetchInto(
  folder: string,
  start: string,
  options: CrawlRequest & { readonly signal: AbortSignal },
  network: WebNetwork,
): AsyncGenerator<IngestEvent, void> {
  const { crawl, CRAWLED_TYPES, CRAWL_TIMEOUT_MS, DEFAULT_CRAWL_DEPTH, DEFAULT_CRAWL_PAGES, SITEMAP_TYPES } = await import(
    "../ingest/crawl/crawl.ts"
  );
  const { keepPages } = await import("../ingest/crawl/keep-pages.ts");
  const { MAX_PAGE_FILE_BYTES } = await import("../ingest/limits.ts");
  const { signal, depth = DEFAULT_CRAWL_DEPTH, maxPages = DEFAULT_CRAWL_PAGES } = options;
  const hosts = options.hosts ?? [new URL(start).hostname];
  checkUrl(start, hosts);
  const all = [...Object.keys(CRAWLED_TYPES), ...SITEMAP_TYPES] as (keyof typeof CRAWLED_TYPES | (typeof SITEMAP_TYPES)[number])[];
  const types = Object.fromEntries(all.map((type) => [type, type])) as Readonly<Record<string, (typeof all)[number]>>;
  const robotsTypes = { "text/plain": "text/plain" } as const;
  const kept = keepPages(folder);
  let done = 0;
  const pages = crawl(
    start,
    { depth, maxPages },
    {
      fetch: (url, { maxBytes = MAX_PAGE_FILE_BYTES, robots = false }) =>
        fetchWebPage(url, network, { hosts, signal, maxBytes, timeoutMs: CRAWL_TIMEOUT_MS, types: robots ? robotsTypes : types }),
      isListed: ({ hostname }) => isListedHost(hostname, hosts),
      pause: (ms) => sleep(ms, undefined, { signal }),
    },
  );
  for await (const event of pages) {
    signal.throwIfAborted();
    if (event.type === "page") {
      kept.keep(event.reply);
      yield { type: "page", url: event.reply.url, done: ++done, queued: event.queued, reason: null };
    } else {
      if (!event.isGone) kept.keepOld(event.url);
      yield { type: "page", url: event.url, done, queued: 0, reason: event.reason };
    }
  }
  kept.finish();
}
