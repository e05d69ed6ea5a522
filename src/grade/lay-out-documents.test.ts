import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileDescription } from "../store/files.ts";
import { type DocumentFiles, layOutDocuments } from "./golden-set.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sourcebound-layout-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function file(source: string, path: string, documents: readonly string[]): FileDescription {
  const about = { title: "", version: "1", characters: 1, chunks: 1, pages: null, format: null, encoding: null, notices: [] };
  return {
    ...{ tenant: null, source, path, status: documents.length === 0 ? "failed" : "ok", reason: null, updatedAt: "" },
    documents: documents.map((id) => ({ id, path, ...about })),
  };
}

/** Documents whose file says their id; `read` lists those whose file was asked for. */
function fakeFiles(files: readonly FileDescription[]): DocumentFiles & { readonly read: string[] } {
  const read: string[] = [];
  return {
    read,
    scope: ({ domain = "library", tenant = null } = {}) => ({ domain, tenant, access: ["public"] }),
    store: { documents: { describe: async () => [...files] } },
    original: async (id) => {
      read.push(id);
      return { path: "", format: null, bytes: new Uint8Array(Buffer.from(`file of ${id}`)) };
    },
  };
}

const layOut = (files: DocumentFiles, signal: AbortSignal = new AbortController().signal) =>
  layOutDocuments(files, "library", { folder, signal });

describe("layOutDocuments", () => {
  it("writes every file once under its own path, and none that could not be read", async () => {
    const files = fakeFiles([file("a", "cards.md", ["1"]), file("a", "mail/box.mbox", ["2", "3"]), file("b", "broken.pdf", [])]);
    await layOut(files);
    expect(files.read).toEqual(["1", "2"]);
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(["cards.md", "mail", "mail/box.mbox"]);
    expect(readFileSync(join(folder, "mail/box.mbox"), "utf8")).toBe("file of 2");
  });

  it("refuses two sources with a file of one path by their names, rather than ask one of them alone", async () => {
    const files = fakeFiles([file("north", "cards.md", ["1"]), file("south", "cards.md", ["2"])]);
    await expect(layOut(files)).rejects.toMatchObject({
      code: "corpus_ambiguous",
      message: expect.stringContaining("cards.md (north, south)"),
    });
    expect(files.read).toEqual(["1"]);
  });

  it.each(["../cards.md", "a/../../cards.md", "..", ""])("refuses a file at %j before a byte of it is read", async (path) => {
    const files = fakeFiles([file("north", path, ["1"])]);
    await expect(layOut(files)).rejects.toMatchObject({ code: "path_outside", message: expect.stringContaining("north") });
    expect(files.read).toEqual([]);
  });

  it("says that there is nothing to ask", async () => {
    await expect(layOut(fakeFiles([]))).rejects.toMatchObject({ code: "corpus_missing" });
    await expect(layOut(fakeFiles([file("a", "broken.pdf", [])]))).rejects.toMatchObject({ code: "corpus_missing" });
  });

  it("ends between two files when it is stopped", async () => {
    const stop = new AbortController();
    const files = fakeFiles([file("a", "one.md", ["1"]), file("a", "two.md", ["2"])]);
    const { original } = files;
    const stopping: DocumentFiles = {
      ...files,
      original: async (id, options) => {
        stop.abort();
        return await original(id, options);
      },
    };
    await expect(layOut(stopping, stop.signal)).rejects.toThrow("aborted");
    expect(readdirSync(folder)).toEqual(["one.md"]);
  });
});
