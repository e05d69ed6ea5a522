import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import type { GateThreshold } from "../evidence/calibration.ts";
import type { FileReader } from "../ingest/file-reader.ts";
import { type EnglishWords, sharedEnglishWords } from "../language/content-words.ts";
import type { Matcher } from "../memory/matcher.ts";
import { createChatSupportScorer, createChatVerifier } from "../models/adapters/chat-verifier.ts";
import { createHubSupportScorer } from "../models/adapters/hub.ts";
import { createLocalModel } from "../models/adapters/local-model.ts";
import { createChatModel } from "../models/adapters/openai-compatible.ts";
import { loadCalibrations } from "../models/calibration/calibration.ts";
import type { ChatModel } from "../models/chat.ts";
import { type EmbeddedEncoder, sharedEncoder } from "../models/embedded-encoder.ts";
import type { Encoder } from "../models/encoder.ts";
import { configuredSpec, encoderSpecSchema, openEncoder } from "../models/encoder-spec.ts";
import { loadPrices } from "../models/prices.ts";
import type { WebNetwork } from "../models/web-page.ts";
import { PACKAGE_ROOT } from "../package.ts";
import type { PipelineContext } from "../pipeline/context.ts";
import type { Profile } from "../profiles/profile.ts";
import { createProofKey } from "../proofs/signature.ts";
import type { FillingTurn } from "../retrieval/domain-index.ts";
import type { SearchConfig } from "../shared/config/servers.ts";
import { type Config, hubFolders } from "../shared/config.ts";
import { ConfigError, messageOf, SourceboundError, StoreError, systemCodeOf } from "../shared/errors.ts";
import { makePrivateFolder } from "../store/private.ts";
import { openSqlite } from "../store/sqlite.ts";
import { createStore, type Store, type StoreOptions } from "../store/store.ts";
import { sha256Hex, timeOrderedId } from "../text/hash.ts";
import { once } from "../text/memo.ts";
import type { DomainPack } from "./domain.ts";
import { createLocalModels, type LocalModels } from "./local-models.ts";

export interface EngineParts {
  /** Replaces the configured encoder. */
  readonly encoder?: Encoder | null;
  /** Opens an encoder by its specification; replaces the default implementation. */
  readonly openEncoder?: (spec: unknown) => Encoder;
  /** Returns the bundled encoder, for sharing between engines. */
  readonly embedded?: (() => EmbeddedEncoder) | undefined;
  /** Domain-independent word data, for sharing between engines. */
  readonly words?: EnglishWords;
  /** Parser to use instead of one that each ingest opens and closes. The caller closes it. */
  readonly reader?: FileReader | undefined;
  /** Additional profiles; they override bundled ones of the same name. */
  readonly profiles?: readonly Profile[];
  /** Domain packs to use instead of the packs with the same names on the disk. */
  readonly packs?: readonly DomainPack[];
  /** Replaces the threshold of `sufficiency` gates. */
  readonly threshold?: GateThreshold;
  /** Decides whether the answer to a stored question also answers the asked one. */
  readonly matcher?: Matcher;
  /** Replaces the configured models. */
  readonly models?: PipelineContext["models"];
  /** Replaces network access to web pages; the rules for permitted addresses still apply. */
  readonly network?: WebNetwork;
  readonly now?: () => Date;
  /** Monotonic milliseconds. @default performance.now */
  readonly clock?: () => number;
  readonly createId?: () => string;
  /** Receives non-fatal problems. @default process.emitWarning */
  readonly warn?: (message: string) => void;
}

export const DATABASE_FILE = "sourcebound.db";
export const PROOF_KEY_FILE = "proof-key.pem";
/** Folders in the data folder that cannot be regenerated. */
export const KEPT_FOLDERS = ["uploads", "web", "input", "calibration"] as const;

/**
 * Opens the configured database: a file in the data folder, or PostgreSQL.
 * @throws StoreError when the database is unusable; ConfigError `config_local_records` when PostgreSQL is configured and
 * the data folder contains records
 */
