import { describe, expect, it } from "vitest";
import { storeOfTest } from "../../test/support/folders.ts";
import { documentsFound as found, searchRequest } from "../../test/support/search-request.ts";
import type { Encoder } from "../models/encoder.ts";
import { encoderDown, fakeEncoder } from "../testing/fake-encoder.ts";
import { windowedDocument as document } from "../testing/windowed-document.ts";
import { DomainIndex } from "./domain-index.ts";
import { EmbeddedEngine } from "./embedded-engine.ts";

const here = storeOfTest();

function corpusOf(encoder: Encoder | null = null, batch = 64): DomainIndex {
  return new DomainIndex({
    domain: "d",
    engine: new EmbeddedEngine({ domain: "d" }),
    documents: here.store.documents,
    embeddings: here.store.embeddings,
    encoder,
    batch,
  });
}

describe("search", () => {
  it("ranks chunks with a code of the question first, and ignores a code that none contains", async () => {
    await here.put(
      document("words", ["The rating for ringing ears, the rating for ears and their rating."]),
      document("code", ["Diagnostic code 6260 is about something else."]),
    );
    const corpus = corpusOf();
    await corpus.sync();
    const question = "rating for ringing ears DC 6260";
    expect(await found(corpus, question, { codes: ["dc6260"] })).toEqual(["code", "words"]);
    expect(await found(corpus, question, { codes: ["dc9999"] })).toEqual(await found(corpus, question));
  });

  it("returns the cosine of a passage that only words found", async () => {
    const angle = (text: string) => (text.includes("near") ? [1, 0] : text.includes("word") ? [0.5, Math.sqrt(0.75)] : null);
    await here.put(document("n", ["It is near."]), document("w", ["The word."]));
    const corpus = corpusOf(fakeEncoder({ dimensions: 2, vectorOf: angle }));
    await corpus.sync();
    const results = await corpus.search(searchRequest(corpus, "word", { vector: await corpus.embedQuestion("near"), candidates: 1 }));
    expect(results.find(({ documentId }) => documentId === "w")?.dense).toBeCloseTo(0.5, 6);
  });
});

describe("sync", () => {
  it("indexes only what was added, changed or deleted", async () => {
    await here.put(document("a", ["Tinnitus pays."]), document("b", ["A claim."]), document("c", ["A rating."]));
    const corpus = corpusOf();
    await corpus.sync();
    const loaded: string[] = [];
    const { loadForIndex, heads } = here.store.documents;
    Object.assign(here.store.documents, {
      heads: () => expect.unreachable("reads every head"),
      loadForIndex: (domain: string, ids: readonly string[]) => {
        loaded.push(...ids);
        return loadForIndex(domain, ids);
      },
    });
    await here.put(document("b", ["Fresh claim."], { version: "v2" }), document("d", ["Travel pay."]));
    await here.store.documents.deleteFiles({ domain: "d", tenant: null, source: "s" }, ["c.md"]);
    await corpus.sync();
    Object.assign(here.store.documents, { heads });
    expect(loaded.sort()).toEqual(["b", "c", "d"]);
    expect(corpus.windows).toBe(3);
    expect(await found(corpus, "rating")).toEqual([]);
    expect(await found(corpus, "fresh travel")).toEqual(["b", "d"]);
    expect(corpus.indexedRevision).toBe(await here.store.documents.revision("d"));
  });

  it("embeds a text once, also after restarts, and loses at most one batch when the encoder fails", async () => {
    await here.put(...Array.from({ length: 10 }, (_, i) => document(`doc${i}`, [`Text number ${i}.`])));
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

  it.each([
    ["another dimension", (_text: string) => [1, 0, 0]],
    ["values that are not finite", (_text: string) => [Number.NaN, 1]],
  ])("stores nothing of an encoder that returns %s, and recovers", async (_name, wrong) => {
    await here.put(document("a", ["One."]), document("b", ["Two."]));
    const bad = fakeEncoder({ vectorOf: (text) => (text.includes("Two") ? wrong(text) : [1, 0]) });
    await expect(corpusOf(bad, 1).sync()).rejects.toMatchObject({ name: "ModelError", code: "encoder_changed" });
    const good = fakeEncoder({ dimensions: 2, vectorOf: () => [0, 1] });
    await corpusOf(good, 1).sync();
    expect(good.calls.flat()).toHaveLength(1);
  });

  it("runs calls one after the other", async () => {
    await here.put(...Array.from({ length: 6 }, (_, i) => document(`doc${i}`, [`Text number ${i}.`])));
    const encoder = fakeEncoder();
    const corpus = corpusOf(encoder, 2);
    await Promise.all([corpus.sync(), corpus.sync(), corpus.sync()]);
    expect(encoder.calls).toHaveLength(3);
    expect(corpus.windows).toBe(6);
  });

  it("can be cancelled between batches, and keeps finished ones", async () => {
    await here.put(...Array.from({ length: 6 }, (_, i) => document(`doc${i}`, [`Text number ${i}.`])));
    const encoder = fakeEncoder();
    const controller = new AbortController();
    const corpus = corpusOf(encoder, 2);
    await expect(corpus.sync({ signal: controller.signal, onEmbed: () => controller.abort(new Error("stop")) })).rejects.toThrow("stop");
    await corpus.sync();
    expect(encoder.calls).toHaveLength(3);
  });
});
