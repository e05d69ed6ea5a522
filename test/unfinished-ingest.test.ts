import { beforeEach, describe, expect, it } from "vitest";
import type { AskOptions } from "../src/engine/engine.ts";
import type { FileReader } from "../src/ingest/file-reader.ts";
import { draftDocuments } from "../src/ingest/to-document.ts";
import { type Library, openInTest } from "./support/engine.ts";
import { writeFiles } from "./support/library.ts";

/** More files than one transaction stores. */
const PAGES = 150;
const pages = Object.fromEntries(
  Array.from({ length: PAGES }, (_, i) => [
    `pages/p${i}.md`,
    `# Pier ${i}\n\nA night at pier ${i} costs ${i + 3} dollars and is paid there.\n`,
  ]),
);

let library: Library;
beforeEach(async () => {
  library = await openInTest({ documents: {} });
  writeFiles(library.sandbox.folder, pages);
});

const QUESTION = "Who painted the lighthouse?";
async function warned(question = QUESTION, options: AskOptions = {}): Promise<string | undefined> {
  const last = (await library.events(question, options)).at(-1);
  return last?.type === "answer" ? last.answer.warnings.find(({ code }) => code === "ingest_unfinished")?.message : undefined;
}
/** Interrupts an ingest after the first files are stored, as a full disk would. */
async function cutOff(options: { readonly tenant?: string } = {}): Promise<void> {
  const stop = new AbortController();
  const events = library.engine.ingest(`${library.sandbox.folder}/pages`, { ...options, signal: stop.signal });
  await expect(async () => {
    for await (const event of events) if (event.type === "document") stop.abort(new Error("full"));
  }).rejects.toThrowError("full");
}

describe("an interrupted ingest", () => {
  it("is reported with refusals and answers until it is completed", async () => {
    expect(await warned()).toBeUndefined();
    await cutOff();
    const { documents } = await library.engine.counts(library.engine.scope());
    expect(documents).toBeGreaterThan(0);
    expect(documents).toBeLessThan(PAGES);
    expect(await warned()).toContain("the ingest of 150 files is not complete");
    expect(await warned("What does a night at pier 3 cost?")).toContain("sourcebound ingest");
    const place = { root: `${library.sandbox.folder}/pages`, source: (await library.engine.files({}))[0]?.source };
    for await (const _ of library.engine.ingestFiles([`${place.root}/p99.md`], place));
    expect((await library.engine.counts(library.engine.scope())).documents).toBe(documents + 1);
    expect(await warned()).toContain("the ingest of 150 files is not complete");
    for await (const _ of library.engine.ingest(`${library.sandbox.folder}/pages`));
    expect(await warned()).toBeUndefined();
  });

  it("is reported if it is completed while a question is answered", async () => {
    await cutOff();
    for await (const event of library.engine.ask(QUESTION)) {
      if (event.type === "retrieve-end") for await (const _ of library.engine.ingest(`${library.sandbox.folder}/pages`));
      if (event.type === "answer") expect(event.answer.warnings.map(({ code }) => code)).toContain("ingest_unfinished");
    }
  });

  it("keeps the files that were read before a slow one", async () => {
    const slow = Promise.withResolvers<void>();
    const reader: FileReader = {
      ...{ room: 8, recognises: false, close: async () => {} },
      async read(file) {
        if (file.path === "z.md") await slow.promise;
        return draftDocuments(file);
      },
    };
    const { engine, sandbox } = await openInTest({ documents: {}, reader });
    writeFiles(sandbox.folder, { "pages/a.md": "# Pier\n\nA night costs 5.\n", "pages/z.md": "# Quay\n\nA night costs 6.\n" });
    const stored: string[] = [];
    for await (const event of engine.ingest(`${sandbox.folder}/pages`)) {
      if (event.type !== "document") continue;
      // The slow file waits until the other one is stored.
      stored.push(event.path);
      slow.resolve();
    }
    expect(stored).toEqual(["a.md", "z.md"]);
  });

  it("is hidden without access to the source, and forgotten with its files", async () => {
    await cutOff({ tenant: "alice" });
    expect(await warned()).toBeUndefined();
    expect(await warned(QUESTION, { tenant: "alice" })).toContain("is not complete");
    const [file] = await library.engine.files({ tenant: "alice" });
    const { source = "" } = file ?? {};
    const place = { domain: library.engine.domain().name, tenant: "alice", source };
    await library.engine.store.documents.deleteFiles(
      place,
      Object.keys(pages).map((path) => path.replace("pages/", "")),
    );
    expect(await warned(QUESTION, { tenant: "alice" })).toBeUndefined();
  });
});
