import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeEncoder } from "../../src/testing/fake-encoder.ts";
import { cacheVectors, openVectorCache } from "./vector-cache.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vectors-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("cached vectors", () => {
  it("are made once, in this run and the next, and are the same", async () => {
    const encoder = fakeEncoder();
    const first = await openVectorCache(folder);
    const made = await cacheVectors(encoder, first.embeddings).embed(["a cat", "a dog", "a cat"]);
    await first.close();
    expect(encoder.calls).toEqual([["a cat", "a dog"]]);
    const second = await openVectorCache(folder);
    const again = await cacheVectors(encoder, second.embeddings).embed(["a cat", "a dog", "a cat"]);
    const grown = await cacheVectors(encoder, second.embeddings).embed(["a dog", "a bird"]);
    await second.close();
    expect(again).toEqual(made);
    expect(grown[0]).toEqual(made[1]);
    expect(encoder.calls).toEqual([["a cat", "a dog"], ["a bird"]]);
  });

  it("of one encoder never stand in for those of another", async () => {
    const cache = await openVectorCache(folder);
    const [one, other] = [fakeEncoder({ id: "one" }), fakeEncoder({ id: "other", vectorOf: () => [0, 1] })];
    await cacheVectors(one, cache.embeddings).embed(["a cat"]);
    expect(await cacheVectors(other, cache.embeddings).embed(["a cat"])).toEqual([Float32Array.of(0, 1)]);
    await cache.close();
    expect(other.calls).toEqual([["a cat"]]);
  });

  it("keep the encoder's name and say when it fails", async () => {
    const cache = await openVectorCache(folder);
    const down = cacheVectors(fakeEncoder({ id: "down", failure: () => new Error("gone") }), cache.embeddings);
    expect(down.id).toBe("down");
    await expect(down.embed(["a cat"])).rejects.toThrow("gone");
    await cache.close();
  });
});