async function openStore({ data_dir: folder, database }: Config, options: StoreOptions, warn: (message: string) => void) {
  if (database === undefined) return { store: createStore(await openSqlite(join(folder, DATABASE_FILE)), options), changes: null };
  assertNothingLocal(folder);
  makePrivateFolder(folder);
  // Load the module only if PostgreSQL is configured.
  const { openPostgres, createChanges } = await import("../store/postgres.ts");
  const { url, connections, timeout_ms: timeoutMs } = database;
  const db = await openPostgres({ url, connections, timeoutMs });
  return { store: createStore(db, options), changes: createChanges(url, warn) };
}

/** Files and folders in the data folder that contain records. With PostgreSQL they would be ignored. */
const RECORDS_OF_A_FOLDER = [DATABASE_FILE, PROOF_KEY_FILE, ...KEPT_FOLDERS] as const;

/** Throws if the data folder contains records of its own, because PostgreSQL would silently be used without them. */
function assertNothingLocal(folder: string): void {
  const left = RECORDS_OF_A_FOLDER.filter((name) => holdsSomething(join(folder, name)));
  if (left.length === 0) return;
  const message = `PostgreSQL is configured (DATABASE_URL), but the data folder ${folder} contains records too: ${left.join(", ")}. To go on with the data folder, unset DATABASE_URL. To move its records to PostgreSQL: run \`sourcebound backup\` without DATABASE_URL, then \`sourcebound restore\` with it, then set SOURCEBOUND_DATA_DIR to another folder. Calibrations belong in the domain pack.`;
  throw new ConfigError("config_local_records", message, { folder, left });
}

function holdsSomething(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    return readdirSync(path).some((name) => !name.startsWith("."));
  } catch {
    return true;
  }
}

/**
 * Opens the parts that all domains share: store, models, clock and ids.
 * @throws StoreError when the data folder is unusable; ConfigError when the configuration requires a part that it does
 * not configure
 */
export async function openShared(config: Config, given: EngineParts) {
  const { now = () => new Date(), clock = () => performance.now(), createId = () => timeOrderedId(now()) } = given;
  const { warn = (message: string) => process.emitWarning(message) } = given;
  const callListeners = new Set<CallListener>();
  const tell: CallListener = (call) => {
    for (const listener of callListeners) listener(call);
  };
  const models = watchModels(given.models !== undefined ? given.models : modelsOf(config), tell);
  const verifier = verifierOf(config, models);
  const { interactions_days: interactionsDays, interactions_rows: interactionsRows, audit_days: auditDays } = config.retention;
  const retention = { interactionsDays, interactionsRows, reportsDays: config.reports.days, auditDays };
  /** `changes` notifies of changes by other processes; `null` if the store is a local file. */
  const { store, changes } = await openStore(config, { now, clock, retention }, warn);
  const embedded = given.embedded ?? once(sharedEncoder);
  const words = given.words ?? sharedEnglishWords();
  const opening = given.openEncoder ?? ((spec: unknown) => openEncoder(encoderSpecSchema.parse(spec), config, embedded));
  const open = (spec: unknown) => watchEncoder(opening(spec), tell);
  const spec: unknown = given.encoder === undefined ? configuredSpec(config) : { given: given.encoder?.id };
  const encoder = given.encoder ? watchEncoder(given.encoder, tell) : given.encoder === null || spec === null ? null : open(spec);
  const calibrations = loadCalibrations();
  // Processes that share a store sign with the same key.
  const shared = changes === null ? null : await store.fact("proof-key", createProofKey);
  const secret = await store.secret();
  /** Id of this store, which every index records. */
  const storeId = sha256Hex(`index of ${secret}`);
  const search = config.search === undefined ? null : await openSearchCluster(config.search, store, storeId, createId);
  return {
    ...{ config, given, store, changes, search, storeId, retention, models, verifier, encoder, spec, calibrations, words },
    ...{ now, clock, createId, warn, callListeners },
    /** Folder of uploaded files; `null`: they are rows of a shared database. */
    uploads: changes === null ? join(config.data_dir, "uploads") : null,
    openEncoder: open,
    /** Returns the signing key of proofs, as PEM. @throws StoreError `proof_key_unusable` */
    proofKey: () => shared ?? keyFile(join(config.data_dir, PROOF_KEY_FILE)),
    /** Secret of this store; cache keys depend on it. */
    secret,
    local: { ...createLocalModels(config, calibrations, embedded, words), ...supportOf(config, models) },
    prices: loadPrices(),
    /** Aborted when the engine closes; ends background work. */
    closing: new AbortController(),
  };
}
export type Opened = Awaited<ReturnType<typeof openShared>>;

