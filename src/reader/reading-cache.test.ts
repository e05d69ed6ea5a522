import { describe, expect, it } from "vitest";
import { createPooledReader } from "./create-reader.ts";
import type { TextReading, ToRead } from "./reader.ts";
import { createReadingCache, readingKey } from "./reading-cache.ts";

/** Some 1,900 bytes with its entry. */
const readingOf = (value: number): TextReading => ({ vector: new Float32Array(375).fill(value) });
const one = readingOf(1);
const two = readingOf(2);

describe("readingKey", () => {
  it("differs with the weights and with any text", () => {
    const texts = ["a", "ab", "a\nb", "a b", "", { question: "a", text: "b" }, { question: "b", text: "a" }, { question: "ab", text: "" }];
    const keys = ["one", "two"].flatMap((weights) => texts.map((text) => readingKey(weights, text)));
    expect(new Set(keys).size).toBe(2 * texts.length);
    expect(readingKey("one", "a")).toBe(keys[0]);
  });
});

describe("createReadingCache", () => {
  it("drops what was not asked for longest, and never holds more than allowed", () => {
    const cache = createReadingCache(6_000);
    for (const key of ["a", "b", "c"]) cache.set(key, one);
    expect(cache.get("a")).toBe(one);
    cache.set("d", two);
    expect(cache.get("b")).toBeUndefined();
    expect(cache.get("a")).toBeDefined();
    expect(cache.bytes).toBeLessThanOrEqual(6_000);
    cache.set("a", two);
    expect(cache.bytes).toBe(5_700);
    expect(cache.get("a")).toBe(two);
  });

  it("counts each by its own size, also where it is replaced", () => {
    const cache = createReadingCache(6_000);
    const long = { vector: new Float32Array(1_025), answer: 3 };
    for (const key of ["a", "b"]) cache.set(key, one);
    cache.set("b", long);
    expect(cache.get("a")).toBeUndefined();
    expect([cache.get("b"), cache.bytes]).toEqual([long, 4_500]);
    cache.set("b", two);
    expect(cache.bytes).toBe(1_900);
  });

  it("keeps nothing that is larger than all that may be kept, and what it holds", () => {
    const cache = createReadingCache(2_000);
    cache.set("a", one);
    cache.set("b", { vector: new Float32Array(1_025), answer: 3 });
    expect(cache.get("b")).toBeUndefined();
    expect(cache.get("a")).toBe(one);
  });
});

describe("createPooledReader", () => {
  function counted(cacheBytes = 10_000) {
    const asked: ToRead[] = [];
    const reader = createPooledReader(
      {
        read: async (text) => {
          asked.push(text);
          if (text === "broken") throw new Error("it broke");
          return readingOf(asked.length);
        },
        warm: () => undefined,
        close: async () => undefined,
      },
      { name: "test", hash: "0" },
      cacheBytes,
    );
    return { reader, asked };
  }

  it("reads the same once, in one batch and in the next", async () => {
    const { reader, asked } = counted();
    expect(await reader.read(["x", "longer than x", "x"])).toEqual([two, one, two]);
    expect(await reader.read(["x"])).toEqual([two]);
    expect(asked).toHaveLength(2);
  });

  it("remembers nothing when told so", async () => {
    const { reader, asked } = counted(0);
    await reader.read(["x"]);
    await reader.read(["x"]);
    expect(asked).toHaveLength(2);
  });

  it("throws what broke and forgets it", async () => {
    const { reader, asked } = counted();
    await expect(reader.read(["x", "broken"])).rejects.toThrow("it broke");
    await expect(reader.read(["broken"])).rejects.toThrow("it broke");
    expect(asked.filter((text) => text === "broken")).toHaveLength(2);
  });
});
