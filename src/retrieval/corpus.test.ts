import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rounds } from "../../test/support/trials.ts";
import type { Encoder } from "../models/encoder.ts";
import type { Scope, StoredDocument } from "../shared/types.ts";
import { openSqlite } from "../store/sqlite.ts";
import { createStore, type Store } from "../store/store.ts";
import { encoderDown, fakeEncoder } from "../testing/fake-encoder.ts";
import { windowedDocument as document } from "../testing/windowed-document.ts";
import { Corpus } from "./corpus.ts";
import type { SearchRequest } from "./search-index.ts";

let folder = "";
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "sourcebound-test-"));
  store = createStore(await openSqlite(join(folder, "test.db")), { now: () => new Date("2026-01-01T00:00:00Z"), clock: () => 0 });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

function put(...documents: StoredDocument[]): Promise<unknown> {
  return Promise.all(
    documents.map((one) => {
      const place = { domain: "d", tenant: one.tenant, source: "s", path: one.path };
      return store.documents.putFile(place, { originalHash: "hash", settings: "s", access: "public", documents: [one], failure: null });
    }),
  );
}

function corpusOf(encoder: Encoder | null = null, batch = 64): Corpus {
  return new Corpus({ domain: "d", documents: store.documents, embeddings: store.embeddings, encoder, batch });
}

function request(corpus: Corpus, question: string, over: Partial<SearchRequest> = {}): SearchRequest {
  return {
    terms: corpus.tokens(question),
    codes: [],
    vector: null,
    scope: { domain: "d", tenant: null, access: ["public"] },
    selection: null,
    bm25: true,
    candidates: 10,
    alpha: 0.6,
    beta: 0.4,
    fusion: "min-max",
    ...over,
  };
}

const found = (corpus: Corpus, question: string, over: Partial<SearchRequest> = {}) =>
  corpus.search(request(corpus, question, over)).map(({ documentId }) => documentId);

