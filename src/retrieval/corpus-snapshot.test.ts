import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { storeOfTest } from "../../test/support/folders.ts";
import { documentsFound as found, searchRequest } from "../../test/support/search-request.ts";
import { snapshotBytes, snapshotIn } from "../../test/support/snapshot-bytes.ts";
import { rounds } from "../../test/support/trials.ts";
import type { Encoder } from "../models/encoder.ts";
import type { Scope } from "../shared/types.ts";
import { fakeEncoder } from "../testing/fake-encoder.ts";
import { windowedDocument as document } from "../testing/windowed-document.ts";
import { readCorpusFacts } from "./corpus-snapshot.ts";
import { DomainIndex } from "./domain-index.ts";
import { EmbeddedEngine } from "./embedded-engine.ts";
import { ScratchFile } from "./scratch-file.ts";
import { longStringSections, StringColumn, stringSections, withSnapshotFile } from "./snapshot.ts";

const here = storeOfTest();
let path = "";
let warnings: string[] = [];
/** Ids of documents read from the store for indexing. */
let indexed: string[] = [];
/** Indexes opened by a test. None may write its snapshot later, into the folder of the next test. */
let opened: DomainIndex[] = [];
beforeEach(() => {
  path = join(here.folder, "index", "d.snapshot");
  warnings = [];
  indexed = [];
  opened = [];
});
afterEach(() => Promise.all(opened.map((corpus) => corpus.idle())));

const SOURCE = { domain: "d", tenant: null, source: "s" };

function open(encoder: Encoder | null = null, storeId = "store"): DomainIndex {
  const documents = {
    revision: (domain: string) => here.store.documents.revision(domain),
    heads: (domain: string) => here.store.documents.heads(domain),
    changedSince: (domain: string, revision: number) => here.store.documents.changedSince(domain, revision),
    loadForIndex: (domain: string, ids: readonly string[]) => {
      indexed.push(...ids);
      return here.store.documents.loadForIndex(domain, ids);
    },
  };
  const warn = (message: string) => warnings.push(message);
  const engine = new EmbeddedEngine({
    domain: "d",
    snapshot: { path, store: storeId, revision: () => here.store.documents.revision("d"), warn },
  });
  const corpus = new DomainIndex({ domain: "d", engine, documents, embeddings: here.store.embeddings, encoder, batch: 64 });
  opened.push(corpus);
  return corpus;
}

/** Opens a corpus and synchronises it with the store, as a new process does. */
async function start(encoder: Encoder | null = null, storeId = "store"): Promise<DomainIndex> {
  indexed = [];
  const corpus = open(encoder, storeId);
  await corpus.sync();
  return corpus;
}

/** Simulates a process that reads the store, writes changes, and ends. */
async function run(encoder: Encoder | null = null): Promise<void> {
  await (await start(encoder)).idle();
}

const PUBLIC: Scope = { domain: "d", tenant: null, access: ["public"] };

const SETTINGS = { frame: true, repair: true, expand: true, codesFirst: true };
const QUESTIONS = ["tinnitus claim", "rating", "pays tinnitus tinnitus naïve ☂"];
const SCOPES: Scope[] = [PUBLIC, { ...PUBLIC, tenant: "acme" }, { ...PUBLIC, access: ["public", "staff"] }];

/** Returns the result of every kind of request to a corpus. */
async function answers(corpus: DomainIndex): Promise<unknown> {
  const all: unknown[] = [corpus.windows];
  for (const question of QUESTIONS) {
    const vector = await corpus.embedQuestion(question);
    const overs = [{}, { vector }, { vector, fusion: "rrf" as const }, { vector, bm25: false }, { candidates: 2 }, { codes: ["rate"] }];
    for (const scope of SCOPES) {
      const { idf, has } = await corpus.wordsIn(scope, ["tinnitus claim"]);
      all.push(idf("tinnitu"), has("claim"));
      for (const over of overs) all.push(await corpus.search(searchRequest(corpus, question, { ...over, scope })));
      all.push((await corpus.understand({ resolved: "my clain for tinitus and its ratting", scope }, SETTINGS)).repairs);
    }
  }
  return all;
}

