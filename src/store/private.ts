import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { systemCodeOf } from "../shared/errors.ts";

/** Modes of folders and files with texts of documents or questions: only the owner has access. */
export const PRIVATE_FOLDER = 0o700;
export const PRIVATE_FILE = 0o600;

/** Returns whether an existing folder gives other users access; always `false` on Windows, which has no modes. */
export function isOpenToOthers(path: string): boolean {
  return process.platform !== "win32" && existsSync(path) && (statSync(path).mode & 0o077) !== 0;
}

/** Creates a private folder, and missing parents with the default mode. An existing folder keeps its mode. */
export function makePrivateFolder(path: string): void {
  makeFolder(dirname(path));
  makeFolder(path, PRIVATE_FOLDER);
}

/** Creates a folder and its parents. Node's recursive `mkdir` is not used: it loops forever where none can be created, as in `/proc`. */
function makeFolder(path: string, mode?: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (cause) {
    if (existsSync(path) && statSync(path).isDirectory()) return;
    const parent = dirname(path);
    if (systemCodeOf(cause) !== "ENOENT" || existsSync(parent)) throw cause;
    makeFolder(parent);
    mkdirSync(path, { mode });
  }
}
