import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { Engine } from "../src/engine/engine.ts";
import { engineInTest, type Library, openInTest } from "./support/engine.ts";
import { CARD, LIBRARY_DOCUMENTS, LIBRARY_QUESTIONS, writeFiles } from "./support/library.ts";

const LOANS = LIBRARY_QUESTIONS[1].question;
const STAFF_ONLY = (LIBRARY_DOCUMENTS["cards.md"] ?? "").replace("---\ntitle", "---\naccess: staff\ntitle");
const DEARER = { "cards.md": "# Library cards\n\nA library card costs 6 dollars per year.\n" };

const CHANGES: Readonly<Record<string, (engine: Engine, library: Library, id: string) => Promise<unknown>>> = {
  "its document was edited": (engine, library) => ingest(engine, library, () => writeFiles(folderOf(library), DEARER)),
  "its document was hidden": (engine, library) => ingest(engine, library, () => writeFiles(folderOf(library), { "cards.md": STAFF_ONLY })),
  "its document was deleted": (engine, library) => ingest(engine, library, () => rmSync(join(folderOf(library), "cards.md"))),
  "a person flagged it": (engine, _library, id) => engine.store.review.flag({ id, by: "rae" }),
  "the cache was cleared": (engine) => engine.store.cache.clear(null),
};

const folderOf = ({ sandbox }: Library) => join(sandbox.folder, "documents");
async function ingest(engine: Engine, library: Library, edit: () => void): Promise<void> {
  edit();
  for await (const _event of engine.ingest(folderOf(library), { source: "documents" }));
}

describe("a repeated question", () => {
  it("is answered without reading the entry or its documents again, and is still recorded", async () => {
    const library = await openInTest();
    const { cache, documents, interactions } = library.engine.store;
    const ids = [(await library.ask(CARD)).id, (await library.ask(CARD)).id];
    const reads = [vi.spyOn(cache, "get"), vi.spyOn(documents, "load")];
    for (let i = 0; i < 5; i++) {
      const answer = await library.ask(CARD);
      expect(answer).toMatchObject({ cacheMode: "exact", question: CARD });
      ids.push(answer.id);
    }
    expect(reads.map((read) => read.mock.calls.length)).toEqual([0, 0]);
    expect(new Set((await interactions.list(library.engine.config.domain, 100)).map(({ id }) => id))).toEqual(new Set(ids));
  });

  it.each(
    Object.entries(CHANGES).flatMap(([what, change]) => [
      { what, by: "this process", change },
      { what, by: "another one", change },
    ]),
  )("gets no cached answer after $what by $by", async ({ by, change }) => {
    const library = await openInTest();
    const first = await library.ask(CARD);
    for (let i = 0; i < 3; i++) expect((await library.ask(CARD)).cacheMode).toBe("exact");
    await change(by === "this process" ? library.engine : await engineInTest(library.engine.config), library, first.id);
    expect((await library.ask(CARD)).cacheMode).toBe("miss");
  });

  it("gets a reviewer's correction from any process", async () => {
    const library = await openInTest();
    const first = await library.ask(CARD);
    for (let i = 0; i < 3; i++) expect((await library.ask(CARD)).cacheMode).toBe("exact");
    const other = await engineInTest(library.engine.config);
    await other.memory.review.correct(first.id, "Children under 12 pay nothing [1].\n[1]: Library cards", "rae");
    expect((await library.ask(CARD)).cacheMode).toBe("curated");
  });

  it("gets no expired answer, even if nothing was written since", async () => {
    let now = Date.parse("2026-03-01T10:00:00Z");
    const library = await openInTest({ now: () => new Date(now) });
    await library.ask(CARD);
    for (let i = 0; i < 3; i++) expect((await library.ask(CARD)).cacheMode).toBe("exact");
    now += (library.engine.config.cache.hours + 1) * 3_600_000;
    expect((await library.ask(CARD)).cacheMode).toBe("miss");
  });

  it("counts as use, so unused entries are evicted first", async () => {
    let asked = 0;
    const now = () => new Date(Date.parse("2026-03-01T10:00:00Z") + 1_000 * asked++);
    const library = await openInTest({ settings: { "cache.entries": 2 }, now });
    await library.ask(CARD);
    await library.ask(LOANS);
    for (let i = 0; i < 3; i++) expect((await library.ask(CARD)).cacheMode).toBe("exact");
    await library.ask(LIBRARY_QUESTIONS[2].question);
    expect((await library.ask(CARD)).cacheMode).toBe("exact");
    expect((await library.ask(LOANS)).cacheMode).toBe("miss");
  });
});
