import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EngineRequest, SearchEngine, WindowText } from "../retrieval/search-engine.ts";
import type { Hit } from "../retrieval/top-k.ts";
import type { Area, Scope, StoredDocument } from "../shared/types.ts";
import { tokenize } from "../text/tokens.ts";
import { fakeEncoder } from "./fake-encoder.ts";
import { windowedDocument as document } from "./windowed-document.ts";

const PUBLIC: Scope = { domain: "d", tenant: null, access: ["public"] };
const STAFF: Scope = { ...PUBLIC, access: ["public", "staff"] };
const ACME: Scope = { ...PUBLIC, tenant: "acme" };
const NOBODY: Scope = { ...PUBLIC, access: [] };
const encoder = fakeEncoder({ id: "one", dimensions: 16 });

const idsOf = (hits: readonly Hit[]) => hits.map(({ documentId }) => documentId);
/** Returns the ids of documents ordered by one of their scores, best first. Equal scores keep their order. */
const rankedBy = (hits: readonly Hit[], score: "bm25" | "dense") =>
  idsOf(hits.filter((hit) => hit[score] !== null).sort((a, b) => (b[score] ?? 0) - (a[score] ?? 0)));

/**
 * Defines the tests that every `SearchEngine` must pass.
 * @param create returns an empty engine for domain `d`
 * @param runs number of random sequences of changes; each runs on two engines
 */
