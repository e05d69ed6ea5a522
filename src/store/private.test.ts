import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makePrivateFolder } from "./private.ts";

test("makes a folder with those above it, and leaves one that is there", () => {
  const root = mkdtempSync(join(tmpdir(), "private-"));
  try {
    const path = join(root, "a", "b", "c");
    makePrivateFolder(path);
    makePrivateFolder(path);
    expect(statSync(path).isDirectory()).toBe(true);
    writeFileSync(join(root, "file"), "");
    expect(() => makePrivateFolder(join(root, "file"))).toThrow("EEXIST");
    expect(() => makePrivateFolder(join(root, "file", "x"))).toThrow("EEXIST");
  } finally {
    rmSync(root, { recursive: true });
  }
});

test.runIf(existsSync("/proc/self"))("fails at once where no folder can be made", () => {
  expect(() => makePrivateFolder("/proc/sourcebound")).toThrow("ENOENT");
  expect(() => makePrivateFolder("/proc/sourcebound/deeper/still")).toThrow("ENOENT");
});
