import type { Selectable } from "kysely";
import { expect, it } from "vitest";
import { storeOfTest } from "../../test/support/folders.ts";
import { prepareRows } from "./dialect.ts";
import type { Database } from "./schema.ts";

const here = storeOfTest();

it("rejects a statement with values other than those of the rows in order, before storing them", async () => {
  const rows = [
    { key: "a", value: "1" },
    { key: "b", value: "2" },
  ];
  const refused = "must take the values of its rows in order";
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
