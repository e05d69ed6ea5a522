import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Kysely, Selectable } from "kysely";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Given, prepare, prepareInsert, prepareList, prepareRows } from "./prepared.ts";
import type { Database } from "./schema.ts";
import { openSqlite } from "./sqlite.ts";

let folder = "";
let db: Kysely<Database>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "sourcebound-test-"));
  db = await openSqlite(join(folder, "test.db"));
});
afterEach(async () => {
  await db.destroy();
  rmSync(folder, { recursive: true, force: true });
});

const insert = () => {
  let built = 0;
  const run = prepareInsert((row: Selectable<Database["meta"]>) => {
    built++;
    return db.insertInto("meta").values(row);
  });
  return { run, built: () => built };
};

it("builds a query once, and asks it with the values of each time, in any order, some twice", async () => {
  const { run } = insert();
  for (const [key, value] of [
    ["a", "1"],
    ["b", "2"],
    ["c", "c"],
  ] as const)
    await run(db, { key, value });
  let built = 0;
  const find = prepare((given: Given<{ value: string; key: string }>) => {
    built++;
    return db
      .selectFrom("meta")
      .select("key")
      .where((eb) => eb.or([eb("key", "=", given("key")), eb("value", "=", given("value")), eb("value", "=", given("key"))]))
      .orderBy("key");
  });
  expect(await find(db, { value: "2", key: "a" })).toEqual([{ key: "a" }, { key: "b" }]);
  expect(await find(db, { key: "c", value: "none" })).toEqual([{ key: "c" }]);
  expect(built).toBe(1);
});

it("asks with lists of any length", async () => {
  const { run } = insert();
  for (const key of ["a", "b", "c"]) await run(db, { key, value: "" });
  const find = prepareList((keys) => db.selectFrom("meta").select("key").where("key", "in", keys).orderBy("key"));
  expect(await find(db, ["c", "a"])).toEqual([{ key: "a" }, { key: "c" }]);
  expect(await find(db, ["b"])).toEqual([{ key: "b" }]);
  expect(await find(db, ["a", "x"])).toEqual([{ key: "a" }]);
});

it("inserts by columns, whatever their order is, and in a transaction", async () => {
  const { run, built } = insert();
  await run(db, { key: "a", value: "1" });
  await run(db, { value: "2", key: "b" });
  await db.transaction().execute(async (trx) => {
    await run(trx, { key: "c", value: "3" });
    await run(trx, { value: "4", key: "d" });
  });
  const rows = await db.selectFrom("meta").selectAll().where("key", "in", ["a", "b", "c", "d"]).orderBy("key").execute();
  expect(rows.map(({ key, value }) => key + value)).toEqual(["a1", "b2", "c3", "d4"]);
  expect(built()).toBe(2);
});

it("inserts any number of rows, each once, with a text for each of few sizes", async () => {
  const sizes: number[] = [];
  const run = prepareRows((rows: readonly Selectable<Database["meta"]>[]) => {
    sizes.push(rows.length);
    return db.insertInto("meta").values(rows);
  });
  const rows = (from: number, count: number) => Array.from({ length: count }, (_, i) => ({ key: `k${from + i}`, value: String(from + i) }));
  for (const [from, count] of [
    [100, 0],
    [100, 1],
    [200, 107],
    [400, 71],
  ] as const)
    await run(db, rows(from, count));
  const stored = await db.selectFrom("meta").selectAll().where("key", "like", "k%").orderBy("key").execute();
  expect(stored).toEqual([...rows(100, 1), ...rows(200, 107), ...rows(400, 71)]);
  expect(sizes.toSorted((a, b) => a - b)).toEqual([1, 2, 4, 8, 32]);
});
