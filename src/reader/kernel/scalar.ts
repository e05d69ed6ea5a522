import type { ReaderKernel } from "./kernel.ts";

const { fround, abs, max, min } = Math;

/**
 * The kernel in plain TypeScript: the readable reference, and what runs where there is no WebAssembly SIMD (some thirty times
 * slower). `Math.fround` after every operation gives the rounding of f32 instructions.
 */
export function createScalarKernel(buffer: ArrayBufferLike): ReaderKernel {
  const int8 = new Int8Array(buffer);
  const int16 = new Int16Array(buffer);
  const float32 = new Float32Array(buffer);

  function packRows(at: number, rows: number, depth: number): number {
    let largest = 0;
    for (let panel = at; panel < at + rows * depth; panel += 4 * depth) {
      const source = int8.slice(panel, panel + 4 * depth);
      for (let row = 0; row < 4; row++) {
        let sum = 0;
        for (let k = 0; k < depth; k++) {
          const code = source[row * depth + k] as number;
          sum += abs(code);
          int8[panel + (k >> 1) * 8 + row * 2 + (k & 1)] = code;
        }
        largest = max(largest, sum);
      }
    }
    return largest;
  }

  function quantise(x: number, tokens: number, width: number, limit: number, codes: number, scales: number): void {
    for (let token = 0; token < Math.ceil(tokens / 4) * 4; token++) {
      const from = x / 4 + token * width;
      let peak = 0;
      if (token < tokens) for (let k = 0; k < width; k++) peak = max(peak, abs(float32[from + k] as number));
      float32[scales / 4 + token] = peak / limit;
      const factor = peak > 0 ? fround(limit / peak) : 0;
      const tile = codes / 2 + (token >> 2) * 4 * width + (token & 3) * 2;
      for (let k = 0; k < width; k++) {
        const code = roundToEven(fround((float32[from + k] as number) * factor));
        int16[tile + (k >> 1) * 8 + (k & 1)] = max(-32768, min(32767, code));
      }
    }
  }

  function multiply(
    weights: number,
    rowScales: number,
    bias: number,
    rows: number,
    depth: number,
    codes: number,
    tokenScales: number,
    tokens: number,
    out: number,
    stride: number,
  ): void {
    for (let token = 0; token < Math.ceil(tokens / 4) * 4; token++) {
      const tile = codes / 2 + (token >> 2) * 4 * depth + (token & 3) * 2;
      for (let row = 0; row < rows; row++) {
        const panel = weights + (row >> 2) * 4 * depth + (row & 3) * 2;
        let sum = 0;
        for (let pair = 0; pair < depth * 4; pair += 8)
          sum +=
            (int8[panel + pair] as number) * (int16[tile + pair] as number) +
            (int8[panel + pair + 1] as number) * (int16[tile + pair + 1] as number);
        const scale = fround((float32[rowScales / 4 + row] as number) * (float32[tokenScales / 4 + token] as number));
        float32[(out + token * stride) / 4 + row] = fround(fround(sum) * scale) + (float32[bias / 4 + row] as number);
      }
    }
  }

  function gelu(x: number, count: number): void {
    for (let i = x / 4; i < x / 4 + count; i++) {
      const bounded = max(-5, min(5, float32[i] as number));
      const v = fround(fround(fround(bounded * bounded) * GELU_SCALE) - 1);
      float32[i] = (float32[i] as number) * fround(fround(series(GELU, v) * bounded) + 0.5);
    }
  }

  function addNorm(x: number, y: number, gain: number, bias: number, tokens: number, width: number, epsilon: number): void {
    const row = new Float32Array(width);
    const squares = new Float32Array(width);
    for (let token = 0; token < tokens; token++) {
      const at = x / 4 + token * width;
      for (let k = 0; k < width; k++) row[k] = (float32[at + k] as number) + (float32[y / 4 + token * width + k] as number);
      const mean = fround(sumOfFour(row) / width);
      for (let k = 0; k < width; k++) squares[k] = fround((row[k] as number) - mean) ** 2;
      const variance = fround(fround(sumOfFour(squares) / width) + fround(epsilon));
      const factor = fround(1 / fround(Math.sqrt(variance)));
      for (let k = 0; k < width; k++) {
        const centred = fround(fround((row[k] as number) - mean) * factor);
        float32[at + k] = fround(centred * (float32[gain / 4 + k] as number)) + (float32[bias / 4 + k] as number);
      }
    }
  }

  function attend(
    query: number,
    queries: number,
    keyValue: number,
    tokens: number,
    heads: number,
    width: number,
    scale: number,
    _scratch: number,
    out: number,
  ): void {
    const hidden = heads * width;
    // As many places as in the tiles of the other form: their shares are next to nothing, but they stand in the sum.
    const shares = new Float32Array(Math.ceil(tokens / 8) * 8);
    for (let head = 0; head < heads; head++) {
      for (let i = 0; i < queries; i++) {
        const from = query / 4 + i * hidden + head * width;
        shares.fill(-1e30);
        for (let j = 0; j < tokens; j++) {
          const key = keyValue / 4 + j * 2 * hidden + head * width;
          let score = 0;
          for (let k = 0; k < width; k++) score = fround(score + fround((float32[key + k] as number) * (float32[from + k] as number)));
          shares[j] = score;
        }
        toShares(shares, fround(scale));
        for (let k = 0; k < width; k++) {
          let sum = 0;
          for (let j = 0; j < tokens; j++) {
            const value = float32[keyValue / 4 + j * 2 * hidden + hidden + head * width + k] as number;
            sum = fround(sum + fround(value * (shares[j] as number)));
          }
          float32[out / 4 + i * hidden + head * width + k] = sum;
        }
      }
    }
  }

  return { name: "scalar", packRows, quantise, multiply, gelu, addNorm, attend };
}

