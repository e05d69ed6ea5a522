import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { describeStoreContract } from "../testing/store-contract.ts";
import { openSqlite } from "./sqlite.ts";
import { createStore } from "./store.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sourcebound-test-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describeStoreContract("SQLite", async () => {
  let now = Date.parse("2026-01-01T00:00:00Z");
  const clock = { now: () => new Date(now) };
  const path = join(folder, "test.db");
  return {
    store: createStore(await openSqlite(path), clock),
    second: createStore(await openSqlite(path), clock),
    advance: (ms) => {
      now += ms;
    },
  };
});

describe("openSqlite", () => {
  it("refuses a file that is no database, and leaves it as it is", async () => {
    const path = join(folder, "test.db");
    writeFileSync(path, "this is no database ".repeat(500));
    await expect(openSqlite(path)).rejects.toMatchObject({ code: "store_corrupt", message: expect.stringContaining("Move the file away") });
  });

  it.skipIf(process.getuid?.() === 0)("says what to do when the folder cannot be written", async () => {
    const closed = join(folder, "closed");
    mkdirSync(closed);
    chmodSync(closed, 0o500);
    await expect(openSqlite(join(closed, "test.db"))).rejects.toMatchObject({ code: "store_unwritable" });
  });

  it("says what to do when the folder cannot be made", async () => {
    writeFileSync(join(folder, "file"), "");
    await expect(openSqlite(join(folder, "file", "test.db"))).rejects.toMatchObject({
      code: "store_unwritable",
      message: expect.stringContaining("SOURCEBOUND_DATA_DIR"),
    });
  });

  it("refuses a database of a newer version", async () => {
    const path = join(folder, "test.db");
    const db = await openSqlite(path);
    await db
      .insertInto("kysely_migration" as never)
      .values({ name: "999_future", timestamp: "2999" } as never)
      .execute();
    await db.destroy();
    await expect(openSqlite(path)).rejects.toMatchObject({ code: "store_newer" });
  });
});
