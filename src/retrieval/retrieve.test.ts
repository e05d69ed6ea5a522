import { describe, expect, it } from "vitest";
import { storeOfTest } from "../../test/support/folders.ts";
import type { Encoder } from "../models/encoder.ts";
import type { RetrieveSettings } from "../profiles/profile.ts";
import { sourcebound } from "../profiles/sourcebound.ts";
import { validator } from "../profiles/validator.ts";
import type { Question } from "../shared/types.ts";
import { encoderDown, fakeEncoder } from "../testing/fake-encoder.ts";
import { fakeQuestion } from "../testing/passages.ts";
import { storedDocument } from "../testing/store-contract.ts";
import { DomainIndex } from "./domain-index.ts";
import { EmbeddedEngine } from "./embedded-engine.ts";
import { assertCanRetrieve, retrievePassages } from "./retrieve.ts";

const here = storeOfTest();
const signal = new AbortController().signal;

function partsWith(encoder: Encoder | null) {
  const { documents, embeddings } = here.store;
  const engine = new EmbeddedEngine({ domain: "d" });
  const corpus = new DomainIndex({ domain: "d", engine, documents, embeddings, encoder, batch: 8 });
  return { corpus, documents, encoder };
}

const retrieve = (question: Question, encoder: Encoder | null = null, settings: RetrieveSettings = sourcebound.retrieve) =>
  retrievePassages(question, settings, partsWith(encoder), signal);

describe("retrievePassages", () => {
  it("returns passages with text, place and raw scores", async () => {
    await here.put(storedDocument());
    const { passages, dense, denseFailure } = await retrieve(fakeQuestion("What is tinnitus rated at?"), fakeEncoder());
    expect(passages).toMatchObject([{ sid: "S1", text: "Tinnitus is rated at 10 percent.", document: { id: "doc-a", version: "v1" } }]);
    expect(passages[0]?.scores).toMatchObject({ dense: expect.any(Number), bm25: expect.any(Number), cross: null });
    expect({ dense, denseFailure }).toEqual({ dense: true, denseFailure: null });
  });

  it("ranks by words alone without an encoder, and reports no failure", async () => {
    await here.put(storedDocument());
    expect(await retrieve(fakeQuestion("tinnitus"))).toMatchObject({
      dense: false,
      denseFailure: null,
      passages: [{ scores: { dense: null } }],
    });
  });

  it("ranks by words alone, with the reason, when the encoder fails for documents or the question", async () => {
    await here.put(storedDocument());
    const onDocuments = fakeEncoder({ id: "one", failure: encoderDown });
    const onQuestion = fakeEncoder({ id: "two", failure: (call) => (call === 1 ? encoderDown() : null) });
    for (const encoder of [onDocuments, onQuestion]) {
      const retrieved = await retrieve(fakeQuestion("tinnitus"), encoder);
      expect(retrieved).toMatchObject({ dense: false, denseFailure: "Encoder is down", passages: [{ scores: { dense: null } }] });
    }
  });

  it("ranks by the vectors of a full index, and reports that it is incomplete", async () => {
    await here.put(storedDocument());
    const { documents, embeddings } = here.store;
    const encoder = fakeEncoder();
    const engine = new EmbeddedEngine({ domain: "d", dense: { availableBytes: () => 0 } });
    const corpus = new DomainIndex({ domain: "d", engine, documents, embeddings, encoder, batch: 8 });
    await expect(corpus.sync()).rejects.toMatchObject({ code: "index_full" });
    for (const { retrieve: settings } of [sourcebound, validator]) {
      const retrieved = await retrievePassages(fakeQuestion("tinnitus"), settings, { corpus, documents, encoder }, signal);
      const passages = settings.bm25 ? [{ text: "Tinnitus is rated at 10 percent." }] : [];
      expect(retrieved).toMatchObject({ denseFailedIn: "index", denseFailure: expect.stringContaining("opensearch"), passages });
    }
  });

  it("ranks by words alone when the question's vector does not fit those of the documents", async () => {
    await here.put(storedDocument());
    for (const wrong of [
      [1, 0, 0],
      [Number.NaN, 1],
    ]) {
      const encoder = fakeEncoder({ vectorOf: (text) => (text.includes("\n") ? [1, 0] : wrong) });
      expect(await retrieve(fakeQuestion("tinnitus"), encoder)).toMatchObject({
        dense: false,
        denseFailure: expect.stringContaining("length"),
      });
    }
  });

  it("throws the encoder's failure when the profile uses only vectors", async () => {
    await here.put(storedDocument());
    await expect(retrieve(fakeQuestion("tinnitus"), fakeEncoder({ failure: encoderDown }), validator.retrieve)).rejects.toMatchObject({
      code: "encoder_failed",
    });
    const encoder = fakeEncoder({ vectorOf: (text) => (text.includes("\n") ? [1, 0] : [1, 0, 0]) });
    await expect(retrieve(fakeQuestion("tinnitus"), encoder, validator.retrieve)).rejects.toMatchObject({ code: "encoder_changed" });
  });

  it("throws when it is cancelled, even if words could rank", async () => {
    await here.put(storedDocument());
    const cancelled = AbortSignal.abort(new Error("reader left"));
    await expect(retrievePassages(fakeQuestion("tinnitus"), sourcebound.retrieve, partsWith(fakeEncoder()), cancelled)).rejects.toThrow(
      "reader left",
    );
  });
});

describe("assertCanRetrieve", () => {
  it("requires an encoder if the profile needs one", () => {
    expect(() => assertCanRetrieve("book", true, null)).toThrow(/SOURCEBOUND_EMBEDDINGS_BASE_URL/);
    expect(() => assertCanRetrieve("sourcebound", false, null)).not.toThrow();
    expect(() => assertCanRetrieve("book", true, fakeEncoder())).not.toThrow();
  });
});
