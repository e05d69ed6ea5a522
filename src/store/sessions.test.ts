import { expect, it } from "vitest";
import { storeOfTest } from "../../test/support/folders.ts";
import { createTurnWriter, type NewTurn } from "./sessions.ts";

const here = storeOfTest();
const SECRET = "00".repeat(32);
const say = (session: string, most?: number): NewTurn => ({
  session,
  scope: { domain: "d", tenant: null, access: ["public"] },
  turn: { question: "q", answer: "a", citations: [] },
  settings: { idleMinutes: 30, limit: 2, ...(most === undefined ? {} : { most }) },
});
const count = async () => (await here.db.selectFrom("sessions").select("id").execute()).length;

it("checks the number of sessions again when the transaction was rolled back", async () => {
  const write = createTurnWriter(here.db, () => new Date("2026-01-01T00:00:00Z"));
  const most = 1_000;
  const many = Array.from({ length: most + 5 }, (_, n) => say(`s${n}`));
  await here.db.transaction().execute((trx) => write(trx, many, SECRET));
  const next = (fails: boolean) =>
    here.db.transaction().execute(async (trx) => {
      const committed = await write(trx, [say("next", most)], SECRET);
      if (fails) throw new Error("undone");
      return committed;
    });
  await expect(next(true)).rejects.toThrow("undone");
  expect(await count()).toBe(most + 5);
  (await next(false))();
  expect(await count()).toBe(most);
});
