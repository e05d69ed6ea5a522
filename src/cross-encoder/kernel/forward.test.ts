import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../grading/metrics.ts";
import { sha256Hex } from "../../text/hash.ts";
import { FORWARD_SOURCE_SHA256 } from "./forward.generated.ts";
import { compileKernel, createKernel, largestCode } from "./kernel.ts";

describe("forward.wat", () => {
  const source = readFileSync(join(import.meta.dirname, "forward.wat"), "utf8");

  it("is the source of the committed bytes (npm run wasm)", () => {
    expect(sha256Hex(source)).toBe(FORWARD_SOURCE_SHA256);
  });
});

/** Opens the kernel with its own memory. */
function openKernel() {
  const memory = new WebAssembly.Memory({ initial: 16, maximum: 16, shared: true });
  return { kernel: createKernel({ module: compileKernel(), memory }), buffer: memory.buffer };
}

describe("operations", () => {
  it("multiply like float64, within the rounding of codes, for rows of any size and incomplete tiles", () => {
    const random = createRandom(3);
    const { kernel, buffer } = openKernel();
    const [rows, depth, tokens] = [24, 40, 7];
    const [weights, scales, bias, x, codes, codeScales, out, scratch] = [0, 4096, 8192, 12288, 32768, 65536, 131072, 262144] as const;
    const [int8, float32] = [new Int8Array(buffer), new Float32Array(buffer)];
    for (let i = 0; i < rows * depth; i++) int8[weights + i] = Math.floor(random() * 255) - 127;
    for (let i = 0; i < rows; i++) [float32[scales / 4 + i], float32[bias / 4 + i]] = [random() / 100, random() - 0.5];
    for (let i = 0; i < tokens * depth; i++) float32[x / 4 + i] = (random() - 0.5) * 8;
    const plain = int8.slice(weights, weights + rows * depth);
    const largest = kernel.packRows(weights, rows, depth, scratch);
    const sums = Array.from({ length: rows }, (_, row) =>
      plain.subarray(row * depth, (row + 1) * depth).reduce((sum, w) => sum + Math.abs(w), 0),
    );
    expect(largest).toBe(Math.max(...sums));
    kernel.quantise(x, tokens, depth, largestCode(largest), codes, codeScales);
    kernel.multiply(weights, scales, bias, rows, depth, codes, codeScales, tokens, out, rows * 4);
    for (let token = 0; token < tokens; token++)
      for (let row = 0; row < rows; row++) {
        let sum = 0;
        for (let k = 0; k < depth; k++) sum += (plain[row * depth + k] as number) * (float32[x / 4 + token * depth + k] as number);
        const wanted = sum * (float32[scales / 4 + row] as number) + (float32[bias / 4 + row] as number);
        expect(Math.abs((float32[out / 4 + token * rows + row] as number) - wanted)).toBeLessThan(2e-3);
      }
  });

  it("never overflow 32 bits, with the largest weights and inputs", () => {
    const { kernel, buffer } = openKernel();
    const [rows, depth] = [8, 4096];
    const [weights, scales, bias, x, codes, codeScales, out, scratch] = [0, 40000, 40064, 49152, 131072, 262144, 270336, 524288] as const;
    const [int8, float32] = [new Int8Array(buffer), new Float32Array(buffer)];
    int8.fill(127, weights, weights + rows * depth);
    float32.fill(1, scales / 4, scales / 4 + rows);
    float32.fill(0, bias / 4, bias / 4 + rows);
    float32.fill(1, x / 4, x / 4 + depth);
    const limit = largestCode(kernel.packRows(weights, rows, depth, scratch));
    expect(limit).toBe(Math.floor((2 ** 31 - 1) / (127 * depth)));
    kernel.quantise(x, 1, depth, limit, codes, codeScales);
    kernel.multiply(weights, scales, bias, rows, depth, codes, codeScales, 1, out, rows * 4);
    for (let row = 0; row < rows; row++) expect(float32[out / 4 + row]).toBeCloseTo(127 * depth, -1);
  });

  it("gelu is within 1e-5 of x (1 + erf(x / sqrt 2)) / 2, and within a millionth of large x", () => {
    const { kernel, buffer } = openKernel();
    const float32 = new Float32Array(buffer);
    const inputs = Float32Array.from({ length: 4000 }, (_, i) => (i - 2000) / 200);
    inputs.set([-1e30, 1e30, 0, -0], 0);
    float32.set(inputs, 0);
    kernel.gelu(0, inputs.length);
    for (const [i, x] of inputs.entries()) {
      const wanted = Math.abs(x) > 1e9 ? Math.max(0, x) : x * normalShare(x);
      expect(Math.abs((float32[i] as number) - wanted)).toBeLessThanOrEqual(Math.max(1e-5, 1e-6 * Math.abs(x)));
    }
  });

  it("quantise a row of zeros to zeros", () => {
    const { kernel, buffer } = openKernel();
    new Float32Array(buffer).fill(0, 0, 16);
    new Int16Array(buffer).fill(7, 512, 1024);
    kernel.quantise(0, 1, 16, 32767, 1024, 4096);
    expect([...new Int16Array(buffer, 1024, 64)].every((code) => code === 0)).toBe(true);
    expect(new Float32Array(buffer)[1024]).toBe(0);
  });
});

/** Returns the normal cumulative distribution at x, by Simpson's rule over its density. */
function normalShare(x: number): number {
  const steps = 400;
  const density = (t: number) => Math.exp((-t * t) / 2) / Math.sqrt(2 * Math.PI);
  const from = Math.max(0, Math.min(9, Math.abs(x)));
  let sum = density(0) + density(from);
  for (let i = 1; i < steps; i++) sum += density((from * i) / steps) * (i % 2 === 1 ? 4 : 2);
  const half = (sum * from) / (3 * steps);
  return x >= 0 ? 0.5 + half : 0.5 - half;
}