function toShares(scores: Float32Array, scale: number): void {
  let peak = fround(-1e30);
  for (const score of scores) peak = max(peak, score);
  for (let j = 0; j < scores.length; j++) scores[j] = exp(fround(fround((scores[j] as number) - peak) * scale));
  const factor = fround(1 / sumOfFour(scores));
  for (let j = 0; j < scores.length; j++) scores[j] = (scores[j] as number) * factor;
}

/** Four partial sums over places 4i + l in rising i, added as (s0 + s1) + (s2 + s3). */
function sumOfFour(values: Float32Array): number {
  const sums = new Float32Array(4);
  for (let i = 0; i < values.length; i++) sums[i & 3] = (sums[i & 3] as number) + (values[i] as number);
  const [a = 0, b = 0, c = 0, d = 0] = sums;
  return fround(fround(a + b) + fround(c + d));
}

function roundToEven(value: number): number {
  const rounded = Math.round(value);
  return rounded - value === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
}

const LOG2_E = fround(Math.LOG2E);
/** ln 2 in two parts, so that n * ln 2 loses no digits. */
const LN2_HIGH = 0.693359375;
const LN2_LOW = fround(-0.00021219444005469057);
/** Factors of the series of e^r, highest power first. */
const EXP = [1 / 720, 1 / 120, 1 / 24, 1 / 6, 1 / 2, 1, 1].map(fround);
/** lab/train/reader/fit_gelu.py */
const GELU = [
  -0.0011061235563829541, 0.0032307435758411884, -0.0039035221561789513, 0.005060216877609491, -0.01012207567691803, 0.016932537779211998,
  -0.023649564012885094, 0.031354572623968124, -0.04038744047284126, 0.05152522027492523, -0.07029843330383301, 0.14136375486850739,
].map(fround);
const GELU_SCALE = fround(0.08);

function series(factors: readonly number[], x: number): number {
  let sum = factors[0] as number;
  for (let i = 1; i < factors.length; i++) sum = fround(fround(sum * x) + (factors[i] as number));
  return sum;
}

/** e^x for x <= 0. */
function exp(x: number): number {
  const bounded = max(x, -86);
  const n = roundToEven(fround(bounded * LOG2_E));
  const r = fround(fround(bounded - fround(n * LN2_HIGH)) - fround(n * LN2_LOW));
  return fround(series(EXP, r) * 2 ** n);
}
