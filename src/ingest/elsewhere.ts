import { join, sep } from "node:path";
import type { FileRecord } from "../store/document-records.ts";
import type { Origin } from "../store/origins.ts";

/**
 * Files of a folder that another source of the same party has already: a folder and one inside it, or some of its files by name, are often ingested
 * both. Absolute path → source.
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
