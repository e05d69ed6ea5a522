import { inMemory, type ScratchFile, type StoredBytes } from "./scratch-file.ts";
import type { SlotSet, TopK } from "./top-k.ts";
import { SCAN_BASE64 } from "./wasm/scan.generated.ts";

const PAGE_BYTES = 65536;

/** Creates the kernel in WebAssembly SIMD. @throws Error when the machine lacks it */
export function createWasmKernel(): ScanKernel {
  const bytes = Buffer.from(SCAN_BASE64, "base64");
  if (!WebAssembly.validate(bytes))
    throw new Error(
      "vector search needs WebAssembly SIMD, which the processor of this machine does not support. Use another machine, or set embeddings: none",
    );
  // Memory grows in place. The maximum only reserves address space; pages use no memory before they are written.
  const memory = new WebAssembly.Memory({ initial: 1, maximum: MAX_MEMORY_BYTES / PAGE_BYTES });
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), { scan: { memory } });
  return {
    ...(instance.exports as unknown as Pick<ScanKernel, "scanInt8" | "rescore">),
    get buffer() {
      return memory.buffer;
    },
    grow(bytes) {
      const pages = Math.ceil((bytes - memory.buffer.byteLength) / PAGE_BYTES);
      if (pages > 0) memory.grow(pages);
    },
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
   * Scores listed int8 rows, padded to a multiple of four, with an int16 query. Writes (index u32, score f32) of each row above the threshold to `hits`
   * and returns the number of these rows.
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

/** Number of bytes that 32-bit addresses can reach. */
const MAX_MEMORY_BYTES = 2 ** 32;

/**
 * Number of rows per block: small enough to waste little memory on a small index, large enough that a call per block
 * costs nothing.
 */
export const BLOCK_ROWS = 1024;

const BLOCK_WORDS = BLOCK_ROWS / 32;

export const MAX_DIMENSIONS = 4096;

/**
 * Maximum absolute value of a quantised query. With int8 rows a product is at most 127 · 4095, and 4,096 of them stay
 * below 2³¹, so that integer sums over `MAX_DIMENSIONS` cannot overflow.
 */
const QUERY_LEVELS = 4095;

const ROW_LEVELS = 127;

/** Memory layout of the WebAssembly kernel: addresses and sizes in bytes. */
export interface Layout {
  readonly dimensions: number;
  /** Bytes of an int8 and of an f32 row, padded with zeros to whole SIMD vectors. */
  readonly int8Bytes: number;
  readonly floatBytes: number;
  readonly query: number;
  readonly query16: number;
  readonly list: number;
  /** Address of the (index, score) pairs of a scan, or of the scores of a rescoring. */
  readonly hits: number;
  /** Address of scratch space, to which a rescoring copies f32 rows that are in a file. */
  readonly staged: number;
  /**
   * Address of the first block. A block holds `BLOCK_ROWS` slots: their scales, int8 rows and, unless these are in a
   * file, f32 rows.
   */
  readonly blocks: number;
  readonly blockBytes: number;
}

/** @param inFile whether f32 rows are in a file */
export function layoutFor(dimensions: number, inFile = false): Layout {
  const int8Bytes = aligned(dimensions, 16);
  const floatBytes = int8Bytes * 4;
  const query = 64;
  const query16 = query + floatBytes;
  const list = query16 + int8Bytes * 2;
  const hits = list + (BLOCK_ROWS + 4) * 4;
  const staged = aligned(hits + (BLOCK_ROWS + 4) * 8, 64);
  const blocks = staged + (inFile ? BLOCK_ROWS * floatBytes : 0);
  const blockBytes = BLOCK_ROWS * (4 + int8Bytes + (inFile ? 0 : floatBytes));
  return { dimensions, int8Bytes, floatBytes, query, query16, list, hits, staged, blocks, blockBytes };
}

/** A file with the f32 rows of vectors. Row 0 of the memory is row `first` of the file. */
interface FloatFile {
  readonly file: ScratchFile;
  readonly first: number;
}

/** Rows of vectors in one WebAssembly memory, in blocks; the memory grows in place, so adding a row copies no other. */
export class VectorRows {
  private readonly kernel: ScanKernel;
  private readonly layout: Layout;
  private readonly floats: FloatFile | null;
  private int8 = new Int8Array(0);
  private int16 = new Int16Array(0);
  private uint32 = new Uint32Array(0);
  private float32 = new Float32Array(0);

  /** @param floats file of the f32 rows, for a layout with `inFile`; `null`: they are in the memory */
  constructor(kernel: ScanKernel, layout: Layout, floats: FloatFile | null = null) {
    this.kernel = kernel;
    this.layout = layout;
    this.floats = floats;
    this.reserve(0);
  }

  get bytes(): number {
    return this.kernel.buffer.byteLength;
  }

  /** Returns the bytes by which the memory must grow for this number of rows. */
  lacking(rows: number): number {
    return Math.max(0, this.bytesFor(rows) - this.bytes);
  }

  /**
   * Makes room for rows, by whole blocks. Growing detaches the views on the memory, so they are created again.
   * @throws RangeError when the memory cannot grow
   */
  reserve(rows: number): void {
    if (this.lacking(rows) === 0 && this.uint32.length > 0) return;
    this.kernel.grow(this.bytesFor(rows));
    const { buffer } = this.kernel;
    this.int8 = new Int8Array(buffer);
    this.int16 = new Int16Array(buffer);
    this.uint32 = new Uint32Array(buffer);
    this.float32 = new Float32Array(buffer);
  }

  write(row: number, vector: Float32Array): void {
    const { floatBytes, int8Bytes } = this.layout;
    const { scale: scaleAt, int8, float } = this.places(row);
    this.float32.fill(0, float / 4, (float + floatBytes) / 4);
    this.float32.set(vector, float / 4);
    if (this.floats !== null) this.fileRows(this.floats, row, 1).write(0, this.bytesAt(float, floatBytes));
    const scale = Math.fround(largest(vector) / ROW_LEVELS);
    this.float32[scaleAt / 4] = scale;
    this.int8.fill(0, int8, int8 + int8Bytes);
    if (scale > 0) for (let i = 0; i < vector.length; i++) this.int8[int8 + i] = quantise((vector[i] as number) / scale, ROW_LEVELS);
  }

  /** Returns consecutive rows of one block. They stay valid when the memory grows. */
  parts(row: number, rows: number): Record<"scales" | "int8" | "floats", StoredBytes> {
    const { int8Bytes, floatBytes } = this.layout;
    const { scale, int8, float } = this.places(row);
    const at = (address: number, bytes: number) => inMemory(() => this.bytesAt(address, bytes), bytes);
    return {
      scales: at(scale, rows * 4),
      int8: at(int8, rows * int8Bytes),
      floats: this.floats === null ? at(float, rows * floatBytes) : this.fileRows(this.floats, row, rows),
    };
  }

  /** Sets the query of `scan` and `rescore`. */
  writeQuery(query: Float32Array): void {
    const { query: float, query16, floatBytes, int8Bytes } = this.layout;
    this.float32.fill(0, float / 4, (float + floatBytes) / 4);
    this.float32.set(query, float / 4);
    const at = query16 / 2;
    this.int16.fill(0, at, at + int8Bytes);
    const scale = largest(query) / QUERY_LEVELS;
    if (scale > 0) for (let i = 0; i < query.length; i++) this.int16[at + i] = quantise((query[i] as number) / scale, QUERY_LEVELS);
  }

  /**
   * Offers the int8 scores of the accepted rows to `best`, block by block. The kernel returns only scores above the worst
   * entry kept so far.
   * @param rows number of rows
   * @param base slot of row 0
   */
  scan(rows: number, base: number, accepted: SlotSet, best: TopK): void {
    const { kernel, uint32, float32, layout } = this;
    const { int8Bytes, list, query16, hits } = layout;
    for (let row = 0; row < rows; row += BLOCK_ROWS) {
      let end = list / 4;
      for (let word = 0; word < BLOCK_WORDS; word++)
        for (let bits = accepted.word((base + row) / 32 + word); bits !== 0; bits &= bits - 1)
          uint32[end++] = word * 32 + 31 - Math.clz32(bits & -bits);
      const listed = end - list / 4;
      if (listed === 0) continue;
      uint32.fill(uint32[end - 1] as number, end, end + 3);
      const { int8, scale } = this.places(row);
      const found = kernel.scanInt8(int8, int8Bytes, scale, list, listed, query16, best.threshold, hits);
      for (let i = 0, hit = hits / 4; i < found; i++, hit += 2)
        best.offer(base + row + (uint32[hit] as number), float32[hit + 1] as number);
    }
  }

  /** Offers the f32 scores of some rows to `best`. @param base slot of row 0 */
  rescore(rows: ArrayLike<number>, base: number, best: TopK): void {
    const { kernel, uint32, float32, layout } = this;
    const { list, hits, floatBytes, query } = layout;
    for (let first = 0; first < rows.length; first += BLOCK_ROWS) {
      const count = Math.min(BLOCK_ROWS, rows.length - first);
      const padded = Math.ceil(count / 4) * 4;
      for (let i = 0; i < padded; i++) {
        const at = Math.min(i, count - 1);
        uint32[list / 4 + i] = this.loaded(rows[first + at] as number, at);
      }
      kernel.rescore(list, count, floatBytes, query, hits);
      for (let i = 0; i < count; i++) best.offer(base + (rows[first + i] as number), float32[hits / 4 + i] as number);
    }
  }

  /** Returns the address of an f32 row. If the rows are in a file, the row is first copied to `place` in the memory. */
  private loaded(row: number, place: number): number {
    if (this.floats === null) return this.places(row).float;
    const { staged, floatBytes } = this.layout;
    const address = staged + place * floatBytes;
    this.fileRows(this.floats, row, 1).read(0, this.bytesAt(address, floatBytes));
    return address;
  }

  private fileRows({ file, first }: FloatFile, row: number, rows: number): StoredBytes {
    const { floatBytes } = this.layout;
    return file.part((first + row) * floatBytes, rows * floatBytes);
  }

  private bytesAt(address: number, bytes: number): Uint8Array {
    return new Uint8Array(this.kernel.buffer, address, bytes);
  }

  private bytesFor(rows: number): number {
    return this.layout.blocks + Math.ceil(rows / BLOCK_ROWS) * this.layout.blockBytes;
  }

  private places(row: number): { scale: number; int8: number; float: number } {
    const { blocks, blockBytes, int8Bytes, floatBytes, staged } = this.layout;
    const block = blocks + Math.floor(row / BLOCK_ROWS) * blockBytes;
    const inBlock = row % BLOCK_ROWS;
    const int8 = block + BLOCK_ROWS * 4;
    return {
      scale: block + inBlock * 4,
      int8: int8 + inBlock * int8Bytes,
      float: this.floats === null ? int8 + BLOCK_ROWS * int8Bytes + inBlock * floatBytes : staged,
    };
  }
}

function aligned(value: number, to: number): number {
  return Math.ceil(value / to) * to;
}

function largest(vector: Float32Array): number {
  let max = 0;
  for (let i = 0; i < vector.length; i++) max = Math.max(max, Math.abs(vector[i] as number));
  return max;
}

/** Rounds to the nearest integer within ±levels. */
function quantise(value: number, levels: number): number {
  return Math.max(-levels, Math.min(levels, Math.round(value)));
}