function watchModels(models: PipelineContext["models"], tell: CallListener): PipelineContext["models"] {
  return models === null ? null : { small: watchModel(models.small, tell), large: watchModel(models.large, tell) };
}

/** Creates the configured models; `null`: none. */
export function modelsOf({ model, data_dir }: Config): PipelineContext["models"] {
  if (model === undefined) return null;
  const { base_url: baseUrl, local, api_key, small, large, timeout_ms, retries, reply_tokens } = model;
  if (local !== undefined) {
    const one = createLocalModel(local, { folders: [data_dir, PACKAGE_ROOT], replyTokens: reply_tokens });
    return { small: one, large: one };
  }
  // Unreachable: without `local`, the schema requires `base_url` and `small`.
  if (baseUrl === undefined || small === undefined)
    throw new ConfigError("config_invalid", "model: set `base_url` and `small`, or `local`.");
  const endpoint = { baseUrl, apiKey: api_key, timeoutMs: timeout_ms, retries, replyTokens: reply_tokens };
  return { small: createChatModel(small, endpoint), large: createChatModel(large ?? small, endpoint) };
}

/**
 * Creates the configured support scorer if it replaces the bundled one.
 * @throws ConfigError `config_invalid` when `support` is "model" and no model is configured; ModelError when the scorer
 * from the Hugging Face Hub is not installed
 */
export function supportOf(config: Config, models: PipelineContext["models"]): Partial<Pick<LocalModels, "support">> {
  const { support } = config;
  if (support === "embedded") return {};
  if (support !== "model") return { support: createHubSupportScorer(support.hub, { ...hubFolders(config), dtype: support.dtype }) };
  if (models === null)
    throw new ConfigError("config_invalid", 'support is "model", but no model is configured. Set `model`, or support: embedded.');
  return { support: createChatSupportScorer(models.small) };
}

/** @throws ConfigError `config_invalid` when `verify.by` is "model" and no model is configured */
function verifierOf({ verify }: Config, models: PipelineContext["models"]): PipelineContext["verifier"] {
  if (verify.by === "rules") return null;
  if (models === null)
    throw new ConfigError("config_invalid", 'verify.by is "model", but no model is configured. Set `model`, or verify.by: rules.');
  return { verifier: createChatVerifier(models.small), timeoutMs: verify.timeout_ms };
}

/**
 * Reads the private key as PEM; creates the file if missing, accessible only to the current user.
 * @throws StoreError `proof_key_unusable`
 */
function keyFile(path: string): string {
  const unusable = (attempted: "read" | "written", cause: unknown) => {
    const message = `The file ${path} with the private key for proofs cannot be ${attempted} (${messageOf(cause)}). Give the user that runs Sourcebound access to it.`;
    return new StoreError("proof_key_unusable", message, {}, { cause });
  };
  try {
    makePrivateFolder(dirname(path));
    // If two processes create the file at once, the key of the first one stays.
    if (!existsSync(path)) writeFileSync(path, createProofKey(), { mode: 0o600, flag: "wx" });
  } catch (cause) {
    if (systemCodeOf(cause) !== "EEXIST") throw unusable("written", cause);
  }
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw unusable("read", cause);
  }
}

/** The statistics of one call to a model or an encoder, without text. */
export interface WatchedCall {
  readonly kind: "chat" | "embeddings";
  readonly model: string;
  readonly ms: number;
  /** Error code; `null`: the call succeeded, or the consumer stopped early. */
  readonly failure: string | null;
}

export type CallListener = (call: WatchedCall) => void;

