import type { FeedbackRequest } from "../memory/memory.ts";
import type { Config } from "../shared/config.ts";
import { assertNode } from "../shared/node-version.ts";
import { aboutDocuments, createAsking, createPipelineContext, createSettingsCache } from "./asking.ts";
import { createBoundMemory, createReportReader } from "./bound-memory.ts";
import { createDocuments } from "./documents.ts";
import { createDomains, type Domains } from "./domains.ts";
import type { ScopeOptions } from "./engine-types.ts";
import { createGateThresholds, fitToIndex, type GateThresholds } from "./gate-thresholds.ts";
import { createIndexes, followChanges, type Indexes, usesVectorTables } from "./indexes.ts";
import { type CallListener, type EngineParts, type Opened, openShared } from "./open.ts";
import { createProver } from "./proofs.ts";
import { createReplayer, type Repeating } from "./replay.ts";
import { createSearching } from "./searching.ts";
import { createSources } from "./sources.ts";
import { createFolderFiles, createUploadRoom, removeParts } from "./upload-room.ts";
import { createUploads } from "./uploads.ts";
import { createWorker } from "./worker.ts";

export type { CacheExplanation } from "../pipeline/lookup.ts";
export type { IngestOptions, RefreshResult, SwitchOptions } from "./documents.ts";
export type * from "./engine-types.ts";
export type { EngineParts } from "./open.ts";
export type { FoundPassage, SearchResult } from "./searching.ts";
export type { CrawlRequest } from "./sources.ts";

/**
 * The answer engine. Open one per process and close it at the end.
 * @example
 * import { createEngine, loadProcessConfig } from "sourcebound";
 * const engine = await createEngine(loadProcessConfig());
 * for await (const event of engine.ingest("documents")) if (event.type === "ingest-end") console.log(event.counts.added);
 * const { status, citations } = await engine.answer("What does a lost card cost to replace?");
 * console.log(status, citations[0].quote);
 * await engine.close();
 */
export type Engine = Awaited<ReturnType<typeof createEngine>>;

/**
 * Opens the store and wires all parts.
 * @throws StoreError when the data folder is unusable; ConfigError when the configuration requires a part that it does
 * not configure, or when Node.js is too old
 * @example
 * import { createEngine, loadProcessConfig } from "sourcebound";
 * const engine = await createEngine(loadProcessConfig());
 * console.log(engine.config.domain);
 * await engine.close();
 */
export async function createEngine(config: Config, given: EngineParts = {}) {
  assertNode();
  const opened = await openShared(config, given);
  const { store, local, closing } = opened;
  const domains = createDomains(opened);
  const indexes = createIndexes(opened, domains, await usesVectorTables(opened, domains));
  const thresholds = createGateThresholds(opened);
  const settingsOf = createSettingsCache(config);
  const contextFor = createPipelineContext(opened, domains, indexes, settingsOf);
  const memory = createBoundMemory(opened, domains, contextFor);
  const prover = createProver(opened, domains);
  const { idle, ...documents } = createDocuments(opened, domains, indexes);
  const { ingest, deleteFile } = documents;
  const { uploads } = opened;
  const worker = createWorker(opened, ingest);
  const room = createUploadRoom(uploads === null ? store.originals : createFolderFiles(uploads, opened.now), store, worker.wake);
  const following = await followChanges(opened, indexes);
  const asking = createAsking(opened, domains, indexes, thresholds, contextFor, prover.prove);
  /** Returns the current settings of a domain and profile; `recorded` is the form in which records of answers store them. */
  const settings = (domain: string, name: string) => {
    const pack = domains.pack(domain);
    const profile = domains.profile(pack, name);
    const threshold = thresholds.of(pack, profile);
    return { pack, profile, threshold, recorded: settingsOf(pack, profile, threshold, indexes.of(domain).encoder?.id ?? null) };
  };
  // Share parts with replay engines, so that they load no word lists and start no threads of their own.
  const { words } = opened;
  const { embedded, reader } = given;
  const open = (own: Config, parts: EngineParts): Promise<Repeating> => createEngine(own, { words, embedded, reader, ...parts });
  return {
    ...{ config, store },
    /** Stored questions: review, sessions, feedback, statistics, deletion. */
    memory,
    /** Reports every call of a model or an encoder, without its texts. @returns a function that ends the subscription */
    watchCalls: (listener: CallListener) => {
      opened.callListeners.add(listener);
      return () => opened.callListeners.delete(listener);
    },
    domain: domains.pack,
    ...{ scope: domains.scope, reach: domains.reach },
    corpus: indexes.of,
    /** Returns the open indexes, one per domain in use. */
    corpora: indexes.opened,
    ...documents,
    ...createUploads(opened, domains, room, deleteFile),
    /** Ingests uploads that an earlier process of this data folder stored but did not ingest. */
    async resumeUploads(): Promise<void> {
      if (uploads === null) return;
      await removeParts(uploads);
      await store.jobs.freeAll();
      await room.resume();
    },
    work: worker.work,
    ...createSources(opened, domains, ingest),
    ...asking,
    ...createSearching(opened, domains, indexes, asking.pipelineContext),
    ...createReportReader(opened, domains),
    ...prover,
    ...createReplayer(opened, domains, { settings, open }),
    /** Stores a user's verdict on an answer. @throws RequestError `unknown_answer`, `feedback_too_long`, `feedback_too_often` */
    feedback: (request: FeedbackRequest, options?: ScopeOptions) => memory.feedback(request, domains.scope(options)),
    /** Returns the indexed revision of each domain in use, and how many stored changes are not indexed yet. */
    searchStates: indexes.states,
    health: () => healthOf(opened, domains, indexes, thresholds),
    async close() {
      closing.abort();
      await following.close();
      await idle();
      await worker.idle();
      await indexes.idle();
      await opened.search?.close();
      await local.close();
      await store.close();
    },
  };
}

export type Health = Awaited<ReturnType<typeof healthOf>>;

async function healthOf(opened: Opened, domains: Domains, indexes: Indexes, thresholds: GateThresholds) {
  const pack = domains.pack();
  const scope = domains.scope({ domain: pack.name, tenant: null });
  const { documents, chunks, revision } = await opened.store.documents.counts(scope);
  const threshold = thresholds.of(pack, domains.profile(pack));
  const { windows, encoder } = indexes.of(pack.name);
  // An index with 0 windows is not loaded yet, so it cannot be compared with the calibration.
  const held = windows === 0 ? threshold : fitToIndex(threshold, { windows, ranker: encoder?.id ?? null });
  return {
    status: documents > 0 ? ("ok" as const) : ("degraded" as const),
    ...{ domain: pack.name, documents, chunks, revision, examples: pack.examples },
    /** Subject of the documents, in one line. */
    title: await aboutDocuments(pack, scope, opened.store.documents),
    encoder: encoder?.id ?? opened.encoder?.id ?? "none (words only)",
    model: opened.models?.small.id ?? "extractive",
    /** Name of the calibration in use; `null`: the shipped threshold. */
    calibration: held.type === "calibrated" ? held.calibration.name : null,
    /** Problems for an administrator, such as an unusable calibration. */
    warnings: held.type === "unusable" ? [held.why] : [],
  };
}
