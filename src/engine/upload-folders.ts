import type { Dirent } from "node:fs";
import { readdir, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { systemCodeOf } from "../errors.ts";
import type { OriginalsOf } from "../store/origins.ts";

/** How uploads lie in their folder: `DOMAIN/TENANT or _/label-LABEL/PATH`. What a file is and who may see it stands in its path, and so survives the process. */

/** Parts of uploads, before they are whole. */
export const PART_FOLDER = ".part";
/** A part that is so many milliseconds old is what a killed process left. */
const ABANDONED_MS = 3_600_000;
const LABEL_PREFIX = "label-";

export function folderOf(root: string, { domain, tenant, label }: OriginalsOf): string {
  return join(root, domain, tenant ?? "_", `${LABEL_PREFIX}${encodeURIComponent(label)}`);
}

/** Whose files lie below a folder of uploads. */
export async function listPlaces(root: string): Promise<OriginalsOf[]> {
  const places: OriginalsOf[] = [];
  for (const domain of await folders(root))
    for (const tenant of await folders(join(root, domain)))
      for (const name of await folders(join(root, domain, tenant))) {
        const label = labelOf(name);
        if (label !== null) places.push({ domain, tenant: tenant === "_" ? null : tenant, label });
      }
  return places;
}

/** Paths of the files below a folder, with `/`; none where there is no such folder. */
export async function listFiles(folder: string): Promise<string[]> {
  const entries = await entriesOf(folder, true);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"));
}

/** Takes out the folder of a file that went, and those above it, as far as nothing else lies in them. */
export async function removeEmptyFolders(path: string, upTo: string): Promise<void> {
  for (let folder = dirname(path); folder !== upTo; folder = dirname(folder)) {
    try {
      await rmdir(folder);
    } catch (error) {
      if (["ENOTEMPTY", "EEXIST"].includes(systemCodeOf(error) ?? "")) return;
      if (systemCodeOf(error) !== "ENOENT") throw error;
    }
  }
}

/** Takes out parts that no process writes any more. */
export async function removeAbandonedParts(root: string, now: Date): Promise<void> {
  const folder = join(root, PART_FOLDER);
  for (const { name } of await entriesOf(folder)) {
    const part = join(folder, name);
    const { mtimeMs } = await stat(part).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (now.getTime() - mtimeMs > ABANDONED_MS) await rm(part, { force: true });
  }
}

async function folders(path: string): Promise<string[]> {
  return (await entriesOf(path)).filter((entry) => entry.isDirectory() && !entry.name.startsWith(".")).map(({ name }) => name);
}

async function entriesOf(folder: string, recursive = false): Promise<Dirent[]> {
  try {
    return await readdir(folder, { recursive, withFileTypes: true });
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** `null`: a folder that somebody else made. */
export function labelOf(name: string): string | null {
  if (!name.startsWith(LABEL_PREFIX)) return null;
  try {
    return decodeURIComponent(name.slice(LABEL_PREFIX.length));
  } catch {
    return null;
  }
}
