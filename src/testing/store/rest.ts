import { describe, expect, it } from "vitest";
import { addInteraction, interaction, type WithStore } from "./fixtures.ts";

export function describeRest(name: string, withStore: WithStore): void {
  describe(`${name}: the rest`, () => {
    it(
      "stores vectors bit for bit",
      withStore(async ({ store }) => {
        const vector = Float32Array.from([0.1, -2.5, 3e-8]);
        await store.embeddings.put("m", new Map([["h", vector]]));
        expect((await store.embeddings.get("m", ["h", "x"])).get("h")).toEqual(vector);
        expect((await store.embeddings.get("other", ["h"])).size).toBe(0);
      }),
    );

    it(
      "stores the active encoder of a domain",
      withStore(async ({ store, second }) => {
        expect(await store.encoders.active("d")).toBeNull();
        await store.encoders.activate("d", { id: "a", spec: "embedded", configured: "x" });
        await second.encoders.activate("d", { id: "b", spec: { hub: "m", dtype: "q8" }, configured: "x" });
        expect(await store.encoders.active("d")).toEqual({ id: "b", spec: { hub: "m", dtype: "q8" }, configured: "x" });
        expect(await store.encoders.active("e")).toBeNull();
      }),
    );

    it(
      "stores how each source was ingested last",
      withStore(async ({ store, second }) => {
        const origin = { domain: "d", tenant: null, source: "s", folder: "/f", root: "/f", access: "public", baseUrl: null };
        await store.origins.put({ ...origin, access: "staff" });
        await store.origins.put(origin);
        await store.origins.put({ ...origin, tenant: "bob", source: "b", folder: null, baseUrl: "https://example.org" });
        expect(await second.origins.list("d")).toEqual([
          { ...origin, tenant: "bob", source: "b", folder: null, baseUrl: "https://example.org" },
          origin,
        ]);
        expect(await store.origins.list("e")).toEqual([]);
      }),
    );

    it(
      "has one secret, whoever asks first",
      withStore(async ({ store, second }) => {
        const [one, two] = await Promise.all([store.secret(), second.secret()]);
        expect(one).toMatch(/^[0-9a-f]{64}$/);
        expect(two).toBe(one);
      }),
    );

    it(
      "lists interactions newest first",
      withStore(async ({ store, advance }) => {
        for (const id of ["i1", "i2"]) {
          await addInteraction(store, interaction(id));
          advance(5);
        }
        expect((await store.interactions.list("d", 10)).map(({ id, reviewStatus }) => [id, reviewStatus])).toEqual([
          ["i2", "unreviewed"],
          ["i1", "unreviewed"],
        ]);
      }),
    );
  });
}
