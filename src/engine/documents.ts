import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ScanEvent, scanConflicts } from "../evidence/scan-conflicts.ts";
import { canonicalPath } from "../ingest/scan.ts";
import { citationStates } from "../memory/citation-states.ts";
import type { Encoder } from "../models/encoder.ts";
import type { EncoderSpec } from "../models/encoder-spec.ts";
import type { LoadedWords } from "../retrieval/understand.ts";
import { messageOf, RequestError, SourceboundError } from "../shared/errors.ts";
import type { IngestCounts, IngestEvent } from "../shared/events.ts";
import type { Answer, Scope, StoredDocument } from "../shared/types.ts";
import type { FileDescription } from "../store/documents.ts";
import type { Origin } from "../store/origins.ts";
import type { Store } from "../store/store.ts";
import { documentUrl, tenantOf } from "./domain.ts";
import type { Domains } from "./domains.ts";
import type { ScopeOptions, TenantOptions, Work } from "./engine-types.ts";
import type { Indexes } from "./indexes.ts";
import type { Opened } from "./open.ts";

export interface IngestOptions extends Pick<ScopeOptions, "domain" | "tenant"> {
  /** Document paths are relative to this folder. @default the ingested folder */
  readonly root?: string | undefined;
  readonly source?: string | undefined;
  readonly access?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly allowEmpty?: boolean | undefined;
  /** True for a temporary folder, which a later `refresh` must not look for. @default false */
  readonly passing?: boolean | undefined;
  /** Parses and reports, but stores nothing. */
  readonly dryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface SwitchOptions {
  readonly domain?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onEmbed?: ((done: number, total: number) => void) | undefined;
}

export type EngineDocuments = Omit<ReturnType<typeof createDocuments>, "idle">;

export function createDocuments(opened: Opened, domains: Domains, indexes: Indexes) {
  const { config, given, store, encoder, prices, clock, closing } = opened;
  const refreshing = new Map<string, Promise<RefreshResult>>();

  /** @param only absolute paths of the files to ingest; `null`: the whole folder */
  async function* ingestFrom(folder: string, options: IngestOptions, only: readonly string[] | null): AsyncGenerator<IngestEvent, void> {
    const pack = domains.pack(options.domain);
    // Load parsers only where documents are ingested.
    const path = await import("../ingest.ts");
    const { createFileReader } = await import("../ingest/file-reader.ts");
    const { filesElsewhere } = await import("../ingest/scan.ts");
    const { readAddresses } = await import("../ingest/crawl/keep-pages.ts");
    const absolute = canonicalPath(folder);
    const origin: Origin = {
      domain: pack.name,
      tenant: tenantOf(pack, options.tenant),
      source: options.source ?? absolute,
      folder: only === null ? absolute : null,
      root: canonicalPath(options.root ?? folder),
      access: options.access ?? pack.documents.access,
      baseUrl: options.baseUrl ?? null,
    };
    const origins = await store.origins.list(origin.domain);
    if (options.access === undefined) assertSameLabel(origin, origins);
    const address = options.baseUrl === undefined ? pack : { ...pack, base_url: options.baseUrl };
    const addresses = readAddresses(absolute);
    const reader = given.reader ?? createFileReader();
    const elsewhere = await filesElsewhere(origin, origins, (one) => store.documents.listFiles(one));
    const events = path.ingest(
      { ...origin, folder: absolute, allowEmpty: options.allowEmpty ?? false, dryRun: options.dryRun ?? false, only },
      {
        ...{ store, clock, corpus: indexes.of(pack.name), prices: encoder === null ? null : prices },
        urlOf: (file) => addresses.get(file) ?? documentUrl(address, file),
        maxFileBytes: config.file_bytes,
        ...{ reader, elsewhere },
      },
      options.signal ?? new AbortController().signal,
    );
    try {
      for await (const event of events) {
        if (event.type === "ingest-end" && !event.dryRun && options.passing !== true) await store.origins.put(origin);
        yield event;
      }
    } finally {
      if (reader !== given.reader) await reader.close();
    }
  }

  /** Ingests a folder of documents and yields its events. */
  const ingest = (folder: string, options: IngestOptions = {}) => ingestFrom(folder, options, null);

  /** Ingests again the single files of a source (`ingestFiles`). Deletes the documents of missing files. */
  async function* ingestKnown(options: IngestOptions & { readonly domain: string; readonly source: string; readonly root: string }) {
    const { domain, source, root } = options;
    const tenant = tenantOf(domains.pack(domain), options.tenant);
    const paths = (await store.documents.listFiles({ domain, tenant, source })).map(({ path }) => path);
    const gone = paths.filter((path) => !existsSync(join(root, path)));
    await store.documents.deleteFiles({ domain, tenant, source }, gone);
    const kept = paths.filter((path) => !gone.includes(path)).map((path) => join(root, path));
    yield* ingestFrom(root, { ...options, allowEmpty: true }, kept);
  }

  return {
    ingest,
    /**
     * Queues a folder for ingestion by a worker, which must see the folder under the same path.
     * @throws RequestError `unknown_domain`, `unknown_tenant`
     */
    async queue(folder: string, options: Omit<IngestOptions, "dryRun" | "passing" | "signal"> = {}) {
      const { domain, tenant, source, root, access, baseUrl, allowEmpty = false } = options;
      const pack = domains.pack(domain);
      const absolute = canonicalPath(folder);
      const place = { folder: absolute, tenant: tenantOf(pack, tenant), source: source ?? absolute };
      const work: Work = { type: "folder", ...place, root: canonicalPath(root ?? folder), access, baseUrl, allowEmpty };
      const id = JSON.stringify(["folder", pack.name, place.tenant, place.source]);
      await store.jobs.ask({ id, domain: pack.name, work });
      return { id };
    },
    /** Ingests single files below `root`; other files of the source stay. `refresh` ingests them again while they exist. */
    ingestFiles(paths: readonly string[], { root: given, ...options }: IngestOptions & { readonly root: string }) {
      const root = canonicalPath(given);
      return ingestFrom(root, { ...options, root, source: options.source ?? `files:${root}` }, paths.map(canonicalPath));
    },
    /** Ingests the documents of a domain pack: first the shared documents, then each tenant's. Yields one `ingest-end` per folder. */
    async *ingestDomain(name: string, signal?: AbortSignal): AsyncGenerator<IngestEvent, void> {
      const pack = domains.pack(name);
      const { access } = pack.documents;
      const options = { domain: name, root: pack.folder, source: `domain:${name}`, access, signal };
      yield* ingest(join(pack.folder, pack.documents.path), options);
      for (const [tenant, { documents }] of Object.entries(pack.tenants)) {
        if (documents !== null) yield* ingest(join(pack.folder, documents), { ...options, tenant });
      }
    },
    counts: (scope: Scope) => store.documents.counts(scope),
    /** Lists ingested files visible to the configured access, by path. */
    files: (options?: ScopeOptions) => store.documents.describe(domains.scope(options)),
    /** Deletes a file's documents and what depends on them, such as cached answers. Returns the number of deleted documents. */
    deleteFile: (
      { tenant, source, path }: Pick<FileDescription, "source" | "path" | "tenant">,
      { domain }: Pick<ScopeOptions, "domain"> = {},
    ): Promise<number> => store.documents.deleteFiles({ domain: domains.pack(domain).name, tenant, source }, [path]),
    /**
     * Compares an answer's quotes with today's documents: same, moved, changed or gone, with their current places.
     * @example
     * import { createEngine, loadProcessConfig } from "sourcebound";
     * const engine = await createEngine(loadProcessConfig());
     * const answer = await engine.answer("What does a lost card cost to replace?");
     * console.log((await engine.citationStates(answer))[0]?.state);
     * await engine.close();
     */
    citationStates: ({ citations }: Pick<Answer, "citations">, options?: ScopeOptions) =>
      citationStates(citations, domains.scope(options), store.documents),
    /** Yields conflicts between visible documents of a domain, most certain first. */
    async *conflicts(options: TenantOptions = {}): AsyncGenerator<ScanEvent, void> {
      const { domain, tenant, signal = new AbortController().signal } = options;
      const { name, precedence } = domains.pack(domain);
      const scope = domains.scope({ domain, tenant });
      const index = indexes.of(name);
      await index.ready();
      const ids = (await store.documents.outlines(scope)).map(({ id }) => id);
      const words = await index.wordsIn(scope);
      yield* scanConflicts(documentsOf(ids, scope, store, words), words, { total: ids.length, precedence, signal });
    },
    /**
     * Embeds a domain with another encoder while searches still use the current one, then switches. The new encoder
     * stays in use until the configuration names another one.
     */
    async switchEncoder(spec: EncoderSpec, { domain, signal, onEmbed }: SwitchOptions = {}) {
      const { name } = domains.pack(domain);
      const chosen = opened.openEncoder(spec);
      const configured = JSON.stringify(opened.spec);
      await indexes.of(name).ready();
      const activate = ({ id }: Pick<Encoder, "id">) => store.encoders.activate(name, { id, spec, configured });
      // A refresh may have replaced the index meanwhile.
      await indexes.of(name).switchTo(chosen, activate, { signal, ...(onEmbed === undefined ? {} : { onEmbed }) });
      return { domain: name, encoder: chosen.id };
    },
    /**
     * Ingests every source of a domain again with its last options, and replaces the index by one rebuilt from the
     * database. Deletes what depends on changed documents, such as cached answers. Concurrent calls for a domain share
     * one run.
     */
    refresh(name?: string) {
      const { name: domain } = domains.pack(name);
      const running = refreshing.get(domain);
      if (running !== undefined) return running;
      const readAgain = ({ folder, baseUrl, ...origin }: Origin) => {
        const options = { ...origin, baseUrl: baseUrl ?? undefined, signal: closing.signal };
        return folder === null ? ingestKnown(options) : ingest(folder, options);
      };
      const started = refreshDomain(domain, opened, readAgain, indexes).finally(() => refreshing.delete(domain));
      refreshing.set(domain, started);
      return started;
    },
    /** Resolves once no refresh is running. */
    async idle() {
      await Promise.allSettled(refreshing.values());
    },
  };
}

/** Number of documents loaded into memory at once during a scan. */
const SCAN_BATCH = 50;

/** Yields documents in order, after loading their words into `words`. */
async function* documentsOf(ids: readonly string[], scope: Scope, store: Store, words: LoadedWords): AsyncGenerator<StoredDocument, void> {
  for (let at = 0; at < ids.length; at += SCAN_BATCH) {
    const batch = ids.slice(at, at + SCAN_BATCH);
    const loaded = await store.documents.load(scope, batch);
    for (const id of batch) {
      const document = loaded.get(id);
      if (document === undefined) continue;
      await words.load([document.title, document.text]);
      yield document;
    }
  }
}

/**
 * Ingests all sources of a domain and rebuilds the index. A failed source is reported, and the others continue.
 * Ingesting also deletes what depends on changed documents, such as cached answers, in the same transaction.
 */
async function refreshDomain(
  domain: string,
  { store, clock }: Pick<Opened, "store" | "clock">,
  ingest: (origin: Origin) => AsyncIterable<IngestEvent>,
  indexes: Pick<Indexes, "rebuild">,
) {
  const begun = clock();
  const before = (await store.cache.stats(domain)).entries;
  const sources: Awaited<ReturnType<typeof readAgain>>[] = [];
  for (const origin of await store.origins.list(domain)) sources.push(await readAgain(ingest(origin), origin.source, origin.tenant));
  const { windows } = await indexes.rebuild(domain);
  const isWhole = sources.every(({ failure, counts }) => failure === null && counts.failed === 0);
  return {
    /** `partly` means that a source or a file failed; its stored documents remain. */
    status: isWhole ? ("ok" as const) : ("partly" as const),
    domain,
    sources,
    documents: (await store.documents.heads(domain)).size,
    windows,
    revision: await store.documents.revision(domain),
    /** Number of cache entries of the domain before and after the refresh. */
    cache: { before, after: (await store.cache.stats(domain)).entries },
    ms: Math.round(clock() - begun),
  };
}

export type RefreshResult = Awaited<ReturnType<typeof refreshDomain>>;

async function readAgain(events: AsyncIterable<IngestEvent>, source: string, tenant: string | null) {
  try {
    return { source, tenant, counts: await countsOf(events), failure: null };
  } catch (error) {
    if (!(error instanceof SourceboundError)) throw error;
    return { source, tenant, counts: null, failure: { code: error.code, message: messageOf(error) } };
  }
}

/** Waits for the end of an ingest. */
export async function countsOf(events: AsyncIterable<IngestEvent>): Promise<IngestCounts> {
  for await (const event of events) if (event.type === "ingest-end") return event.counts;
  throw new Error("ingest() ended without a result");
}

/**
 * Checks that an ingest without a label does not replace the label of an earlier one, which may have been stricter.
 * @throws RequestError `access_missing`
 */
function assertSameLabel({ tenant, source, access }: Origin, earlier: readonly Origin[]): void {
  const before = earlier.find((one) => one.source === source && one.tenant === tenant);
  if (before === undefined || before.access === access) return;
  const message = `The documents of ${source} were ingested with the access label "${before.access}", and this ingest states none. Add --access ${before.access} to keep it, or --access ${access} to replace it.`;
  throw new RequestError("access_missing", message, { access: before.access });
}
