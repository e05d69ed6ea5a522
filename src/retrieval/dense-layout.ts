import { withRoom } from "./slot-set.ts";
import { arrayOf, damaged, type Section, type Snapshot } from "./snapshot.ts";

/**
 * Serialises strings, each in Latin-1 if possible, else in UTF-16. The JavaScript engine uses both internally, so
 * reading is a plain copy, and every string comes back with the same code units.
 */
export function stringSections(name: string, strings: readonly string[]): Section[] {
  let bytes = new Uint8Array(0);
  const ends = new Float64Array(strings.length);
  const wide = new Uint8Array(strings.length);
  let at = 0;
  strings.forEach((text, i) => {
    wide[i] = WIDE.test(text) ? 1 : 0;
    const end = at + text.length * (wide[i] === 1 ? 2 : 1);
    bytes = withRoom(bytes, end);
    Buffer.from(bytes.buffer).write(text, at, wide[i] === 1 ? "utf16le" : "latin1");
    at = end;
    ends[i] = end;
  });
  return [
    [name, [bytes.subarray(0, at)]],
    [`${name}.ends`, [ends]],
    [`${name}.wide`, [wide]],
  ];
}

const WIDE = /[^\0-\xff]/;

/** Strings of a snapshot, decoded on access. */
export class StringColumn {
  private readonly bytes: Buffer;
  private readonly ends: Float64Array;
  private readonly wide: Uint8Array;

  /** @throws SnapshotError when its sections are damaged */
  constructor(snapshot: Snapshot, name: string) {
    const { buffer, byteOffset, length } = snapshot.section(name);
    this.bytes = Buffer.from(buffer, byteOffset, length);
    this.ends = arrayOf(Float64Array, snapshot.section(`${name}.ends`));
    this.wide = snapshot.section(`${name}.wide`);
    if (this.wide.length !== this.ends.length || length !== (this.ends.at(-1) ?? 0)) throw damaged(`strings do not fill "${name}"`);
  }

  get length(): number {
    return this.ends.length;
  }

  get(i: number): string {
    const start = i === 0 ? 0 : (this.ends[i - 1] as number);
    return this.bytes.toString(this.wide[i] === 1 ? "utf16le" : "latin1", start, this.ends[i]);
  }

  /** Decodes a part of a string, like `slice` with non-negative integers. */
  slice(i: number, from: number, to: number): string {
    const start = i === 0 ? 0 : (this.ends[i - 1] as number);
    const end = this.ends[i] as number;
    const width = this.wide[i] === 1 ? 2 : 1;
    const at = (place: number) => Math.min(start + place * width, end);
    return this.bytes.toString(width === 2 ? "utf16le" : "latin1", at(from), at(to));
  }
}

/** Returns the distinct values, and the index of each input among them. */
export function numbered(values: readonly string[]): { values: string[]; numbers: number[] } {
  const known = new Map<string, number>();
  const numbers = values.map((value) => {
    const number = known.get(value) ?? known.size;
    known.set(value, number);
    return number;
  });
  return { values: [...known.keys()], numbers };
}

/** Serialises rows of numbers below 2³², one after the other. */
export function numberSection(name: string, list: readonly (readonly number[])[]): Section {
  const width = list[0]?.length ?? 0;
  const numbers = new Uint32Array(list.length * width);
  list.forEach((row, i) => {
    numbers.set(row, i * width);
  });
  return [name, [numbers]];
}

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
