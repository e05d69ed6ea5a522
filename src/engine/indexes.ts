import { rmSync } from "node:fs";
import { join } from "node:path";
import { createEncoderChoice } from "../models/encoder-spec.ts";
import { DomainIndex } from "../retrieval/domain-index.ts";
import { EmbeddedEngine } from "../retrieval/embedded-engine.ts";
import type { SearchEngine } from "../retrieval/search-engine.ts";
import type { VectorTables } from "../retrieval/table-vectors.ts";
import { messageOf } from "../shared/errors.ts";
import type { Domains } from "./domains.ts";
import type { Opened } from "./open.ts";

/** Number of texts per call of the embedded encoder. A larger number raises throughput but delays progress reports and cancellation. */
const EMBEDDED_BATCH = 256;

/**
 * Returns whether vectors are stored and searched by pgvector: by setting, or because the server's profile requires it and the extension
 * is available.
 * @throws StoreError `vectors_unavailable` if the setting requires pgvector
 */
export async function usesVectorTables({ config, store, warn }: Opened, domains: Pick<Domains, "pack" | "profile">): Promise<boolean> {
  const { vectors } = store;
  if (vectors === null || config.database?.vectors === "process") return false;
  const isRequired = config.database?.vectors === "pgvector";
  if (!isRequired && domains.profile(domains.pack(config.domain)).retrieve.vectors !== "pgvector") return false;
  try {
    await vectors.assertAvailable();
    return true;
  } catch (error) {
    if (isRequired) throw error;
    warn(`Vectors are compared in this process: ${messageOf(error)}`);
    return false;
  }
}

/** @param inTables whether vectors are in the tables of pgvector */
export function createIndexes(opened: Opened, domains: Pick<Domains, "pack">, inTables: boolean) {
  const { config, store, encoder, spec, openEncoder: open, closing, warn, words, search, storeId } = opened;
  const indexes = new Map<string, DomainIndex>();
  const snapshotPath = (domain: string) => join(config.data_dir, "index", `${domain}.snapshot`);
  const vectors = inTables ? store.vectors : null;
  const from = config.database?.vectors_from ?? 0;
  const tablesOf = (domain: string): VectorTables | undefined =>
    vectors === null ? undefined : { from, open: (of) => vectors.open({ ...of, domain }), warn };
  const openEngine = (domain: string, rebuild: boolean): SearchEngine =>
    search?.engine(domain, rebuild) ??
    new EmbeddedEngine({
      domain,
      tables: tablesOf(domain),
      snapshot: { path: snapshotPath(domain), store: storeId, revision: () => store.documents.revision(domain), warn },
    });
  const openIndex = (domain: string, rebuild = false): DomainIndex => {
    const { documents, embeddings, encoders } = store;
    const choice = encoder === null ? null : createEncoderChoice({ domain, store: encoders, configured: { encoder, spec }, open });
    return new DomainIndex({
      ...{ domain, engine: openEngine(domain, rebuild), documents, embeddings, encoder: choice },
      batch: typeof config.embeddings === "object" && "batch" in config.embeddings ? config.embeddings.batch : EMBEDDED_BATCH,
      thesaurus: domains.pack(domain),
      english: words,
      signal: closing.signal,
      filling: search?.filling(domain),
    });
  };
  const of = (domain: string): DomainIndex => {
    const known = indexes.get(domain) ?? openIndex(domain);
    indexes.set(domain, known);
    return known;
  };
  return {
    of,
    opened: (): readonly DomainIndex[] => [...indexes.values()],
    /** Rebuilds an index from the database and replaces the current one; running questions finish on the previous index. */
    async rebuild(domain: string): Promise<DomainIndex> {
      await indexes.get(domain)?.idle();
      rmSync(snapshotPath(domain), { force: true });
      const made = openIndex(domain, true);
      await made.ready();
      await made.sync({ signal: closing.signal, mayPrepare: false });
      indexes.set(domain, made);
      return made;
    },
    /**
     * Returns the state of the search engine for the configured domain and each other domain in use.
     * @throws UnavailableError of the search engine
     */
    states: async () => {
      of(config.domain);
      return Promise.all([...indexes.values()].map(async (index) => ({ domain: index.domain, ...(await index.state()) })));
    },
    /** Resolves once all work is done and changes are written. */
    async idle() {
      await Promise.all([...indexes.values()].map((one) => one.idle()));
    },
  };
}
export type Indexes = ReturnType<typeof createIndexes>;

/** Milliseconds between checks for changes without a notification. A connection pooler, for example, may drop `LISTEN`. */
const LOOK_MS = 1_000;

/** Syncs open indexes when other processes change documents. Without this, the next question would have to wait for its own sync. */
export async function followChanges({ changes, search, closing, warn }: Opened, indexes: Indexes) {
  if (changes === null && search === null) return { close: async () => {} };
  const { signal } = closing;
  const failing = new Map<DomainIndex, string>();
  const running = new Set<DomainIndex>();
  const follow = async (index: DomainIndex) => {
    try {
      await index.sync({ signal, mayPrepare: false });
      failing.delete(index);
    } catch (error) {
      const reason = messageOf(error);
      if (!signal.aborted && failing.get(index) !== reason)
        warn(`the search index of domain "${index.domain}" could not take in a change of the documents, and will try again: ${reason}`);
      failing.set(index, reason);
    }
  };
  const look = async (index: DomainIndex) => {
    if (running.has(index)) return;
    running.add(index);
    // Do not report an unavailable database or cluster here; `sync` and questions report it.
    const isBehind = await index.state().then(
      ({ lag }) => lag > 0,
      () => failing.has(index),
    );
    if (isBehind) await follow(index);
    running.delete(index);
  };
  const timer = setInterval(() => {
    for (const index of indexes.opened()) void look(index);
  }, LOOK_MS).unref();
  await changes?.listen((domain) => {
    for (const index of indexes.opened()) if (domain === null || index.domain === domain) void follow(index);
  });
  return {
    close: async () => {
      clearInterval(timer);
      await changes?.close();
    },
  };
}
