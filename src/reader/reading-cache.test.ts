import { describe, expect, it } from "vitest";
import { createPooledReader, readingKey } from "./create-reader.ts";
import type { TextReading, ToRead } from "./reader.ts";

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
