import { describe, expect, it } from "vitest";
import type { Exposure } from "../../store/statistics.ts";
import { addInteraction, addTurn, interaction, type WithStore } from "./fixtures.ts";

const scope = { domain: "d", tenant: null, access: ["public"] };
const exposure = (answerId: string, over: Partial<Exposure> = {}): Exposure => ({
  ...{ answerId, experiment: "x", variant: "a", session: "s", answered: true, warned: false, cached: false },
  ...{ latencyMs: 10, tokens: 5, costUsd: 0.5, ...over },
});
const response = { status: 200, headers: [["content-type", "application/json"]] as const, body: '{"answer":"a secret of the reader"}' };

/** Defines the tests of budgets, idempotency keys, experiments and limits of sessions. */
export function describeService(name: string, withStore: WithStore): void {
  describe(`${name}: what the service keeps`, () => {
    it(
      "sums a caller's spending by day, across processes, separately for each caller",
      withStore(async ({ store, second }) => {
        const spend = (at: typeof store) => at.usage.add("key a", "2026-11-22", { tokens: 10, costUsd: 0.25 });
        await Promise.all(Array.from({ length: 20 }, (_, i) => spend(i % 2 === 0 ? store : second)));
        expect(await second.usage.of("key a", "2026-11-22")).toEqual({ answers: 20, tokens: 200, costUsd: 5 });
        expect(await store.usage.of("key b", "2026-11-22")).toEqual({ answers: 0, tokens: 0, costUsd: 0 });
        expect(await store.usage.of("key a", "2026-11-23")).toEqual({ answers: 0, tokens: 0, costUsd: 0 });
      }),
    );

    it(
      "reserves budgets for running answers across processes, so that their sum is never exceeded",
      withStore(async ({ store, second, advance }) => {
        const day = "2026-01-01";
        const asked = { caller: "key a", day, most: { tokens: 300, costUsd: 0 }, limits: { tokens: 1_000, costUsd: 0 }, holdMs: 60_000 };
        const all = await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? store : second).usage.reserve(asked)));
        const ids = all.flatMap((one) => (one.type === "reserved" ? [one.id] : []));
        expect(ids).toHaveLength(3);
        expect(all.filter(({ type }) => type === "taken")).toHaveLength(17);
        expect(await store.usage.reserve({ ...asked, caller: "key b" })).toMatchObject({ type: "reserved" });
        for (const id of ids) await second.usage.settle(id, { caller: "key a", day, amount: { tokens: 290, costUsd: 0.1 } });
        expect(await store.usage.of("key a", day)).toEqual({ answers: 3, tokens: 870, costUsd: expect.closeTo(0.3) });
        // The remaining budget is smaller than the maximum cost of an answer, so no further answer is admitted.
        expect(await store.usage.reserve(asked)).toEqual({ type: "spent" });
        const smaller = { ...asked, most: { tokens: 130, costUsd: 0 } };
        expect(await store.usage.reserve(smaller)).toMatchObject({ type: "reserved" });
        expect(await second.usage.reserve(smaller)).toEqual({ type: "taken" });
        // The reservation expires, as if the process that made it had crashed.
        advance(60_001);
        const next = await second.usage.reserve(smaller);
        expect(next.type).toBe("reserved");
        if (next.type === "reserved") await store.usage.settle(next.id, { caller: "key a", day, amount: { tokens: 130, costUsd: 0 } });
        expect(await store.usage.reserve(smaller)).toEqual({ type: "spent" });
        // A budget below the maximum cost of one answer admits one answer at a time, as long as nothing is spent.
        const small = { ...asked, caller: "key c", most: { tokens: 5_000, costUsd: 0 } };
        const [alone, beside] = [await store.usage.reserve(small), await second.usage.reserve(small)];
        expect([alone.type, beside.type]).toEqual(["reserved", "taken"]);
        if (alone.type === "reserved") await store.usage.settle(alone.id, { caller: "key c", day, amount: { tokens: 1, costUsd: 0 } });
        expect(await second.usage.reserve(small)).toEqual({ type: "spent" });
        const dollars = { ...asked, most: { tokens: 0, costUsd: 0.1 }, limits: { tokens: 0, costUsd: 0.3 } };
        expect(await store.usage.reserve(dollars)).toEqual({ type: "spent" });
        expect(await store.usage.reserve({ ...dollars, limits: { tokens: 0, costUsd: 0.5 } })).toMatchObject({ type: "reserved" });
      }),
    );

    it(
      "gives a named request to one of many claimants, and its response to the others",
      withStore(async ({ store, second, advance }) => {
        const request = { name: "key a 7", fingerprint: "f" };
        const claims = await Promise.all(
          Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? store : second).idempotency.claim(request, 1000)),
        );
        expect(claims.map(({ type }) => type).sort()).toEqual(["claimed", ...Array(9).fill("in-progress")]);
        expect(await store.idempotency.claim({ ...request, fingerprint: "g" }, 1000)).toEqual({ type: "reused" });
        await store.idempotency.keep(request, response, 5000);
        advance(4999);
        expect(await second.idempotency.claim(request, 1000)).toEqual({ type: "kept", response });
        advance(2);
        expect(await second.idempotency.claim(request, 1000)).toEqual({ type: "claimed" });
      }),
    );

    it(
      "reassigns a named request that was dropped, or whose process died",
      withStore(async ({ store, second, advance }) => {
        const request = { name: "n", fingerprint: "f" };
        await store.idempotency.claim(request, 1000);
        await store.idempotency.drop(request);
        expect((await second.idempotency.claim(request, 1000)).type).toBe("claimed");
        advance(1001);
        expect((await store.idempotency.claim(request, 1000)).type).toBe("claimed");
      }),
    );

    it(
      "deletes named responses and counts of experiments with what is forgotten",
      withStore(async ({ store }) => {
        const request = { name: "n", fingerprint: "f" };
        await store.idempotency.claim(request, 1000);
        await store.idempotency.keep(request, response, 5000);
        await addInteraction(store, interaction("gone"));
        await store.exposures.record(exposure("gone"));
        await store.exposures.record(exposure("of-nobody", { session: "other" }));
        expect((await store.forgetting.count({ type: "all" })).interactions).toBe(1);
        expect((await store.idempotency.claim(request, 1000)).type).toBe("kept");
        expect(await store.exposures.sessions("x")).toHaveLength(2);
        await store.forgetting.forget({ type: "all" }, "test");
        expect((await store.idempotency.claim(request, 1000)).type).toBe("claimed");
        expect(await store.exposures.sessions("x")).toEqual([]);
      }),
    );

    it(
      "sums an experiment by session, with readers' verdicts",
      withStore(async ({ store, second, advance }) => {
        await addInteraction(store, interaction("i1"));
        await store.exposures.record(exposure("i1"));
        await store.exposures.record(exposure("i1"));
        await store.exposures.record(exposure("i2", { answered: false, warned: true, latencyMs: 30 }));
        advance(10);
        await store.exposures.record(exposure("i3", { session: "t", variant: "b" }));
        await store.exposures.record(exposure("i4", { experiment: "y" }));
        const [first, other] = await second.exposures.sessions("x");
        expect(first).toMatchObject({ variant: "a", questions: 2, answered: 1, warned: 1, latencyMs: 40, tokens: 10, costUsd: 1 });
        expect(other).toMatchObject({ variant: "b", questions: 1, thumbsUp: 0, flagged: 0 });
      }),
    );

    it(
      "limits the number of sessions: drops the one idle longest, and keeps active ones",
      withStore(async ({ store, advance }) => {
        const settings = { idleMinutes: 30, limit: 5, most: 3 };
        const turn = { question: "q", answer: "a", citations: [] };
        for (const id of ["s1", "s2", "s3", "s1", "s4"]) {
          advance(1000);
          await addTurn(store, id, scope, turn, settings);
        }
        const turns = async (id: string) => (await store.sessions.turns(id, scope, 5)).length;
        expect([await turns("s1"), await turns("s2"), await turns("s3"), await turns("s4")]).toEqual([2, 0, 1, 1]);
      }),
    );
  });
}
