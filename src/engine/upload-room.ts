import { randomUUID } from "node:crypto";
import { mkdir, readFile, realpath, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import type { FilePlace } from "../store/document-rows.ts";
import type { JobState } from "../store/jobs.ts";
import type { Original, OriginalStore, OriginalsOf } from "../store/origins.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../store/private.ts";
import type { Store } from "../store/store.ts";
import { createFairLock } from "../store/write-log.ts";
import { sha256Hex } from "../text/hash.ts";
import { onceDone } from "../text/memo.ts";
import { type Work, workSchema } from "./engine-types.ts";
import { listFiles } from "./sources.ts";

/** Prefix of upload sources; the access label follows. */
const UPLOAD_SOURCE = "upload:";

/** Returns domain, tenant and label of uploaded files, with the name of the source of their documents. */
export function uploadPlace(of: OriginalsOf) {
  return { ...of, source: `${UPLOAD_SOURCE}${of.label}` };
}

/** Returns domain, tenant and label of the uploads that a source contains; `null`: its files were not uploaded. */
export function uploadOf({ domain, tenant, source }: Omit<FilePlace, "path">): OriginalsOf | null {
  return source.startsWith(UPLOAD_SOURCE) ? { domain, tenant, label: source.slice(UPLOAD_SOURCE.length) } : null;
}

/** Name of the folder for incomplete uploads. */
const PART_FOLDER = ".part";
const LABEL_PREFIX = "label-";

/** Returns the folder of uploaded files. Its path encodes who may see them, so that access survives a restart. */
export function folderOf(root: string, { domain, tenant, label }: OriginalsOf): string {
  return join(root, domain, tenant ?? "_", `${LABEL_PREFIX}${encodeURIComponent(label)}`);
}

/** Returns the access label that a folder name encodes; `null`: not an upload folder. */
export function labelOf(name: string): string | null {
  if (!name.startsWith(LABEL_PREFIX)) return null;
  try {
    return decodeURIComponent(name.slice(LABEL_PREFIX.length));
  } catch {
    return null;
  }
}

/** Storage of uploaded files: a folder of this process, or a table that several processes share. */
export interface UploadedFiles extends Pick<OriginalStore, "putAll" | "remove" | "list" | "bytes"> {
  /** Lists the domain, tenant and label of each group of files. Absent if other processes may be adding groups. */
  readonly places?: () => Promise<OriginalsOf[]>;
}

export function createFolderFiles(root: string, now: () => Date): UploadedFiles {
  const acquire = createFairLock();
  /** Runs changes one at a time, so that checks of paths remain valid until the files are stored. */
  const exclusively = async <T>(work: () => Promise<T>): Promise<T> => {
    const release = await acquire();
    try {
      return await work();
    } finally {
      release();
    }
  };
  return {
    putAll: (of, files, fits) =>
      exclusively(async () => {
        const folder = folderOf(root, of);
        fits(await listFiles(folder));
        await keep(root, folder, files, now());
      }),
    remove: (of, path) => exclusively(() => rm(join(folderOf(root, of), path), { force: true })),
    bytes: (of, path) => readInside(folderOf(root, of), path),
    list: (of) =>
      exclusively(async () => {
        const folder = folderOf(root, of);
        const timeOf = async (path: string) => (await stat(join(folder, path))).mtime.toISOString();
        return Promise.all((await listFiles(folder)).map(async (path) => ({ path, updatedAt: await timeOf(path) })));
      }),
    async places() {
      const places = new Map<string, OriginalsOf>();
      for (const path of await listFiles(root)) {
        const [domain = "", tenant = "", folder = ""] = path.split("/");
        const label = labelOf(folder);
        if (label !== null) places.set(join(domain, tenant, folder), { domain, tenant: tenant === "_" ? null : tenant, label });
      }
      return [...places.values()];
    },
  };
}

/** Reads a file below a folder; `null`: missing, or outside it through a link. */
export async function readInside(folder: string, path: string): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    const [root, file] = await Promise.all([realpath(folder), realpath(join(folder, path))]);
    return file.startsWith(root.endsWith(sep) ? root : `${root}${sep}`) ? new Uint8Array(await readFile(file)) : null;
  } catch {
    return null;
  }
}

/** Removes incomplete uploads of killed processes. */
export function removeParts(root: string): Promise<void> {
  return rm(join(root, PART_FOLDER), { recursive: true, force: true });
}

