import { join } from "node:path";
import { type Kysely, sql } from "kysely";
import { expect, it } from "vitest";
import { storeOfTest } from "../../test/support/folders.ts";
import type { Database } from "./schema.ts";
import { openSqlite } from "./sqlite.ts";
import { createStore } from "./store.ts";

const clock = { now: () => new Date("2026-01-01T00:00:00Z"), clock: () => performance.now() };
const here = storeOfTest();

const record = (hash: string) => ({ hash, body: new Uint8Array([1]) });
const addRecord = (hash: string) => here.db.insertInto("record_settings").values(record(hash)).execute();
const setRevision = (revision: number, at: Kysely<Database> = here.db) =>
  at
    .insertInto("revisions")
    .values({ domain: "shop", revision })
    .onConflict((c) => c.column("domain").doUpdateSet({ revision }))
    .execute();

it("ignores rows that no answer depends on, and changes with all others", async () => {
  const begun = here.store.generation();
  expect(begun).not.toBeNull();
  await addRecord("a");
  await here.db.transaction().execute(async (trx) => {
    await trx.insertInto("record_settings").values(record("b")).execute();
    await trx.selectFrom("revisions").selectAll().execute();
  });
  expect(here.store.generation()).toBe(begun);
  const seen = [begun];
  const changes = [
    () => setRevision(1),
    () =>
      here.db
        .updateTable("record_settings")
        .set({ body: new Uint8Array([2]) })
        .execute(),
    () => here.db.deleteFrom("record_settings").where("hash", "=", "a").execute(),
    () => here.db.replaceInto("record_settings").values(record("b")).execute(),
    () => sql`update revisions set revision = 2`.execute(here.db),
    () => here.db.updateTable("revisions").set({ revision: 3 }).returning("revision").execute(),
  ];
  for (const change of changes) {
    await change();
    expect(seen).not.toContain(here.store.generation());
    seen.push(here.store.generation());
  }
});

it("does not change for a statement without effect", async () => {
  const begun = here.store.generation();
  await here.db.deleteFrom("documents").execute();
  await here.db.updateTable("revisions").set({ revision: 9 }).execute();
  expect(here.store.generation()).toBe(begun);
});

it("changes with the commit, neither before nor later, also when another write of its group fails", async () => {
  const inside: (number | null)[] = [];
  const failing = here.db.transaction().execute(async (trx) => {
    await setRevision(8, trx);
    throw new Error("not this one");
  });
  const writing = here.db.transaction().execute(async (trx) => {
    inside.push(here.store.generation());
    await setRevision(7, trx);
    inside.push(here.store.generation());
  });
  await expect(failing).rejects.toThrow("not this one");
  await writing;
  expect(inside[1]).toBe(inside[0]);
  expect(here.store.generation()).not.toBe(inside[0]);
  expect(await here.store.documents.revision("shop")).toBe(7);
});

it("changes with a commit of another connection", async () => {
  const other = await openSqlite(join(here.folder, "test.db"));
  const begun = here.store.generation();
  await other.insertInto("record_settings").values(record("c")).execute();
  const next = here.store.generation();
  expect(next).not.toBe(begun);
  expect(here.store.generation()).toBe(next);
  await other.destroy();
});

it("is null if the database cannot be queried", async () => {
  const other = createStore(await openSqlite(join(here.folder, "other.db")), clock);
  await other.close();
  expect(other.generation()).toBeNull();
});
