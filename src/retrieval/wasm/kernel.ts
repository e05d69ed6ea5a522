import { SCAN_BASE64 } from "./scan.generated.ts";

const PAGE_BYTES = 65536;

interface ScanExports {
  expand: ScanKernel["expand"];
  scanInt8: ScanKernel["scanInt8"];
  rescore: ScanKernel["rescore"];
}

/** Creates the kernel in WebAssembly SIMD. @throws Error when the machine lacks it */
export function createWasmKernel(): ScanKernel {
  const bytes = Buffer.from(SCAN_BASE64, "base64");
  if (!WebAssembly.validate(bytes)) throw new Error("vector search requires WebAssembly SIMD, which this machine does not support");
  // Memory grows in place. The maximum only reserves address space; pages use no memory before they are written.
  const memory = new WebAssembly.Memory({ initial: 1, maximum: MAX_MEMORY_BYTES / PAGE_BYTES });
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), { scan: { memory } });
  const { expand, scanInt8, rescore } = instance.exports as unknown as ScanExports;
  return {
    get buffer() {
      return memory.buffer;
    },
    grow(bytes) {
      const pages = Math.ceil((bytes - memory.buffer.byteLength) / PAGE_BYTES);
      if (pages > 0) memory.grow(pages);
    },
    expand,
    scanInt8,
    rescore,
  };
}

/**
 * Scans rows of vectors in one flat memory. Addresses and lengths are in bytes; row lengths are multiples of 16.
 * `scan.wat` defines the order of additions, so that every implementation returns the same bits.
 */
export interface ScanKernel {
  /** The memory, replaced by `grow`. The kernel uses the first 16 bytes. */
  readonly buffer: ArrayBuffer;
  /**
   * Makes the memory at least this long. Its contents stay in place.
   * @throws RangeError when it cannot grow
   */
  grow(bytes: number): void;
  /**
   * Writes the indexes of the bits set in `words` 32-bit words to `list`, padded to a multiple of four; returns their
   * number.
   */
  expand(mask: number, words: number, list: number): number;
  /**
   * Scores listed int8 rows with an int16 query. Writes (index u32, score f32) of those above the threshold to `hits`
   * and returns their number.
   */
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
  /** Scores the f32 rows at the listed addresses, padded to a multiple of four, into `scores`. */
  rescore(addresses: number, count: number, rowBytes: number, query: number, scores: number): void;
}

/** Limit of a 32-bit address. */
export const MAX_MEMORY_BYTES = 2 ** 32;
