import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../text/hash.ts";
import { addInteraction, interaction, type WithStore } from "./fixtures.ts";

const body = JSON.stringify({ sentences: [{ text: "Ten “days”, 10 % – naïve ☂." }], checks: [{ name: "c", verdict: "pass" }] });
const content = { hash: sha256Hex(body), body };
const hit = (id: string, of = content) => ({ ...interaction(id), answer: JSON.stringify({ id, status: "ok" }), content: of });
const whole = (id: string, of = content) => ({ id, status: "ok", ...(JSON.parse(of.body) as object) });

/** Defines the tests of contents that several stored answers share. */
export function describeContents(name: string, withStore: WithStore): void {
  describe(`${name}: contents that answers share`, () => {
    it(
      "returns every answer whole, beside answers that share nothing",
      withStore(async ({ store, second }) => {
        const record = { revision: 1, settings: { s: 1 }, body: {} };
        await addInteraction(store, { ...interaction("alone"), answer: JSON.stringify({ id: "alone", checks: [] }) });
        await addInteraction(store, hit("h1"), null, { record });
        await Promise.all([addInteraction(second, hit("h2")), addInteraction(store, hit("h3"))]);
        const listed = (await second.interactions.list("d", 10)).map(({ answer }) => JSON.parse(answer) as { id: string });
        expect(listed.sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
          { id: "alone", checks: [] },
          ...["h1", "h2", "h3"].map((id) => whole(id)),
        ]);
        expect(JSON.parse((await second.review.get("h2"))?.answer ?? "")).toEqual(whole("h2"));
        expect(JSON.parse((await second.records.get("h1"))?.answer ?? "")).toEqual(whole("h1"));
        expect(await second.records.bodies(["h1", "h2", "nobody"])).toEqual(new Map([["h1", record.body]]));
        const made = await second.statistics.made("d", null, 10);
        expect(made.map(({ checks }) => checks.length).sort()).toEqual([0, 1, 1, 1]);
      }),
    );

    it(
      "keeps contents that other answers use when one is forgotten, and none when the last one is",
      withStore(async ({ store, second, advance }) => {
        const other = { hash: sha256Hex('{"sentences":[]}'), body: '{"sentences":[]}' };
        await addInteraction(store, { ...hit("h1"), userId: "u" });
        await addInteraction(store, { ...hit("h2"), userId: "v" });
        await addInteraction(store, { ...hit("h3", other), userId: "v" });
        await store.forgetting.forget({ type: "user", id: "u" }, "Ann");
        expect(JSON.parse((await second.review.get("h2"))?.answer ?? "")).toEqual(whole("h2"));
        await store.forgetting.forget({ type: "user", id: "v" }, "Ann");
        expect(await second.interactions.list("d", 10)).toEqual([]);
        // The stored content is deleted by now. A new body with the same hash must be stored again.
        const again = { hash: content.hash, body: '{"sentences":["new"]}' };
        advance(1);
        await addInteraction(second, hit("h4", again));
        expect(JSON.parse((await store.review.get("h4"))?.answer ?? "")).toEqual(whole("h4", again));
      }),
    );
  });
}
