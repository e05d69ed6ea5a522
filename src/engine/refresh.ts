import { messageOf, SourceboundError } from "../errors.ts";
import type { IngestCounts, IngestEvent } from "../events.ts";
import type { Origin } from "../store/origins.ts";
import type { Store } from "../store/store.ts";

export interface RefreshResult {
  /** `partly`: a source could not be read; what was known of it stays. */
  readonly status: "ok" | "partly";
  readonly domain: string;
  readonly sources: readonly RefreshedSource[];
  readonly documents: number;
  readonly windows: number;
  readonly revision: number;
  /** Entries of the cache before and after. */
  readonly cache: { readonly before: number; readonly after: number };
  readonly ms: number;
}

export interface RefreshedSource {
  readonly source: string;
  readonly tenant: string | null;
  readonly counts: IngestCounts | null;
  readonly failure: { readonly code: string; readonly message: string } | null;
}

export interface RefreshParts {
  readonly store: Pick<Store, "origins" | "documents" | "cache">;
  /** Reads one source again. */
  readonly ingest: (origin: Origin) => AsyncIterable<IngestEvent>;
  /** Builds the index anew and puts it in the place of the old one. */
  readonly rebuild: () => Promise<{ readonly windows: number }>;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
}

/**
 * Reads every source of a domain again as it was ingested last, then builds the index anew. What rested on documents that have changed is dropped by
 * the store in the transaction that changes them. A source that cannot be read is reported, and the others go on.
 */
export async function refreshDomain(domain: string, { store, ingest, rebuild, clock }: RefreshParts): Promise<RefreshResult> {
  const begun = clock();
  const before = (await store.cache.stats(domain)).entries;
  const sources: RefreshedSource[] = [];
  for (const origin of await store.origins.list(domain)) sources.push(await readAgain(ingest(origin), origin.source, origin.tenant));
  const { windows } = await rebuild();
  return {
    status: sources.every(({ failure, counts }) => failure === null && counts?.failed === 0) ? "ok" : "partly",
    domain,
    sources,
    documents: (await store.documents.heads(domain)).size,
    windows,
    revision: await store.documents.revision(domain),
    cache: { before, after: (await store.cache.stats(domain)).entries },
    ms: Math.round(clock() - begun),
  };
}

async function readAgain(events: AsyncIterable<IngestEvent>, source: string, tenant: string | null): Promise<RefreshedSource> {
  try {
    for await (const event of events) if (event.type === "ingest-end") return { source, tenant, counts: event.counts, failure: null };
  } catch (error) {
    if (!(error instanceof SourceboundError)) throw error;
    return { source, tenant, counts: null, failure: { code: error.code, message: messageOf(error) } };
  }
  throw new Error("ingest() ended without a result");
}