describe("search", () => {
  it("is partitioned by tenant and access label", async () => {
    await put(
      document("open", ["Tinnitus pays."]),
      document("secret", ["Tinnitus pays."], { access: "staff" }),
      document("acme", ["Tinnitus pays."], { tenant: "acme" }),
      document("other", ["Tinnitus pays."], { tenant: "other" }),
    );
    const encoder = fakeEncoder();
    const corpus = corpusOf(encoder);
    await corpus.sync();
    const vector = await corpus.embedQuestion("Tinnitus");
    for (const over of [{}, { vector }, { vector, bm25: false }]) {
      const scope = (tenant: string | null, ...access: string[]) => ({ ...over, scope: { domain: "d", tenant, access } });
      expect(found(corpus, "tinnitus", scope(null, "public"))).toEqual(["open"]);
      expect(found(corpus, "tinnitus", scope("acme", "public")).sort()).toEqual(["acme", "open"]);
      expect(found(corpus, "tinnitus", scope(null, "public", "staff")).sort()).toEqual(["open", "secret"]);
      expect(found(corpus, "tinnitus", scope(null, "none"))).toEqual([]);
    }
  });

  it("filters before it ranks: what is hidden takes no place", async () => {
    const hidden = Array.from({ length: 30 }, (_, i) => document(`a${i}`, ["Tinnitus tinnitus tinnitus."], { access: "staff" }));
    await put(...hidden, document("z", ["A long text in which tinnitus stands once among many other words."]));
    const encoder = fakeEncoder();
    const corpus = corpusOf(encoder);
    await corpus.sync();
    const vector = await corpus.embedQuestion("tinnitus");
    expect(found(corpus, "tinnitus", { candidates: 1 })).toEqual(["z"]);
    expect(found(corpus, "tinnitus", { candidates: 1, vector, bm25: false })).toEqual(["z"]);
  });

  it("restricts to whole chunks inside a selection", async () => {
    await put(
      document("book", ["First tinnitus chunk here.", "Second tinnitus chunk here.", "Third tinnitus chunk here."]),
      document("x", ["Tinnitus."]),
    );
    const corpus = corpusOf();
    await corpus.sync();
    const second = { documentId: "book", start: 27, end: 54 };
    const ordinals = (selection = second) => corpus.search(request(corpus, "tinnitus", { selection })).map(({ chunk }) => chunk.ordinal);
    expect(ordinals()).toEqual([1]);
    expect(ordinals({ ...second, start: 28 })).toEqual([]);
  });

  it("ranks chunks with a code of the question first, and all as usual when none has it", async () => {
    await put(
      document("words", ["The rating for ringing ears, the rating for ears and their rating."]),
      document("code", ["Diagnostic code 6260 is about something else."]),
    );
    const corpus = corpusOf();
    await corpus.sync();
    const question = "rating for ringing ears DC 6260";
    expect(found(corpus, question, { codes: ["dc6260"] })[0]).toBe("code");
    expect(found(corpus, question, { codes: ["dc6260"] })).toHaveLength(2);
    expect(found(corpus, question, { codes: ["dc9999"] })[0]).toBe(found(corpus, question)[0]);
  });

  it("knows only words of documents that the asker may see, and forgets those of documents that went", async () => {
    await put(document("open", ["The pension is paid monthly."]));
    const corpus = corpusOf();
    await corpus.sync();
    const settings = { frame: true, repair: true, expand: true, codesFirst: true };
    const read = (resolved: string, scope: Scope) => corpus.understand({ resolved, scope }, settings).repairs.map((one) => one.read);
    const scope = { domain: "d", tenant: null, access: ["public"] };
    expect(read("my pensoin", scope)).toEqual(["pension"]);
    expect(read("my pensoin", { ...scope, access: ["internal"] })).toEqual([]);
  });

  it("finds as many chunks as are asked for, however many windows the best one has", async () => {
    await put(
      document("a", [
        Array.from({ length: 20 }, (_, i) => `Tinnitus tinnitus${" pays".repeat(i % 4)}${" often".repeat(i >> 2)}.`).join(" "),
      ]),
      document("b", ["Money for tinnitus comes late, as all money does."]),
      document("c", ["A word on tinnitus among words, words, words, words and words."]),
    );
    const corpus = corpusOf();
    await corpus.sync();
    expect(found(corpus, "tinnitus", { candidates: 3 })).toHaveLength(3);
  });

  it("gives the cosine of a passage also when only its words brought it in", async () => {
    const angle = (text: string) => (text.includes("near") ? [1, 0] : text.includes("word") ? [0.5, Math.sqrt(0.75)] : null);
    await put(document("n", ["It is near."]), document("w", ["The word."]));
    const corpus = corpusOf(fakeEncoder({ dimensions: 2, vectorOf: angle }));
    await corpus.sync();
    const results = corpus.search(request(corpus, "word", { vector: await corpus.embedQuestion("near"), candidates: 1 }));
    expect(results.find(({ documentId }) => documentId === "w")?.dense).toBeCloseTo(0.5, 6);
  });
});

