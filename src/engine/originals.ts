import { readFile, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { RequestError } from "../errors.ts";
import type { Store } from "../store/store.ts";
import { fileOfDocument } from "../text/document-path.ts";
import { sha256Hex } from "../text/hash.ts";
import type { Scope } from "../types.ts";
import type { ReachOptions } from "./service-types.ts";

/** The file that a document was read from. */
export interface OriginalFile {
  /** Path of the file relative to its source. */
  readonly path: string;
  /** As the document says it was read, such as `pdf`; `null`: not known. */
  readonly format: string | null;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface Originals {
  /**
   * The bytes of the file that a document was read from, as they were read: another file in its place is refused.
   * @throws RequestError `unknown_document`, `original_gone`, `original_changed`
   */
  original(id: string, options?: ReachOptions): Promise<OriginalFile>;
}

export interface OriginalParts {
  readonly store: Pick<Store, "documents" | "origins">;
  readonly reach: (options?: ReachOptions) => Promise<Scope>;
}

export function createOriginals({ store, reach }: OriginalParts): Originals {
  return {
    async original(id, options) {
      const asker = await reach(options);
      const document = (await store.documents.load(asker, [id])).get(id);
      if (document === undefined) throw unknownDocument(id);
      const { source, tenant, originalHash, reading } = document;
      const path = fileOfDocument(document.path);
      const origin = (await store.origins.list(asker.domain)).find((one) => one.source === source && one.tenant === tenant);
      if (origin === undefined) throw originalGone(path);
      const bytes = await readInside(origin.root, path);
      if (bytes === null) throw originalGone(path);
      if (sha256Hex(bytes) !== originalHash) throw originalChanged(path);
      return { path, format: reading?.format ?? null, bytes };
    },
  };
}

/** A file under a folder; `null`: there is none, or it lies elsewhere by a link. */
async function readInside(folder: string, path: string): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    const [root, file] = await Promise.all([realpath(folder), realpath(join(folder, path))]);
    return file.startsWith(root.endsWith(sep) ? root : `${root}${sep}`) ? new Uint8Array(await readFile(file)) : null;
  } catch {
    return null;
  }
}

/** The same for what was deleted and what the asker may not see. */
export function unknownDocument(id: string): RequestError {
  return new RequestError("unknown_document", "There is no such document here: it was deleted, or is not open to you.", { id });
}

function originalGone(path: string): RequestError {
  return new RequestError("original_gone", `The file ${path} is not where it was read: the text that was read of it is still there.`);
}

function originalChanged(path: string): RequestError {
  const message = `The file ${path} has changed since it was read: places in it would be wrong. Read it again with POST /v1/admin/refresh.`;
  return new RequestError("original_changed", message);
}
