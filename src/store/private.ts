import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { systemCodeOf } from "../shared/errors.ts";

/** Modes of what holds texts of documents or questions: nobody reads it but the user whose process made it. */
export const PRIVATE_FOLDER = 0o700;
export const PRIVATE_FILE = 0o600;

/** May other users of this machine look into a folder that is there? Where modes say nothing (Windows), nobody is said to. */
export function isOpenToOthers(path: string): boolean {
  return process.platform !== "win32" && existsSync(path) && (statSync(path).mode & 0o077) !== 0;
}

/** Makes a folder for texts, and those above it as usual; one that is there keeps what its owner set. */
export function makePrivateFolder(path: string): void {
  makeFolder(dirname(path));
  makeFolder(path, PRIVATE_FOLDER);
}

/** Makes a folder with those above it. Node's own way tries for ever where a file system takes no folders, such as `/proc`. */
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
