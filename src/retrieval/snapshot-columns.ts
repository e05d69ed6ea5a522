import { withRoom } from "./slot-set.ts";
import { damaged, type Section, type Snapshot } from "./snapshot.ts";

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
    this.ends = arrayIn(snapshot, `${name}.ends`, Float64Array);
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
