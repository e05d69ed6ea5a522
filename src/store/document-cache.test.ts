import { describe, expect, it } from "vitest";
import { storedDocument } from "../testing/store-contract.ts";
import { DocumentCache } from "./documents.ts";

const document = (id: string, characters: number, version = "v1") => storedDocument({ id, version, text: "x".repeat(characters) });

describe("DocumentCache", () => {
  it("gives a document in the version asked for only", () => {
    const cache = new DocumentCache();
    const one = document("a", 5);
    cache.set(one);
    expect(cache.get("a", "v1")).toBe(one);
    expect(cache.get("a", "v2")).toBeNull();
    expect(cache.get("b", "v1")).toBeNull();
    cache.set(document("a", 5, "v2"));
    expect(cache.get("a", "v1")).toBeNull();
  });

  it("drops what was used longest ago when it holds too many characters", () => {
    const cache = new DocumentCache(10);
    cache.set(document("a", 4));
    cache.set(document("b", 4));
    cache.get("a", "v1");
    cache.set(document("c", 4));
    expect(["a", "b", "c"].filter((id) => cache.get(id, "v1") !== null)).toEqual(["a", "c"]);
    for (let i = 0; i < 50; i++) cache.set(document("a", 4, `v${i}`));
    expect(cache.size).toBe(2);
  });

  it("keeps no document that is larger than all it may hold, and no older version of it", () => {
    const cache = new DocumentCache(10);
    cache.set(document("a", 4));
    cache.set(document("a", 11, "v2"));
    expect(cache.size).toBe(0);
    cache.set(document("b", 10));
    expect(cache.size).toBe(1);
  });
});
