import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOfFile } from "../../test/support/folders.ts";
import { ModelError } from "../shared/errors.ts";
import { loadReaderWeights } from "./weights.ts";

const path = join(import.meta.dirname, "parity", "tiny.bin");
const folder = folderOfFile();

/** Writes a copy of the weights file with changed bytes or header. Its hash matches the content unless `rehash` is false. */
function altered(
  change: { bytes?: (bytes: Buffer) => Buffer; header?: (header: Record<string, unknown>) => unknown },
  rehash = true,
): string {
  let bytes: Buffer = readFileSync(path);
  if (change.header !== undefined) {
    const length = bytes.readUInt32LE(40);
    const header = JSON.stringify(change.header(JSON.parse(bytes.toString("utf8", 44, 44 + length))));
    const padded = Buffer.from(header + " ".repeat((16 - ((44 + header.length) % 16)) % 16));
    const size = Buffer.alloc(4);
    size.writeUInt32LE(padded.length);
    bytes = Buffer.concat([bytes.subarray(0, 40), size, padded, bytes.subarray(44 + length)]);
  }
  if (change.bytes !== undefined) bytes = change.bytes(bytes);
  if (rehash && bytes.length > 40) createHash("sha256").update(bytes.subarray(40)).digest().copy(bytes, 8);
  const file = join(folder, "altered.bin");
  writeFileSync(file, bytes);
  return file;
}

function written(bytes: Buffer, write: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes);
  write(copy);
  return copy;
}

function failureOf(file: string): ModelError {
  try {
    loadReaderWeights(file, 1);
  } catch (error) {
    if (error instanceof ModelError) return error;
    throw error;
  }
  throw new Error("it was loaded");
}

describe("loadReaderWeights", () => {
  it("reads dimensions and name from the file", () => {
    const { header, hash } = loadReaderWeights(altered({ header: (header) => ({ ...header, name: "other" }) }), 2);
    expect(header).toMatchObject({ name: "other", layers: 3, hidden: 64, heads: 4, feed_forward: 160 });
    expect(hash).not.toBe(loadReaderWeights(path, 1).hash);
  });

  it("gives every thread its own arena after the weights", () => {
    const { firstArena, arenaBytes, memory } = loadReaderWeights(path, 3);
    expect(memory.buffer.byteLength).toBeGreaterThanOrEqual(firstArena + 3 * arenaBytes);
  });

  it.each([
    ["is empty", { bytes: () => Buffer.alloc(0) }, /it does not begin with SBREAD01/],
    ["is another kind of file", { bytes: () => Buffer.from("SBENC002".padEnd(400, "x")) }, /it does not begin with SBREAD01/],
    ["ends inside its header", { bytes: (bytes: Buffer) => bytes.subarray(0, 200) }, /header is truncated/],
    [
      "claims a huge header",
      { bytes: (bytes: Buffer) => written(bytes, (copy) => copy.writeUInt32LE(0xffffffff, 40)) },
      /header is truncated/,
    ],
    ["has a header that is not JSON", { bytes: (bytes: Buffer) => bytes.fill("x", 44, 60) }, /header is not readable/],
    ["is cut short", { bytes: (bytes: Buffer) => bytes.subarray(0, -40) }, /extends beyond the end of the file/],
    ["lacks a tensor", { header: (header: object) => ({ ...header, tensors: {} }) }, /"vocabulary" is missing/],
    ["names other dimensions than its tensors have", { header: (header: object) => ({ ...header, hidden: 96 }) }, /must be/],
    ["is of another format", { header: (header: object) => ({ ...header, format: 1 }) }, /format/],
    ["has unknown fields", { header: (header: object) => ({ ...header, surprise: 1 }) }, /surprise/],
    ["has a number of heads that does not divide the size", { header: (header: object) => ({ ...header, heads: 5 }) }, /hidden \/ heads/],
  ])("rejects a file that %s", (_, change, message) => {
    const failure = failureOf(altered(change));
    expect(failure.code).toBe("reader_corrupt");
    expect(failure.message).toMatch(message);
    expect(failure.message).toContain("Reinstall Sourcebound");
  });

  it("rejects a file with any single bit changed", () => {
    const { length } = readFileSync(path);
    for (const at of [9, 300, 20_000, length >> 1, length - 1]) {
      const flipped = altered({ bytes: (bytes) => written(bytes, (copy) => copy.writeUInt8(copy.readUInt8(at) ^ 1, at)) }, false);
      expect(failureOf(flipped).code).toBe("reader_corrupt");
    }
  });

  it("reports a missing file or a folder in its place", () => {
    expect(failureOf(join(folder, "absent.bin"))).toMatchObject({
      code: "reader_missing",
      message: expect.stringMatching(/absent\.bin, cannot be read .*Reinstall/),
    });
    expect(failureOf(folder).code).toBe("reader_unreadable");
  });
});
