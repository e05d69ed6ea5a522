import { readFile } from "node:fs/promises";
import { supportedExtensions } from "../../ingest/formats/formats.ts";
import { type ParsedDocument, readDocuments } from "../../ingest/parse.ts";
import { scanFolder } from "../../ingest/scan.ts";
import { messageOf } from "../../shared/errors.ts";

/** A document of a folder, parsed as in ingestion. */
export type FolderDocument = Pick<ParsedDocument, "path" | "metadata" | "access" | "tenant" | "text" | "blocks">;

export interface ReadFolderOptions {
  /** Folder to which paths are relative. */
  readonly root: string;
  readonly maxFileBytes: number;
  readonly signal: AbortSignal;
  readonly onFile?: (done: number, total: number, path: string) => void;
}

/**
 * @returns the documents, files without a known format (`skipped`) and failed ones (`failed`), with reasons
 * @throws IngestError `folder_missing`, `folder_unreadable`, `not_a_folder`
 */
export async function readFolder(folder: string, { root, maxFileBytes, signal, onFile }: ReadFolderOptions) {
  const { files, skipped, unreadable } = scanFolder(folder, root, supportedExtensions);
  const documents: FolderDocument[] = [];
  const failed = unreadable.map(({ path, reason }) => ({ path, reason }));
  for (const [i, { path, absolute, bytes }] of files.entries()) {
    signal.throwIfAborted();
    onFile?.(i, files.length, path);
    if (bytes > maxFileBytes) {
      failed.push({ path, reason: `it has ${bytes} bytes; the limit is ${maxFileBytes}` });
      continue;
    }
    try {
      documents.push(...(await readDocuments({ path, bytes: await readFile(absolute) })));
    } catch (error) {
      failed.push({ path, reason: messageOf(error) });
    }
  }
  return { documents, skipped, failed };
}
