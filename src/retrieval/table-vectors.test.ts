import { expect, it } from "vitest";
import { storeOfTest } from "../../test/support/folders.ts";
import { EXACT_UP_TO, type VectorTable } from "../store/postgres-vectors.ts";
import { fakeEncoder } from "../testing/fake-encoder.ts";
import { windowedDocument } from "../testing/windowed-document.ts";
import { DomainIndex } from "./domain-index.ts";
import { EmbeddedEngine } from "./embedded-engine.ts";

const here = storeOfTest();

it("finds rows that are inserted during a search of the table", async () => {
  let release = () => {};
  let asked: (() => Promise<void>) | null = null;
  let held = Promise.resolve();
  const table: VectorTable = {
    put: () => held,
    places: async () => new Map(),
    // The search starts before the row is written and ends after it.
    search: async () => {
      await asked?.();
      return [];
    },
    buildIndex: async () => {},
  };
  const warned: string[] = [];
  const tables = { from: 1, open: async () => table, warn: (message: string) => warned.push(message) };
  const engine = new EmbeddedEngine({ domain: "d", tables });
  const corpus = new DomainIndex({
    ...{ domain: "d", engine, documents: here.store.documents, embeddings: here.store.embeddings, encoder: fakeEncoder(), batch: 500 },
  });
  const numbers = Array.from({ length: EXACT_UP_TO + 1 }, (_, n) => `number ${n}.`);
  await here.put(windowedDocument("many", numbers));
  await corpus.sync();
  await corpus.idle();
  held = new Promise((resolve) => {
    release = resolve;
  });
  await here.put(windowedDocument("new", ["zebra quagga okapi."]));
  await corpus.sync();
  asked = async () => {
    release();
    await corpus.idle();
  };
  const vector = await corpus.embedQuestion("zebra quagga okapi");
  const found = await engine.search({ terms: [], vector, filters: { scope: { domain: "d", tenant: null, access: ["public"] } }, k: 10 });
  expect(found).toHaveLength(1);
  expect(found[0]?.dense).toBeGreaterThan(0.8);
  expect(warned).toEqual([]);
});
