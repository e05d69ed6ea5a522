import { describe, expect, it } from "vitest";
import { storeOfTest } from "../../test/support/folders.ts";
import { documentsFound as found } from "../../test/support/search-request.ts";
import { UnavailableError } from "../shared/errors.ts";
import type { StoredDocument } from "../shared/types.ts";
import { encoderDown, fakeEncoder } from "../testing/fake-encoder.ts";
import { fileContent } from "../testing/store/fixtures.ts";
import { windowedDocument as document } from "../testing/windowed-document.ts";
import { DomainIndex, type DomainIndexOptions } from "./domain-index.ts";
import { EmbeddedEngine } from "./embedded-engine.ts";
import type { IndexChanges } from "./search-engine.ts";

const here = storeOfTest();

/** An engine in this process that several indexes share. It records its calls. */
class SharedEngine extends EmbeddedEngine {
  readonly given: IndexChanges[] = [];
  running = 0;
  most = 0;
  before: () => Promise<void> = async () => undefined;

  constructor() {
    super({ domain: "d" });
  }

  override async index(changes: IndexChanges): Promise<void> {
    this.most = Math.max(this.most, ++this.running);
    try {
      await this.before();
      this.given.push(changes);
      await super.index(changes);
    } finally {
      this.running--;
    }
  }
}

function indexOn(engine: SharedEngine, holder: string, over: Partial<DomainIndexOptions> = {}): DomainIndex {
  const { documents, embeddings, leases } = here.store;
  return new DomainIndex({
    ...{ domain: "d", engine, documents, embeddings, encoder: null, batch: 8 },
    filling: async (work) => {
      if (!(await leases.take("d", holder, 60_000))) return false;
      try {
        await work();
        return true;
      } finally {
        await leases.release("d", holder);
      }
    },
    ...over,
  });
}

const commit = (documents: readonly StoredDocument[]) =>
  here.store.documents.putFiles(
    documents.map((one) => ({ place: { domain: "d", tenant: null, source: "s", path: one.path }, content: fileContent(one) })),
  );

describe("an engine shared by several processes", () => {
  it("is filled by one process at a time, in order of commit and in parts, for all of them", async () => {
    const documents = Array.from({ length: 450 }, (_, i) => document(`doc${i}`, [`Tinnitus pays ${i}.`]));
    await commit(documents);
    const engine = new SharedEngine();
    const indexes = ["a", "b", "c"].map((holder) => indexOn(engine, holder));
    await Promise.all(indexes.map((index) => index.sync()));
    expect(engine.most).toBe(1);
    expect(engine.given.map((changes) => changes.documents?.length)).toEqual([200, 200, 50]);
    for (const index of indexes) expect([index.indexedRevision, index.lag, index.windows]).toEqual([1, 0, 450]);
    const changed = documents.map((one) => document(one.id, ["Travel pays."], { version: "v2" }));
    for (const from of [0, 100, 200]) await commit(changed.slice(from, from + 100));
    await indexes[1]?.sync();
    expect(engine.given.slice(3).map(({ revision }) => revision)).toEqual([3, 4]);
    expect(await indexes[0]?.state()).toEqual({ revision: 4, lag: 0 });
    expect(await found(indexes[0] as DomainIndex, "travel")).toContain("doc0");
  });

  it("continues after the last part when another process has ended", async () => {
    await here.put(document("a", ["Tinnitus."]));
    const engine = new SharedEngine();
    await indexOn(engine, "first").sync();
    const made = Array.from({ length: 250 }, (_, i) => document(`doc${i}`, ["Travel."]));
    await commit(made.slice(0, 200));
    await commit(made.slice(200));
    let parts = 0;
    engine.before = async () => {
      if (++parts === 2) throw new UnavailableError("search_unavailable", "away");
    };
    await expect(indexOn(engine, "second").sync()).rejects.toMatchObject({ code: "search_unavailable" });
    expect(await engine.revision()).toBe(2);
    await indexOn(engine, "third").sync();
    expect(engine.given.at(-1)?.documents).toHaveLength(50);
    expect(await engine.revision()).toBe(3);
  });

  it("answers without the newest texts while indexing takes long, and reports how many are missing", async () => {
    await here.put(document("a", ["Tinnitus pays."]));
    const engine = new SharedEngine();
    let now = 0;
    const index = indexOn(engine, "a", { now: () => now });
    await index.sync();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    engine.before = () => gate;
    await here.put(document("b", ["Tinnitus again."]));
    const filling = index.sync();
    await expect.poll(() => engine.running).toBe(1);
    now = 10_000;
    await index.sync({ mayWaitForVectors: false });
    expect([await found(index, "tinnitus"), index.lag]).toEqual([["a"], 1]);
    open();
    await filling;
    expect([await found(index, "tinnitus"), index.lag]).toEqual([["a", "b"], 0]);
  });

  it("gets each window once with its vector, and later if the encoder failed", async () => {
    await here.put(document("a", ["Tinnitus pays. A claim."]));
    const engine = new SharedEngine();
    await indexOn(engine, "a", { encoder: fakeEncoder() }).sync();
    expect(engine.given.map(({ documents = [], vectors }) => [documents.length, vectors?.windows.length])).toEqual([[1, 2]]);
    await here.put(document("b", ["Travel."]));
    const failing = indexOn(engine, "b", { encoder: fakeEncoder({ failure: encoderDown }) });
    await expect(failing.sync()).rejects.toMatchObject({ code: "encoder_failed" });
    expect(await engine.coverage("fake-encoder")).toMatchObject({ windows: 3, vectors: 2 });
    await indexOn(engine, "c", { encoder: fakeEncoder() }).sync();
    expect(await engine.coverage("fake-encoder")).toMatchObject({ windows: 3, vectors: 3 });
  });
});