describe("a corpus loaded from its snapshot", () => {
  it("equals a rebuilt one, after any changes before and after", async () => {
    const word = fc.constantFrom("tinnitus", "pays", "claim", "rating", "naïve", "☂", "\u{1f600}\ud83d");
    const text = fc.array(word, { minLength: 1, maxLength: 5 }).map((list) => `${list.join(" ")}. ${list[0]} again.`);
    const label = fc.constantFrom({}, { access: "staff" }, { tenant: "acme" });
    const change = fc.record({
      id: fc.constantFrom("a", "b", "c", "d", "e"),
      texts: fc.option(fc.array(text, { minLength: 0, maxLength: 3 })),
      label,
      headings: fc.constantFrom([], ["Rating", "More ☂"]),
      restart: fc.boolean(),
    });
    let turn = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 10 }), fc.boolean(), async (changes, words) => {
        turn++;
        for (const { tenant, id } of [...(await here.store.documents.heads("d"))].map(([id, head]) => ({ id, ...head })))
          await here.store.documents.deleteFiles({ ...SOURCE, tenant }, [`${id}.md`]);
        rmSync(join(here.folder, "index"), { recursive: true, force: true });
        const encoder = words ? null : fakeEncoder({ id: `e${turn}`, dimensions: 16 });
        let living = await start(encoder);
        for (const [step, { id, texts, label, headings, restart }] of changes.entries()) {
          const head = (await here.store.documents.heads("d")).get(id);
          if (head !== undefined) await here.store.documents.deleteFiles({ ...SOURCE, tenant: head.tenant }, [`${id}.md`]);
          if (texts !== null) {
            const made = document(id, texts, { version: `v${turn}-${step}`, title: `Page ${id}`, ...label });
            await here.put({ ...made, chunks: made.chunks.map((chunk) => ({ ...chunk, headingPath: headings })) });
          }
          if (!restart) continue;
          await living.sync();
          await living.idle();
          living = open(encoder);
        }
        await living.sync();
        await living.idle();
        const loaded = await start(encoder);
        expect(indexed).toEqual([]);
        rmSync(join(here.folder, "index"), { recursive: true, force: true });
        const fresh = await start(encoder);
        expect(await answers(loaded)).toEqual(await answers(fresh));
        expect(await answers(living)).toEqual(await answers(fresh));
        await fresh.idle();
        expect(warnings).toEqual([]);
      }),
      { numRuns: rounds({ all: 25, usually: 8 }) },
    );
  });

  it("reads and embeds only the documents that changed", async () => {
    await here.put(document("a", ["Tinnitus pays."]), document("b", ["A claim."]), document("c", ["A rating."]));
    await run(fakeEncoder());
    await here.put(document("b", ["Fresh claim."], { version: "v2" }));
    await here.store.documents.deleteFiles(SOURCE, ["c.md"]);
    const again = fakeEncoder();
    const corpus = await start(again);
    expect(indexed).toEqual(["b"]);
    expect(again.calls).toEqual([["Page\nFresh claim."]]);
    expect(await found(corpus, "rating")).toEqual([]);
    expect(await found(corpus, "fresh")).toEqual(["b"]);
    await corpus.idle();
    expect(withSnapshotFile(path, readCorpusFacts).vectors).toBe(2);
    expect(await found(corpus, "tinnitus")).toEqual(["a"]);
  });

  it("does not find documents that were deleted, changed or relabelled, even at the same version and revision", async () => {
    await here.put(document("gone", ["Tinnitus one."]), document("moved", ["Tinnitus pension."]), document("hers", ["Tinnitus three."]));
    await here.put(document("stays", ["Tinnitus four."]));
    await run(fakeEncoder());
    await here.store.documents.deleteFiles(SOURCE, ["gone.md", "moved.md", "hers.md"]);
    await here.put(
      document("moved", ["Tinnitus pension."], { access: "staff" }),
      document("hers", ["Tinnitus three."], { tenant: "acme" }),
    );
    // A restored database may have the revision of a snapshot but other contents.
    const revision = here.store.documents.revision;
    Object.assign(here.store.documents, { revision: async () => 4 });
    const corpus = await start(fakeEncoder());
    Object.assign(here.store.documents, { revision });
    const repairs = async (scope: Scope) =>
      (await corpus.understand({ resolved: "my pensoin", scope }, SETTINGS)).repairs.map(({ read }) => read);
    expect(await repairs(PUBLIC)).toEqual([]);
    expect(await repairs(SCOPES[2] as Scope)).toEqual(["pension"]);
    const vector = await corpus.embedQuestion("tinnitus");
    for (const over of [{}, { vector }, { vector, bm25: false }]) {
      expect(await found(corpus, "tinnitus", over)).toEqual(["stays"]);
      expect((await found(corpus, "tinnitus", { ...over, scope: SCOPES[1] as Scope })).sort()).toEqual(["hers", "stays"]);
      expect((await found(corpus, "tinnitus", { ...over, scope: SCOPES[2] as Scope })).sort()).toEqual(["moved", "stays"]);
    }
  });

  it("removes words, texts and vectors of a deleted document from the next snapshot", async () => {
    await here.put(document("a", ["Tinnitus pays."]), document("b", ["Xylophones quarrel."], { title: "Zebra", tenant: "quagga" }));
    await run(fakeEncoder({ dimensions: 32 }));
    const holds = (needle: string) =>
      readFileSync(path).includes(Buffer.from(needle, "latin1")) || readFileSync(path).includes(Buffer.from(needle, "utf16le"));
    expect(["Xylophones", "xylophon", "zebra", "quagga", "tinnitu"].filter(holds)).toHaveLength(5);
    const bytes = readFileSync(path).length;
    await here.store.documents.deleteFiles({ ...SOURCE, tenant: "quagga" }, ["b.md"]);
    await run(fakeEncoder({ dimensions: 32 }));
    expect(["Xylophones", "xylophon", "zebra", "quagga", "tinnitu"].filter(holds)).toEqual(["tinnitu"]);
    expect(readFileSync(path).length).toBeLessThan(bytes);
    await here.store.documents.deleteFiles(SOURCE, ["a.md"]);
    await run(fakeEncoder({ dimensions: 32 }));
    expect(holds("tinnitu")).toBe(false);
  });
});

