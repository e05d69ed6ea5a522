/**
 * What scans rows of vectors in one flat memory. Addresses and lengths are in bytes; row lengths are multiples of 16.
 * Both implementations give the same bits: `scan.wat` says how sums are ordered.
 */
export interface ScanKernel {
  readonly name: "wasm" | "scalar";
  /** The memory; another object after `grow`. The kernel uses its first 16 bytes. */
  readonly buffer: ArrayBuffer;
  /**
   * Makes the memory at least this long; what it holds stays where it is.
   * @throws RangeError when it cannot
   */
  grow(bytes: number): void;
  /** Writes the numbers of the bits set in `words` 32-bit words to `list`, padded to a multiple of four; returns how many there are. */
  expand(mask: number, words: number, list: number): number;
  /** Scores listed int8 rows with an int16 query; writes (number u32, score f32) of those above the threshold to `hits`, returns how many. */
  scanInt8(
    rows: number,
    rowBytes: number,
    scales: number,
    list: number,
    count: number,
    query: number,
    threshold: number,
    hits: number,
  ): number;
  /** The same for f32 rows. */
  scanFloat32(rows: number, rowBytes: number, list: number, count: number, query: number, threshold: number, hits: number): number;
  /** Scores the f32 rows at the listed addresses, padded to a multiple of four, into `scores`. */
  rescore(addresses: number, count: number, rowBytes: number, query: number, scores: number): void;
}

/** Most that a 32-bit address reaches. */
export const MAX_MEMORY_BYTES = 2 ** 32;
