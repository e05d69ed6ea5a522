import { describe, expect, it } from "vitest";
import { createPooledReader } from "./create-reader.ts";
import type { ReadRequest } from "./reader.ts";
import { createReadingCache, readingKey } from "./reading-cache.ts";

const asking = (question: string, passage = "b"): ReadRequest => ({ question, head: "", passage });

describe("readingKey", () => {
  it("differs with the weights, any text, and where a text ends", () => {
    const requests: ReadRequest[] = [
      asking("a"),
      asking("a", "c"),
      asking("ab", ""),
      { question: "a", head: "b", passage: "" },
      { question: "a", head: "b", passage: "b" },
    ];
    const keys = ["one", "two"].flatMap((weights) => requests.map((request) => readingKey(weights, request)));
    expect(new Set(keys).size).toBe(2 * requests.length);
    expect(readingKey("one", asking("a"))).toBe(keys[0]);
  });
});

describe("createReadingCache", () => {
  it("drops what was not asked for longest, and never holds more than allowed", () => {
    const cache = createReadingCache(1000);
    for (const key of ["a", "b", "c"]) cache.set(key, { answer: 1 });
    expect(cache.get("a")).toEqual({ answer: 1 });
    cache.set("d", { answer: 2 });
    expect(cache.get("b")).toBeUndefined();
    expect(cache.get("a")).toBeDefined();
    expect(cache.bytes).toBeLessThanOrEqual(1000);
    cache.set("a", { answer: 3 });
    expect(cache.bytes).toBe(900);
    expect(cache.get("a")).toEqual({ answer: 3 });
  });

  it("keeps nothing where not one fits", () => {
    const cache = createReadingCache(200);
    cache.set("a", { answer: 1 });
    expect(cache.get("a")).toBeUndefined();
    expect(cache.bytes).toBe(0);
  });
});

describe("createPooledReader", () => {
  function counted(cacheBytes = 10_000) {
    const asked: ReadRequest[] = [];
    const reader = createPooledReader(
      {
        read: async (request) => {
          asked.push(request);
          if (request.question === "broken") throw new Error("it broke");
          return { answer: asked.length };
        },
        warm: () => undefined,
        close: async () => undefined,
      },
      { name: "test", hash: "0", calibration: {} },
      cacheBytes,
    );
    return { reader, asked };
  }

  it("reads the same once, in one batch and in the next", async () => {
    const { reader, asked } = counted();
    const readings = await reader.read([asking("x"), asking("longer than x"), asking("x")]);
    expect(readings.map(({ answer }) => answer)).toEqual([2, 1, 2]);
    expect(await reader.read([asking("x")])).toEqual([{ answer: 2 }]);
    expect(asked).toHaveLength(2);
  });

  it("remembers nothing when told so", async () => {
    const { reader, asked } = counted(0);
    await reader.read([asking("x")]);
    await reader.read([asking("x")]);
    expect(asked).toHaveLength(2);
  });

  it("throws what broke and forgets it", async () => {
    const { reader, asked } = counted();
    await expect(reader.read([asking("x"), asking("broken")])).rejects.toThrow("it broke");
    await expect(reader.read([asking("broken")])).rejects.toThrow("it broke");
    expect(asked.filter((request) => request.question === "broken")).toHaveLength(2);
  });
});
