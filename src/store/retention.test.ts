import { join } from "node:path";
import type { Kysely, Transaction } from "kysely";
import { afterEach, beforeEach, expect, it } from "vitest";
import { folderOfTest } from "../../test/support/folders.ts";
import { addInteraction, cachePut, fileContent, place, storedDocument } from "../testing/store/fixtures.ts";
import type { Interaction } from "./interaction.ts";
import type { Database } from "./schema.ts";
import { openSqlite } from "./sqlite.ts";
import { createStore, type Store } from "./store.ts";

const DAY_MS = 86_400_000;
const RETENTION = { interactionsDays: 10, interactionsRows: 40, reportsDays: 10, auditDays: 10 };
/** Number of rows by which the limit may be exceeded until the next check. */
const SLACK = 256;

const here = folderOfTest();
let now = 0;
const stores: Store[] = [];
const open = async () => {
  const store = createStore(await openSqlite(join(here.folder, "test.db")), {
    now: () => new Date(now),
    clock: () => 0,
    retention: RETENTION,
  });
  stores.push(store);
  return store;
};
beforeEach(() => {
  now = Date.parse("2026-01-01T00:00:00Z");
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});

const interaction = (id: string): Interaction => ({
  ...{ id, domain: "shop", tenant: null, access: ["public"], profile: "sourcebound", sessionId: null, question: `q ${id}`, answer: "{}" },
  ...{ status: "ok", confidence: null, chance: null, cacheMode: "miss" },
});
const scope = { domain: "shop", tenant: null, access: ["public"] };
const idsIn = async (store: Store) => (await store.interactions.list("shop", 10_000)).map(({ id }) => id);

it("keeps the newest interactions and all reviewed ones", async () => {
  const store = await open();
  await addInteraction(store, interaction("reviewed"));
  expect(await store.review.flag({ id: "reviewed", by: "Ann" })).toBe("done");
  for (let n = 0; n < 2 * SLACK + 5; n++) {
    now += 1_000;
    await addInteraction(store, interaction(`i${String(n).padStart(4, "0")}`));
  }
  const ids = await idsIn(store);
  expect(ids.length).toBeLessThanOrEqual(RETENTION.interactionsRows + SLACK);
  expect(ids.at(-1)).toBe("reviewed");
  expect(ids[0]).toBe(`i${String(2 * SLACK + 4).padStart(4, "0")}`);
});

it("keeps cached answers, however many questions follow, so that frequent questions stay cached", async () => {
  const store = await open();
  await store.documents.putFile(place, fileContent(storedDocument()));
  for (const id of ["served", "dropped"]) {
    await addInteraction(store, interaction(id));
    expect(await store.cache.put(cachePut({ key: id, interactionId: id, hours: 1_000 }))).toBe(true);
  }
  await store.cache.delete("dropped");
  for (let n = 0; n < 2 * SLACK; n++) {
    now += 1_000;
    await addInteraction(store, interaction(`i${n}`));
  }
  expect((await store.cache.get("served"))?.reviewStatus).toBe("unreviewed");
  const ids = await idsIn(store);
  expect(ids.at(-1)).toBe("served");
  expect(ids).not.toContain("dropped");
  now += 11 * DAY_MS;
  for (let n = 0; n < SLACK; n++) await addInteraction(store, interaction(`late${n}`));
  expect(await store.cache.get("served")).toBeNull();
});

it("deletes old and excess rows with the first question of a process, and expired sessions", async () => {
  const first = await open();
  for (let n = 0; n < 100; n++) {
    now += 1_000;
    const turn = { session: `s${n}`, scope, turn: { question: "q", answer: "a", citations: [] }, settings: { idleMinutes: 30, limit: 5 } };
    await addInteraction(first, interaction(`i${n}`), null, { turn });
  }
  expect(await idsIn(first)).toHaveLength(100);
  const second = await open();
  now += 3_600_000;
  await addInteraction(second, interaction("next"));
  expect(await idsIn(second)).toHaveLength(RETENTION.interactionsRows);
  expect((await second.forgetting.purge(RETENTION)).sessions).toBe(0);
  const third = await open();
  now += 11 * DAY_MS;
  await addInteraction(third, interaction("last"));
  expect(await idsIn(third)).toEqual(["last"]);
});

/** Returns the same database, but its first transaction fails with a conflict after all its writes. */
function meetingOnce(db: Kysely<Database>): Kysely<Database> {
  let isFirst = true;
  const transaction = () => ({
    execute: <T>(work: (trx: Transaction<Database>) => Promise<T>) =>
      db.transaction().execute(async (trx) => {
        const result = await work(trx);
        if (isFirst) {
          isFirst = false;
          throw Object.assign(new Error("could not serialize access"), { code: "40001" });
        }
        return result;
      }),
  });
  return new Proxy(db, {
    get: (target, name) => {
      if (name === "transaction") return transaction;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

it("deletes excess rows also when the first transaction is repeated", async () => {
  const first = await open();
  for (let n = 0; n < 100; n++) await addInteraction(first, interaction(`i${n}`));
  const db = await openSqlite(join(here.folder, "test.db"));
  const store = createStore(meetingOnce(db), { now: () => new Date(now), clock: () => 0, retention: RETENTION });
  await store.secret();
  await addInteraction(store, interaction("next"));
  expect(await idsIn(store)).toHaveLength(RETENTION.interactionsRows);
  await db.destroy();
});
