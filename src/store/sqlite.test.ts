import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { folderOfTest, storeOfTest } from "../../test/support/folders.ts";
import { PACKAGE_ROOT } from "../package.ts";
import { addInteraction, place, sampleFacts, sampleInteraction } from "../testing/store/fixtures.ts";
import { describeStoreContract, fileContent, storedDocument } from "../testing/store-contract.ts";
import { openSqlite } from "./sqlite.ts";
import { createStore } from "./store.ts";

const clock = { now: () => new Date("2026-01-01T00:00:00Z"), clock: () => performance.now() };

const here = folderOfTest();

describeStoreContract("SQLite", async () => {
  let now = Date.parse("2026-01-01T00:00:00Z");
  const clock = { now: () => new Date(now), clock: () => performance.now() };
  const path = join(here.folder, "test.db");
  return {
    store: createStore(await openSqlite(path), clock),
    second: createStore(await openSqlite(path), clock),
    advance: (ms) => {
      now += ms;
    },
  };
});

it("writes waiting interactions in several transactions, so that each blocks the thread only for milliseconds", async () => {
  let time = 0;
  const store = createStore(await openSqlite(join(here.folder, "test.db")), {
    ...clock,
    clock: () => {
      time += 4;
      return time;
    },
  });
  await store.secret();
  let round = 0;
  let counts = true;
  const rounds: number[] = [];
  const count = () => {
    round++;
    if (counts) setImmediate(count);
  };
  count();
  const add = async (n: number) => {
    await addInteraction(store, { ...sampleInteraction, id: `i${n}` });
    rounds.push(round);
  };
  await Promise.all(Array.from({ length: 50 }, (_, n) => add(n)));
  counts = false;
  // The first is written alone. Then come batches of 16 rows that take 4 ms each, until 6 ms have passed.
  expect(await store.interactions.list("d", 99)).toHaveLength(50);
  expect([...Map.groupBy(rounds, (one) => one).values()].map((one) => one.length)).toEqual([1, 32, 17]);
  await store.close();
});

describe("an open database", () => {
  const here = storeOfTest();

  it("applies a review inside a transaction to the rows after it", async () => {
    const { store } = here;
    await store.documents.putFile(place, fileContent(storedDocument()));
    await store.secret();
    const add = (id: string, approved: ReadonlyMap<string, string> | null = null) =>
      store.interactions.add({ ...sampleInteraction, id }, null, sampleFacts({ approved }));
    // The first is written alone; the others queue meanwhile.
    const added = await Promise.all([add("i1"), add("i2"), add("i3", new Map([["doc-a", "v1"]])), add("i4")]);
    expect(added).toEqual(["unreviewed", "unreviewed", "approved", "approved"]);
  });

  it("reads the committed state while a transaction is open", async () => {
    const { db, store } = here;
    await store.secret();
    const { promise: held, resolve: finish } = Promise.withResolvers<void>();
    const writing = db.transaction().execute(async (trx) => {
      await trx.insertInto("revisions").values({ domain: "shop", revision: 7 }).execute();
      expect(await trx.selectFrom("revisions").select("revision").executeTakeFirst()).toEqual({ revision: 7 });
      await held;
    });
    const reads = await Promise.all(Array.from({ length: 50 }, () => store.documents.revision("shop")));
    expect(new Set(reads)).toEqual(new Set([0]));
    finish();
    await writing;
    expect(await store.documents.revision("shop")).toBe(7);
  });

  it("keeps the order of writers, and continues after one fails", async () => {
    const { db } = here;
    const done: number[] = [];
    const writes = Array.from({ length: 20 }, async (_, n) => {
      const write = db.transaction().execute(async (trx) => {
        const revision = { domain: `d${n}`, revision: n };
        await trx.insertInto("revisions").values(revision).execute();
        await new Promise((resolve) => setImmediate(resolve));
        if (n % 5 === 0) throw new Error("not this one");
        done.push(n);
      });
      await write.catch(() => undefined);
    });
    await Promise.all(writes);
    const kept = Array.from({ length: 20 }, (_, n) => n).filter((n) => n % 5 !== 0);
    expect(done).toEqual(kept);
    const rows = await db.selectFrom("revisions").select("revision").orderBy("revision").execute();
    expect(rows.map(({ revision }) => revision)).toEqual(kept);
  });
});