describe("sync", () => {
  it("shows each scope what a fresh index shows, whoever asked before and whatever was added, deleted or given to others", async () => {
    const owner = fc.record({ tenant: fc.constantFrom(null, "acme"), access: fc.constantFrom("public", "staff") });
    const change = fc.record({ id: fc.constantFrom("a", "b", "c"), owner: fc.option(owner) });
    const scopes = [null, "acme"].flatMap((tenant) =>
      [["public"], ["staff"], ["staff", "public"]].map((access): Scope => ({ domain: "d", tenant, access })),
    );
    const encoder = fakeEncoder({ dimensions: 16 });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        run++;
        const living = corpusOf(encoder);
        for (const [step, { id, owner }] of changes.entries()) {
          for (const tenant of [null, "acme"]) await store.documents.deleteFiles({ domain: "d", tenant, source: "s" }, [`${id}.md`]);
          if (owner !== null) await put(document(id, ["Tinnitus pays."], { ...owner, version: `v${run}-${step}` }));
          await living.sync();
          const fresh = corpusOf(encoder);
          await fresh.sync();
          const shown = async (corpus: Corpus) => {
            const vector = await corpus.embedQuestion("tinnitus");
            return scopes.flatMap((scope) => [
              corpus.search(request(corpus, "tinnitus", { scope, vector })),
              corpus.search(request(corpus, "tinnitus", { scope, vector, bm25: false })),
              corpus.search(request(corpus, "tinnitus", { scope, codes: ["tinnitu"], selection: { documentId: id, start: 0, end: 99 } })),
            ]);
          };
          expect(await shown(living)).toEqual(await shown(fresh));
        }
      }),
      { numRuns: rounds({ all: 25, usually: 8 }) },
    );
  });

  it("pays for a text once, across restarts, and loses one batch at most when the encoder fails", async () => {
    await put(...Array.from({ length: 10 }, (_, i) => document(`doc${i}`, [`Text number ${i}.`])));
    const failing = fakeEncoder({ failure: (call) => (call === 3 ? encoderDown() : null) });
    await expect(corpusOf(failing, 2).sync()).rejects.toMatchObject({ code: "encoder_failed" });
    expect(failing.calls).toHaveLength(4);
    const paid = failing.calls.slice(0, 3).flat();
    const again = fakeEncoder();
    const restarted = corpusOf(again, 2);
    await restarted.sync();
    expect(again.calls.flat()).toHaveLength(4);
    expect(again.calls.flat().filter((text) => paid.includes(text))).toEqual([]);
    await restarted.sync();
    expect(again.calls).toHaveLength(2);
  });

  it("never mixes vectors of two encoders", async () => {
    await put(document("a", ["Tinnitus pays."]));
    await corpusOf(fakeEncoder({ id: "one", dimensions: 8 })).sync();
    const two = fakeEncoder({ id: "two", dimensions: 16 });
    const corpus = corpusOf(two);
    await corpus.sync();
    expect(two.calls).toHaveLength(1);
    expect((await corpus.embedQuestion("tinnitus"))?.values).toHaveLength(16);
  });

  it.each([
    ["another dimension", (_text: string) => [1, 0, 0]],
    ["values that are not finite", (_text: string) => [Number.NaN, 1]],
  ])("stores nothing of an encoder that answers with %s, and recovers", async (_name, wrong) => {
    await put(document("a", ["One."]), document("b", ["Two."]));
    const bad = fakeEncoder({ vectorOf: (text) => (text.includes("Two") ? wrong(text) : [1, 0]) });
    await expect(corpusOf(bad, 1).sync()).rejects.toMatchObject({ name: "ModelError", code: "encoder_changed" });
    const good = fakeEncoder({ dimensions: 2, vectorOf: () => [0, 1] });
    await corpusOf(good, 1).sync();
    expect(good.calls.flat()).toHaveLength(1);
  });

  it("runs calls one after the other", async () => {
    await put(...Array.from({ length: 6 }, (_, i) => document(`doc${i}`, [`Text number ${i}.`])));
    const encoder = fakeEncoder();
    const corpus = corpusOf(encoder, 2);
    await Promise.all([corpus.sync(), corpus.sync(), corpus.sync()]);
    expect(encoder.calls).toHaveLength(3);
    expect(corpus.windows).toBe(6);
  });

  it("is cancelled between batches and keeps what was paid", async () => {
    await put(...Array.from({ length: 6 }, (_, i) => document(`doc${i}`, [`Text number ${i}.`])));
    const encoder = fakeEncoder();
    const controller = new AbortController();
    const corpus = corpusOf(encoder, 2);
    await expect(corpus.sync({ signal: controller.signal, onEmbed: () => controller.abort(new Error("stop")) })).rejects.toThrow("stop");
    await corpus.sync();
    expect(encoder.calls).toHaveLength(3);
  });
});
