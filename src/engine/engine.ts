import { join } from "node:path";
import type { Config } from "../config.ts";
import { aboutDocuments } from "./about.ts";
import { createAnswerParts, createSettingsReader } from "./answer-parts.ts";
import { createAsking } from "./asking.ts";
import { createBoundMemory } from "./bound-memory.ts";
import { createDocuments } from "./documents.ts";
import { createDomains, type Domains } from "./domains.ts";
import type { Engine, EngineParts, Health } from "./engine-types.ts";
import { followChanges } from "./follow.ts";
import { createGateThresholds, describeThreshold, fitToIndex, type GateThresholds } from "./gate-thresholds.ts";
import { createIndexes, type Indexes } from "./indexes.ts";
import { type Opened, openShared } from "./open.ts";
import { createOriginals } from "./originals.ts";
import { createProver } from "./proofs.ts";
import { createReach } from "./reach.ts";
import { createReplayer } from "./replay.ts";
import { createReportReader } from "./reports.ts";
import { createSearching } from "./searching.ts";
import { createSharedRoom } from "./shared-room.ts";
import { createSources } from "./sources.ts";
import { createFolderRoom } from "./upload-room.ts";
import { createUploads } from "./uploads.ts";
import { createWorker } from "./worker.ts";

export type * from "./engine-types.ts";

/**
 * Opens the store and wires all parts.
 * @throws StoreError when the data folder cannot be used; ConfigError when the configuration names a part that it does not set up
 * @example
 * import { createEngine, loadProcessConfig } from "sourcebound";
 * const engine = await createEngine(loadProcessConfig());
 * console.log(engine.config.domain);
 * await engine.close();
 */
export async function createEngine(config: Config, given: EngineParts = {}): Promise<Engine> {
  const opened = await openShared(config, given);
  const { store, models, local, now, warn, clock, closing } = opened;
  if (config.database?.vectors === "pgvector") await store.vectors?.assertAvailable();
  const domains = createDomains(opened);
  const indexes = createIndexes(opened, domains);
  const thresholds = createGateThresholds({
    ...{ config, models, warn, clock },
    weights: local.weightsOfGate,
    given: given.threshold,
  });
  const partsFor = createAnswerParts(opened, domains, indexes);
  const memory = createBoundMemory(opened, domains, partsFor);
  const prover = createProver({ store, privateKey: opened.proofKey, domain: domains.pack, scope: domains.scope });
  const { idle, ...documents } = createDocuments(opened, domains, indexes);
  const { ingest, deleteFile } = documents;
  const reach = createReach({ store, scope: domains.scope });
  const worker = createWorker({ store, ingest, closing: closing.signal, warn });
  const room =
    opened.changes === null
      ? createFolderRoom({
          ...{ root: join(config.data_dir, "uploads"), ingest, signal: closing.signal, now, warn },
          known: store.documents.listFiles,
        })
      : createSharedRoom(store, worker.wake);
  const uploads = createUploads({ store, domains, reach, room, deleteFile, extensions: readExtensions });
  const sources = createSources({ opened, domains, ingest: documents.ingest, network: given.network });
  const following = await followChanges(opened, indexes);
  const asking = createAsking({ config, domains, indexes, thresholds, partsFor, prove: prover.prove });
  const ready = (domain: string) => indexes.of(domain).ready();
  return {
    ...{ config, store, memory },
    watchCalls: opened.calls.watch,
    domain: domains.pack,
    scope: domains.scope,
    reach,
    corpus: indexes.of,
    ...documents,
    ...uploads,
    work: worker.work,
    ...sources,
    ...asking,
    ...createSearching({ config, store, domains, local, answerParts: asking.answerParts, ready }),
    ...createReportReader({ store, config, domain: domains.pack, now }),
    ...prover,
    ...createOriginals({ store, reach }),
    ...createReplayer({
      ...{ config, store, encoder: opened.encoder, scope: domains.scope },
      open: (own, parts) => createEngine(own, { ...sharedBy(opened), ...parts }),
      models: models === null ? null : { small: models.small.id, large: models.large.id },
      settings: createSettingsReader(opened, domains, indexes, thresholds),
    }),
    feedback: (request, options) => memory.feedback(request, domains.scope(options)),
    health: () => healthOf(opened, domains, indexes, thresholds),
    async close() {
      closing.abort();
      await following.close();
      await idle();
      await room.idle();
      await worker.idle();
      await indexes.idle();
      await local.close();
      await store.close();
    },
  };
}

/** Endings of files that are read; parsers are loaded only where documents are. */
async function readExtensions(): Promise<readonly string[]> {
  return (await import("../ingest/formats/formats.ts")).supportedExtensions;
}

async function healthOf(opened: Opened, domains: Domains, indexes: Indexes, thresholds: GateThresholds): Promise<Health> {
  const pack = domains.pack();
  const scope = domains.scope({ domain: pack.name, tenant: null });
  const { documents, chunks, revision } = await opened.store.documents.counts(scope);
  const threshold = thresholds.of(pack, domains.profile(pack));
  const { windows, encoder } = indexes.of(pack.name);
  return {
    status: documents > 0 ? "ok" : "degraded",
    ...{ domain: pack.name, documents, chunks, revision, examples: pack.examples },
    title: await aboutDocuments(pack, scope, opened.store.documents),
    encoder: encoder?.id ?? opened.encoder?.id ?? "none (words only)",
    model: opened.models?.small.id ?? "extractive",
    // Of an index that no question has read yet it is not known.
    ...describeThreshold(windows === 0 ? threshold : fitToIndex(threshold, { windows, ranker: encoder?.id ?? null })),
  };
}

/** What engines over documents of then share with this one: they read no lists of words and start no threads of their own. */
function sharedBy({ given: { embedded, reader }, words }: Opened): EngineParts {
  return { words, ...(embedded === undefined ? {} : { embedded }), ...(reader === undefined ? {} : { reader }) };
}
