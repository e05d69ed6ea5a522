import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Kysely } from "kysely";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Database } from "./schema.ts";
import { createTurnWriter, type NewTurn } from "./sessions.ts";
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

const SECRET = "00".repeat(32);
const say = (session: string, most?: number): NewTurn => ({
  session,
  scope: { domain: "d", tenant: null, access: ["public"] },
  turn: { question: "q", answer: "a", citations: [] },
  settings: { idleMinutes: 30, limit: 2, ...(most === undefined ? {} : { most }) },
});
const count = async () => (await db.selectFrom("sessions").select("id").execute()).length;

it("looks again for sessions that are too many where the transaction that looked was undone", async () => {
  const write = createTurnWriter(db, () => new Date("2026-01-01T00:00:00Z"));
  const most = 1_000;
  const many = Array.from({ length: most + 5 }, (_, n) => say(`s${n}`));
  await db.transaction().execute((trx) => write(trx, many, SECRET));
  const next = (fails: boolean) =>
    db.transaction().execute(async (trx) => {
      const committed = await write(trx, [say("next", most)], SECRET);
      if (fails) throw new Error("undone");
      return committed;
    });
  await expect(next(true)).rejects.toThrow("undone");
  expect(await count()).toBe(most + 5);
  (await next(false))();
  expect(await count()).toBe(most);
});
