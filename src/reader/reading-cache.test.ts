import { describe, expect, it } from "vitest";
import { createPooledReader } from "./create-reader.ts";
import type { ReadRequest } from "./reader.ts";
import { createReadingCache, readingKey } from "./reading-cache.ts";

const pairs = (a: string, b = "b"): ReadRequest => ({ task: "pairs", a, b });

describe("readingKey", () => {
  it("differs with the weights, the task, any text, and where a text ends", () => {
    const requests: ReadRequest[] = [
      pairs("a"),
      pairs("a", "c"),
      pairs("ab", ""),
      { task: "claims", claim: "a", evidence: "b" },
      { task: "claims", claim: "a", evidence: "b", head: "h" },
      { task: "answers", question: "a", head: "", passage: "b" },
      { task: "answers", question: "a", head: "b", passage: "" },
    ];
    const keys = ["one", "two"].flatMap((weights) => requests.map((request) => readingKey(weights, request)));
    expect(new Set(keys).size).toBe(2 * requests.length);
    expect(readingKey("one", { task: "claims", claim: "a", evidence: "b", head: "" })).toBe(keys[3]);
  });
});

describe("createReadingCache", () => {
  it("drops what was not asked for longest, and never holds more than allowed", () => {
    const cache = createReadingCache(1000);
    for (const key of ["a", "b", "c"]) cache.set(key, { task: "pairs", same: 1 });
    expect(cache.get("a")).toEqual({ task: "pairs", same: 1 });
    cache.set("d", { task: "pairs", same: 2 });
    expect(cache.get("b")).toBeUndefined();
    expect(cache.get("a")).toBeDefined();
    expect(cache.bytes).toBeLessThanOrEqual(1000);
    cache.set("a", { task: "pairs", same: 3 });
    expect(cache.bytes).toBe(900);
    expect(cache.get("a")).toEqual({ task: "pairs", same: 3 });
  });

  it("counts the tokens of a passage, and keeps nothing that is larger than all of it", () => {
    const cache = createReadingCache(1000);
    const [ints, floats] = [new Int32Array(100), new Float32Array(100)];
    const tokens = { starts: ints, ends: ints, startLogits: floats, endLogits: floats, relevantLogits: floats };
    cache.set("long", { task: "answers", answer: 1, tokens });
    expect(cache.get("long")).toBeUndefined();
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
          if (request.task === "pairs" && request.a === "broken") throw new Error("it broke");
          return { task: "pairs", same: asked.length };
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
    const readings = await reader.read([pairs("x"), pairs("longer than x"), pairs("x")]);
    expect(readings.map((reading) => "same" in reading && reading.same)).toEqual([2, 1, 2]);
    expect(await reader.read([pairs("x")])).toEqual([{ task: "pairs", same: 2 }]);
    expect(asked).toHaveLength(2);
  });

  it("remembers nothing when told so", async () => {
    const { reader, asked } = counted(0);
    await reader.read([pairs("x")]);
    await reader.read([pairs("x")]);
    expect(asked).toHaveLength(2);
  });

  it("throws what broke and forgets it", async () => {
    const { reader, asked } = counted();
    await expect(reader.read([pairs("x"), pairs("broken")])).rejects.toThrow("it broke");
    await expect(reader.read([pairs("broken")])).rejects.toThrow("it broke");
    expect(asked.filter((request) => request.task === "pairs" && request.a === "broken")).toHaveLength(2);
  });
});