describe("openSqlite", () => {
  it("keeps its locks when the same process opens and closes it again", async () => {
    const path = join(here.folder, "test.db");
    const kept = await openSqlite(path);
    await (await openSqlite(path)).destroy();
    // SQLite deletes the log with the last connection: the other process must see that one remains.
    const other = `const db = new (require("node:sqlite").DatabaseSync)(process.argv[1]); db.exec("select 1 from sqlite_master"); db.close();`;
    execFileSync(process.execPath, ["-e", other, path], { cwd: PACKAGE_ROOT });
    expect(existsSync(`${path}-wal`)).toBe(true);
    await kept.destroy();
  });

  it("migrates the cache of the previous version, without entries of changed documents", async () => {
    const path = join(here.folder, "test.db");
    await (await openSqlite(path, "013_planning")).destroy();
    const old = new DatabaseSync(path);
    const entry = (key: string, state: string) =>
      old.exec(`insert into cache_entries (key, scope, domain, tenant, access, profile, language, detail, encoder, config_hash, state, retrieved, answer, created_at, expires_at, used_at)
        values ('${key}', 's', 'd', '', '[]', 'p', 'en', 'normal', 'e', 'c', '${state}', '{}', '{}', '2025', '2999', '2025')`);
    entry("kept", "served");
    entry("waiting", "parked");
    old.exec("insert into cache_documents (key, document_id, version, passages) values ('kept', 'doc-a', 'v1', '[]')");
    old.close();
    const store = createStore(await openSqlite(path), clock);
    expect(await store.cache.get("kept")).toMatchObject({ documents: [{ id: "doc-a", version: "v1" }] });
    expect(await store.cache.get("waiting")).toBeNull();
    await store.close();
  });

  it("creates its tables completely or not at all", async () => {
    const path = join(here.folder, "test.db");
    const before = new DatabaseSync(path);
    before.exec("create table session_turns (id integer)");
    await expect(openSqlite(path)).rejects.toMatchObject({ code: "store_failed" });
    before.exec("drop table session_turns");
    before.close();
    const db = await openSqlite(path);
    expect(await createStore(db, clock).secret()).toMatch(/^[0-9a-f]{64}$/);
    await db.destroy();
  });

  it("commits a write that waited for another connection", async () => {
    const path = join(here.folder, "test.db");
    const [holder, waiter, reader] = await Promise.all([openSqlite(path), openSqlite(path), openSqlite(path)]);
    const put = (db: typeof holder, key: string) => db.insertInto("meta").values({ key, value: "1" }).execute();
    let waiting: Promise<unknown> = Promise.resolve();
    await holder.transaction().execute(async (trx) => {
      await trx.insertInto("meta").values({ key: "held", value: "1" }).execute();
      waiting = put(waiter, "waited");
      await new Promise((resolve) => setTimeout(resolve, 50));
    });
    await waiting;
    await put(waiter, "after");
    const rows = await reader.selectFrom("meta").select("key").orderBy("key").execute();
    expect(rows.map(({ key }) => key)).toEqual(["after", "held", "waited"]);
    await put(holder, "free");
    for (const db of [holder, waiter, reader]) await db.destroy();
  });

  it("rejects a database of a newer version", async () => {
    const path = join(here.folder, "test.db");
    const db = await openSqlite(path);
    await db
      .insertInto("kysely_migration" as never)
      .values({ name: "999_future", timestamp: "2999" } as never)
      .execute();
    await db.destroy();
    await expect(openSqlite(path)).rejects.toMatchObject({ code: "store_newer" });
  });
});
