import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, sep } from "node:path";
import type { Engine } from "../engine/engine-types.ts";
import { RequestError } from "../errors.ts";
import type { GoldenFile } from "./formats/golden-rows.ts";
import { readQuestions } from "./golden-set.ts";

/** A file of questions that somebody sent. */
export interface SentQuestions {
  /** Its ending says how it is read: `.jsonl`, `.json`, `.yaml`. */
  readonly name: string;
  readonly text: string;
}

/** The questions of a file that lies nowhere here. @throws RequestError `golden_missing`, `golden_invalid` naming the file and the row */
export function readSentQuestions({ name, text }: SentQuestions): GoldenFile {
  const folder = mkdtempSync(join(tmpdir(), "sourcebound-questions-"));
  const path = join(folder, basename(name.replaceAll("\\", "/")) || "questions.yaml");
  try {
    writeFileSync(path, text);
    return readQuestions(path);
  } catch (error) {
    // Where it lay for a moment helps nobody.
    if (error instanceof RequestError) throw new RequestError(error.code, error.message.replaceAll(`${folder}${sep}`, ""), { name });
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Writes the files of the documents that everybody may read into a folder, by their own paths.
 * @throws RequestError `original_gone`, `original_changed` where a file is not what was read, `corpus_missing` where there is none
 */
export async function layOutDocuments(
  engine: Pick<Engine, "original" | "scope" | "store">,
  domain: string,
  { folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
): Promise<void> {
  const outlines = await engine.store.documents.outlines(engine.scope({ domain }));
  if (outlines.length === 0) throw new RequestError("corpus_missing", "There is no document to ask: add some in the Library.");
  const written = new Set<string>();
  for (const { id } of outlines) {
    signal.throwIfAborted();
    const { path, bytes } = await engine.original(id, { domain });
    const file = join(folder, path);
    // Several documents of one file, such as the messages of a mailbox, are read from it again.
    if (written.has(file) || !file.startsWith(`${folder}${sep}`)) continue;
    written.add(file);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
}
