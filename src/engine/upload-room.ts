import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf } from "../errors.ts";
import type { IngestEvent } from "../events.ts";
import type { FilePlace } from "../store/document-records.ts";
import type { OriginalsOf } from "../store/originals.ts";
import type { IngestOptions } from "./engine-types.ts";
import type { FileStatus } from "./service-types.ts";

/** How the sources of uploaded files begin; the access label follows. */
export const UPLOAD_SOURCE = "upload:";

/** A file between its arrival and the end of its reading; a failure that the store does not know stays until the next try. */
export interface OnItsWay extends FilePlace {
  readonly label: string;
  readonly status: Exclude<FileStatus, "ok">;
  readonly reason: string | null;
  /** When it came; a reading of a later time has ended it. Absent: it is on its way whatever the store holds. */
  readonly since?: string;
}

/** Where uploaded files are kept and read from. */
export interface UploadRoom {
  /** Keeps a file and sees to it that it is read. */
  put(of: OriginalsOf, path: string, bytes: Uint8Array): Promise<void>;
  /** Takes a file out; `forget` takes out what was read from it. */
  take(of: OriginalsOf, path: string, forget: () => Promise<unknown>): Promise<void>;
  waiting(domain: string): Promise<readonly OnItsWay[]>;
  /** Resolves when nothing is being read any more. */
  idle(): Promise<void>;
}

export interface FolderRoomParts {
  /** Folder of all uploads. */
  readonly root: string;
  readonly ingest: (folder: string, options: IngestOptions) => AsyncIterable<IngestEvent>;
  readonly signal: AbortSignal;
}

/** Uploaded files in the data folder of the only process that reads them. */
export function createFolderRoom({ root, ingest, signal }: FolderRoomParts): UploadRoom {
  const waiting = new Map<string, OnItsWay>();
  const queues = new Map<string, Promise<void>>();
  const folderOf = ({ domain, tenant, label }: OriginalsOf) => join(root, domain, tenant ?? "_", `label-${encodeURIComponent(label)}`);
  const keyOf = (of: OriginalsOf, path: string) => JSON.stringify([folderOf(of), path]);

  /** One after another in a folder: an ingest reads the whole of it. */
  const inTurn = (folder: string, work: () => Promise<void>): Promise<void> => {
    const done = (queues.get(folder) ?? Promise.resolve()).then(work);
    const settled = done.catch(() => {});
    queues.set(folder, settled);
    settled.then(() => {
      if (queues.get(folder) === settled) queues.delete(folder);
    });
    return done;
  };

  const read = async (of: OriginalsOf) => {
    const { domain, tenant, label } = of;
    const isMine = (file: OnItsWay) => file.domain === domain && file.tenant === tenant && file.label === label;
    const mine = [...waiting].filter(([, file]) => file.status === "queued" && isMine(file));
    if (mine.length === 0) return;
    const reading = mine.map(([key, file]) => ({ key, file: { ...file, status: "reading" as const } }));
    for (const { key, file } of reading) waiting.set(key, file);
    try {
      for await (const _ of ingest(folderOf(of), { domain, tenant, access: label, source: `${UPLOAD_SOURCE}${label}`, signal }));
      for (const { key, file } of reading) if (waiting.get(key) === file) waiting.delete(key);
    } catch (error) {
      for (const { key, file } of reading)
        if (waiting.get(key) === file) waiting.set(key, { ...file, status: "failed", reason: messageOf(error) });
    }
  };

  return {
    async put(of, path, bytes) {
      const folder = folderOf(of);
      await keep(join(folder, path), bytes, root);
      const { domain, tenant, label } = of;
      waiting.set(keyOf(of, path), { domain, tenant, label, source: `${UPLOAD_SOURCE}${label}`, path, status: "queued", reason: null });
      inTurn(folder, () => read(of)).catch(() => {});
    },
    take: (of, path, forget) =>
      inTurn(folderOf(of), async () => {
        await rm(join(folderOf(of), path), { force: true });
        await forget();
        waiting.delete(keyOf(of, path));
      }),
    waiting: async (domain) => [...waiting.values()].filter((file) => file.domain === domain),
    async idle() {
      await Promise.allSettled(queues.values());
    },
  };
}

/** Written beside first, so that a reading never sees half a file. */
async function keep(path: string, bytes: Uint8Array, root: string): Promise<void> {
  const part = join(root, ".part", randomUUID());
  await mkdir(dirname(part), { recursive: true });
  await mkdir(dirname(path), { recursive: true });
  await writeFile(part, bytes);
  await rename(part, path);
}
