import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Kysely, sql } from "kysely";
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

it("takes the rows of sessions in the order of their ids, each once, whoever speaks first", async () => {
  const write = createTurnWriter(db, () => new Date("2026-01-01T00:00:00Z"));
  const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
  await db.transaction().execute((trx) =>
    write(
      trx,
      names.map((name) => say(name)),
      SECRET,
    ),
  );
  await sql`create table taken (what text, id text)`.execute(db);
  await sql`create trigger go_on after update on sessions begin insert into taken values ('session', new.id); end`.execute(db);
  await sql`create trigger drop_turn after delete on session_turns begin insert into taken values ('turn', old.session_id); end`.execute(
    db,
  );
  const spoken = [...names, "new", ...names.toReversed(), "new", "new"].map((name) => say(name));
  await db.transaction().execute((trx) => write(trx, spoken, SECRET));
  const { rows } = await sql<{ what: string; id: string }>`select what, id from taken order by rowid`.execute(db);
  const idsOf = (what: string) => rows.filter((row) => row.what === what).map(({ id }) => id);
  const ids = idsOf("session");
  expect(ids).toHaveLength(names.length);
  expect(ids).toEqual(ids.toSorted());
  // The new one has said more than is kept of it, too.
  const dropped = idsOf("turn");
  expect(dropped).toHaveLength(names.length + 1);
  expect(dropped).toEqual(dropped.toSorted());
  const kept = await db.selectFrom("session_turns").select("id").execute();
  expect(kept).toHaveLength(2 * (names.length + 1));
});

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
