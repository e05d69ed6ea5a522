import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { folderOfFile } from "../../test/support/folders.ts";
import { SourceboundError } from "../shared/errors.ts";
import { loadEmbeddedEncoder } from "./embedded-encoder.ts";

const weightsFile = new URL("./weights/encoder.bin", import.meta.url);
const parity: { rows: { text: string; vector: number[] }[] } = JSON.parse(
  readFileSync(new URL("../../lab/train/encoder/parity.json", import.meta.url), "utf8"),
);
const encoder = loadEmbeddedEncoder();
const folder = folderOfFile();

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? Number.NaN), 0);
}

function embedOne(text: string): Float32Array {
  return encoder.embedSync([text])[0] ?? new Float32Array();
}

function expectUsable(vector: Float32Array): void {
  expect(vector.length).toBe(encoder.dimensions);
  expect(vector.every(Number.isFinite)).toBe(true);
  const length = Math.sqrt(dot(vector, vector));
  expect(Math.min(Math.abs(length), Math.abs(length - 1))).toBeLessThan(1e-5);
}

function errorAfter(change: (bytes: Buffer) => Buffer): unknown {
  const path = join(folder, "changed.bin");
  writeFileSync(path, change(readFileSync(weightsFile)));
  try {
    loadEmbeddedEncoder({ path });
  } catch (error) {
    return error;
  }
  return undefined;
}

describe("embedded encoder", () => {
  it.each(parity.rows)("returns the reference vector for $text", ({ text, vector }) => {
    const ours = embedOne(text);
    for (const [i, value] of vector.entries()) expect(Math.abs((ours[i] ?? Number.NaN) - value)).toBeLessThan(1e-3);
  });

  it("returns the zero vector for texts without tokens", () => {
    for (const text of ["", " \n\t", "\u200b\u00ad\u0000"]) expect(embedOne(text).every((value) => value === 0)).toBe(true);
  });

  it("returns a unit vector for emoji, right-to-left text, unseen scripts and lone surrogates", () => {
    for (const text of ["😀", "שלום", "مرحبا", "日本語", "ಠ_ಠ", "𝕳𝖊𝖑𝖑𝖔", "x\ud83d", "\udc00y", "½"]) {
      const vector = embedOne(text);
      expectUsable(vector);
      expect(dot(vector, vector)).toBeCloseTo(1, 5);
    }
  });

  it("truncates a word of 100 kB after 64 characters, so that it does not dominate the text", () => {
    const vector = embedOne(`how do I appeal ${"a9F/".repeat(25_000)}`);
    expectUsable(vector);
    expect(embedOne("q".repeat(100_000))).toEqual(embedOne("q".repeat(64)));
  });

  it("never returns NaN, and always length 0 or 1", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        expectUsable(embedOne(text));
      }),
      { numRuns: 300, seed: 7 },
    );
  });

  it("ignores case, accents and kinds of white space", () => {
    expect(embedOne("Café\u00a0RÉSUMÉ")).toEqual(embedOne("cafe resume"));
    expect(embedOne("page\u000cbreak")).toEqual(embedOne("page break"));
  });

  it.each([
    ["an empty file", () => Buffer.alloc(0), /damaged \(it does not begin with SBENC002\)/],
    ["another kind of file", () => Buffer.from("PK\u0003\u0004 something else entirely"), /it does not begin with SBENC002/],
    ["a file cut off in its header", (bytes: Buffer) => bytes.subarray(0, 40), /header is truncated/],
    ["a file cut off in its payload", (bytes: Buffer) => bytes.subarray(0, bytes.length - 1), /hash differs/],
    ["one flipped bit", (bytes: Buffer) => bytes.fill((bytes[5_000_000] ?? 0) ^ 1, 5_000_000, 5_000_001), /hash differs/],
    ["a header that is not JSON", (bytes: Buffer) => bytes.fill("!", 12, 20), /header is not readable/],
  ] as const)("reports %s with advice", (_, change, message) => {
    const error = errorAfter(change);
    expect(error).toBeInstanceOf(SourceboundError);
    expect(error).toMatchObject({ code: "encoder_corrupt", message: expect.stringMatching(message) });
    expect((error as Error).message).toContain("Reinstall Sourcebound");
  });

  it("names the path of a missing file", () => {
    const path = join(folder, "nowhere.bin");
    expect(() => loadEmbeddedEncoder({ path })).toThrowError(expect.objectContaining({ code: "encoder_missing" }));
    expect(() => loadEmbeddedEncoder({ path })).toThrowError(/nowhere\.bin/);
  });

  it("has at most 8 MB with licence and sources", () => {
    const bytes = readFileSync(weightsFile);
    expect(bytes.length).toBeLessThanOrEqual(8_000_000);
    const header = JSON.parse(bytes.subarray(12, 12 + bytes.readUInt32LE(8)).toString("utf8"));
    expect(header.licence).toBe("Apache-2.0");
    expect(header.source_model.name).toContain("all-MiniLM-L6-v2");
    expect(header.training_sets.every((set: { name?: string; licence?: string }) => set.name && set.licence)).toBe(true);
  });
});
