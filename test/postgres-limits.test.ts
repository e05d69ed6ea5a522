import { describe, expect, it, onTestFinished } from "vitest";
import { createSharedAdmission, MAX_FAILED_ATTEMPTS } from "../src/server/access/admission.ts";
import { openPostgres } from "../src/store/postgres.ts";
import { createStore } from "../src/store/store.ts";
import { usePostgres, whyNoPostgres } from "./support/postgres.ts";

describe.skipIf(whyNoPostgres !== null)("rates of replicas on one PostgreSQL", () => {
  const server = usePostgres();

  async function replicas() {
    const url = await server().createDatabase();
    const made = [];
    for (let n = 0; n < 2; n++) {
      const store = createStore(await openPostgres({ url, connections: 4, timeoutMs: 5_000 }), { now: () => new Date(), clock: () => 0 });
      onTestFinished(() => store.close().catch(() => undefined));
      if (store.counters === null) throw new Error("PostgreSQL counts together");
      made.push({ store, admission: createSharedAdmission(store.counters, await store.secret()) });
    }
    return made as [(typeof made)[number], (typeof made)[number]];
  }

  it("share rate limits, also for simultaneous requests, and store no address", async () => {
    const [one, two] = await replicas();
    const take = (n: number) => (n % 2 === 0 ? one : two).admission.take("address 203.0.113.7", 40);
    const all = await Promise.allSettled(Array.from({ length: 100 }, (_, n) => take(n)));
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(40);
    for (const result of all) {
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "too_many_requests", data: { limit_per_hour: 40 } });
    }
    await two.admission.take("address 203.0.113.8", 40);
    const { rows } = (await one.store.counters?.query({ text: "select key from rate_limits" })) ?? { rows: [] };
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toContain("203.0");
    expect(Object.fromEntries(one.store.connections())).toMatchObject({ used: 0, awaited: 0 });
  });

  it("block repeated wrong credentials on every replica", async () => {
    const [one, two] = await replicas();
    for (let n = 0; n < MAX_FAILED_ATTEMPTS; n++) await (n % 2 === 0 ? one : two).admission.failed("198.51.100.1");
    await expect(one.admission.assertMayTry("198.51.100.1")).rejects.toMatchObject({ code: "too_many_attempts" });
    await expect(two.admission.assertMayTry("198.51.100.1")).rejects.toMatchObject({ code: "too_many_attempts" });
    await expect(two.admission.assertMayTry("198.51.100.2")).resolves.toBeUndefined();
  });

  it("enforce their own limits while PostgreSQL is down", async () => {
    const [{ admission }] = await replicas();
    await admission.take("key a", 5);
    await server().kill();
    try {
      const all = await Promise.allSettled(Array.from({ length: 12 }, () => admission.take("key a", 5)));
      expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
    } finally {
      await server().start();
    }
  });
});
