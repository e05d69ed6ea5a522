import { describe, expect, it } from "vitest";
import { addInteraction, addTurn, sampleInteraction, scope, type WithStore } from "./fixtures.ts";

export function describeSessions(name: string, withStore: WithStore): void {
  describe(`${name}: sessions`, () => {
    const turn = (n: number) => ({ question: `q${n}`, answer: `a${n}`, citations: [`c${n}`] });
    const keep = { idleMinutes: 30, limit: 5 };

    it(
      "keeps the last turns, oldest first",
      withStore(async ({ store }) => {
        for (let n = 1; n <= 7; n++) await addTurn(store, "s1", scope, turn(n), keep);
        expect((await store.sessions.turns("s1", scope, 5)).map(({ question }) => question)).toEqual(["q3", "q4", "q5", "q6", "q7"]);
      }),
    );

    it(
      "expires after the idle time, and is purged",
      withStore(async ({ store, advance }) => {
        await addTurn(store, "s1", scope, turn(1), keep);
        advance(30 * 60_000 + 1);
        expect(await store.sessions.turns("s1", scope, 5)).toEqual([]);
        expect((await store.forgetting.purge({ interactionsDays: 9, interactionsRows: 9, reportsDays: 9, auditDays: 9 })).sessions).toBe(1);
      }),
    );

    it(
      "belongs to the scope in which it began",
      withStore(async ({ store }) => {
        await addTurn(store, "s1", scope, turn(1), keep);
        expect(await store.sessions.turns("s1", { ...scope, tenant: "bob" }, 5)).toEqual([]);
        expect(await store.sessions.turns("s1", { ...scope, domain: "e" }, 5)).toEqual([]);
        expect(await store.sessions.turns("s1", { ...scope, access: ["public", "staff"] }, 5)).toEqual([]);
        await addTurn(store, "s1", { ...scope, tenant: "bob" }, turn(2), keep);
        expect((await store.sessions.turns("s1", scope, 5)).map(({ question }) => question)).toEqual(["q1"]);
      }),
    );

    it(
      "keeps concurrent turns in order, for new, continued and expired sessions",
      withStore(async ({ store, advance }) => {
        await addTurn(store, "expired", scope, turn(0), keep);
        advance(31 * 60_000);
        await addTurn(store, "known", scope, turn(0), keep);
        const say = (session: string, n: number, most?: number) =>
          addInteraction(store, { ...sampleInteraction, id: `${session} ${n}` }, null, {
            turn: { session, scope, turn: turn(n), settings: { ...keep, ...(most === undefined ? {} : { most }) } },
          });
        // The first writes run one by one. Meanwhile the others wait in a queue, and are then written together.
        const before = [1, 2, 3].map((n) => say(`before ${n}`, n));
        const together = ["new", "known", "expired"].flatMap((session) => [1, 2, 3, 4, 5, 6].map((n) => say(session, n)));
        await Promise.all([...before, ...together]);
        const kept = async (session: string) => (await store.sessions.turns(session, scope, 9)).map(({ question }) => question).join(" ");
        for (const session of ["new", "known", "expired"]) expect(await kept(session)).toBe("q2 q3 q4 q5 q6");
        expect(await kept("before 2")).toBe("q2");

        await Promise.all([say("before 4", 4), say("before 5", 5), say("before 6", 6), say("a", 1, 2), say("b", 1, 2), say("c", 1, 2)]);
        expect(await Promise.all(["new", "before 4", "a", "b", "c"].map(kept))).toEqual(["", "", "", "q1", "q1"]);
      }),
    );
  });
}
