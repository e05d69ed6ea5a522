import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import type { Engine } from "../engine/engine-types.ts";
import { RequestError } from "../errors.ts";

/** The part of the engine that gives documents and the files that they were read from. */
export interface DocumentFiles extends Pick<Engine, "original" | "scope"> {
  readonly store: { readonly documents: Pick<Engine["store"]["documents"], "describe"> };
}

/**
 * Writes the files of the documents that everybody may read into a folder, by their own paths.
 * @throws RequestError `original_gone`, `original_changed` where a file is not what was read, `corpus_missing` where there is none, `corpus_ambiguous` where two
 *   sources hold a file of one path, `path_outside` where a path leaves the folder
 */
export async function layOutDocuments(
  engine: DocumentFiles,
  domain: string,
  { folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
): Promise<void> {
  const files = (await engine.store.documents.describe(engine.scope({ domain }))).filter(({ documents }) => documents.length > 0);
  if (files.length === 0) throw new RequestError("corpus_missing", "There is no document to ask: add some in the Library.");
  const sources = new Map<string, string>();
  for (const { path, source, documents } of files) {
    signal.throwIfAborted();
    const file = join(folder, path);
    if (!file.startsWith(`${folder}${sep}`)) throw pathOutside(path, source);
    const other = sources.get(file);
    if (other !== undefined) throw ambiguous(path, [other, source]);
    sources.set(file, source);
    // Several documents of one file, such as the messages of a mailbox, are read from it again.
    const [first] = documents;
    if (first === undefined) continue;
    const { bytes } = await engine.original(first.id, { domain });
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
}

function ambiguous(path: string, sources: readonly string[]): RequestError {
  const message = `Two sources hold a file ${path} (${sources.join(", ")}), and questions name documents by their path: rename one of the files, or take one of the sources out.`;
  return new RequestError("corpus_ambiguous", message, { path, sources });
}

function pathOutside(path: string, source: string): RequestError {
  const message = `The file ${path} of ${source} lies outside its source and cannot be laid out for questions: read it again from a folder that holds it.`;
  return new RequestError("path_outside", message, { path, source });
}
