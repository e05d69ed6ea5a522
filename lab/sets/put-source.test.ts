import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { putSource } from "./put-source.ts";

it("keeps what was made of the same text, and removes what was made of another", () => {
  const folder = mkdtempSync(join(tmpdir(), "sourcebound-test-"));
  try {
    const [source, made] = [join(folder, "a.md"), join(folder, "a.docx")];
    const isKept = (text: string) => {
      writeFileSync(made, "made");
      putSource(source, text, [made, join(folder, "a.pdf")]);
      expect(readFileSync(source, "utf8")).toBe(text);
      return existsSync(made);
    };
    expect(["Tides", "Tides", "Tides and moons"].map(isKept)).toEqual([false, true, false]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
