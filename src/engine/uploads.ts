import { createHash } from "node:crypto";
import { extname } from "node:path";
import { RequestError } from "../shared/errors.ts";
import type { Scope } from "../shared/types.ts";
import type { FileDescription } from "../store/documents.ts";
import { sha256Hex } from "../text/hash.ts";
import { compareText } from "../text/normalise.ts";
import { fileOfDocument, pathClash, UNPRINTABLE } from "../text/paths.ts";
import type { EngineDocuments } from "./documents.ts";
import { tenantOf } from "./domain.ts";
import type { Domains } from "./domains.ts";
import type { GivenFile, LibraryFile, ReachOptions, UploadOptions } from "./engine-types.ts";
import type { Opened } from "./open.ts";
import { readInside, type UploadRoom, uploadOf, uploadPlace } from "./upload-room.ts";

/** Maximum characters of an upload's label. */
const LABEL_CHARACTERS = 60;
/** Maximum characters of the encoded label in a folder name; file systems allow 255 bytes. */
const LABEL_FOLDER_CHARACTERS = 240;

/** Returns the id of a file in the HTTP API. It is the same before and after ingestion. */
export function fileId(domain: string, { tenant, source, path }: Pick<FileDescription, "tenant" | "source" | "path">): string {
  const parts = JSON.stringify([domain, tenant, source, path]);
  return `file_${createHash("sha256").update(parts).digest("base64url").slice(0, 22)}`;
}

/** Creates the upload methods, and the list of all files of any source. */
export function createUploads({ store }: Opened, domains: Domains, room: UploadRoom, deleteFile: EngineDocuments["deleteFile"]) {
  /** Lists files visible to the scope, by path, including pending ones. */
  const library = async (options: ReachOptions = {}): Promise<LibraryFile[]> => {
    await room.resume();
    // Read pending files, then labels, then ingested files. In another order, a file that is ingested meanwhile could be missing.
    const waiting = await room.waiting(domains.scope(options).domain);
    const scope = await domains.reach(options);
    const filesIn = async (seen: Scope) => {
      const files = (await store.documents.describe(seen)).map((file): LibraryFile => ({ ...file, id: fileId(seen.domain, file) }));
      return new Map(files.map((file) => [file.id, file]));
    };
    // `all` has the files of every label. It serves to hide pending versions of files whose documents the scope may not see.
    // It is read before `known`, so that a file ingested between the two queries is in `known`.
    const all = waiting.length === 0 ? null : await filesIn(await domains.reach({ ...options, everyLabel: true }));
    const known = await filesIn(scope);
    for (const { label, ...file } of waiting) {
      const { tenant, source, path, status, reason } = file;
      const id = fileId(scope.domain, file);
      const before = all?.get(id);
      const mayKnow = before === undefined || known.has(id);
      const seen = (tenant === null || tenant === scope.tenant) && (options.everyLabel === true || scope.access.includes(label));
      const still = { documents: known.get(id)?.documents ?? [], updatedAt: before?.updatedAt ?? null };
      if (mayKnow && seen) known.set(id, { id, tenant, source, path, status, reason, ...still });
    }
    return [...known.values()].sort((a, b) => compareText(a.path, b.path) || compareText(a.id, b.id));
  };

  /**
   * Stores files and schedules their ingestion, all or none.
   * @throws RequestError `file_name`, `file_twice`, `file_name_taken`, `unsupported_format`, `label_invalid`, `unknown_tenant`
   */
  const uploadAll = async (
    given: readonly GivenFile[],
    { domain: named, tenant: party, label: wanted }: UploadOptions = {},
  ): Promise<LibraryFile[]> => {
    const pack = domains.pack(named);
    const label = wanted ?? pack.documents.access;
    const of = { domain: pack.name, tenant: tenantOf(pack, party), label };
    // Load parsers only when a file is uploaded.
    const { openedExtensions } = await import("../ingest/formats/formats.ts");
    const files = given.map(({ name, bytes }) => ({ path: assertPath(name, openedExtensions), bytes }));
    assertLabel(label);
    const paths = files.map(({ path }) => path);
    assertOnce(paths);
    await room.put(of, files, (others) => assertFit(paths, others));
    const { tenant, source } = uploadPlace(of);
    return paths.map((path) => {
      const id = fileId(of.domain, { tenant, source, path });
      return { id, tenant, source, path, status: "queued", reason: null, updatedAt: null, documents: [] };
    });
  };

  return {
    library,
    uploadAll,
    /** Stores one file and schedules its ingestion. @throws as `uploadAll` */
    async upload(file: GivenFile, options?: UploadOptions): Promise<LibraryFile> {
      const [kept] = await uploadAll([file], options);
      return kept as LibraryFile;
    },
    /** Deletes an uploaded file. `false`: no such id in exactly this tenant. @throws RequestError `file_not_uploaded` */
    async deleteUpload(id: string, options: ReachOptions = {}): Promise<boolean> {
      const { domain, tenant } = domains.scope(options);
      const file = (await library(options)).find((one) => one.id === id && one.tenant === tenant);
      if (file === undefined) return false;
      const of = uploadOf({ ...file, domain });
      if (of === null) {
        const message =
          "This file was not deleted, because it lies in a folder of the server and the next ingest would add it again. Delete it in that folder, then send POST /v1/admin/refresh.";
        throw new RequestError("file_not_uploaded", message);
      }
      await room.take(of, file.path, () => deleteFile(file, { domain }));
      return true;
    },
    /**
     * Returns the bytes of a document's file. Refuses a file that changed after ingestion. `format`: detected format,
     * such as `pdf`; `null`: unknown.
     * @throws RequestError `unknown_document`, `original_gone`, `original_changed`
     */
    async original(id: string, options?: ReachOptions) {
      const asker = await domains.reach(options);
      const document = (await store.documents.load(asker, [id])).get(id);
      if (document === undefined) throw unknownDocument(id);
      const { source, tenant, originalHash, reading } = document;
      const path = fileOfDocument(document.path);
      const origin = (await store.origins.list(asker.domain)).find((one) => one.source === source && one.tenant === tenant);
      const uploaded = uploadOf({ domain: asker.domain, tenant, source });
      const bytes =
        uploaded !== null ? await room.bytes(uploaded, path) : origin === undefined ? null : await readInside(origin.root, path);
      if (bytes === null)
        throw new RequestError("original_gone", `The original file ${path} no longer exists. The text read from it is still available.`);
      if (sha256Hex(bytes) !== originalHash) {
        const message = `The file ${path} has changed since it was ingested, so highlighted quotes would be at wrong positions. Ingest it again with POST /v1/admin/refresh.`;
        throw new RequestError("original_changed", message);
      }
      return { path, format: reading?.format ?? null, bytes };
    },
  };
}

