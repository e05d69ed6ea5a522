import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Kysely, sql } from "kysely";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Database } from "./schema.ts";
import { openSqlite } from "./sqlite.ts";
import { createStore, type Store } from "./store.ts";

const clock = { now: () => new Date("2026-01-01T00:00:00Z"), clock: () => performance.now() };
let folder = "";
let db: Kysely<Database>;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "sourcebound-test-"));
  db = await openSqlite(join(folder, "test.db"));
  store = createStore(db, clock);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const record = (hash: string) => ({ hash, body: new Uint8Array([1]) });
const addRecord = (hash: string) => db.insertInto("record_settings").values(record(hash)).execute();
const setRevision = (revision: number, at: Kysely<Database> = db) =>
  at
    .insertInto("revisions")
    .values({ domain: "shop", revision })
    .onConflict((c) => c.column("domain").doUpdateSet({ revision }))
    .execute();

it("stays the same while rows are added that no answer rests on, and changes with any other", async () => {
  const begun = store.generation();
  expect(begun).not.toBeNull();
  await addRecord("a");
  await db.transaction().execute(async (trx) => {
    await trx.insertInto("record_settings").values(record("b")).execute();
    await trx.selectFrom("revisions").selectAll().execute();
  });
  expect(store.generation()).toBe(begun);
  const seen = [begun];
  const changes = [
    () => setRevision(1),
    () =>
      db
        .updateTable("record_settings")
        .set({ body: new Uint8Array([2]) })
        .execute(),
    () => db.deleteFrom("record_settings").where("hash", "=", "a").execute(),
    () => db.replaceInto("record_settings").values(record("b")).execute(),
    () => sql`update revisions set revision = 2`.execute(db),
    () => db.updateTable("revisions").set({ revision: 3 }).returning("revision").execute(),
  ];
  for (const change of changes) {
    await change();
    expect(seen).not.toContain(store.generation());
    seen.push(store.generation());
  }
});

it("does not change by a statement that finds nothing to change", async () => {
  const begun = store.generation();
  await db.deleteFrom("documents").execute();
  await db.updateTable("revisions").set({ revision: 9 }).execute();
  expect(store.generation()).toBe(begun);
});

it("changes with the commit, neither before nor later, also where another member of its group fails", async () => {
  const begun = store.generation();
  let inside: number | null = null;
  const failing = db.transaction().execute(async (trx) => {
    await setRevision(8, trx);
    throw new Error("not this one");
  });
  const writing = db.transaction().execute(async (trx) => {
    await setRevision(7, trx);
    inside = store.generation();
  });
  await expect(failing).rejects.toThrow("not this one");
  await writing;
  expect(inside).toBe(begun);
  expect(store.generation()).not.toBe(begun);
  expect(await store.documents.revision("shop")).toBe(7);
});

it("changes with whatever another connection commits", async () => {
  const other = await openSqlite(join(folder, "test.db"));
  const begun = store.generation();
  await other.insertInto("record_settings").values(record("c")).execute();
  const next = store.generation();
  expect(next).not.toBe(begun);
  expect(store.generation()).toBe(next);
  await other.destroy();
});

it("is not known of a database that cannot be asked", async () => {
  const other = createStore(await openSqlite(join(folder, "other.db")), clock);
  await other.close();
  expect(other.generation()).toBeNull();
});
