// @module-tag all/postgres
import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { createRandom } from "../src/internals.ts";
import { openPostgres } from "../src/store/postgres.ts";
import { findPostgresVectors, openPostgresVectors, type StoredVector } from "../src/store/postgres-vectors.ts";
import { createStore } from "../src/store/store.ts";
import { fileContent, storedDocument } from "../src/testing/store/fixtures.ts";
import { usePostgres, whyNoPostgres } from "./support/postgres.ts";

const DIMENSIONS = 16;
const DOCUMENTS = 30;
const WINDOWS = 100;

describe.skipIf(whyNoPostgres !== null)("vectors in pgvector", () => {
  const server = usePostgres();

  async function filled() {
    const db = await openPostgres({ url: await server().createDatabase(), connections: 3, timeoutMs: 30_000 });
    onTestFinished(() => db.destroy());
    const { documents } = createStore(db, { now: () => new Date(0), clock: () => 0 });
    const vectors = await openPostgresVectors(db, { domain: "d", model: "m", dimensions: DIMENSIONS });
    const random = createRandom(3);
    const unit = () => {
      const vector = Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5);
      const length = Math.hypot(...vector);
      return vector.map((value) => value / length);
    };
    const rows: StoredVector[] = [];
    for (let n = 0; n < DOCUMENTS; n++) {
      const documentId = `doc${n}`;
      const path = `${n}.md`;
      const place = { domain: "d", tenant: null, source: "s", path };
      await documents.putFile(place, fileContent(storedDocument({ id: documentId, path })));
      const tenant = n === 0 ? "few" : "";
      for (let start = 0; start < WINDOWS; start++)
        rows.push({ documentId, version: "v1", tenant, access: "public", start, vector: unit() });
    }
    await vectors.put(rows);
    const all = { tenants: ["", "few"], access: ["public"], windows: null };
    const truth = (question: Float32Array, k: number, keep: (row: (typeof rows)[number]) => boolean) =>
      rows
        .filter(keep)
        .map((row) => ({ ...row, score: row.vector.reduce((sum, value, i) => sum + value * (question[i] as number), 0) }))
        .sort((a, b) => b.score - a.score)
        .slice(0, k)
        .map(({ documentId, start }) => `${documentId} ${start}`);
    return { db, documents, vectors, rows, unit, all, truth };
  }
  const names = (found: readonly { documentId: string; start: number }[]) => found.map(({ documentId, start }) => `${documentId} ${start}`);

  it("searches exactly when a filter keeps few rows, and finds nearly all of the best by HNSW, also for a small tenant", async () => {
    const { vectors, unit, all, truth } = await filled();
    await vectors.buildIndex();
    let found = 0;
    let few = 0;
    for (let n = 0; n < 20; n++) {
      const vector = unit();
      const exact = await vectors.search({ ...all, vector, k: 10, isExact: true });
      expect(names(exact)).toEqual(truth(vector, 10, () => true));
      expect(exact[0]?.score).toBeGreaterThan(exact[9]?.score ?? 1);
      const indexed = names(await vectors.search({ ...all, vector, k: 10, isExact: false }));
      found += truth(vector, 10, () => true).filter((one) => indexed.includes(one)).length;
      const ofFew = names(await vectors.search({ ...all, tenants: ["few"], vector, k: 10, isExact: false }));
      few += truth(vector, 10, ({ tenant }) => tenant === "few").filter((one) => ofFew.includes(one)).length;
    }
    expect(found / 200).toBeGreaterThan(0.95);
    expect(few / 200).toBeGreaterThan(0.95);
  });

  it("finds nothing of another tenant, label or model, and deletes vectors with their document or version", async () => {
    const { db, documents, vectors, unit, all } = await filled();
    const search = (over: object) => vectors.search({ ...all, vector: unit(), k: 10, isExact: true, ...over });
    expect((await search({ tenants: ["few"] })).every(({ documentId }) => documentId === "doc0")).toBe(true);
    expect(await search({ access: ["secret"] })).toEqual([]);
    const windows = [
      { documentId: "doc7", start: 5 },
      { documentId: "doc7", start: WINDOWS },
      { documentId: "unknown", start: 0 },
    ];
    expect(names(await search({ windows }))).toEqual(["doc7 5"]);
    const other = await openPostgresVectors(db, { domain: "d", model: "other", dimensions: DIMENSIONS });
    const ids = Array.from({ length: DOCUMENTS }, (_, i) => `doc${i}`);
    expect((await findPostgresVectors(db, { domain: "d", model: "m" }))?.dimensions).toBe(DIMENSIONS);
    expect(await findPostgresVectors(db, { domain: "d", model: "other" })).toBeNull();
    const count = async (of: typeof vectors) => [...(await of.places(ids)).values()].reduce((sum, { size }) => sum + size, 0);
    expect(await count(other)).toBe(0);
    await documents.deleteFiles({ domain: "d", tenant: null, source: "s" }, ["7.md"]);
    expect(await search({ windows })).toEqual([]);
    expect(await count(vectors)).toBe((DOCUMENTS - 1) * WINDOWS);
    const row = { tenant: "", access: "public", start: WINDOWS, vector: unit() };
    await vectors.put([
      { ...row, documentId: "doc7", version: "v1" },
      { ...row, documentId: "doc8", version: "v0" },
    ]);
    expect(await count(vectors)).toBe((DOCUMENTS - 1) * WINDOWS);
  });

  it("stores up to 4,000 dimensions as half precision, and rejects more", async () => {
    const db = await openPostgres({ url: await server().createDatabase(), connections: 3, timeoutMs: 30_000 });
    const { documents } = createStore(db, { now: () => new Date(0), clock: () => 0 });
    await documents.putFile({ domain: "d", tenant: null, source: "s", path: "a.md" }, fileContent(storedDocument()));
    const wide = await openPostgresVectors(db, { domain: "d", model: "m", dimensions: 3_072 });
    const vector = Float32Array.from({ length: 3_072 }, (_, i) => (i === 5 ? 1 : 0));
    await wide.put([{ documentId: "doc-a", version: "v1", tenant: "", access: "public", start: 0, vector }]);
    await wide.buildIndex();
    const [found] = await wide.search({ vector, k: 1, tenants: [""], access: ["public"], windows: null, isExact: false });
    expect(found).toMatchObject({ documentId: "doc-a", start: 0 });
    expect(found?.score).toBeCloseTo(1, 3);
    const type = await sql<{ type: string }>`select format_type(atttypid, atttypmod) as type from pg_attribute
      where attrelid = 'vectors_3072'::regclass and attname = 'embedding'`.execute(db);
    expect(type.rows).toEqual([{ type: "halfvec(3072)" }]);
    await expect(openPostgresVectors(db, { domain: "d", model: "m", dimensions: 4_096 })).rejects.toMatchObject({
      code: "vectors_too_wide",
    });
    await db.destroy();
  });
});
