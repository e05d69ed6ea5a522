import { withRoom } from "./growable.ts";
import { arrayOf, damaged, type Section, type Snapshot } from "./snapshot.ts";

/**
 * Many strings as bytes, each in Latin-1 where that holds it, else in UTF-16: both are what the engine holds strings in, so that reading
 * one is a copy, and every string comes back code unit by code unit.
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

/** Strings of a snapshot, made when they are asked for. */
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

  /** A part of a string, as `slice` gives it for whole numbers from 0: no more is read. */
  slice(i: number, from: number, to: number): string {
    const start = i === 0 ? 0 : (this.ends[i - 1] as number);
    const end = this.ends[i] as number;
    const width = this.wide[i] === 1 ? 2 : 1;
    const at = (place: number) => Math.min(start + place * width, end);
    return this.bytes.toString(width === 2 ? "utf16le" : "latin1", at(from), at(to));
  }
}

/** Each value once, and the number of every one. */
export function numbered(values: readonly string[]): { values: string[]; numbers: number[] } {
  const known = new Map<string, number>();
  const numbers = values.map((value) => {
    const number = known.get(value) ?? known.size;
    known.set(value, number);
    return number;
  });
  return { values: [...known.keys()], numbers };
}

/** Rows of numbers below 2³², one after the other. */
export function numberSection(name: string, list: readonly (readonly number[])[]): Section {
  const width = list[0]?.length ?? 0;
  const numbers = new Uint32Array(list.length * width);
  list.forEach((row, i) => {
    numbers.set(row, i * width);
  });
  return [name, [numbers]];
}
