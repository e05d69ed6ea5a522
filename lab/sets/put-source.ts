import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";

/** Writes the text that other files are made of; those made of another text, or of one that is not known any more, go first. */
export function putSource(path: string, text: string, made: readonly string[]): void {
  if (existsSync(path) && readFileSync(path, "utf8") === text) return;
  for (const file of made) rmSync(file, { force: true });
  writeFileSync(path, text);
}
