import { bytesIn, inMemory, type ScratchFile, type StoredBytes } from "./scratch-file.ts";
import { damaged, type Piece, type Section, type Snapshot } from "./snapshot.ts";

/** Bytes of texts that stay in memory; more are read from a file. */
const MEMORY_BYTES = 2 ** 28;

/** Constructor of `Uint32Array`, `Float32Array` and the like. */
interface NumberArray<A> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer, offset: number, length: number): A;
}

/** For a record of typed-array constructors, the record of their instances. */
export type ArraysOf<Types> = { readonly [Name in keyof Types]: Types[Name] extends NumberArray<infer A> ? A : never };

/** Returns a section as an array of numbers. */
export function arrayIn<A>(snapshot: Snapshot, name: string, type: NumberArray<A>): A {
  const bytes = snapshot.section(name);
  return new type(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / type.BYTES_PER_ELEMENT));
}

/** Serialises arrays, one section each. */
export function arraySections(arrays: Readonly<Record<string, ArrayBufferView>>): Section[] {
  return Object.entries(arrays).map(([name, array]) => [name, [array]]);
}

/** Reads the arrays that `arraySections` wrote. */
export function arraysIn<Types extends Readonly<Record<string, NumberArray<unknown>>>>(snapshot: Snapshot, types: Types): ArraysOf<Types> {
  return Object.fromEntries(Object.entries(types).map(([name, type]) => [name, arrayIn(snapshot, name, type)])) as ArraysOf<Types>;
}

/** Puts a prefix before the names of sections. `Snapshot.part` takes it off. */
export function prefixed(prefix: string, sections: readonly Section[]): Section[] {
  return sections.map(([name, pieces]) => [prefix + name, pieces]);
}

/**
 * Serialises strings, each in Latin-1 if possible, else in UTF-16. The JavaScript engine uses both internally, so
 * reading is a plain copy, and every string comes back with the same code units.
 */
export function stringSections(name: string, strings: readonly string[]): Section[] {
  const bytes: Uint8Array[] = [];
  const column = new ColumnShape(strings.length);
  for (const text of strings) bytes.push(column.add(text));
  return column.sections(name, [Buffer.concat(bytes)]);
}

/** Serialises strings like `stringSections`, but reads them again when their bytes are needed. */
export function longStringSections(name: string, strings: readonly (() => string)[]): Section[] {
  const column = new ColumnShape(strings.length);
  const pieces = strings.map((text): StoredBytes => {
    const { byteLength } = column.add(text());
    const encoded = () => new ColumnShape(1).add(text());
    return inMemory(encoded, byteLength);
  });
  return column.sections(name, pieces);
}

/** Where each string of a column ends, and which are in UTF-16. */
class ColumnShape {
  private readonly ends: Float64Array;
  private readonly wide: Uint8Array;
  private count = 0;
  private end = 0;

  constructor(strings: number) {
    this.ends = new Float64Array(strings);
    this.wide = new Uint8Array(strings);
  }

  /** Adds a string and returns its bytes. */
  add(text: string): Buffer {
    const isWide = WIDE.test(text);
    const bytes = Buffer.from(text, isWide ? "utf16le" : "latin1");
    this.wide[this.count] = isWide ? 1 : 0;
    this.end += bytes.length;
    this.ends[this.count++] = this.end;
    return bytes;
  }

  sections(name: string, pieces: Section[1]): Section[] {
    return [
      [name, pieces],
      [`${name}.ends`, [this.ends]],
      [`${name}.wide`, [this.wide]],
    ];
  }
}

const WIDE = /[^\0-\xff]/;

/** Strings of a snapshot, decoded on access. */
export class StringColumn {
  private readonly bytes: Piece;
  private readonly ends: Float64Array;
  private readonly wide: Uint8Array;

  /**
   * @param createFile creates a file for more than `memoryBytes`. @default null: all are in memory
   * @throws SnapshotError when its sections are damaged
   */
  constructor(snapshot: Snapshot, name: string, createFile: (() => ScratchFile) | null = null, memoryBytes = MEMORY_BYTES) {
    const length = snapshot.bytes(name);
    this.bytes = createFile === null || length <= memoryBytes ? new Uint8Array(length) : createFile().part(0, length);
    snapshot.copy(name, [this.bytes]);
    this.ends = arrayIn(snapshot, `${name}.ends`, Float64Array);
    this.wide = snapshot.section(`${name}.wide`);
    if (this.wide.length !== this.ends.length || length !== (this.ends.at(-1) ?? 0)) throw damaged(`strings do not fill "${name}"`);
  }

  get length(): number {
    return this.ends.length;
  }

  get(i: number): string {
    return this.slice(i, 0, Number.POSITIVE_INFINITY);
  }

  /** Decodes a part of a string, like `slice` with non-negative integers. */
  slice(i: number, from: number, to: number): string {
    const start = i === 0 ? 0 : (this.ends[i - 1] as number);
    const end = this.ends[i] as number;
    const width = this.wide[i] === 1 ? 2 : 1;
    const at = (place: number) => Math.min(start + place * width, end);
    const { buffer, byteOffset, byteLength } = bytesIn(this.bytes, at(from), at(to) - at(from));
    return Buffer.from(buffer, byteOffset, byteLength).toString(width === 2 ? "utf16le" : "latin1");
  }
}

/** Returns the distinct values, and for each input the index of its value. */
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
