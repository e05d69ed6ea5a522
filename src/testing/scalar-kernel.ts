import type { ScanKernel } from "../retrieval/vector-rows.ts";

/**
 * Creates the kernel in TypeScript without WebAssembly, as a reference for comparison. `Math.fround` after every operation
 * gives the results of f32 instructions: a sum or product of two f32 values, computed in f64 and then rounded, is the
 * correctly rounded f32 result.
 */
export function createScalarKernel(): ScanKernel {
  let buffer = new ArrayBuffer(65536);
  let int8 = new Int8Array(buffer);
  let int16 = new Int16Array(buffer);
  let uint32 = new Uint32Array(buffer);
  let float32 = new Float32Array(buffer);

  /** Adds the products to four sums in turn: s0 has elements 0, 4, 8…, s3 has 3, 7, 11…. Returns (s0 + s1) + (s2 + s3). */
  function dotFloat32(row: number, query: number, length: number): number {
    const { fround } = Math;
    const rows = float32;
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    for (let i = 0; i < length; i += 4) {
      s0 = fround(s0 + fround((rows[row + i] as number) * (rows[query + i] as number)));
      s1 = fround(s1 + fround((rows[row + i + 1] as number) * (rows[query + i + 1] as number)));
      s2 = fround(s2 + fround((rows[row + i + 2] as number) * (rows[query + i + 2] as number)));
      s3 = fround(s3 + fround((rows[row + i + 3] as number) * (rows[query + i + 3] as number)));
    }
    return fround(fround(s0 + s1) + fround(s2 + s3));
  }

  function dotInt8(row: number, query: number, length: number): number {
    const rows = int8;
    const queries = int16;
    let sum = 0;
    for (let i = 0; i < length; i++) sum = (sum + (rows[row + i] as number) * (queries[query + i] as number)) | 0;
    return sum;
  }

  return {
    get buffer() {
      return buffer;
    },
    grow(bytes) {
      if (bytes <= buffer.byteLength) return;
      const larger = new ArrayBuffer(Math.max(bytes, buffer.byteLength * 2));
      new Uint8Array(larger).set(new Uint8Array(buffer));
      buffer = larger;
      int8 = new Int8Array(buffer);
      int16 = new Int16Array(buffer);
      uint32 = new Uint32Array(buffer);
      float32 = new Float32Array(buffer);
    },

    scanInt8(rows, rowBytes, scales, list, count, query, threshold, hits) {
      let out = hits / 4;
      for (let i = 0; i < count; i++) {
        const number = uint32[list / 4 + i] as number;
        const dot = Math.fround(dotInt8(rows + number * rowBytes, query / 2, rowBytes));
        const score = Math.fround((float32[scales / 4 + number] as number) * dot);
        if (score > threshold) {
          uint32[out] = number;
          float32[out + 1] = score;
          out += 2;
        }
      }
      return (out - hits / 4) / 2;
    },
    rescore(addresses, count, rowBytes, query, scores) {
      for (let i = 0; i < count; i++)
        float32[scores / 4 + i] = dotFloat32((uint32[addresses / 4 + i] as number) / 4, query / 4, rowBytes / 4);
    },
  };
}
