import { expect, test } from "vitest";
import { sha256Hex } from "./hash.ts";

test("hashes text as UTF-8 and equals the published test vector", () => {
  expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  expect(sha256Hex("é")).toBe(sha256Hex(Buffer.from("é", "utf8")));
});
