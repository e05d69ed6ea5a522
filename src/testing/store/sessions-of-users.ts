import { describe, expect, it } from "vitest";
import { addTurn, scope, type WithStore } from "./fixtures.ts";

export function describeSessionsOfUsers(name: string, withStore: WithStore): void {
  describe(`${name}: sessions of users`, () => {
    const keep = { idleMinutes: 30, limit: 5 };
    const turn = { question: "q", answer: "a", citations: [], shown: "{}" };

    it(
      "are separate, and are deleted only by their owner",
      withStore(async ({ store, second }) => {
        await addTurn(store, "s1", scope, turn, { ...keep, userId: "ann" });
        expect(await second.sessions.turns("s1", scope, 5, "ann")).toMatchObject([{ ...turn, createdAt: expect.any(String) }]);
        for (const other of ["ben", null]) {
          expect(await store.sessions.turns("s1", scope, 5, other)).toEqual([]);
          expect(await store.sessions.delete("s1", scope, other)).toBe(false);
        }
        expect(await store.sessions.delete("s1", { ...scope, tenant: "bob" }, "ann")).toBe(false);
        expect(await store.sessions.delete("s1", scope, "ann")).toBe(true);
        expect(await second.sessions.turns("s1", scope, 5, "ann")).toEqual([]);
      }),
    );
  });
}