export function describeSearchEngineContract(name: string, create: () => Promise<SearchEngine>, { runs = 20 } = {}): void {
  /** Returns an engine with the documents at revision 1 and their vectors. */
  async function filled(...documents: StoredDocument[]): Promise<SearchEngine> {
    const engine = await create();
    await engine.reconcile(new Map(), encoder.id);
    await engine.index({ revision: 1, documents });
    await embed(engine);
    return engine;
  }

  async function embed(engine: SearchEngine): Promise<void> {
    for await (const batch of engine.windowsWithout(encoder.id, 64)) {
      const made = await encoder.embed(batch.map(({ text }) => text));
      const windows = batch.map((window, i) => ({ ...window, vector: made[i] as Float32Array }));
      await engine.index({ vectors: { encoder: encoder.id, windows } });
    }
  }

  async function vectorOf(text: string) {
    return { encoder, values: (await encoder.embed([text]))[0] as Float32Array };
  }

  const find = (engine: SearchEngine, question: string, over: Partial<EngineRequest> = {}): Promise<Hit[]> =>
    engine.search({ terms: tokenize(question), vector: null, filters: { scope: PUBLIC }, k: 10, ...over });

  describe(`${name} as a search engine`, () => {
    it("finds the best by words and the best by vector, with both scores of each", async () => {
      const engine = await filled(
        document("a", ["Tinnitus tinnitus pays."]),
        document("b", ["A claim on tinnitus."]),
        document("c", ["Travel."]),
      );
      const hits = await find(engine, "tinnitus", { vector: await vectorOf("Travel."), k: 1 });
      expect(rankedBy(hits, "bm25")).toEqual(["a"]);
      expect(rankedBy(hits, "dense")).toEqual(["c"]);
      const [byWords, byVector] = hits;
      expect(byWords).toMatchObject({ documentId: "a", version: "v1", title: "Page", text: "Tinnitus tinnitus pays.", dense: null });
      expect(byWords?.cosine).toBeLessThan(1);
      expect(byVector).toMatchObject({ bm25: null });
      expect(byVector?.dense).toBeCloseTo(1, 5);
      expect(byVector?.cosine).toBe(byVector?.dense);
      expect(await find(engine, "", { vector: null })).toEqual([]);
    });

    it("ranks more and rarer matching words higher, in proportion to the weights of terms", async () => {
      const engine = await filled(
        document("a", ["Hearing loss rating."]),
        document("b", ["Hearing aids battery."]),
        document("c", ["A rating."]),
      );
      expect(rankedBy(await find(engine, "hearing battery"), "bm25")).toEqual(["b", "a"]);
      const scoreWith = async (weight: number) => (await find(engine, "", { terms: [{ token: "batteri", weight }] }))[0]?.bm25 ?? 0;
      expect(await scoreWith(0.5)).toBeCloseTo((await scoreWith(1)) / 2, 9);
    });

    it("finds the requested number of chunks, however many windows the best one has", async () => {
      const long = Array.from({ length: 20 }, (_, i) => `Tinnitus tinnitus${" pays".repeat(i % 4)}${" often".repeat(i >> 2)}.`);
      const engine = await filled(
        document("a", [long.join(" ")]),
        document("b", ["Money for tinnitus comes late, as all money does."]),
        document("c", ["A word on tinnitus among words, words, words, words and words."]),
      );
      expect(idsOf(await find(engine, "tinnitus", { k: 3 }))).toEqual(["a", "b", "c"]);
      expect(rankedBy(await find(engine, "", { vector: await vectorOf("tinnitus"), k: 3 }), "dense")).toHaveLength(3);
    });

    it("orders ties by path, in any order of indexing", async () => {
      const same = ["d", "b", "a", "c"].map((id) => document(id, ["The same words here."]));
      const engine = await filled(...same);
      await engine.remove(["a"]);
      await engine.index({ documents: [document("a", ["The same words here."], { version: "v2" })] });
      await embed(engine);
      const vector = await vectorOf("same words");
      for (const over of [{}, { vector }, { vector, terms: [] }])
        expect(idsOf(await find(engine, "words", { ...over, k: 2 }))).toEqual(["a", "b"]);
    });

    it("applies tenants and labels before ranking: hidden documents take no place and change no score", async () => {
      const hidden = Array.from({ length: 30 }, (_, i) => document(`a${i}`, ["Tinnitus tinnitus tinnitus."], { access: "staff" }));
      const open = document("z", ["A long text in which tinnitus stands once among many other words."]);
      const engine = await filled(...hidden, open, document("hers", ["Tinnitus."], { tenant: "acme" }));
      const vector = await vectorOf("tinnitus");
      for (const over of [{}, { vector }, { vector, terms: [] }]) {
        const seen = async (scope: Scope, k = 40) => idsOf(await find(engine, "tinnitus", { ...over, filters: { scope }, k }));
        expect(await seen(PUBLIC, 1)).toEqual(["z"]);
        expect(await seen(ACME)).toEqual(["hers", "z"]);
        expect(await seen(STAFF)).toHaveLength(31);
        expect(await seen(NOBODY)).toEqual([]);
      }
      const counted = async (scope: Scope) => {
        const { windows, frequencies } = await engine.statistics(["tinnitu", "nowher"], scope);
        return [windows, frequencies.get("tinnitu") ?? 0, frequencies.get("nowher") ?? 0];
      };
      expect(await counted(PUBLIC)).toEqual([1, 1, 0]);
      expect(await counted(ACME)).toEqual([2, 2, 0]);
      expect(await counted(STAFF)).toEqual([31, 31, 0]);
      expect(await counted(NOBODY)).toEqual([0, 0, 0]);
    });

    it("limits windows to an area, completely or partly inside, and to those that contain a term", async () => {
      const book = document("book", ["First tinnitus here. Second tinnitus here.", "Third tinnitus of 6260."]);
      const engine = await filled(book, document("x", ["Tinnitus."]));
      const area = (start: number, end: number, version: string | null = "v1"): Area =>
        new Map([["book", { version, ranges: [{ start, end }] }]]);
      const within = async (parts: Area, fit: "window" | "cut") => {
        const hits = await find(engine, "tinnitus", {
          filters: { scope: PUBLIC, area: { parts, fit } },
          vector: await vectorOf("tinnitus"),
        });
        return hits.map(({ window }) => window.start);
      };
      expect(await within(area(0, 20), "window")).toEqual([0]);
      expect(await within(area(0, 25), "cut")).toEqual([20]);
      expect(await within(area(1, 20), "window")).toEqual([]);
      expect(await within(area(0, 99), "window")).toHaveLength(2);
      expect(await within(area(0, 99, "v0"), "window")).toEqual([]);
      expect(await within(new Map(), "window")).toEqual([]);
      const holding = async (...terms: string[]) =>
        (await find(engine, "tinnitus", { filters: { scope: PUBLIC, holding: terms } })).map(({ chunk }) => chunk.ordinal);
      expect(await holding("6260")).toEqual([1]);
      expect(await holding("6260", "9999")).toEqual([1]);
      expect(await holding("9999")).toEqual([]);
      expect(await holding()).toEqual([]);
    });

    it("returns similar words of visible documents, with their document counts", async () => {
      const engine = await filled(
        document("a", ["The pension."]),
        document("b", ["A pension."]),
        document("c", ["Zyloprim."], { access: "staff" }),
      );
      expect([...(await engine.similarWords("pensoin", PUBLIC))]).toEqual([["pension", 2]]);
      expect((await engine.similarWords("zylopirm", PUBLIC)).size).toBe(0);
      expect([...(await engine.similarWords("zylopirm", STAFF)).keys()]).toEqual(["zyloprim"]);
      await engine.remove(["a", "b"]);
      expect((await engine.similarWords("pensoin", STAFF)).size).toBe(0);
    });

    it("forgets all data of a removed or replaced document", async () => {
      const engine = await filled(document("a", ["Tinnitus pays."]), document("b", ["A claim."]));
      await engine.index({ revision: 2, documents: [document("a", ["Travel pays."], { version: "v2", access: "staff" })] });
      await engine.remove(["b", "unknown"]);
      const vector = await vectorOf("A claim.");
      for (const question of ["tinnitus", "claim"]) expect(await find(engine, question, { vector, filters: { scope: STAFF } })).toEqual([]);
      expect(idsOf(await find(engine, "travel", { filters: { scope: STAFF } }))).toEqual(["a"]);
      expect(await find(engine, "travel")).toEqual([]);
      const { frequencies } = await engine.statistics(["tinnitu", "claim", "travel"], STAFF);
      expect(["tinnitu", "claim", "travel"].map((term) => frequencies.get(term) ?? 0)).toEqual([0, 0, 1]);
      expect(await engine.coverage(encoder.id)).toMatchObject({ windows: 1, vectors: 0 });
    });

    it("synchronises with the database at the start: reports missing documents, and drops deleted ones", async () => {
      const engine = await create();
      expect(await engine.revision()).toBe(-1);
      const heads = (...some: StoredDocument[]) => new Map(some.map((one) => [one.id, one]));
      const [a, b] = [document("a", ["Tinnitus pays."]), document("b", ["A claim."])];
      expect(await engine.reconcile(heads(b, a), null)).toEqual(["a", "b"]);
      await engine.index({ revision: 7, documents: [a, b] });
      expect(await engine.revision()).toBe(7);
      expect(await engine.reconcile(heads({ ...a, version: "v2" }), null)).toEqual(["a"]);
      expect(await find(engine, "tinnitus claim")).toEqual([]);
    });

    it("compares vectors of one encoder only, while those of the next one are built", async () => {
      const engine = await filled(document("a", ["Tinnitus pays."]), document("b", ["A claim. More of it."]));
      const next = fakeEncoder({ id: "two", dimensions: 8 });
      expect(await engine.coverage(encoder.id)).toMatchObject({ windows: 3, vectors: 3, dimensions: 16 });
      expect(await engine.coverage(next.id)).toMatchObject({ windows: 3, vectors: 0, dimensions: null });
      const missing: WindowText[] = [];
      for await (const batch of engine.windowsWithout(next.id, 2)) missing.push(...batch);
      expect(missing.map(({ documentId, start, title, text }) => [documentId, start, title, text])).toEqual([
        ["a", 0, "Page", "Tinnitus pays."],
        ["b", 0, "Page", "A claim."],
        ["b", 8, "Page", " More of it."],
      ]);
      const made = await next.embed(missing.map(({ text }) => text));
      const unknown = { documentId: "gone", chunkId: "gone-0-v1", start: 0, vector: made[0] as Float32Array };
      const windows = [...missing.map((window, i) => ({ ...window, vector: made[i] as Float32Array })), unknown];
      await engine.index({ vectors: { encoder: next.id, windows } });
      const vector = { encoder: next, values: made[0] as Float32Array };
      expect(rankedBy(await find(engine, "", { vector, k: 1 }), "dense")).toEqual(["a"]);
      expect(rankedBy(await find(engine, "", { vector: await vectorOf("Tinnitus pays."), k: 1 }), "dense")).toEqual(["a"]);
      await engine.serve(next.id);
      expect(await engine.coverage(next.id)).toMatchObject({ vectors: 3, dimensions: 8 });
      expect(await engine.coverage(encoder.id)).toMatchObject({ vectors: 0 });
      expect(await find(engine, "", { vector: await vectorOf("Tinnitus pays.") })).toEqual([]);
    });

    it("answers like an engine that indexed the same documents at once, after any history", async () => {
      const owner = fc.constantFrom({}, { access: "staff" }, { tenant: "acme" });
      const change = fc.record({ id: fc.constantFrom("a", "b", "c"), over: fc.option(owner) });
      await fc.assert(
        fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
          const living = await filled();
          const held = new Map<string, StoredDocument>();
          for (const [step, { id, over }] of changes.entries()) {
            await find(living, "tinnitus", { vector: await vectorOf("tinnitus") });
            held.delete(id);
            const made = document(id, [`Tinnitus pays ${id}.`, "A rating."], { ...over, version: `v${step}` });
            if (over === null) await living.remove([id]);
            else await living.index({ revision: step + 2, documents: [held.set(id, made).get(id) as StoredDocument] });
          }
          await embed(living);
          const fresh = await filled(...held.values());
          const answers = async (engine: SearchEngine) => {
            const all: unknown[] = [];
            for (const scope of [PUBLIC, STAFF, ACME, NOBODY]) {
              const filters = { scope };
              all.push(await find(engine, "tinnitus rating", { filters, vector: await vectorOf("tinnitus"), k: 2 }));
              all.push([...(await engine.statistics(["tinnitu", "rate"], scope)).frequencies]);
              all.push([...(await engine.similarWords("tinitus", scope))]);
            }
            return all;
          };
          expect(await answers(living)).toEqual(await answers(fresh));
        }),
        { numRuns: runs },
      );
    });

    it("never finds removed documents, or two versions of one, while documents change", async () => {
      const engine = await filled(...Array.from({ length: 20 }, (_, i) => document(`d${i}`, ["Tinnitus pays."])));
      const gone = new Set<string>();
      const change = async (i: number) => {
        if (i % 2 === 0) await engine.remove([`d${i}`]).then(() => gone.add(`d${i}`));
        else await engine.index({ revision: i + 2, documents: [document(`d${i}`, ["Tinnitus pays."], { version: "v2" })] });
      };
      const ask = async () => {
        const before = [...gone];
        const ids = idsOf(await find(engine, "tinnitus", { vector: await vectorOf("tinnitus"), k: 40 }));
        expect(ids.filter((id) => before.includes(id))).toEqual([]);
        expect(new Set(ids).size).toBe(ids.length);
      };
      await Promise.all(Array.from({ length: 20 }, (_, i) => [change(i), ask()]).flat());
      expect(idsOf(await find(engine, "tinnitus", { k: 40 }))).toHaveLength(10);
    });

    it.each([
      ["no terms", [] as string[]],
      ["a term 10,000 times", Array.from({ length: 10_000 }, () => "tinnitu")],
      ["10,000 terms", Array.from({ length: 10_000 }, (_, i) => `term${i}`)],
      ["a term of a million letters", ["x".repeat(1_000_000)]],
      [
        "names of the language and of query syntax",
        ["__proto__", "constructor", 'tinnitu" OR *:*', "{}", "\\", "'; drop table documents; --"],
      ],
      ["half a character, blanks, nothing", ["\ud83d", " ", ""]],
    ])("survives %s", async (_what, terms) => {
      const engine = await filled(document("a", ["Tinnitus pays."]), document("b", ["A claim."]));
      const hits = await find(engine, "", { terms });
      expect(idsOf(hits).every((id) => id === "a")).toBe(true);
      for (const { bm25 } of hits) expect(Number.isFinite(bm25)).toBe(true);
      expect(await find(engine, "", { terms, k: 0 })).toEqual([]);
      const { frequencies } = await engine.statistics(terms, PUBLIC);
      for (const [, frequency] of frequencies) expect(frequency).toBeLessThanOrEqual(2);
    });

    it("can be cancelled: before a search, statistics and similar words", async () => {
      const engine = await filled(document("a", ["Tinnitus pays."]));
      const signal = AbortSignal.abort(new Error("stop"));
      const request = { terms: ["tinnitu"], vector: null, filters: { scope: PUBLIC }, k: 10 };
      await expect(engine.search(request, { signal })).rejects.toThrow("stop");
      await expect(engine.statistics(["tinnitu"], PUBLIC, { signal })).rejects.toThrow("stop");
      await expect(engine.similarWords("tinitus", PUBLIC, { signal })).rejects.toThrow("stop");
      expect(idsOf(await engine.search(request))).toEqual(["a"]);
    });

    it("finds nothing while it is empty", async () => {
      const engine = await filled();
      expect(await find(engine, "tinnitus", { vector: await vectorOf("tinnitus") })).toEqual([]);
      expect(await engine.statistics(["tinnitu"], PUBLIC)).toMatchObject({ windows: 0 });
      expect((await engine.similarWords("tinitus", PUBLIC)).size).toBe(0);
      await engine.idle();
    });
  });
}
