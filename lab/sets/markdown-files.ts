import { readdirSync } from "node:fs";
import { join, relative } from "node:path";

/** Paths of every markdown file below a folder, from there with `/`, in order. @throws where there is no such folder */
export function markdownFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort();
}
