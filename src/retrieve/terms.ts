import { withRoom } from "./growable.ts";

/** What a `Terms` is made of, for snapshots: it loads as it lies in the file. */
export interface PackedTerms {
  /** UTF-16 code units of all terms, one after the other. */
  readonly units: Uint16Array<ArrayBuffer>;
  /** Where each term ends in `units`. */
  readonly ends: Uint32Array<ArrayBuffer>;
  /** Hash table, a power of two long: a term's number plus 1, at its hash or the first free place after; 0 is free. */
  readonly table: Uint32Array<ArrayBuffer>;
}

/**
 * Numbers terms from 0 in the order in which they come. A table over typed arrays: a `Map` of 200,000 strings would take most of the
 * time of loading an index.
 */
export class Terms {
  private units: Uint16Array;
  private ends: Uint32Array;
  private table: Uint32Array;
  private count: number;

  constructor(packed?: PackedTerms) {
    this.units = packed?.units ?? new Uint16Array(0);
    this.ends = packed?.ends ?? new Uint32Array(0);
    // Copied, for it changes in place; the others are copied when they grow.
    this.table = packed?.table.slice() ?? new Uint32Array(64);
    this.count = this.ends.length;
  }

  get size(): number {
    return this.count;
  }

  get bytes(): number {
    return this.units.byteLength + this.ends.byteLength + this.table.byteLength;
  }

  /** The number of a term, −1 when it is not here. */
  get(term: string): number {
    return (this.table[this.place(term)] as number) - 1;
  }

  /** The number of a term, a new one when it is not here. */
  add(term: string): number {
    const place = this.place(term);
    const known = (this.table[place] as number) - 1;
    if (known >= 0) return known;
    const id = this.count++;
    const start = this.start(id);
    this.units = withRoom(this.units, start + term.length);
    for (let i = 0; i < term.length; i++) this.units[start + i] = term.charCodeAt(i);
    this.ends = withRoom(this.ends, this.count);
    this.ends[id] = start + term.length;
    this.table[place] = this.count;
    if (this.count * 2 > this.table.length) this.enlarge();
    return id;
  }

  /** Some of the terms in rising order, numbered anew. */
  packed(ids: readonly number[]): PackedTerms {
    const all = ids.length === this.count;
    const kept = all ? this : new Terms();
    if (!all) for (const id of ids) kept.add(this.name(id));
    return { units: kept.units.slice(0, kept.start(kept.count)), ends: kept.ends.slice(0, kept.count), table: kept.table.slice() };
  }

  private start(id: number): number {
    return id === 0 ? 0 : (this.ends[id - 1] as number);
  }

  /** The term of a number. */
  name(id: number): string {
    return String.fromCharCode(...this.units.subarray(this.start(id), this.ends[id]));
  }

  /** Where a term stands in the table, or where it would. */
  private place(term: string): number {
    const { table } = this;
    const last = table.length - 1;
    let place = hashOf(term) & last;
    while (table[place] !== 0 && !this.equals((table[place] as number) - 1, term)) place = (place + 1) & last;
    return place;
  }

  private equals(id: number, term: string): boolean {
    const start = this.start(id);
    if ((this.ends[id] as number) - start !== term.length) return false;
    for (let i = 0; i < term.length; i++) if (this.units[start + i] !== term.charCodeAt(i)) return false;
    return true;
  }

  private enlarge(): void {
    this.table = new Uint32Array(this.table.length * 2);
    for (let id = 0; id < this.count; id++) this.table[this.place(this.name(id))] = id + 1;
  }
}

/** FNV-1a over code units, its bits mixed once more, for the table uses the low ones. */
function hashOf(term: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) >>> 8;
}
