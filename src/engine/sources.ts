import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { checkUrl, fetchWebPage, INTERNET, isListedHost, type WebNetwork } from "../models/web-page.ts";
import { RequestError, systemCodeOf } from "../shared/errors.ts";
import type { IngestEvent } from "../shared/events.ts";
import type { Original, OriginalStore, OriginalsOf } from "../store/origins.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../store/private.ts";
import { sha256Hex } from "../text/hash.ts";
import type { EngineDocuments, IngestOptions } from "./documents.ts";
import { tenantOf } from "./domain.ts";
import type { Domains } from "./domains.ts";
import type { GivenFile } from "./engine-types.ts";
import type { Opened } from "./open.ts";

export interface CrawlRequest extends IngestOptions {
  /** Maximum number of links from the start address. @default DEFAULT_CRAWL_DEPTH */
  readonly depth?: number | undefined;
  /** Permitted hosts, with their subdomains. @default the host of the address */
  readonly hosts?: readonly string[] | undefined;
  /** @default DEFAULT_CRAWL_PAGES */
  readonly maxPages?: number | undefined;
}

/** Maximum number of repeated ingests of a folder that other processes keep changing. */
const MOST_READINGS = 5;

/**
 * Changes a folder stored in the database and ingests it from a temporary copy. If another process changed the folder
 * meanwhile, ingests it again: an ingest of the outdated copy deletes the documents of files added meanwhile.
 * @param of key of the files in the database
 * @param change adds or removes files
 * @param read ingests the folder; documents of missing files are deleted
 */
async function* changeSharedFolder(
  of: OriginalsOf,
  originals: OriginalStore,
  change: ChangeFolder,
  read: (folder: string) => AsyncIterable<IngestEvent>,
): AsyncGenerator<IngestEvent, void> {
  const room = await mkdtemp(join(tmpdir(), "sourcebound-source-"));
  try {
    const changing = join(room, "changing");
    const { hashes } = await layOut(changing, of, originals);
    yield* changed(changing, change);
    await store(changing, hashes, of, originals);
    for (let reading = 0; reading < MOST_READINGS; reading++) {
      const folder = join(room, `reading-${reading}`);
      const { listed } = await layOut(folder, of, originals);
      yield* read(folder);
      if (namesOf(listed) === namesOf(await originals.list(of))) return;
    }
  } finally {
    await rm(room, { recursive: true, force: true });
  }
}

/** Writes the stored originals into a folder. Returns the listed files, and `hashes` by path. */
export async function layOut(folder: string, of: OriginalsOf, originals: OriginalStore) {
  await mkdir(folder, { recursive: true });
  const listed = await originals.list(of);
  const hashes = new Map<string, string>();
  for (const { path } of listed) {
    const bytes = await originals.bytes(of, path);
    if (bytes === null) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
    hashes.set(path, sha256Hex(bytes));
  }
  return { listed, hashes };
}

async function store(folder: string, hashes: ReadonlyMap<string, string>, of: OriginalsOf, originals: OriginalStore): Promise<void> {
  const kept = await listFiles(folder);
  for (const path of kept) {
    const bytes = await readFile(join(folder, path));
    if (hashes.get(path) !== sha256Hex(bytes)) await originals.put(of, path, bytes);
  }
  // Remove only files that existed before the change, so that files added by other processes meanwhile stay.
  for (const path of hashes.keys()) if (!kept.includes(path)) await originals.remove(of, path);
}

/** Lists files below a folder as relative paths, with `/` as separator; empty if the folder does not exist. */
export async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if (systemCodeOf(error) === "ENOENT") return [];
    throw error;
  });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"));
}

function namesOf(listed: readonly Original[]): string {
  return JSON.stringify(listed.map(({ path, updatedAt }) => [path, updatedAt]));
}

/**
 * Creates the ingestion of web pages and submitted files, which have no folder of the user. They are kept in the data
 * folder, or in PostgreSQL if several processes share it.
 */
export function createSources(opened: Opened, domains: Domains, ingest: EngineDocuments["ingest"]) {
  const { config, closing, changes, store } = opened;
  const { network = INTERNET } = opened.given;
  /** @param place name of the source, unique among the sources of this kind */
  const kept = async function* (kind: "web" | "input", place: string, change: ChangeFolder, options: IngestOptions) {
    const pack = domains.pack(options.domain);
    const tenant = tenantOf(pack, options.tenant);
    const name = sha256Hex(place).slice(0, 16);
    if (changes !== null) {
      const of = { domain: pack.name, tenant, label: `${kind} ${name}` };
      const read = (folder: string) => ingest(folder, { ...options, passing: true });
      return yield* changeSharedFolder(of, store.originals, change, read);
    }
    const folder = join(config.data_dir, kind, pack.name, tenant ?? "_", name);
    yield* changed(folder, change);
    yield* ingest(folder, options);
  };
  return {
    /**
     * Crawls an address and its links, or the pages of a sitemap, keeps the pages and ingests them. It fetches only
     * listed hosts, public addresses, and pages that robots.txt allows. A repeated call ingests changed pages and
     * deletes the documents of missing pages.
     * @throws WebError when the first address cannot be fetched
     */
    async *ingestUrl(url: string, options: CrawlRequest = {}): AsyncGenerator<IngestEvent, void> {
      const signal = options.signal ?? closing.signal;
      const start = normalised(url);
      const { depth: _depth, hosts: _hosts, maxPages: _pages, source = start, ...rest } = options;
      const fetch = (folder: string) => fetchInto(folder, start, { ...options, signal }, network);
      yield* kept("web", start, fetch, { ...rest, source, allowEmpty: true, signal });
    },
    /** Ingests submitted bytes, such as standard input, and keeps them under their name. @throws RequestError `input_name` */
    async *ingestBytes({ name, bytes }: GivenFile, options: IngestOptions = {}): AsyncGenerator<IngestEvent, void> {
      const plain = (await import("../ingest/formats/formats.ts")).inputName(name);
      const source = options.source ?? "input";
      yield* kept("input", source, (folder) => putInto(folder, plain, bytes), { ...options, source });
    },
  };
}

/** Changes the files of a folder. May yield events meanwhile, e.g. for each crawled page. */
type ChangeFolder = (folder: string) => AsyncIterable<IngestEvent> | Promise<void>;

async function* changed(folder: string, change: ChangeFolder): AsyncGenerator<IngestEvent, void> {
  const work = change(folder);
  if (work instanceof Promise) await work;
  else yield* work;
}

async function putInto(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  // Use a unique name, because two uploads of one name may run at once.
  const part = join(dirname(folder), `.${randomUUID()}`);
  await writeFile(part, bytes, { mode: PRIVATE_FILE });
  await rename(part, join(folder, name));
}

function normalised(url: string): string {
  const message = `"${url.slice(0, 200)}" is not a valid address. Use one that begins with https://.`;
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
  const pageTypes = [...Object.keys(CRAWLED_TYPES), ...SITEMAP_TYPES];
  const kept = keepPages(folder);
  let done = 0;
  const pages = crawl(
    start,
    { depth, maxPages },
    {
      fetch: (url, { maxBytes = MAX_PAGE_FILE_BYTES, robots = false }) => {
        const types = robots ? ["text/plain"] : pageTypes;
        return fetchWebPage(url, network, { hosts, signal, maxBytes, timeoutMs: CRAWL_TIMEOUT_MS, types });
      },
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
