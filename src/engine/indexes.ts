import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Encoder } from "../models/encoder.ts";
import { createEncoderChoice, type EncoderSpec } from "../models/encoder-spec.ts";
import { DomainIndex } from "../retrieval/domain-index.ts";
import { EmbeddedEngine } from "../retrieval/embedded-engine.ts";
import type { SearchEngine } from "../retrieval/search-engine.ts";
import type { VectorTables } from "../retrieval/table-vectors.ts";
import { messageOf } from "../shared/errors.ts";
import { sha256Hex } from "../text/hash.ts";
import type { DomainPack } from "./domain.ts";
import type { Domains } from "./domains.ts";
import type { Opened } from "./open.ts";

export interface SwitchOptions {
  readonly domain?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onEmbed?: ((done: number, total: number) => void) | undefined;
}

/** Texts per call of the embedded encoder: a compromise between throughput, progress reports and cancellation. */
const EMBEDDED_BATCH = 256;

export function createIndexes(opened: Opened, domains: Pick<Domains, "pack" | "profile">) {
  const { config, store, encoder, spec, openEncoder: open, closing, warn, words } = opened;
  const indexes = new Map<string, DomainIndex>();
  const storeId = sha256Hex(`index of ${opened.secret}`);
  const snapshotPath = (domain: string) => join(config.data_dir, "index", `${domain}.snapshot`);
  const tablesOf = (domain: string): VectorTables | undefined => {
    const { vectors } = store;
    const pack = domains.pack(domain);
    const where = config.database?.vectors ?? domains.profile(pack).retrieve.vectors ?? "process";
    if (vectors === null || config.database === undefined || where !== "pgvector") return undefined;
    return { from: config.database.vectors_from, open: (of) => vectors.open({ ...of, domain }), warn };
  };
  const openEngine = (domain: string): SearchEngine =>
    new EmbeddedEngine({
      domain,
      tables: tablesOf(domain),
      snapshot: { path: snapshotPath(domain), store: storeId, revision: () => store.documents.revision(domain), warn },
    });
  const openIndex = (domain: string): DomainIndex => {
    const { documents, embeddings, encoders } = store;
    const choice = encoder === null ? null : createEncoderChoice({ domain, store: encoders, configured: { encoder, spec }, open });
    return new DomainIndex({
      ...{ domain, engine: openEngine(domain), documents, embeddings, encoder: choice },
      batch: typeof config.embeddings === "object" && "batch" in config.embeddings ? config.embeddings.batch : EMBEDDED_BATCH,
      thesaurus: domains.pack(domain),
      english: words,
      signal: closing.signal,
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
    /** Rebuilds an index from the database and replaces the current one; running questions finish on the old one. */
    async rebuild(domain: string): Promise<DomainIndex> {
      await indexes.get(domain)?.idle();
      rmSync(snapshotPath(domain), { force: true });
      const made = openIndex(domain);
      await made.ready();
      await made.sync({ signal: closing.signal, mayPrepare: false });
      indexes.set(domain, made);
      return made;
    },
    async switchEncoder(pack: DomainPack, target: EncoderSpec, { signal, onEmbed }: SwitchOptions): Promise<Encoder> {
      const chosen = open(target);
      const configured = JSON.stringify(spec);
      const activate = ({ id }: Encoder) => store.encoders.activate(pack.name, { id, spec: target, configured });
      await of(pack.name).ready();
      await of(pack.name).switchTo(chosen, activate, { signal, ...(onEmbed === undefined ? {} : { onEmbed }) });
      return chosen;
    },
    /** Resolves once all work is done and changes are written. */
    async idle() {
      await Promise.all([...indexes.values()].map((one) => one.idle()));
    },
  };
}
export type Indexes = ReturnType<typeof createIndexes>;

/** Syncs open indexes on changes of other processes. Questions check for changes anyway; syncing early saves them the wait. */
export async function followChanges({ changes, closing, warn }: Pick<Opened, "changes" | "closing" | "warn">, indexes: Indexes) {
  if (changes === null) return { close: async () => {} };
  const { signal } = closing;
  await changes.listen((domain) => {
    for (const index of indexes.opened()) {
      if (domain !== null && index.domain !== domain) continue;
      index.sync({ signal, mayPrepare: false }).catch((error: unknown) => {
        if (!signal.aborted) warn(`the index of domain "${index.domain}" failed to apply a change: ${messageOf(error)}`);
      });
    }
  });
  return { close: () => changes.close() };
}
