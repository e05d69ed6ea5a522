import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { RequestError } from "../errors.ts";
import type { GoldenAnswerable, GoldenFile, GoldenUnanswerable } from "./formats/golden-rows.ts";
import { ANSWERABLE_FILE, parseGoldenFile, readGoldenFile, readGoldenFolder } from "./formats/read-golden-files.ts";

export type { GoldenAnswerable, GoldenUnanswerable } from "./formats/golden-rows.ts";

/** A folder of documents with the questions that were written over it. */
export interface GoldenSet {
  /** What it is called in tables. */
  readonly name: string;
  /** Pages are named relative to it. */
  readonly corpus: string;
  /** Folder or file that is ingested. */
  readonly documents: string;
  /** Folders that only one tenant sees, by tenant. */
  readonly tenants: Readonly<Record<string, string>>;
  readonly answerable: readonly GoldenAnswerable[];
  readonly unanswerable: readonly GoldenUnanswerable[];
  /** What of an imported file could not be used, and why. */
  readonly notices: readonly string[];
}

export interface GoldenFolders {
  readonly name: string;
  readonly corpus: string;
  readonly golden: string;
}

/**
 * The questions of a file, or of the files `[prefix-]answerable*.jsonl` and `[prefix-]unanswerable*.jsonl` of a folder, with the documents that they were
 * written over: `pages/` of the corpus where there is one, else all of it.
 * @throws RequestError `corpus_missing`, `golden_missing`, or `golden_invalid` naming file and line, or the id that two questions have
 */
export function readGoldenSet({ name, corpus, golden }: GoldenFolders): GoldenSet {
  if (!isFolder(corpus))
    throw new RequestError("corpus_missing", `There is no folder ${corpus}: give the folder of the documents with --corpus.`);
  const pages = join(corpus, "pages");
  return { name, corpus, documents: isFolder(pages) ? pages : corpus, tenants: {}, ...readQuestions(golden) };
}

/** The questions of a file or a folder. @throws RequestError `golden_missing`, `golden_invalid` */
export function readQuestions(golden: string): GoldenFile {
  return toldApart(golden, isFolder(golden) ? readGoldenFolder(golden) : readGoldenFile(golden));
}

/** A file of questions that somebody sent. */
export interface SentQuestions {
  /** Its ending says how it is read: `.jsonl`, `.json`, `.yaml`. */
  readonly name: string;
  readonly text: string;
}

/** The questions of a file that lies nowhere here. @throws RequestError `golden_missing`, `golden_invalid` naming the file and the row */
export function readSentQuestions({ name, text }: SentQuestions): GoldenFile {
  return toldApart(name, parseGoldenFile(name, text));
}

/** @throws RequestError `golden_invalid` where two questions have one id */
function toldApart(name: string, file: GoldenFile): GoldenFile {
  const seen = new Set<string>();
  for (const { id } of [...file.answerable, ...file.unanswerable]) {
    if (seen.has(id)) throw new RequestError("golden_invalid", `${name} gives the id ${id} to two questions: ids tell them apart.`);
    seen.add(id);
  }
  return file;
}

/**
 * Every golden set of a folder of sets: each `golden/NAME` with `pages` of its own, and each pair `NAME-pages` and `NAME-golden`; also the folder itself, or the
 * folders in it, where they are such sets. In the order of their names.
 * @throws RequestError `golden_missing` when there is none
 */
export function findGoldenSets(data: string): GoldenFolders[] {
  const foldersOf = (folder: string) =>
    isFolder(folder)
      ? readdirSync(folder)
          .filter((name) => isFolder(join(folder, name)))
          .sort()
      : [];
  const whole = [data, join(data, "golden")].flatMap((parent) =>
    foldersOf(parent)
      .map((name) => ({ name, corpus: join(parent, name), golden: join(parent, name) }))
      .filter(({ corpus }) => isFolder(join(corpus, "pages")) && holdsQuestions(corpus)),
  );
  const paired = foldersOf(data).flatMap((folder) => {
    const name = folder.endsWith("-golden") ? folder.slice(0, -"-golden".length) : null;
    const corpus = name === null ? null : join(data, `${name}-pages`);
    const golden = join(data, folder);
    return name !== null && corpus !== null && isFolder(corpus) && holdsQuestions(golden) ? [{ name, corpus, golden }] : [];
  });
  const found = [...whole, ...paired].sort((one, other) => (one.name < other.name ? -1 : 1));
  if (found.length > 0) return found;
  const message = `${data} holds no golden set: a folder golden/NAME with pages/ and answerable*.jsonl, or a pair NAME-pages and NAME-golden. Give the folder of sets with --data, or one set with --corpus and --golden.`;
  throw new RequestError("golden_missing", message);
}

function holdsQuestions(folder: string): boolean {
  return readdirSync(folder).some((name) => ANSWERABLE_FILE.test(name));
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