/** Wraps a model so that each call is reported. */
function watchModel(model: ChatModel, tell: CallListener): ChatModel {
  return {
    id: model.id,
    async *stream(prompt, options) {
      const finish = begin("chat", model.id, tell);
      let failure: string | null = null;
      try {
        yield* model.stream(prompt, options);
      } catch (error) {
        failure = codeOf(error);
        throw error;
      } finally {
        finish(failure);
      }
    },
  };
}

/** Wraps an encoder so that each call is reported. */
function watchEncoder(encoder: Encoder, tell: CallListener): Encoder {
  const { id, model, batch } = encoder;
  return {
    id,
    ...(model === undefined ? {} : { model }),
    ...(batch === undefined ? {} : { batch }),
    async embed(texts, options) {
      const finish = begin("embeddings", model ?? id, tell);
      let failure: string | null = null;
      try {
        return await encoder.embed(texts, options);
      } catch (error) {
        failure = codeOf(error);
        throw error;
      } finally {
        finish(failure);
      }
    },
  };
}

function begin(kind: WatchedCall["kind"], model: string, tell: CallListener) {
  const from = performance.now();
  return (failure: string | null) => tell({ kind, model, ms: performance.now() - from, failure });
}

/** Returns an error code. The message is not safe to report, because an endpoint's message may repeat the request. */
function codeOf(error: unknown): string {
  if (error instanceof SourceboundError) return error.code;
  return messageOf(error).includes("abort") ? "aborted" : "unexpected";
}

/** Milliseconds without a renewal of the lease after which another process may fill the index. */
const LEASE_MS = 15_000;

/**
 * Opens the configured cluster. No request is sent before a domain is used.
 * @param storeId id of the store, recorded in each index
 * @throws ConfigError `config_invalid` when the certificate cannot be read
 */
async function openSearchCluster(search: SearchConfig, store: Store, storeId: string, createId: () => string) {
  // Load the modules only if OpenSearch is configured.
  const { OpenSearchConnection } = await import("../retrieval/opensearch/connection.ts");
  const { OpenSearchEngine } = await import("../retrieval/opensearch/opensearch-engine.ts");
  const { url, username, password, aws, ca, prefix, shards, timeout_ms: timeoutMs } = search;
  const connection = new OpenSearchConnection({
    ...{ nodes: [url].flat(), timeoutMs },
    basic: username === undefined ? undefined : { username, password },
    aws: aws === undefined ? undefined : { region: aws.region, keys: keysOf(aws) },
    ca: ca === undefined ? undefined : readCertificate(ca),
  });
  return {
    /** @param rebuild true: builds a new index while searches still use the current one */
    engine: (domain: string, rebuild: boolean) =>
      new OpenSearchEngine({
        ...{ connection, prefix, domain, store: storeId, shards, createId, rebuild },
        isCurrent: async (scope, ids) => {
          const versions = await store.documents.versions(scope, ids);
          return (id, version) => versions.get(id) === version;
        },
      }),
    /** Returns a function that runs `work` if this process gets the lease for filling the domain's search index. */
    filling(domain: string): FillingTurn {
      const name = `search index of ${domain}`;
      const holder = randomUUID();
      return async (work) => {
        if (!(await store.leases.take(name, holder, LEASE_MS))) return false;
        const renewing = setInterval(() => void store.leases.take(name, holder, LEASE_MS).catch(() => undefined), LEASE_MS / 3);
        try {
          await work();
          return true;
        } finally {
          clearInterval(renewing);
          await store.leases.release(name, holder).catch(() => undefined);
        }
      };
    },
    close: () => connection.close(),
  };
}

function keysOf({ access_key_id, secret_access_key, session_token }: NonNullable<SearchConfig["aws"]>) {
  if (access_key_id === undefined) return undefined;
  return { accessKeyId: access_key_id, secretAccessKey: secret_access_key, sessionToken: session_token };
}

function readCertificate(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const message = `The file ${path} that the setting \`search.ca\` names cannot be read (${messageOf(cause)}). Correct the setting or the permissions.`;
    throw new ConfigError("config_invalid", message, { path }, { cause });
  }
}
