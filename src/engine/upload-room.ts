import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf, systemCodeOf } from "../shared/errors.ts";
import type { FilePlace, FileRecord } from "../store/document-rows.ts";
import type { JobState } from "../store/jobs.ts";
import type { OriginalsOf } from "../store/origins.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../store/private.ts";
import type { Store } from "../store/store.ts";
import { sha256Hex } from "../text/hash.ts";
import { once } from "../text/memo.ts";
import type { IngestOptions } from "./documents.ts";
import { type FileStatus, workSchema } from "./engine-types.ts";
import type { Opened } from "./open.ts";
import { entriesOf, listFiles } from "./sources.ts";
import { uploadJob, uploadPlace } from "./worker.ts";

/** Uploads are stored as `DOMAIN/TENANT or _/label-LABEL/PATH`: the path holds name and access, so both survive a restart. */

/** Incomplete uploads. */
const PART_FOLDER = ".part";
/** Milliseconds after which an incomplete upload belongs to a killed process. */
const ABANDONED_MS = 3_600_000;
const LABEL_PREFIX = "label-";

export function folderOf(root: string, { domain, tenant, label }: OriginalsOf): string {
  return join(root, domain, tenant ?? "_", `${LABEL_PREFIX}${encodeURIComponent(label)}`);
}

/** Lists the groups of files below the upload folder. */
async function listPlaces(root: string): Promise<OriginalsOf[]> {
  const places: OriginalsOf[] = [];
  for (const domain of await folders(root))
    for (const tenant of await folders(join(root, domain)))
      for (const name of await folders(join(root, domain, tenant))) {
        const label = labelOf(name);
        if (label !== null) places.push({ domain, tenant: tenant === "_" ? null : tenant, label });
      }
  return places;
}

/** Removes the empty parent folders of a deleted file. */
async function removeEmptyFolders(path: string, upTo: string): Promise<void> {
  for (let folder = dirname(path); folder !== upTo; folder = dirname(folder)) {
    try {
      await rmdir(folder);
    } catch (error) {
      if (["ENOTEMPTY", "EEXIST"].includes(systemCodeOf(error) ?? "")) return;
      if (systemCodeOf(error) !== "ENOENT") throw error;
    }
  }
}

/** Removes incomplete uploads of killed processes. */
async function removeAbandonedParts(root: string, now: Date): Promise<void> {
  const folder = join(root, PART_FOLDER);
  for (const { name } of await entriesOf(folder)) {
    const part = join(folder, name);
    const { mtimeMs } = await stat(part).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (now.getTime() - mtimeMs > ABANDONED_MS) await rm(part, { force: true });
  }
}

async function folders(path: string): Promise<string[]> {
  return (await entriesOf(path)).filter((entry) => entry.isDirectory() && !entry.name.startsWith(".")).map(({ name }) => name);
}

/** Parses a folder name; `null`: not an upload folder. */
export function labelOf(name: string): string | null {
  if (!name.startsWith(LABEL_PREFIX)) return null;
  try {
    return decodeURIComponent(name.slice(LABEL_PREFIX.length));
  } catch {
    return null;
  }
}

/** A file waiting for or in ingestion; failures unknown to the store stay until the next attempt. */
export interface OnItsWay extends FilePlace {
  readonly label: string;
  readonly status: Exclude<FileStatus, "ok">;
  readonly reason: string | null;
  /** Arrival time; a later ingest completes the file. Absent: pending regardless of the store. */
  readonly since?: string;
}

export interface ArrivedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Storage of uploaded files until and after ingestion. */
export interface UploadRoom {
  /**
   * Stores files, all or none, and schedules their ingestion.
   * @param fits receives the existing paths and throws if the new ones conflict with them
   */
  put(of: OriginalsOf, files: readonly ArrivedFile[], fits: (paths: readonly string[]) => void): Promise<void>;
  /** Deletes a file; `forget` deletes its documents. */
  take(of: OriginalsOf, path: string, forget: () => Promise<unknown>): Promise<void>;
  waiting(domain: string): Promise<readonly OnItsWay[]>;
  /** Schedules files that an earlier process stored but did not ingest. */
  resume(): Promise<void>;
  /** Resolves once no ingest is running. */
  idle(): Promise<void>;
}

