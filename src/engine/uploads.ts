import { createHash, randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { messageOf, RequestError } from "../errors.ts";
import type { IngestEvent } from "../events.ts";
import type { FileDescription, FilePlace } from "../store/document-records.ts";
import { tenantOf } from "./domain.ts";
import type { Domains } from "./domains.ts";
import type { Engine, IngestOptions } from "./engine-types.ts";
import type { Opened } from "./open.ts";
import type { FileStatus, LibraryFile, ScopeOptions, Uploads } from "./service-types.ts";

/** How the sources of uploaded files begin; the access label follows. */
export const UPLOAD_SOURCE = "upload:";
/** Longest label that an upload may carry: it is part of a folder's name. */
const LABEL_CHARACTERS = 60;

/** What a file is called over HTTP: the same before and after it was read. */
export function fileId(domain: string, { tenant, source, path }: Pick<FileDescription, "tenant" | "source" | "path">): string {
  const parts = JSON.stringify([domain, tenant, source, path]);
  return `file_${createHash("sha256").update(parts).digest("base64url").slice(0, 22)}`;
}

interface Folder {
  readonly domain: string;
  readonly tenant: string | null;
  readonly label: string;
}

/** A file between its arrival and the end of its reading; a failure that the store does not know stays until the next try. */
interface OnItsWay extends FilePlace {
  readonly label: string;
  status: Exclude<FileStatus, "ok">;
  reason: string | null;
}

export interface UploadParts {
  readonly opened: Pick<Opened, "config" | "store" | "closing">;
  readonly domains: Domains;
  readonly ingest: (folder: string, options: IngestOptions) => AsyncIterable<IngestEvent>;
  readonly deleteFile: Engine["deleteFile"];
  /** Endings that are read, with the dot. */
  readonly extensions: () => Promise<readonly string[]>;
}

export function createUploads({ opened, domains, ingest, deleteFile, extensions }: UploadParts): Uploads & { idle(): Promise<void> } {
  const { config, store, closing } = opened;
  const root = join(config.data_dir, "uploads");
  const waiting = new Map<string, OnItsWay>();
  const queues = new Map<string, Promise<void>>();
  const folderOf = ({ domain, tenant, label }: Folder) => join(root, domain, tenant ?? "_", `label-${encodeURIComponent(label)}`);

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

  const read = async (of: Folder) => {
    const mine = [...waiting].filter(([, file]) => file.status === "queued" && isIn(file, of));
    if (mine.length === 0) return;
    for (const [, file] of mine) file.status = "reading";
    const { domain, tenant, label } = of;
    const options = { domain, tenant, access: label, source: `${UPLOAD_SOURCE}${label}`, signal: closing.signal };
    try {
      for await (const _ of ingest(folderOf(of), options));
      for (const [id, file] of mine) if (waiting.get(id) === file) waiting.delete(id);
    } catch (error) {
      for (const [, file] of mine) {
        file.status = "failed";
        file.reason = messageOf(error);
      }
    }
  };

  const library = async (options: ScopeOptions = {}): Promise<LibraryFile[]> => {
    const scope = domains.scope(options);
    const known = new Map(
      (await store.documents.describe(scope)).map((file) => [
        fileId(scope.domain, file),
        { ...file, id: fileId(scope.domain, file) } as LibraryFile,
      ]),
    );
    for (const [id, { tenant, source, path, status, reason, label, domain }] of waiting) {
      const seen = domain === scope.domain && (tenant === null || tenant === scope.tenant) && scope.access.includes(label);
      const before = known.get(id);
      const still = { documents: before?.documents ?? [], updatedAt: before?.updatedAt ?? null };
      if (seen) known.set(id, { id, tenant, source, path, status, reason, ...still });
    }
    return [...known.values()].sort((a, b) => compare(a.path, b.path) || compare(a.id, b.id));
  };

  return {
    library,
    async upload({ name, bytes }, { domain: named, tenant: party, label: wanted } = {}) {
      const pack = domains.pack(named);
      const label = wanted ?? pack.documents.access;
      const of = { domain: pack.name, tenant: tenantOf(pack, party), label };
      const path = assertPath(name, await extensions());
      assertLabel(label);
      const place = { domain: of.domain, tenant: of.tenant, source: `${UPLOAD_SOURCE}${label}`, path };
      const file: OnItsWay = { ...place, label, status: "queued", reason: null };
      const folder = folderOf(of);
      await keep(join(folder, path), bytes, root);
      const id = fileId(of.domain, place);
      waiting.set(id, file);
      inTurn(folder, () => read(of)).catch(() => {});
      return { id, tenant: of.tenant, source: place.source, path, status: "queued", reason: null, updatedAt: null, documents: [] };
    },
    async deleteUpload(id, options = {}) {
      const { domain, tenant } = domains.scope(options);
      const file = (await library(options)).find((one) => one.id === id && one.tenant === tenant);
      if (file === undefined) return false;
      if (!file.source.startsWith(UPLOAD_SOURCE)) throw notUploaded();
      const folder = folderOf({ domain, tenant, label: file.source.slice(UPLOAD_SOURCE.length) });
      await inTurn(folder, async () => {
        await rm(join(folder, file.path), { force: true });
        await deleteFile(file, { domain });
        waiting.delete(id);
      });
      return true;
    },
    async idle() {
      await Promise.allSettled(queues.values());
    },
  };
}

function isIn(file: OnItsWay, { domain, tenant, label }: Folder): boolean {
  return file.domain === domain && file.tenant === tenant && file.label === label;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Written beside first, so that a reading never sees half a file. */
async function keep(path: string, bytes: Uint8Array, root: string): Promise<void> {
  const part = join(root, ".part", randomUUID());
  await mkdir(dirname(part), { recursive: true });
  await mkdir(dirname(path), { recursive: true });
  await writeFile(part, bytes);
  await rename(part, path);
}

/** The name as a path with `/`, such as `letters/2026.pdf`. @throws RequestError `file_name`, `unsupported_format` */
function assertPath(name: string, extensions: readonly string[]): string {
  const path = name.normalize("NFC");
  const parts = path.split("/");
  const fits =
    path.length <= 200 &&
    parts.length <= 8 &&
    parts.every((part) => part !== "" && Buffer.byteLength(part) <= 200 && !part.startsWith(".") && !/[\p{Cc}\p{Cs}\\#]/u.test(part));
  if (!fits) {
    const message =
      'Give a name such as "letters/2026.pdf": at most 200 characters and 8 parts, none of them empty or beginning with a dot, without backslash, # and control characters.';
    throw new RequestError("file_name", message);
  }
  const extension = extname(path).toLowerCase();
  if (extension !== "" && !extensions.includes(extension)) {
    throw new RequestError("unsupported_format", `No format for "${extension}": use one of ${extensions.join(" ")}.`, { extension });
  }
  return path;
}

function assertLabel(label: string): void {
  if (label !== "" && label.length <= LABEL_CHARACTERS && !/[\p{Cc}\p{Cs}]/u.test(label)) return;
  throw new RequestError("label_invalid", `An access label has 1–${LABEL_CHARACTERS} characters and no control characters.`);
}

function notUploaded(): RequestError {
  const message =
    "This file was read from a folder of the server and would come back: delete it there, then ask for POST /v1/admin/refresh.";
  return new RequestError("file_not_uploaded", message);
}
