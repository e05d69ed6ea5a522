import type { Selectable } from "kysely";
import { expect, it } from "vitest";
import { storeOfTest } from "../../test/support/folders.ts";
import { type Given, prepare, prepareList, prepareRows } from "./prepared.ts";
import type { Database } from "./schema.ts";

const here = storeOfTest();

const insert = (rows: readonly Selectable<Database["meta"]>[]) => here.db.insertInto("meta").values(rows).execute();

it("builds a query once, and asks it with the values of each time, in any order, some twice", async () => {
  await insert([
    { key: "a", value: "1" },
    { key: "b", value: "2" },
    { key: "c", value: "c" },
  ]);
  let built = 0;
  const find = prepare((given: Given<{ value: string; key: string }>) => {
    built++;
    return here.db
      .selectFrom("meta")
      .select("key")
      .where((eb) => eb.or([eb("key", "=", given("key")), eb("value", "=", given("value")), eb("value", "=", given("key"))]))
      .orderBy("key");
  });
  expect(await find(here.db, { value: "2", key: "a" })).toEqual([{ key: "a" }, { key: "b" }]);
  expect(await find(here.db, { key: "c", value: "none" })).toEqual([{ key: "c" }]);
  expect(built).toBe(1);
});

it("asks with lists of any length", async () => {
  await insert(["a", "b", "c"].map((key) => ({ key, value: "" })));
  const find = prepareList((keys) => here.db.selectFrom("meta").select("key").where("key", "in", keys).orderBy("key"));
  expect(await find(here.db, ["c", "a"])).toEqual([{ key: "a" }, { key: "c" }]);
  expect(await find(here.db, ["b"])).toEqual([{ key: "b" }]);
  expect(await find(here.db, ["a", "x"])).toEqual([{ key: "a" }]);
});

it("inserts any number of rows, each once, with a text for each of few sizes", async () => {
  const sizes: number[] = [];
  const run = prepareRows((rows: readonly Selectable<Database["meta"]>[]) => {
    sizes.push(rows.length);
    return here.db.insertInto("meta").values(rows);
  });
  const rows = (from: number, count: number) => Array.from({ length: count }, (_, i) => ({ key: `k${from + i}`, value: String(from + i) }));
  for (const [from, count] of [
    [100, 0],
    [100, 1],
    [200, 107],
    [400, 71],
  ] as const)
    await run(here.db, rows(from, count));
  const stored = await here.db.selectFrom("meta").selectAll().where("key", "like", "k%").orderBy("key").execute();
  expect(stored).toEqual([...rows(100, 1), ...rows(200, 107), ...rows(400, 71)]);
  expect(sizes.toSorted((a, b) => a - b)).toEqual([1, 2, 4, 8, 32]);
});

it("refuses a statement that takes anything but the values of the rows in their order, before it stores what stands elsewhere", async () => {
  const rows = [
    { key: "a", value: "1" },
    { key: "b", value: "2" },
  ];
  const refused = "takes their values in their order";
  const mixed = prepareRows((rows: readonly Selectable<Database["meta"]>[]) => here.db.insertInto("meta").values(rows));
  await expect(
    mixed(here.db, [
      { key: "a", value: "1" },
      { value: "2", key: "b" },
    ]),
  ).rejects.toThrow(refused);
  const own = prepareRows((rows: readonly Selectable<Database["meta"]>[]) =>
    here.db
      .insertInto("meta")
      .values(rows)
      .onConflict((c) => c.column("key").doUpdateSet({ value: "own" })),
  );
  await expect(own(here.db, rows)).rejects.toThrow(refused);
  const fewer = prepareRows((rows: readonly Selectable<Database["meta"]>[]) => here.db.insertInto("meta").values(rows.slice(1)));
  await expect(fewer(here.db, rows)).rejects.toThrow(refused);
  expect(await here.db.selectFrom("meta").select("key").where("key", "in", ["a", "b"]).execute()).toEqual([]);
});
