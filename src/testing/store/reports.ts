import { describe, expect, it } from "vitest";
import type { Interaction } from "../../store/interaction.ts";
import type { NewReport, ReportSelection } from "../../store/reports.ts";
import type { Store } from "../../store/store.ts";
import { sampleReport } from "../reports.ts";
import { addInteraction, scope, type WithStore } from "./fixtures.ts";

export function describeReports(name: string, withStore: WithStore): void {
  describe(`${name}: reports`, () => {
    const add = (store: Store, id: string, { report = {}, ...over }: Partial<Interaction> & { report?: Partial<NewReport> } = {}) => {
      const interaction = {
        id,
        domain: "d",
        tenant: null,
        access: ["public"],
        profile: "p",
        sessionId: null,
        question: `q ${id}`,
        answer: "{}",
      };
      const rest = { status: "ok", confidence: 0.25, chance: null, cacheMode: "miss" };
      const made = { id: `r-${id}`, topic: "cards", report: sampleReport(), days: 90, entries: 100, ...report };
      return addInteraction(store, { ...interaction, ...rest, ...over }, made);
    };
    const all = { scope, since: new Date(0) };
    const idsOf = async (store: Store, over: Partial<ReportSelection> = {}, page = { limit: 10, offset: 0 }) =>
      (await store.reports.list({ ...all, ...over }, page)).map(({ id }) => id);

    it(
      "returns a report as it was stored, by its id and by that of its interaction",
      withStore(async ({ store, second }) => {
        await add(store, "i1");
        const stored = {
          id: "r-i1",
          interactionId: "i1",
          domain: "d",
          tenant: null,
          profile: "p",
          topic: "cards",
          createdAt: "2026-01-01T00:00:00.000Z",
          question: "q i1",
          report: sampleReport(),
        };
        expect(await second.reports.get("r-i1", all)).toEqual(stored);
        expect(await second.reports.get("i1", all)).toEqual(stored);
        expect(await second.reports.get("i2", all)).toBeNull();
        expect((await store.interactions.list("d", 10)).map(({ id }) => id)).toEqual(["i1"]);
      }),
    );

    it(
      "lists newest first, by page, topic and time",
      withStore(async ({ store, advance }) => {
        for (let n = 1; n <= 5; n++) {
          await add(store, `i${n}`, { report: { topic: n % 2 === 0 ? null : "cards" } });
          advance(1000);
        }
        expect(await idsOf(store)).toEqual(["r-i5", "r-i4", "r-i3", "r-i2", "r-i1"]);
        expect(await idsOf(store, {}, { limit: 2, offset: 1 })).toEqual(["r-i4", "r-i3"]);
        expect(await idsOf(store, {}, { limit: 2, offset: 5 })).toEqual([]);
        expect(await idsOf(store, { topic: null })).toEqual(["r-i4", "r-i2"]);
        expect(await idsOf(store, { topic: "cards" })).toEqual(["r-i5", "r-i3", "r-i1"]);
        expect(await idsOf(store, { since: new Date("2026-01-01T00:00:03Z") })).toEqual(["r-i5", "r-i4"]);
      }),
    );

    it(
      "reads each report once, even if many were created at the same time",
      withStore(async ({ store }) => {
        for (let n = 0; n < 502; n++) await add(store, `i${n}`, { report: { entries: 5000 } });
        const seen = await Array.fromAsync(store.reports.each(all), ({ id }) => id);
        expect(seen).toHaveLength(502);
        expect(new Set(seen).size).toBe(502);
        expect(seen).toEqual([...seen].sort().reverse());
      }),
    );

    it(
      "shows reports of exactly the tenant, without missing labels",
      withStore(async ({ store }) => {
        await add(store, "none");
        await add(store, "alice", { tenant: "alice" });
        await add(store, "staff", { access: ["staff", "public", "staff"] });
        await add(store, "other", { domain: "e" });
        expect(await idsOf(store)).toEqual(["r-none"]);
        expect(await idsOf(store, { scope: { ...scope, tenant: "alice" } })).toEqual(["r-alice"]);
        expect(await idsOf(store, { scope: { ...scope, tenant: "bob" } })).toEqual([]);
        expect(await idsOf(store, { scope: { ...scope, access: ["public", "staff", "board"] } })).toEqual(["r-staff", "r-none"]);
        expect(await idsOf(store, { scope: { ...scope, access: ["staff"] } })).toEqual([]);
        expect(await idsOf(store, { scope: { ...scope, access: [] } })).toEqual([]);
        for (const id of ["r-alice", "alice", "r-staff", "staff", "r-other"]) expect(await store.reports.get(id, all), id).toBeNull();
      }),
    );

    it(
      "drops old reports, and the oldest of a tenant with too many",
      withStore(async ({ store, advance }) => {
        await add(store, "old");
        await add(store, "alice", { tenant: "alice" });
        advance(86_400_000);
        for (const id of ["i1", "i2", "i3"]) {
          await add(store, id, { report: { entries: 2 } });
          advance(1000);
        }
        expect(await idsOf(store)).toEqual(["r-i3", "r-i2"]);
        expect(await idsOf(store, { scope: { ...scope, tenant: "alice" } })).toEqual(["r-alice"]);
        await add(store, "i4", { report: { days: 1 } });
        expect(await idsOf(store, { scope: { ...scope, tenant: "alice" } })).toEqual([]);
        expect((await store.interactions.list("d", 10)).map(({ id }) => id)).toContain("old");
      }),
    );

    it(
      "purges older reports, and nothing else",
      withStore(async ({ store, advance }) => {
        const retention = { interactionsDays: 9, interactionsRows: 9, reportsDays: 1, auditDays: 9 };
        expect((await store.forgetting.purge(retention)).reports).toBe(0);
        await add(store, "i1");
        advance(86_400_000);
        await add(store, "i2");
        advance(1000);
        expect((await store.forgetting.purge(retention)).reports).toBe(1);
        expect(await idsOf(store)).toEqual(["r-i2"]);
        expect(await store.interactions.list("d", 10)).toHaveLength(2);
      }),
    );

    it(
      "stores both or none when a report cannot be stored",
      withStore(async ({ store }) => {
        await add(store, "i1");
        await expect(add(store, "i2", { report: { id: "r-i1" } })).rejects.toThrow();
        expect((await store.interactions.list("d", 10)).map(({ id }) => id)).toEqual(["i1"]);
      }),
    );
  });
}
