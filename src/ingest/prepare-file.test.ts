import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOfTest } from "../../test/support/folders.ts";
import { MAX_FILE_BYTES, MAX_TEXT_BYTES } from "./limits.ts";
import { prepareFile } from "./prepare-file.ts";

const here = folderOfTest();

/** Prepares a file of `bytes` bytes that begins with `head`, with a reader that records its requests. */
async function prepare(path: string, head: string, bytes: number) {
  const absolute = join(here.folder, path);
  writeFileSync(absolute, head, "latin1");
  truncateSync(absolute, bytes);
  const asked: string[] = [];
  const reader = {
    ...{ room: 1, recognises: false, close: async () => undefined },
    read: async (file: { readonly path: string }) => {
      asked.push(file.path);
      return [];
    },
  };
  const place = { domain: "d", tenant: null, folder: here.folder, root: here.folder, source: "s", access: "public" };
  const { outcome } = await prepareFile(
    { absolute, path, bytes },
    {
      request: { ...place, allowEmpty: false, dryRun: false, only: null },
      parts: { urlOf: () => null, maxFileBytes: MAX_FILE_BYTES, reader },
      known: new Map(),
      signal: new AbortController().signal,
    },
  );
  return { asked, outcome };
}

describe("a file with more bytes than a text may have", () => {
  it.each(["a.txt", "a.md", "a.CSV"])("is refused by its name and first bytes, and no reader is asked: %s", async (path) => {
    const { asked, outcome } = await prepare(path, "Text.\n", MAX_TEXT_BYTES + 1);
    expect(asked).toEqual([]);
    const error = expect.objectContaining({
      code: "file_too_large",
      message: expect.stringMatching(new RegExp(`^${path}: 20\\.0 MB is more`)),
    });
    expect(outcome).toEqual({ type: "failed", error });
  });

  it.each([
    ["a.pdf", "%PDF-1.7\n"],
    ["a.txt", "%PDF-1.7\n"],
    ["a.txt", "PK\x03\x04"],
    ["notes", "Text.\n"],
  ])("goes to the reader where it may be something else: %s, %j", async (path, head) => {
    expect(await prepare(path, head, MAX_TEXT_BYTES + 1)).toEqual({ asked: [path], outcome: { type: "read", drafts: [] } });
  });

  it("is named where its first bytes already say that it is not read", async () => {
    const { asked, outcome } = await prepare("a.txt", "\xd0\xcf\x11\xe0", MAX_TEXT_BYTES + 1);
    expect(asked).toEqual([]);
    const error = expect.objectContaining({
      code: "unsupported_format",
      message: expect.stringMatching(/^a\.txt: this is an old Office file/),
    });
    expect(outcome).toEqual({ type: "failed", error });
  });
});

it("asks the reader for a text of as many bytes as it may have", async () => {
  const { asked } = await prepare("a.txt", "Text.\n", MAX_TEXT_BYTES);
  expect(asked).toEqual(["a.txt"]);
});
