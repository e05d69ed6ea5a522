import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOfFile } from "../../test/support/folders.ts";
import { TINY_WEIGHTS } from "../../test/support/reader-parity.ts";
import { createForward } from "./forward.ts";
import { createReadText, createSequenceBuilder, loadReaderWeights, piecesOf } from "./weights.ts";
import { layerMatrices } from "./weights-file.ts";

const folder = folderOfFile();
const RANK = 2;
const base = loadReaderWeights(TINY_WEIGHTS, 1);
const IDS = Int32Array.from({ length: 24 }, (_, i) => (i * 37) % 200);

type Tensor = Int8Array | Float32Array;

/** Creates tensors of an adapter whose factors have these codes, with a head that replaces the original one. */
function tensorsOf(codeOf: (i: number) => number): Map<string, { tensor: Tensor; shape: number[] }> {
  const tensors = new Map<string, { tensor: Tensor; shape: number[] }>();
  const matrix = (name: string, rows: number, depth: number) => {
    tensors.set(`${name}.codes`, { tensor: Int8Array.from({ length: rows * depth }, (_, i) => codeOf(i)), shape: [rows, depth] });
    tensors.set(`${name}.scales`, { tensor: new Float32Array(rows).fill(0.001), shape: [rows] });
  };
  for (let layer = 0; layer < base.header.layers; layer++) {
    for (const [kind, rows, depth] of layerMatrices(base.header)) {
      matrix(`layer.${layer}.${kind}.a`, (kind === "attention" ? 3 : 1) * RANK, depth);
      matrix(`layer.${layer}.${kind}.b`, rows, RANK);
    }
  }
  tensors.set("same.bias", { tensor: Float32Array.of(7), shape: [1] });
  return tensors;
}

function adapterFile(tensors: ReturnType<typeof tensorsOf>, header: object = {}): string {
  const table: Record<string, { type: string; shape: number[]; at: number }> = {};
  const parts: Buffer[] = [];
  let at = 0;
  for (const [name, { tensor, shape }] of tensors) {
    table[name] = { type: tensor instanceof Int8Array ? "i8" : "f32", shape, at };
    const bytes = Buffer.from(tensor.buffer);
    const padding = Buffer.alloc((16 - (bytes.length % 16)) % 16);
    parts.push(bytes, padding);
    at += bytes.length + padding.length;
  }
  const text = JSON.stringify({ format: 1, name: "test", base: base.hash, rank: RANK, tensors: table, ...header });
  const padded = Buffer.from(text + " ".repeat((16 - ((44 + text.length) % 16)) % 16));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(padded.length);
  const hashed = Buffer.concat([size, padded, ...parts]);
  const path = join(folder, "adapter.bin");
  writeFileSync(path, Buffer.concat([Buffer.from("SBREAD01"), createHash("sha256").update(hashed).digest(), hashed]));
  return path;
}

const scoreWith = (path: string | null) => createForward(loadReaderWeights(TINY_WEIGHTS, 1, path), 0).run(IDS);

describe("an adapter", () => {
  it("without changes keeps the scores, and replaces the head that it contains", () => {
    const [before, after] = [scoreWith(null), scoreWith(adapterFile(tensorsOf(() => 0)))];
    expect(Math.abs(after.answer - before.answer)).toBeLessThan(0.1);
    const other = tensorsOf(() => 0).set("same.bias", { tensor: Float32Array.of(8), shape: [1] });
    expect(scoreWith(adapterFile(other)).same).toBeCloseTo(after.same + 1, 4);
  });

  it("changes the scores by its factors", () => {
    const [before, after] = [scoreWith(null), scoreWith(adapterFile(tensorsOf((i) => ((i * 31) % 255) - 127)))];
    expect(Math.abs(after.answer - before.answer)).toBeGreaterThan(0.001);
  });

  it("scores each word of a claim if it has a head for tokens", () => {
    const pair = { question: "Dogs  bark at noon.", text: "Dogs\nDogs bark." };
    const weightsWith = (tensors: ReturnType<typeof tensorsOf>) => loadReaderWeights(TINY_WEIGHTS, 1, adapterFile(tensors));
    const wordsWith = (tensors: ReturnType<typeof tensorsOf>) => {
      const weights = weightsWith(tensors);
      return createReadText(weights, createForward(weights, 0))(pair).words;
    };
    const tensors = tensorsOf(() => 0);
    expect(wordsWith(tensors)).toBeUndefined();
    const head = Float32Array.from({ length: base.header.hidden }, (_, i) => (i % 7) - 3);
    tensors.set("claim_tokens.weights", { tensor: head, shape: [1, head.length] });
    tensors.set("claim_tokens.bias", { tensor: Float32Array.of(5), shape: [1] });
    const words = wordsWith(tensors);
    expect(words).toHaveLength(4);
    const weights = weightsWith(tensors);
    const [forward, { sequence, count }] = [createForward(weights, 0), createSequenceBuilder(piecesOf(weights))];
    forward.run(sequence(pair));
    // The first token is [CLS]. The last word includes its full stop.
    const [first, last] = [1 + count("Dogs"), 1 + count("Dogs bark at")];
    expect(words?.[0]).toBe(Math.min(...forward.tokenOdds({ weights: head, bias: 5 }, 1, first)));
    expect(words?.[3]).toBe(Math.min(...forward.tokenOdds({ weights: head, bias: 5 }, last, last + count("noon."))));
    const higher = tensors.set("claim_tokens.bias", { tensor: Float32Array.of(6), shape: [1] });
    expect(wordsWith(higher)?.[0]).toBeCloseTo((words?.[0] as number) + 1, 4);
  });

  it("gives the weights its own hash", () => {
    expect(loadReaderWeights(TINY_WEIGHTS, 1, adapterFile(tensorsOf(() => 1))).hash).not.toBe(base.hash);
  });

  it.each([
    ["for other weights", {}, { base: "0".repeat(64) }, /was trained for another cross-encoder/],
    ["without a factor", { drop: "layer.0.up.b.codes" }, {}, /"layer.0.up.b.codes" is missing/],
    ["of another rank", {}, { rank: 3 }, /is missing or has another size/],
    ["of another format", {}, { format: 2 }, /header is not readable/],
  ] as const)("%s is rejected", (_, { drop }: { drop?: string }, header, message) => {
    const tensors = tensorsOf(() => 1);
    if (drop !== undefined) tensors.delete(drop);
    expect(() => scoreWith(adapterFile(tensors, header))).toThrow(message);
  });

  it("that is missing is named in the error", () => {
    expect(() => scoreWith(join(folder, "none.bin"))).toThrow(/none\.bin, cannot be read/);
  });
});
