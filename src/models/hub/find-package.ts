import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";

export interface FoundPackage {
  /** What is loaded of it. */
  readonly file: string;
  readonly root: string;
  readonly version: string;
}

/** A package that the user may have installed: in this project, else in the first of `folders`; `null` when it is nowhere. */
export function findPackage(name: string, folders: readonly string[]): FoundPackage | null {
  const bases = [import.meta.url, ...folders.map((folder) => pathToFileURL(join(folder, "package.json")).href)];
  for (const base of bases) {
    let file: string;
    try {
      file = createRequire(base).resolve(name);
    } catch {
      continue;
    }
    const root = rootOf(name, file);
    if (root === null) continue;
    const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
    return { file, root, version };
  }
  return null;
}

/** The folder above the file that has the package's name. */
function rootOf(name: string, file: string): string | null {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder))
    if (folder.endsWith(join("node_modules", name)) && existsSync(join(folder, "package.json"))) return folder;
  return null;
}
