import { describe, expect, it } from "vitest";
import { sampleFacts as facts, fileContent, sampleInteraction as interaction, place, storedDocument, type WithStore } from "./fixtures.ts";

export function describeReview(name: string, withStore: WithStore): void {
  describe(`${name}: review`, () => {
    const versions = new Map([["doc-a", "v1"]]);

    it(
      "copies a decision to the same answer, and to no other",
      withStore(async ({ store, second }) => {
        await store.documents.putFile(place, fileContent(storedDocument()));
        expect(await store.interactions.add({ ...interaction, id: "i1" }, null, facts())).toBe("unreviewed");
        expect(await second.review.approve({ id: "i1", by: "Ann", versions })).toBe("done");
        expect(await store.interactions.add({ ...interaction, id: "i2" }, null, facts())).toBe("approved");
        expect(await store.interactions.add({ ...interaction, id: "i3" }, null, facts({ answered: "b" }))).toBe("unreviewed");
        expect(await store.interactions.add({ ...interaction, id: "i4" }, null, facts({ curatedKey: "other" }))).toBe("unreviewed");
        expect(await store.interactions.add({ ...interaction, id: "i5" }, null, facts({ curatedKey: null }))).toBe("unreviewed");
        await second.documents.putFile(place, fileContent(storedDocument({ version: "v2" })));
        for (const id of ["i1", "i2"])
          expect(await store.review.get(id)).toMatchObject({ reviewStatus: "unreviewed", demotedAt: expect.any(String) });
        expect(await store.interactions.add({ ...interaction, id: "late" }, null, facts({ approved: versions }))).toBe("unreviewed");
        expect(await store.review.approve({ id: "i1", by: "Ann", versions })).toBe("stale");
        expect(await store.review.approve({ id: "i9", by: "Ann", versions })).toBe("missing");
      }),
    );

    it(
      "serves a correction until its document changes, and none for an outdated document",
      withStore(async ({ store, second }) => {
        await store.documents.putFile(place, fileContent(storedDocument()));
        await store.interactions.add({ ...interaction, id: "i1" }, null, facts());
        const act = { id: "i1", by: "Ann", versions, curatedId: "c1", answer: '{"a":1}' };
        expect(await store.review.correct({ ...act, versions: new Map([["doc-a", "v0"]]) })).toBe("stale");
        expect(await store.review.correct({ ...act, versions: new Map() })).toBe("stale");
        expect(await second.review.curated("k")).toBeNull();
        expect(await store.review.correct(act)).toBe("done");
        expect(await second.review.curated("k")).toEqual({ id: "c1", answer: '{"a":1}', versions, createdAt: expect.any(String) });
        await second.documents.deleteFiles(place, ["a.md"]);
        expect(await store.review.curated("k")).toBeNull();
        expect((await store.review.get("i1"))?.curated).toMatchObject({ status: "demoted", createdBy: "Ann" });
        expect((await store.audit.list({ limit: 9 })).map(({ action }) => action)).toEqual(["demote", "correct"]);
        const [newest] = await store.audit.list({ limit: 1 });
        expect((await store.audit.list({ limit: 9, before: newest?.seq })).map(({ action }) => action)).toEqual(["correct"]);
        const { domain, tenant, access } = (await store.review.get("i1")) ?? {};
        expect(await store.review.askers(["i1", "i9"])).toEqual(new Map([["i1", { domain, tenant, access }]]));
        expect(await store.review.askers([])).toEqual(new Map());
        expect(await store.audit.verify()).toMatchObject({ intact: true, rows: 2 });
      }),
    );

    it(
      "counts what would be forgotten without forgetting it",
      withStore(async ({ store, second }) => {
        await store.interactions.add({ ...interaction, id: "i1" }, null, facts());
        const target = { type: "session", id: "s" } as const;
        const counted = await store.forgetting.count(target);
        expect(counted).toMatchObject({ interactions: 1 });
        expect(await second.interactions.list("d", 5)).toHaveLength(1);
        expect(await store.forgetting.forget(target, "Ann")).toEqual(counted);
        expect(await second.interactions.list("d", 5)).toEqual([]);
      }),
    );
  });
}