/** Creates upload storage in the data folder of a single process. */
export function createFolderRoom(
  { config, store, closing: { signal }, now, warn }: Opened,
  ingest: (folder: string, options: IngestOptions) => AsyncIterable<unknown>,
): UploadRoom {
  const root = join(config.data_dir, "uploads");
  const waiting = new Map<string, OnItsWay>();
  /** Serialises ingests by folder: each reads the whole folder. */
  const reading = createQueues();
  /** Serialises changes by folder, so that checks of paths remain valid until the files are stored. */
  const changing = createQueues();

  const keyOf = (of: OriginalsOf, path: string) => JSON.stringify([folderOf(root, of), path]);

  const read = async (of: OriginalsOf) => {
    const { domain, tenant, label } = of;
    const isMine = (file: OnItsWay) => file.domain === domain && file.tenant === tenant && file.label === label;
    const mine = [...waiting].filter(([, file]) => file.status === "queued" && isMine(file));
    if (mine.length === 0) return;
    const begun = mine.map(([key, file]) => ({ key, file: { ...file, status: "reading" as const } }));
    for (const { key, file } of begun) waiting.set(key, file);
    try {
      for await (const _ of ingest(folderOf(root, of), { ...uploadPlace(of), access: label, signal }));
      for (const { key, file } of begun) if (waiting.get(key) === file) waiting.delete(key);
    } catch (error) {
      for (const { key, file } of begun)
        if (waiting.get(key) === file) waiting.set(key, { ...file, status: "failed", reason: messageOf(error) });
    }
  };

  const queue = (of: OriginalsOf, paths: readonly string[]) => {
    for (const path of paths) waiting.set(keyOf(of, path), { ...uploadPlace(of), path, status: "queued", reason: null });
    reading.run(folderOf(root, of), () => read(of)).catch(() => {});
  };

  const unread = async (of: OriginalsOf): Promise<string[]> => {
    const folder = folderOf(root, of);
    const paths = await listFiles(folder);
    const read = new Map((await store.documents.listFiles(uploadPlace(of))).map((file) => [file.path, file]));
    const found: string[] = [];
    for (const path of paths) if (!waiting.has(keyOf(of, path)) && !(await isRead(join(folder, path), read.get(path)))) found.push(path);
    return found;
  };

  const resume = once(async () => {
    try {
      await removeAbandonedParts(root, now());
      for (const of of await listPlaces(root)) {
        const paths = await unread(of);
        if (paths.length > 0) queue(of, paths);
      }
    } catch (error) {
      warn(`uploaded files could not be checked for unread ones (${messageOf(error)}). Upload them again.`);
    }
  });

  return {
    put: (of, files, fits) =>
      changing.run(folderOf(root, of), async () => {
        const folder = folderOf(root, of);
        const paths = files.map(({ path }) => path);
        fits(await listFiles(folder));
        await keep(root, folder, files);
        queue(of, paths);
      }),
    async take(of, path, forget) {
      const folder = folderOf(root, of);
      const { forgotten } = await changing.run(folder, async () => {
        await rm(join(folder, path), { force: true });
        await removeEmptyFolders(join(folder, path), folder);
        waiting.delete(keyOf(of, path));
        // Queue after a running ingest, which may restore the documents, and before the ingest of a later replacement.
        return { forgotten: reading.run(folder, forget) };
      });
      await forgotten;
    },
    async waiting(domain) {
      await resume();
      return [...waiting.values()].filter((file) => file.domain === domain);
    },
    resume,
    idle: () => reading.idle(),
  };
}

/**
 * Returns whether the stored documents match the file. Compares bytes, not times: a file that arrives during the ingest of its predecessor
 * is older than the predecessor's documents. An unreadable file counts as not ingested; its ingest reports the reason.
 */
async function isRead(path: string, record: FileRecord | undefined): Promise<boolean> {
  if (record === undefined) return false;
  const bytes = await readFile(path).catch(() => null);
  return bytes !== null && sha256Hex(bytes) === record.originalHash;
}

/** Writes to temporary files first, so that an ingest never sees partial files and a full disk leaves none. */
async function keep(root: string, folder: string, files: readonly ArrivedFile[]): Promise<void> {
  const parts = files.map(({ path, bytes }) => ({ bytes, part: join(root, PART_FOLDER, randomUUID()), path: join(folder, path) }));
  try {
    await mkdir(join(root, PART_FOLDER), { recursive: true, mode: PRIVATE_FOLDER });
    for (const { part, bytes } of parts) await writeFile(part, bytes, { mode: PRIVATE_FILE, flush: true });
    for (const { part, path } of parts) {
      await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
      await place(part, path);
    }
  } finally {
    for (const { part } of parts) await rm(part, { force: true });
  }
}

/** Moves a file into place, replacing folders left empty by earlier deletions. */
async function place(part: string, path: string): Promise<void> {
  const isFolder = (await stat(path).catch(() => null))?.isDirectory() === true;
  if (isFolder) await rm(path, { recursive: true });
  await rename(part, path);
}

function createQueues() {
  const last = new Map<string, Promise<void>>();
  return {
    /** Runs `work` after all earlier work of the same name. */
    run<T>(name: string, work: () => Promise<T>): Promise<T> {
      const done = (last.get(name) ?? Promise.resolve()).then(work);
      const end = () => {
        if (last.get(name) === settled) last.delete(name);
      };
      const settled = done.then(end, end);
      last.set(name, settled);
      return done;
    },
    async idle() {
      await Promise.allSettled(last.values());
    },
  };
}

const STATUS_OF_STATE = { queued: "queued", running: "reading", failed: "failed" } as const;

/** Creates upload storage in a shared database; any process may ingest. @param wake makes this process look for jobs */
export function createSharedRoom(store: Pick<Store, "jobs" | "originals">, wake: () => void): UploadRoom {
  const filesOf = async ({ domain, work, state, reason }: JobState): Promise<OnItsWay[]> => {
    const asked = workSchema.parse(work);
    if (asked.type !== "uploads") return [];
    const place = uploadPlace({ domain, tenant: asked.tenant, label: asked.label });
    const originals = await store.originals.list(place);
    return originals.map(({ path, updatedAt }) => ({ ...place, status: STATUS_OF_STATE[state], reason, path, since: updatedAt }));
  };
  return {
    async put(of, files, fits) {
      await store.originals.putAll(of, files, fits);
      await store.jobs.ask(uploadJob(of));
      wake();
    },
    async take(of, path, forget) {
      await store.originals.remove(of, path);
      await forget();
      // A running ingest may restore the documents; the next one deletes them.
      await store.jobs.ask(uploadJob(of));
      wake();
    },
    async waiting(domain) {
      return (await Promise.all((await store.jobs.list(domain)).map(filesOf))).flat();
    },
    // Jobs in the database outlive the process.
    resume: async () => {},
    idle: async () => {},
  };
}
