import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { readLinesOf } from "../../src/grading/golden.ts";
import { PACKAGE_ROOT } from "../../src/package.ts";

/** First characters of a collection's file; other files of the folder concern all collections. */
const COLLECTION = '{"type": "page"';
/** File of a golden set for each type of row. */
const FILES = { answerable: "answerable-dev.jsonl", unanswerable: "unanswerable-dev.jsonl", pair: "pairs-dev.jsonl" } as const;
const UNPACKED = join(PACKAGE_ROOT, "node_modules", ".cache", "sets");

const rowSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("page"), path: z.string().regex(/^pages\/(?!.*\.\.)/), text: z.string() }),
  ...(["answerable", "unanswerable", "pair"] as const).map((type) => z.looseObject({ type: z.literal(type) })),
]);

/**
 * Unpacks a folder with one file per collection (`NAME.jsonl`: pages, questions and pairs, one per line) into a folder of golden sets. The
 * result is cached by content hash. Returns any other folder unchanged.
 */
export function unpackSets(folder: string): string {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".jsonl")) : [];
  const files = names.sort().map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
  if (!files.some(({ text }) => text.startsWith(COLLECTION))) return folder;
  const content = createHash("sha256").update(JSON.stringify(files)).digest("hex").slice(0, 16);
  const target = join(UNPACKED, `${basename(folder)}-${content}`);
  if (existsSync(target)) return target;
  mkdirSync(UNPACKED, { recursive: true });
  const begun = mkdtempSync(`${target}.`);
  for (const { name, text } of files) {
    if (text.startsWith(COLLECTION)) unpackCollection(join(folder, name), join(begun, basename(name, ".jsonl")));
    else copyFileSync(join(folder, name), join(begun, name));
  }
  try {
    renameSync(begun, target);
  } catch (error) {
    // Another process was faster.
    rmSync(begun, { recursive: true });
    if (!existsSync(target)) throw error;
  }
  return target;
}

function unpackCollection(file: string, folder: string): void {
  const rows = readLinesOf(file, rowSchema, "data_invalid");
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const row of rows) if (row.type === "page") put(String(row.path), String(row.text));
  for (const [type, name] of Object.entries(FILES))
    put(name, rows.flatMap(({ type: of, ...row }) => (of === type ? `${JSON.stringify(row)}\n` : [])).join(""));
}