describe("an unusable snapshot", () => {
  const three = () => here.put(document("a", ["Tinnitus pays."]), document("b", ["A claim."]), document("c", ["A rating ☂."]));

  /** Starts with a damaged file. Expects that every document is indexed, the reason is reported, and the next start reports nothing. */
  async function expectRebuilt(spoilt: Uint8Array | string, why: RegExp, encoder: Encoder | null = null): Promise<void> {
    writeFileSync(path, spoilt);
    warnings = [];
    const corpus = await start(encoder);
    expect(indexed).toEqual(["a", "b", "c"]);
    expect([await found(corpus, "tinnitus"), await found(corpus, "claim"), await found(corpus, "rating")]).toEqual([["a"], ["b"], ["c"]]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(why);
    expect(warnings[0]).toContain("nothing is lost");
    await corpus.idle();
    await start(encoder);
    expect(indexed).toEqual([]);
    expect(warnings).toHaveLength(1);
  }

  it("is rebuilt when it is truncated at any byte", async () => {
    await three();
    await run(fakeEncoder({ dimensions: 4 }));
    const whole = readFileSync(path);
    const places = new Set([0, 1, 3, 4, 15, 16, 17, 64, whole.length - 1, whole.length - 64, whole.length - 65]);
    const sample = rounds({ all: 60, usually: 12 });
    for (let i = 0; i < sample; i++) places.add(Math.floor((i / sample) * whole.length));
    for (const length of places)
      await expectRebuilt(whole.subarray(0, length), /truncated|not an index snapshot/, fakeEncoder({ dimensions: 4 }));
  });

  it("is rebuilt when any bit is flipped", async () => {
    await three();
    await run(fakeEncoder({ dimensions: 4 }));
    const whole = readFileSync(path);
    const any = fc.record({ at: fc.nat(whole.length - 1), bit: fc.nat(7) });
    await fc.assert(
      fc.asyncProperty(any, async ({ at, bit }) => {
        const spoilt = Buffer.from(whole);
        spoilt[at] = (spoilt[at] as number) ^ (1 << bit);
        await expectRebuilt(spoilt, /damaged|truncated|not an index snapshot|format/, fakeEncoder({ dimensions: 4 }));
      }),
      { numRuns: rounds({ all: 60, usually: 15 }) },
    );
  });

  it("is rebuilt when it is of another database", async () => {
    await three();
    await run();
    await start(null, "another");
    expect(warnings[0]).toMatch(/nothing is lost.*another database/);
    expect(indexed).toEqual(["a", "b", "c"]);
  });

  it("of another encoder keeps its words and drops its vectors", async () => {
    await three();
    await run(fakeEncoder({ id: "one", dimensions: 8 }));
    const two = fakeEncoder({ id: "two", dimensions: 16 });
    const corpus = await start(two);
    expect(warnings).toEqual([expect.stringMatching(/contains vectors of the encoder "one", but "two" is in use/)]);
    expect(indexed).toEqual([]);
    expect(two.calls.flat()).toHaveLength(3);
    expect((await found(corpus, "claim", { vector: await corpus.embedQuestion("A claim."), bm25: false }))[0]).toBe("b");
    await corpus.idle();
    await start(fakeEncoder({ id: "two", dimensions: 16 }));
    expect(warnings).toHaveLength(1);
    expect(withSnapshotFile(path, readCorpusFacts)).toMatchObject({ encoder: "two", vectors: 3 });
  });

  it("keeps the vectors of a new encoder after a switch", async () => {
    await three();
    const corpus = await start(fakeEncoder({ id: "one", dimensions: 8 }));
    await corpus.switchTo(fakeEncoder({ id: "two", dimensions: 16 }), async () => undefined);
    await corpus.idle();
    const two = fakeEncoder({ id: "two", dimensions: 16 });
    await start(two);
    expect(warnings).toEqual([]);
    expect(two.calls).toEqual([]);
  });

  it("reports an encoder with an unchanged id whose vectors do not fit", async () => {
    await three();
    await run(fakeEncoder({ id: "one", dimensions: 8 }));
    const corpus = await start(fakeEncoder({ id: "one", dimensions: 16 }));
    await expect(corpus.embedQuestion("tinnitus")).rejects.toMatchObject({ code: "encoder_changed" });
  });
});

describe("writing a snapshot", () => {
  it("keeps the old one when it is interrupted, and deletes its temporary files", async () => {
    await here.put(document("a", ["Tinnitus pays."]));
    await run();
    const whole = readFileSync(path);
    const left = `${path}.00000000-dead.tmp`;
    writeFileSync(left, whole.subarray(0, 100));
    await start();
    expect(indexed).toEqual([]);
    expect(warnings).toEqual([]);
    await here.put(document("b", ["A claim."]));
    await run();
    expect(existsSync(left)).toBe(true);
    utimesSync(left, 0, 0);
    await here.put(document("c", ["A rating."]));
    await run();
    expect(readdirSync(join(here.folder, "index"))).toEqual(["d.snapshot"]);
  });

  it("that fails is reported once, and questions continue", async () => {
    writeFileSync(join(here.folder, "index"), "a file where the folder should be");
    await here.put(document("a", ["Tinnitus pays."]));
    const corpus = await start();
    await corpus.idle();
    await here.put(document("b", ["A claim."]));
    await corpus.sync();
    await corpus.idle();
    expect(await found(corpus, "claim")).toEqual(["b"]);
    expect(warnings).toEqual([expect.stringMatching(/could not be stored in .*The next start builds it again from the database/)]);
  });

  it("is skipped by a process that does not know the latest change", async () => {
    await here.put(document("a", ["Tinnitus pays."]), document("b", ["A claim."]));
    const late = await start();
    await here.store.documents.deleteFiles(SOURCE, ["b.md"]);
    await run();
    const newest = readFileSync(path);
    await late.idle();
    expect(readFileSync(path).equals(newest)).toBe(true);
    await late.sync();
    await late.idle();
    expect(readFileSync(path).equals(newest)).toBe(true);
    expect(warnings).toEqual([]);
  });

  it("by several processes at once leaves one complete file", async () => {
    await here.put(document("a", ["Tinnitus pays."]), document("b", ["A claim."]));
    const many = await Promise.all(Array.from({ length: 6 }, () => start(fakeEncoder())));
    await Promise.all(many.map((one) => one.idle()));
    expect(readdirSync(join(here.folder, "index"))).toEqual(["d.snapshot"]);
    const corpus = await start(fakeEncoder());
    expect(indexed).toEqual([]);
    expect(await found(corpus, "claim")).toEqual(["b"]);
    expect(warnings).toEqual([]);
  });
});

it("texts read from a file equal those in memory", () => {
  const texts = ["plain", "naïve", "naïve ☂", "", "x".repeat(5000)];
  const sections = longStringSections(
    "texts",
    texts.map((text) => () => text),
  );
  const snapshot = snapshotIn(snapshotBytes(sections));
  expect(snapshotBytes(sections)).toEqual(snapshotBytes(stringSections("texts", texts)));
  for (const column of [new StringColumn(snapshot, "texts"), new StringColumn(snapshot, "texts", () => new ScratchFile(here.folder), 0)])
    for (const [i, text] of texts.entries()) expect([column.get(i), column.slice(i, 2, 7)]).toEqual([text, text.slice(2, 7)]);
});
