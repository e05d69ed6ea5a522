/**
 * Maximum absolute value of a quantised query. With int8 rows a product is at most 127 · 4095, and 4,096 of them stay
 * below 2³¹, so that integer sums over `MAX_DIMENSIONS` cannot overflow.
 */
export const QUERY_LEVELS = 4095;

export const ROW_LEVELS = 127;

export const MAX_DIMENSIONS = 4096;

/**
 * Number of rows per block: small enough to waste little memory on a small index, large enough that a call per block
 * costs nothing.
 */
export const BLOCK_ROWS = 1024;

export const BLOCK_WORDS = BLOCK_ROWS / 32;

/** Addresses in the kernel's memory. */
export interface Layout {
  readonly dimensions: number;
  /** Bytes of an int8 and of an f32 row, padded with zeros to whole SIMD vectors. */
  readonly int8Bytes: number;
  readonly floatBytes: number;
  readonly query: number;
  readonly query16: number;
  readonly mask: number;
  readonly list: number;
  /** (index, score) pairs of a scan, or scores of a rescoring. */
  readonly hits: number;
  /** First block: scales, int8 rows and f32 rows of `BLOCK_ROWS` slots. */
  readonly blocks: number;
  readonly blockBytes: number;
}

export function layoutFor(dimensions: number): Layout {
  const int8Bytes = aligned(dimensions, 16);
  const floatBytes = int8Bytes * 4;
  const query = 64;
  const query16 = query + floatBytes;
  const mask = query16 + int8Bytes * 2;
  const list = mask + BLOCK_WORDS * 4;
  const hits = list + (BLOCK_ROWS + 4) * 4;
  const blocks = aligned(hits + (BLOCK_ROWS + 4) * 8, 64);
  return {
    dimensions,
    int8Bytes,
    floatBytes,
    query,
    query16,
    mask,
    list,
    hits,
    blocks,
    blockBytes: BLOCK_ROWS * (4 + int8Bytes + floatBytes),
  };
}

export function places({ blocks, blockBytes, int8Bytes }: Layout, block: number): { scales: number; int8: number; floats: number } {
  const scales = blocks + block * blockBytes;
  const int8 = scales + BLOCK_ROWS * 4;
  return { scales, int8, floats: int8 + BLOCK_ROWS * int8Bytes };
}

function aligned(value: number, to: number): number {
  return Math.ceil(value / to) * to;
}

export function largest(vector: Float32Array): number {
  let max = 0;
  for (let i = 0; i < vector.length; i++) max = Math.max(max, Math.abs(vector[i] as number));
  return max;
}

/** Rounds to the nearest integer within ±levels. */
export function quantise(value: number, levels: number): number {
  return Math.max(-levels, Math.min(levels, Math.round(value)));
}

export function assertVector(vector: Float32Array, dimensions: number): void {
  if (vector.length !== dimensions) throw new RangeError(`Vector has ${vector.length} dimensions; the index has ${dimensions}.`);
  for (let i = 0; i < vector.length; i++)
    if (!Number.isFinite(vector[i])) throw new RangeError(`Vector has a value that is not a finite number, at ${i}: ${vector[i]}.`);
}