/** Writes temporary files first and renames them: an ingest never sees partial files, and a full disk leaves none. */
async function keep(root: string, folder: string, files: Parameters<UploadedFiles["putAll"]>[1], at: Date): Promise<void> {
  const parts = files.map(({ path, bytes }) => ({ bytes, part: join(root, PART_FOLDER, randomUUID()), path: join(folder, path) }));
  try {
    await mkdir(join(root, PART_FOLDER), { recursive: true, mode: PRIVATE_FOLDER });
    for (const { part, bytes } of parts) {
      await writeFile(part, bytes, { mode: PRIVATE_FILE, flush: true });
      await utimes(part, at, at);
    }
    for (const { part, path } of parts) {
      await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
      // A folder with the same name as the file is empty, because `fits` rejects the name of a folder with files.
      if ((await stat(path).catch(() => null))?.isDirectory() === true) await rm(path, { recursive: true });
      await rename(part, path);
    }
  } finally {
    for (const { part } of parts) await rm(part, { force: true });
  }
}

/** Returns the id of the job that ingests a group of uploads. */
function idOf({ domain, tenant, label }: OriginalsOf): string {
  return JSON.stringify(["uploads", domain, tenant, label]);
}

const STATUS_OF_STATE = { queued: "queued", running: "reading", failed: "failed" } as const;

/** Maximum number of files whose hashes are kept. */
const MAX_HASHES = 10_000;
/** Milliseconds between polls of a running job. */
const LOOK_MS = 50;

/** Creates the upload storage; jobs ingest the files. @param wake makes this process look for jobs */
export function createUploadRoom(files: UploadedFiles, { jobs, documents }: Pick<Store, "jobs" | "documents">, wake: () => void) {
  const hashes = new LRUCache<string, string>({ max: MAX_HASHES });
  const hashOf = async (of: OriginalsOf, { path, updatedAt }: Original): Promise<string> => {
    const key = JSON.stringify([idOf(of), path, updatedAt]);
    const hash = hashes.get(key) ?? sha256Hex((await files.bytes(of, path)) ?? "");
    hashes.set(key, hash);
    return hash;
  };
  /** Lists files that have not been ingested since they were uploaded. */
  const unread = async (of: OriginalsOf): Promise<Original[]> => {
    const records = new Map((await documents.listFiles(uploadPlace(of))).map((record) => [record.path, record]));
    const found: Original[] = [];
    for (const file of await files.list(of)) {
      const record = records.get(file.path);
      // Compare hashes, not timestamps: a file uploaded while its previous version is being ingested is older than the
      // documents which that ingest stores.
      const isSame = record?.originalHash === (await hashOf(of, file));
      if (!isSame || (record.status !== "ok" && record.updatedAt < file.updatedAt)) found.push(file);
    }
    return found;
  };
  /** Returns the uploaded files of a job that are queued, being ingested, or failed. */
  const filesOf = async ({ domain, work, state, reason }: JobState) => {
    const asked = workSchema.parse(work);
    if (asked.type !== "uploads") return [];
    const place = uploadPlace({ domain, tenant: asked.tenant, label: asked.label });
    return (await unread(place)).map(({ path }) => ({ ...place, status: STATUS_OF_STATE[state], reason, path }));
  };
  const read = async (of: OriginalsOf) => {
    const { domain, tenant, label } = of;
    await jobs.ask({ id: idOf(of), domain, work: { type: "uploads", tenant, label } satisfies Work });
    wake();
  };
  return {
    bytes: files.bytes,
    /**
     * Stores files, all or none, and schedules their ingestion.
     * @param fits receives the existing paths and throws if the new ones conflict with them
     */
    async put(...[of, given, fits]: Parameters<UploadedFiles["putAll"]>): Promise<void> {
      await files.putAll(of, given, fits);
      await read(of);
    },
    /** Deletes a file; `forget` deletes its documents. */
    async take(of: OriginalsOf, path: string, forget: () => Promise<unknown>): Promise<void> {
      await files.remove(of, path);
      const worker = await jobs.workerOf(idOf(of));
      await forget();
      if (worker !== null) {
        // Wait for the running ingest, because it may restore the documents.
        while ((await jobs.workerOf(idOf(of))) === worker) await wait(LOOK_MS);
        await forget();
      }
      // A file with the same name may have been uploaded meanwhile, and its documents may have been deleted too.
      await read(of);
    },
    /** On the first call, schedules files that an earlier process stored but did not ingest. Later calls do nothing. */
    resume: onceDone(async () => {
      for (const of of (await files.places?.()) ?? []) {
        const isAsked = (await jobs.list(of.domain)).some(({ id, state }) => id === idOf(of) && state !== "failed");
        if (!isAsked && (await unread(of)).length > 0) await read(of);
      }
      wake();
    }),
    async waiting(domain: string) {
      return (await Promise.all((await jobs.list(domain)).map(filesOf))).flat();
    },
  };
}

export type UploadRoom = ReturnType<typeof createUploadRoom>;
