import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findGoldenSets, readGoldenSet } from "../../src/grading/golden-set.ts";
import { folderOfFile } from "../../test/support/folders.ts";
import { unpackSets } from "./unpack-sets.ts";

const folder = folderOfFile();

const write = (name: string, rows: readonly string[]) => writeFileSync(join(folder, name), `${rows.join("\n")}\n`);

it("makes folders of golden sets from files of collections, with the exact text of their pages", () => {
  expect(unpackSets(folder)).toBe(folder);
  write("hall.jsonl", [
    String.raw`{"type": "page", "path": "pages/a/hours.md", "text": "# Hours\r\n\nThe hall opens at nine – “sharp”.\n\n"}`,
    '{"type": "answerable", "id": "a", "question": "When?", "gold_pages": ["pages/a/hours.md"], "gold_quotes": ["at nine"]}',
    '{"type": "unanswerable", "id": "u", "question": "Why?", "kind": "near_miss"}',
    '{"type": "pair", "id": "p", "a": "When?", "b": "At what time?", "same_answer": true, "kind": "light"}',
  ]);
  write("claims.jsonl", ['{"collection": "hall"}']);
  const made = unpackSets(folder);
  expect(unpackSets(folder)).toBe(made);
  expect(readdirSync(made)).toEqual(["claims.jsonl", "hall"]);
  expect(readFileSync(join(made, "hall/pages/a/hours.md"), "utf8")).toBe("# Hours\r\n\nThe hall opens at nine – “sharp”.\n\n");
  const [set] = findGoldenSets(made).map(readGoldenSet);
  expect(set?.answerable.map(({ id }) => id)).toEqual(["a"]);
  expect(set?.unanswerable.map(({ id }) => id)).toEqual(["u"]);
  rmSync(made, { recursive: true });
});

it("puts nothing outside the folder of a collection", () => {
  write("bad.jsonl", ['{"type": "page", "path": "pages/../../x.md", "text": "x"}']);
  expect(() => unpackSets(folder)).toThrow("bad.jsonl:1 is not valid");
});
