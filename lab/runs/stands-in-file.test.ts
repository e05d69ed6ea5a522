import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/text/hash.ts";
import { folderOfFile } from "../../test/support/folders.ts";
import { standsInFile } from "./stands-in-file.ts";

const root = folderOfFile();

describe("a quote in its file", () => {
  const text = "# Pool\n\nThe **pool** opens at [six](https://a.example) every day.\n";
  writeFileSync(join(root, "pool.md"), text);
  const start = text.indexOf("The");
  const place = {
    path: "pool.md",
    unit: "utf16",
    start,
    end: text.length - 1,
    sha256: sha256Hex(Buffer.from(text)),
    normaliser: "x",
  } as const;

  it("stands there with the marks of its format between its letters", () => {
    expect(standsInFile({ quote: "The pool opens at six every day.", original: place }, root)).toBe(true);
  });

  it("stands there with a tag at an end of it, whose letters are no text", () => {
    const page = 'See <a href="/f">Form 12</a>. Or <b>5 < 6</b>.\n';
    writeFileSync(join(root, "tags.md"), page);
    const at = (quote: string, from: string, to: string) => {
      const range = { start: page.indexOf(from), end: page.indexOf(to) + to.length };
      const original = { ...place, ...range, path: "tags.md", sha256: sha256Hex(Buffer.from(page)) };
      return standsInFile({ quote, original }, root);
    };
    expect(at("Form 12.", "Form", "</a>.")).toBe(true);
    expect(at("5 < 6.", "<b>", "</b>.")).toBe(true);
    expect(at("Form 12a.", "Form", "</a>.")).toBe(false);
    expect(at("Form 1.", "Form", "</a>.")).toBe(false);
  });

  it("does not when a letter differs, the place is another, the file has changed or there is nothing to find", () => {
    for (const quote of ["The pool opens at ten every day.", "The pool opens at six every days.", "pool opens at six every day.", ""])
      expect(standsInFile({ quote, original: place }, root), quote).toBe(false);
    const quote = "The pool opens at six every day.";
    expect(standsInFile({ quote, original: { ...place, start: start + 1 } }, root)).toBe(false);
    expect(standsInFile({ quote, original: { ...place, sha256: sha256Hex(Buffer.from("x")) } }, root)).toBe(false);
  });
});
