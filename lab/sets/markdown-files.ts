import { readdirSync } from "node:fs";
import { join, relative } from "node:path";

/** Returns the sorted paths of all Markdown files below a folder, relative to it, with `/`. @throws if the folder is missing */
export function markdownFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort();
}
