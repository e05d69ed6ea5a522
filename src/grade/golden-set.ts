import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { RequestError } from "../errors.ts";
import { UNANSWERABLE_KINDS } from "./golden.ts";
import { parseLines } from "./read-lines.ts";

const answerableSchema = z.object({
  id: z.string().min(1),
  question: z.string().min(1),
  gold_pages: z.array(z.string().min(1)).min(1),
  gold_quotes: z.array(z.string().min(1)).min(1),
  answer: z.string().default(""),
  key_values: z.array(z.string().min(1)).default([]),
  must_not: z.array(z.string().min(1)).default([]),
  topic: z.string().default(""),
  difficulty: z.string().default(""),
  needs: z.string().default(""),
  /** Who asks; `null`: nobody's customer. */
  tenant: z.string().min(1).nullable().default(null),
});

const unanswerableSchema = z.object({
  id: z.string().min(1),
  question: z.string().min(1),
  kind: z.enum(UNANSWERABLE_KINDS),
  why: z.string().default(""),
  /** Of a false premise: what the documents say instead, exact substrings of a page. */
  contradicting_quotes: z.array(z.string().min(1)).default([]),
  tenant: z.string().min(1).nullable().default(null),
});

export type GoldenAnswerable = z.infer<typeof answerableSchema>;
export type GoldenUnanswerable = z.infer<typeof unanswerableSchema>;

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
}

export interface GoldenFolders {
  readonly name: string;
  readonly corpus: string;
  readonly golden: string;
}

/**
 * The questions of the files `[prefix-]answerable*.jsonl` and `[prefix-]unanswerable*.jsonl` of a folder, with the documents that they were written over:
 * `pages/` of the corpus where there is one, else all of it.
 * @throws RequestError `corpus_missing`, `golden_missing`, or `golden_invalid` naming file and line, or the id that two questions have
 */
export function readGoldenSet({ name, corpus, golden }: GoldenFolders): GoldenSet {
  if (!isFolder(corpus))
    throw new RequestError("corpus_missing", `There is no folder ${corpus}: give the folder of the documents with --corpus.`);
  const files = isFolder(golden) ? readdirSync(golden).sort() : [];
  const rowsOf = <T>(pattern: RegExp, schema: z.ZodType<T>) =>
    files.filter((file) => pattern.test(file)).flatMap((file) => parseLines(join(golden, file), schema, "golden_invalid"));
  const answerable = rowsOf(ANSWERABLE_FILE, answerableSchema);
  const unanswerable = rowsOf(/^(?:.*-)?unanswerable.*\.jsonl$/, unanswerableSchema);
  if (answerable.length + unanswerable.length === 0) {
    const message = `${golden} holds no question in a file [prefix-]answerable*.jsonl or [prefix-]unanswerable*.jsonl: give the folder of a golden set with --golden.`;
    throw new RequestError("golden_missing", message);
  }
  const seen = new Set<string>();
  for (const { id } of [...answerable, ...unanswerable]) {
    if (seen.has(id)) throw new RequestError("golden_invalid", `${golden} gives the id ${id} to two questions: ids tell them apart.`);
    seen.add(id);
  }
  const pages = join(corpus, "pages");
  return { name, corpus, documents: isFolder(pages) ? pages : corpus, tenants: {}, answerable, unanswerable };
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

const ANSWERABLE_FILE = /^(?:.*-)?answerable.*\.jsonl$/;

function holdsQuestions(folder: string): boolean {
  return readdirSync(folder).some((name) => ANSWERABLE_FILE.test(name));
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
