import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";

/** Writes a source file if its text changed, and first deletes the files made from the old text. */
export function putSource(path: string, text: string, made: readonly string[]): void {
  if (existsSync(path) && readFileSync(path, "utf8") === text) return;
  for (const file of made) rmSync(file, { force: true });
  writeFileSync(path, text);
}
