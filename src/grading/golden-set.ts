import { existsSync, readdirSync, statSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import type { Engine } from "../engine/engine.ts";
import { RequestError } from "../shared/errors.ts";
import { type GoldenFile, isQuestionFile, readGoldenFile, readGoldenFolder } from "./read-golden-files.ts";

/** A folder of documents with questions about them. */
export interface GoldenSet extends GoldenFile {
  readonly name: string;
  /** Folder to which page paths are relative. */
  readonly corpus: string;
  /** Folder or file that is ingested. */
  readonly documents: string;
  /** Folders with documents that only one tenant may see, by tenant. */
  readonly tenants: Readonly<Record<string, string>>;
}

export interface GoldenFolders {
  readonly name: string;
  readonly corpus: string;
  readonly golden: string;
}

/**
 * Loads a golden set. Its questions are in a file, or in `[prefix-]answerable*.jsonl` and `[prefix-]unanswerable*.jsonl`
 * of a folder. Its documents are `pages/` in the corpus if that exists, else the whole corpus.
 * @throws RequestError `corpus_missing`, `golden_missing`; `golden_invalid`, which names file and line, or a duplicate id
 */
export function readGoldenSet({ name, corpus, golden }: GoldenFolders): GoldenSet {
  if (!isFolder(corpus))
    throw new RequestError("corpus_missing", `The folder ${corpus} does not exist. Give the folder of the documents with --corpus.`);
  const pages = join(corpus, "pages");
  return { name, corpus, documents: isFolder(pages) ? pages : corpus, tenants: {}, ...readQuestions(golden) };
}

/** Loads the questions of a file or folder. @throws RequestError `golden_missing`, `golden_invalid` */
export function readQuestions(golden: string): GoldenFile {
  return isFolder(golden) ? readGoldenFolder(golden) : readGoldenFile(golden);
}

/**
 * Finds golden sets, sorted by name. A set is a folder `golden/NAME` or `NAME` with `pages/` and questions, or a pair of
 * folders `NAME-pages` and `NAME-golden`.
 * @throws RequestError `golden_missing` when there is none
 */
export function findGoldenSets(data: string): GoldenFolders[] {
  const foldersOf = (folder: string) => {
    const names = isFolder(folder) ? readdirSync(folder).sort() : [];
    return names.filter((name) => isFolder(join(folder, name)));
  };
  const whole = [data, join(data, "golden")].flatMap((parent) =>
    foldersOf(parent)
      .map((name) => ({ name, corpus: join(parent, name), golden: join(parent, name) }))
      .filter(({ corpus }) => isFolder(join(corpus, "pages")) && holdsQuestions(corpus)),
  );
  const paired = foldersOf(data).flatMap((folder) => {
    const [name, golden] = [folder.replace(/-golden$/, ""), join(data, folder)];
    const corpus = join(data, `${name}-pages`);
    return name !== folder && isFolder(corpus) && holdsQuestions(golden) ? [{ name, corpus, golden }] : [];
  });
  const found = [...whole, ...paired].sort((one, other) => (one.name < other.name ? -1 : 1));
  if (found.length > 0) return found;
  const message = `${data} contains no golden set: neither a folder golden/NAME with pages/ and answerable*.jsonl or unanswerable*.jsonl, nor a pair NAME-pages and NAME-golden. Give the folder of sets with --data, or one set with --corpus and --golden.`;
  throw new RequestError("golden_missing", message);
}

function holdsQuestions(folder: string): boolean {
  return readdirSync(folder).some(isQuestionFile);
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

/** The methods of the engine that list documents and return their files. */
export interface DocumentFiles extends Pick<Engine, "original" | "scope"> {
  readonly store: { readonly documents: Pick<Engine["store"]["documents"], "describe"> };
}

/**
 * Writes the files of all documents that everybody may see into a folder, under their own paths.
 * @throws RequestError `original_gone` or `original_changed` if a file is missing or has changed since it was ingested,
 * `corpus_missing` if there are no documents, `corpus_ambiguous` if two sources have a file of the same path,
 * `path_outside` if a path leaves the folder
 */
export async function layOutDocuments(
  engine: DocumentFiles,
  domain: string,
  { folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
): Promise<void> {
  const files = (await engine.store.documents.describe(engine.scope({ domain }))).filter(({ documents }) => documents.length > 0);
  if (files.length === 0) throw new RequestError("corpus_missing", "There are no documents. Add some in the Library.");
  const sources = new Map<string, string>();
  for (const { path, source, documents } of files) {
    signal.throwIfAborted();
    const file = join(folder, path);
    if (!file.startsWith(`${folder}${sep}`)) {
      const message = `The file ${path} is outside the folder of source ${source}, so the documents cannot be copied for the evaluation. Ingest it again from a folder that contains it.`;
      throw new RequestError("path_outside", message, { path, source });
    }
    const other = sources.get(file);
    if (other !== undefined) {
      const message = `Two sources contain a file ${path} (${other}, ${source}), but questions name documents by path. Rename one of the files, or remove one of the sources.`;
      throw new RequestError("corpus_ambiguous", message, { path, sources: [other, source] });
    }
    sources.set(file, source);
    // All documents of a file, such as the messages of a mailbox, have the same bytes.
    const [first] = documents;
    if (first === undefined) continue;
    const { bytes } = await engine.original(first.id, { domain });
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
}
