import { describe, expect, it } from "vitest";
import { scope, type WithStore } from "./fixtures.ts";

export function describeSessions(name: string, withStore: WithStore): void {
  describe(`${name}: sessions`, () => {
    const turn = (n: number) => ({ question: `q${n}`, answer: `a${n}`, citations: [`c${n}`] });
    const keep = { idleMinutes: 30, limit: 5 };

    it(
      "keeps the last turns, oldest first",
      withStore(async ({ store }) => {
        for (let n = 1; n <= 7; n++) await store.sessions.append("s1", scope, turn(n), keep);
        expect((await store.sessions.turns("s1", scope, 5)).map(({ question }) => question)).toEqual(["q3", "q4", "q5", "q6", "q7"]);
      }),
    );

    it(
      "forgets after the idle time, and purges",
      withStore(async ({ store, advance }) => {
        await store.sessions.append("s1", scope, turn(1), keep);
        advance(30 * 60_000 + 1);
        expect(await store.sessions.turns("s1", scope, 5)).toEqual([]);
        expect(await store.sessions.purge()).toBe(1);
      }),
    );

    it(
      "belongs to the scope in which it began",
      withStore(async ({ store }) => {
        await store.sessions.append("s1", scope, turn(1), keep);
        expect(await store.sessions.turns("s1", { ...scope, tenant: "bob" }, 5)).toEqual([]);
        expect(await store.sessions.turns("s1", { ...scope, domain: "e" }, 5)).toEqual([]);
        expect(await store.sessions.turns("s1", { ...scope, access: ["public", "staff"] }, 5)).toEqual([]);
        await store.sessions.append("s1", { ...scope, tenant: "bob" }, turn(2), keep);
        expect((await store.sessions.turns("s1", scope, 5)).map(({ question }) => question)).toEqual(["q1"]);
      }),
    );
  });
}
