import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { markdownFiles } from "./markdown-files.ts";

test("lists markdown files of every depth in order, and neither other files nor folders", () => {
  const folder = mkdtempSync(join(tmpdir(), "sourcebound-markdown-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["z", "b/deep", "folder.md"]) mkdirSync(join(folder, name), { recursive: true });
  for (const name of ["z/a.md", "b/deep/c.md", "a.md", "notes.txt", "b/md"]) writeFileSync(join(folder, name), "x");
  expect(markdownFiles(folder)).toEqual(["a.md", "b/deep/c.md", "z/a.md"]);
  expect(() => markdownFiles(join(folder, "missing"))).toThrow(/ENOENT/);
});
