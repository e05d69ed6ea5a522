import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { storeOfTest } from "../../test/support/folders.ts";

let time = Date.parse("2026-01-01T00:00:00Z");
const here = storeOfTest(() => time);
const grant = { roles: ["ask"], domains: ["d"], tenants: ["alice"], access: null, requestsPerHour: null } as const;
const create = (name = "n", expiresAt: string | null = null) => here.store.keys.create({ ...grant, name, expiresAt }, "ann");

describe("keys", () => {
  it("are found by their secret, which is never stored", async () => {
    const { key, record } = await create();
    expect(key).toMatch(/^sb_[0-9a-f]{12}_[\w-]{43}$/);
    expect(await here.store.keys.find(key)).toEqual(record);
    expect(record).toMatchObject({ ...grant, name: "n", revokedAt: null });
    const secret = key.slice(key.indexOf("_", 3) + 1);
    for (const file of ["test.db", "test.db-wal"]) expect(readFileSync(join(here.folder, file)).includes(secret)).toBe(false);
    expect(JSON.stringify(await here.store.keys.list())).not.toContain(secret);
  });

  it("are all different, and similar ones are rejected", async () => {
    const made = await Promise.all(Array.from({ length: 50 }, () => create()));
    expect(new Set(made.map(({ key }) => key)).size).toBe(50);
    const { key, record } = made[0] as (typeof made)[number];
    for (const wrong of ["", "sb_", record.id, key.slice(0, -1), `${key}x`, key.toUpperCase(), key.replace("sb_", "sb-")]) {
      expect(await here.store.keys.find(wrong)).toBeNull();
    }
  });

  it("end once, when they expire or are revoked", async () => {
    const [short, long] = [await create("short", new Date(time + 1000).toISOString()), await create("long")];
    time += 1000;
    expect(await here.store.keys.find(short.key)).toBeNull();
    expect(await here.store.keys.find(long.key)).not.toBeNull();
    expect(await here.store.keys.revoke(long.record.id, "ben")).toBe(true);
    expect(await here.store.keys.find(long.key)).toBeNull();
    expect([await here.store.keys.revoke(long.record.id, "ben"), await here.store.keys.revoke("none", "ben")]).toEqual([false, false]);
    expect(await here.store.keys.any()).toBe(true);
  });

  it("are recorded in the audit log with the actor, but without the key", async () => {
    const { key, record } = await create();
    await here.store.keys.revoke(record.id, "ben");
    const rows = await here.store.audit.list({ limit: 9, subject: record.id });
    expect(rows.map(({ actor, action }) => [actor, action])).toEqual([
      ["ben", "revoke_key"],
      ["ann", "create_key"],
    ]);
    expect(JSON.stringify(rows)).not.toContain(key);
    expect((await here.store.audit.verify()).intact).toBe(true);
  });
});
