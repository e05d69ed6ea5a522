import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderOfTest } from "../../test/support/folders.ts";
import { makePrivateFolder } from "./private.ts";

const here = folderOfTest();

test("creates a folder with its parents, and keeps an existing one", () => {
  const path = join(here.folder, "a", "b", "c");
  makePrivateFolder(path);
  makePrivateFolder(path);
  expect(statSync(path).isDirectory()).toBe(true);
  writeFileSync(join(here.folder, "file"), "");
  expect(() => makePrivateFolder(join(here.folder, "file"))).toThrow("EEXIST");
  expect(() => makePrivateFolder(join(here.folder, "file", "x"))).toThrow("EEXIST");
});

test.runIf(existsSync("/proc/self"))("fails at once if the folder cannot be created", () => {
  expect(() => makePrivateFolder("/proc/sourcebound")).toThrow("ENOENT");
  expect(() => makePrivateFolder("/proc/sourcebound/deeper/still")).toThrow("ENOENT");
});
