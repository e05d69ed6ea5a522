import { type Dirent, existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { extname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { IngestError, messageOf, systemCodeOf } from "../shared/errors.ts";
import type { FileRecord } from "../store/document-rows.ts";
import type { Origin } from "../store/origins.ts";
import { compareText } from "../text/normalise.ts";
import { conversionOf } from "./formats/format.ts";

export interface ScannedFile {
  readonly absolute: string;
  /** Path relative to the root folder of the ingest, with `/` as separator. */
  readonly path: string;
  readonly bytes: number;
}

export interface SkippedFile {
  readonly path: string;
  readonly reason: string;
  /** Extension of an unsupported format, in lower case with the dot; "" if the name has none; `null` if skipped for another reason. */
  readonly extension: string | null;
}

export interface Scan {
  readonly files: readonly ScannedFile[];
  /** Skipped files with their reasons. Hidden files are not listed. */
  readonly skipped: readonly SkippedFile[];
  /** Subfolders that cannot be listed, so that their contents are unknown. */
  readonly unreadable: readonly { readonly path: string; readonly reason: string }[];
}

/** Maximum folder depth; deeper folders are reported and skipped. */
const DEEPEST_FOLDER = 64;

/**
 * Lists the files below `folder` that have a supported extension or none, sorted by path. Symbolic links are not
 * followed, because they can leave the folder or form cycles.
 * @param root folder that paths are relative to
 * @throws IngestError `folder_missing`, `folder_unreadable`, `not_a_folder`
 */
export function scanFolder(folder: string, root: string, extensions: readonly string[]): Scan {
  const files: ScannedFile[] = [];
  const skipped: SkippedFile[] = [];
  const unreadable: { path: string; reason: string }[] = [];
  const visit = (directory: string, depth: number) => {
    for (const entry of depth === 0 ? listTop(directory) : listBelow(directory, pathFrom(root, directory), unreadable)) {
      if (entry.name.startsWith(".")) continue;
      const absolute = join(directory, entry.name);
      const path = pathFrom(root, absolute);
      const skip = (reason: string) => skipped.push({ path, reason, extension: null });
      const unsupported = entry.isFile() ? unsupportedFile(path, extensions) : null;
      if (entry.isSymbolicLink()) skip("it is a symbolic link, and links are not followed");
      else if (entry.isDirectory()) {
        if (depth >= DEEPEST_FOLDER) skip(`it lies more than ${DEEPEST_FOLDER} folders deep`);
        else visit(absolute, depth + 1);
      } else if (!entry.isFile()) skip("it is not a regular file");
      else if (unsupported !== null) skipped.push(unsupported);
      else files.push({ absolute, path, bytes: sizeOf(absolute) });
    }
  };
  visit(folder, 0);
  files.sort((a, b) => compareText(a.path, b.path));
  return { files, skipped, unreadable };
}

/** Returns the path relative to a folder, with `/` as separator. */
function pathFrom(root: string, absolute: string): string {
  return relative(root, absolute).split(sep).join("/");
}

/** Returns why a file is skipped because of its extension; `null` if it has a supported extension or none. */
function unsupportedFile(path: string, extensions: readonly string[]): SkippedFile | null {
  const extension = extname(path).toLowerCase();
  if (extension === "" || extensions.includes(extension)) return null;
  return { path, reason: `format ${extension} is not supported${conversionOf(extension)}`, extension };
}

/**
 * Lists the given files in order, each once.
 * @param root folder that paths are relative to
 * @throws IngestError `file_missing`, `file_outside`; no file is read in this case
 */
export function scanFiles(paths: readonly string[], root: string, extensions: readonly string[]): Scan {
  const files: ScannedFile[] = [];
  const skipped: SkippedFile[] = [];
  for (const absolute of new Set(paths)) {
    const file = fileBelow(absolute, root);
    const unsupported = unsupportedFile(file.path, extensions);
    if (unsupported === null) files.push(file);
    else skipped.push(unsupported);
  }
  return { files, skipped, unreadable: [] };
}

/**
 * Checks that all paths of a command exist before any file is read.
 * @throws IngestError as `scanFolder` and `scanFiles`
 */
export function assertThere({ folders, files, root }: { folders: readonly string[]; files: readonly string[]; root: string }): void {
  for (const folder of folders.map(canonicalPath)) listTop(folder);
  for (const file of files.map(canonicalPath)) fileBelow(file, canonicalPath(root));
}

/** Resolves symbolic links, so that each folder or file has a single path. */
export function canonicalPath(path: string): string {
  const absolute = resolve(path);
  return existsSync(absolute) ? realpathSync(absolute) : absolute;
}

/** @throws IngestError `file_missing`, `file_outside` */
function fileBelow(absolute: string, root: string): ScannedFile {
  const path = pathFrom(root, absolute);
  if (path.startsWith("../") || isAbsolute(path)) {
    const message = `The file ${absolute} is not inside the folder ${root}. Give --root a folder that contains all files.`;
    throw new IngestError("file_outside", message, { path: absolute });
  }
  const found = statSync(absolute, { throwIfNoEntry: false });
  if (found?.isFile() === true) return { absolute, path, bytes: found.size };
  const problem = found === undefined ? "does not exist" : "is not a file";
  throw new IngestError("file_missing", `The file ${absolute} ${problem}. Nothing was changed. Check the path.`, { path: absolute });
}

/** @throws IngestError `folder_missing`, `not_a_folder`, `folder_unreadable` */
function listTop(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (cause) {
    const why = systemCodeOf(cause) ?? messageOf(cause);
    if (why === "ENOTDIR")
      throw new IngestError("not_a_folder", `${folder} is a file. Give the folder that contains it.`, { folder }, { cause });
    const [code, problem] = why === "ENOENT" ? ["folder_missing", "does not exist"] : ["folder_unreadable", `cannot be read (${why})`];
    const message = `The folder ${folder} ${problem}. Nothing was changed. Check the path and its permissions.`;
    throw new IngestError(code, message, { folder }, { cause });
  }
}

function listBelow(directory: string, path: string, unreadable: { path: string; reason: string }[]): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (cause) {
    const reason = systemCodeOf(cause) ?? messageOf(cause);
    unreadable.push({ path, reason: `the folder cannot be read (${reason}): documents ingested from it before are kept` });
    return [];
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    // The file vanished, or cannot be accessed. This is handled when the file is read.
    return 0;
  }
}

/**
 * Returns the files that another source of the same tenant has ingested already: absolute path → name of that source.
 * This is common, because people ingest a folder and then its subfolder, or single files of it, as two sources.
 */
export async function filesElsewhere(
  own: Pick<Origin, "domain" | "tenant" | "source" | "folder" | "root">,
  origins: readonly Origin[],
  listFiles: (origin: Origin) => Promise<readonly FileRecord[]>,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const origin of origins) {
    if (origin.tenant !== own.tenant || origin.source === own.source) continue;
    if (!overlap(origin.folder ?? origin.root, own.folder ?? own.root)) continue;
    for (const { path, status, readAt } of await listFiles(origin))
      if (status === "ok" || readAt !== null) found.set(join(origin.root, ...path.split("/")), origin.source);
  }
  return found;
}

function overlap(a: string, b: string): boolean {
  return a === b || a.startsWith(b + sep) || b.startsWith(a + sep);
}
