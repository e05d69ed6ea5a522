import { inflateRawSync } from "node:zlib";
import { expect, it } from "vitest";
import { pack, unpack } from "./corpus-log.ts";

it.each([
  ["nothing", null],
  ["a short text", { question: "Was heißt „§ 4“? 𝒳" }],
  ["a text of just as many bytes as are not deflated", "x".repeat(998)],
  ["one more", "x".repeat(999)],
  ["short in characters, long in bytes", "ü".repeat(600)],
  ["a long text", { text: "Tinnitus is rated at 10 percent. ".repeat(1_000) }],
])("packs %s so that any reader of deflated streams gives it back", (_, value) => {
  const packed = pack(value);
  expect(unpack(packed)).toEqual(value);
  expect(inflateRawSync(packed).toString()).toBe(JSON.stringify(value));
});

it("makes long texts shorter", () => {
  const text = "Tinnitus is rated at 10 percent. ".repeat(1_000);
  expect(pack(text).length).toBeLessThan(text.length / 20);
});