/**
 * Validates a file name as a path with `/` as separator, such as `letters/2026.pdf`.
 * @throws RequestError `file_name`, `unsupported_format`
 */
function assertPath(name: string, extensions: readonly string[]): string {
  const path = name.normalize("NFC");
  const parts = path.split("/");
  const fits =
    path.length <= 200 &&
    parts.length <= 8 &&
    parts.every((part) => part !== "" && Buffer.byteLength(part) <= 200 && !part.startsWith(".") && !/[\p{Cs}\\#]/u.test(part)) &&
    path.search(UNPRINTABLE) < 0;
  if (!fits) {
    const message =
      'Invalid file name. Use a name such as "letters/2026.pdf": at most 200 characters and 8 parts, none of them empty or beginning with a dot, without backslash, # and control characters.';
    throw new RequestError("file_name", message);
  }
  const extension = extname(path).toLowerCase();
  if (extension !== "" && !extensions.includes(extension)) {
    const message = `The format "${extension}" is not supported. Use one of ${extensions.join(" ")}.`;
    throw new RequestError("unsupported_format", message, { extension });
  }
  return path;
}

/** Rejects duplicate names, because one file would silently replace the other. */
function assertOnce(paths: readonly string[]): void {
  const twice = paths.find((path, n) => paths.indexOf(path) < n);
  if (twice === undefined) return;
  const message = `"${twice}" occurs twice in this upload. No file was saved. Give each file its own name.`;
  throw new RequestError("file_twice", message, { name: twice });
}

/** @throws RequestError `file_name_taken` where a path is a file and a folder at once */
function assertFit(paths: readonly string[], others: readonly string[]): void {
  for (const path of paths) {
    const other = pathClash(path, others) ?? pathClash(path, paths);
    if (other === null) continue;
    const file = path.length < other.length ? path : other;
    const message = `"${path}" and "${other}" cannot both be kept, because "${file}" would be a file and a folder. No file was saved. Rename one of them, or delete the existing one.`;
    throw new RequestError("file_name_taken", message, { name: path, other });
  }
}

function assertLabel(label: string): void {
  const fits = label !== "" && label.length <= LABEL_CHARACTERS && !/[\p{Cc}\p{Cs}]/u.test(label);
  if (fits && encodeURIComponent(label).length <= LABEL_FOLDER_CHARACTERS) return;
  const message = `An access label must have 1–${LABEL_CHARACTERS} characters and no control characters. With non-ASCII characters, the maximum may be lower.`;
  throw new RequestError("label_invalid", message);
}

/** Returns the error for a deleted document. Hidden documents get the same error, so that their existence is not revealed. */
export function unknownDocument(id: string): RequestError {
  return new RequestError("unknown_document", "This document does not exist or is not accessible to you.", { id });
}
