import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../text/hash.ts";
import { createWasmKernel } from "../vector-rows.ts";
import { SCAN_SOURCE_SHA256 } from "./scan.generated.ts";

describe("scan.wat", () => {
  const source = readFileSync(join(import.meta.dirname, "scan.wat"), "utf8");

  it("is the source of the committed bytes (npm run wasm)", () => {
    expect(sha256Hex(source)).toBe(SCAN_SOURCE_SHA256);
  });

  it("runs on this machine, and its memory keeps its contents when it grows", () => {
    const kernel = createWasmKernel();
    new Uint8Array(kernel.buffer)[100] = 7;
    kernel.grow(1_000_000);
    expect(kernel.buffer.byteLength).toBeGreaterThanOrEqual(1_000_000);
    expect(new Uint8Array(kernel.buffer)[100]).toBe(7);
  });
});
