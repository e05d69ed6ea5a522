import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqlite } from "./sqlite.ts";
import { createStore, type Store } from "./store.ts";

let folder: string;
let store: Store;
let time = Date.parse("2026-01-01T00:00:00Z");
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "sourcebound-keys-"));
  store = createStore(await openSqlite(join(folder, "sourcebound.db")), { now: () => new Date(time), clock: () => 0 });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const grant = { roles: ["ask"], domains: ["d"], tenants: ["alice"], access: null, requestsPerHour: null } as const;

describe("keys", () => {
  it("are found as they were made, and never stored", async () => {
    const { key, record } = await store.keys.create({ ...grant, name: "n", expiresAt: null }, "ann");
    expect(key).toMatch(/^sb_[0-9a-f]{12}_[\w-]{43}$/);
    expect(await store.keys.find(key)).toEqual(record);
    expect(record).toMatchObject({ ...grant, name: "n", revokedAt: null });
    const secret = key.slice(key.indexOf("_", 3) + 1);
    for (const file of ["sourcebound.db", "sourcebound.db-wal"]) expect(readFileSync(join(folder, file)).includes(secret)).toBe(false);
    expect(JSON.stringify(await store.keys.list())).not.toContain(secret);
  });

  it("are all different, and nothing like them opens anything", async () => {
    const made = await Promise.all(Array.from({ length: 50 }, () => store.keys.create({ ...grant, name: "n", expiresAt: null }, "ann")));
    expect(new Set(made.map(({ key }) => key)).size).toBe(50);
    const { key, record } = made[0] as (typeof made)[number];
    for (const wrong of ["", "sb_", record.id, key.slice(0, -1), `${key}x`, key.toUpperCase(), key.replace("sb_", "sb-")]) {
      expect(await store.keys.find(wrong)).toBeNull();
    }
  });

  it("end when they expire and when they are revoked, once", async () => {
    const expiresAt = new Date(time + 1000).toISOString();
    const short = await store.keys.create({ ...grant, name: "short", expiresAt }, "ann");
    const long = await store.keys.create({ ...grant, name: "long", expiresAt: null }, "ann");
    time += 1000;
    expect(await store.keys.find(short.key)).toBeNull();
    expect(await store.keys.find(long.key)).not.toBeNull();
    expect(await store.keys.revoke(long.record.id, "ben")).toBe(true);
    expect(await store.keys.find(long.key)).toBeNull();
    expect([await store.keys.revoke(long.record.id, "ben"), await store.keys.revoke("none", "ben")]).toEqual([false, false]);
    expect(await store.keys.any()).toBe(true);
  });

  it("are told in the audit log, by whom, without the key", async () => {
    const { key, record } = await store.keys.create({ ...grant, name: "n", expiresAt: null }, "ann");
    await store.keys.revoke(record.id, "ben");
    const rows = await store.audit.list({ limit: 9, subject: record.id });
    expect(rows.map(({ actor, action }) => [actor, action])).toEqual([
      ["ben", "revoke_key"],
      ["ann", "create_key"],
    ]);
    expect(JSON.stringify(rows)).not.toContain(key);
    expect((await store.audit.verify()).intact).toBe(true);
  });
});
