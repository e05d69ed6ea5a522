/** A set of slots, one bit each, used as a filter. */
export class SlotSet {
  private bits = new Uint32Array(32);

  /** Returns the slots below `slots` for which the predicate is true. */
  static from(slots: number, accept: (slot: number) => boolean): SlotSet {
    const set = new SlotSet();
    for (let slot = 0; slot < slots; slot++) if (accept(slot)) set.add(slot);
    return set;
  }

  add(slot: number): void {
    const word = slot >>> 5;
    if (word >= this.bits.length) this.bits = withRoom(this.bits, word + 1);
    this.bits[word] = (this.bits[word] as number) | (1 << (slot & 31));
  }

  delete(slot: number): void {
    const word = slot >>> 5;
    if (word < this.bits.length) this.bits[word] = (this.bits[word] as number) & ~(1 << (slot & 31));
  }

  has(slot: number): boolean {
    const word = slot >>> 5;
    return word < this.bits.length && ((this.bits[word] as number) & (1 << (slot & 31))) !== 0;
  }

  /** Calls `visit` for every slot in ascending order. */
  forEach(visit: (slot: number) => void): void {
    for (let index = 0; index < this.bits.length; index++) {
      for (let left = this.bits[index] as number; left !== 0; left &= left - 1) visit(index * 32 + 31 - Math.clz32(left & -left));
    }
  }

  /** Number of slots in the set. */
  get size(): number {
    let size = 0;
    for (const word of this.bits) size += bitCount(word);
    return size;
  }

  /** Returns the intersection as a new set. */
  and(other: SlotSet): SlotSet {
    const both = new SlotSet();
    both.bits = new Uint32Array(this.bits.length);
    const shared = Math.min(this.bits.length, other.bits.length);
    for (let i = 0; i < shared; i++) both.bits[i] = (this.bits[i] as number) & (other.bits[i] as number);
    return both;
  }

  /** Returns 32 slots as bits, the lowest slot in the lowest bit; 0 beyond the end. */
  word(index: number): number {
    return index < this.bits.length ? (this.bits[index] as number) : 0;
  }
}

function bitCount(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

type NumberArray = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array;

/** Returns the array itself if it has room for `needed` values; otherwise a copy of at least twice the length. */
export function withRoom<A extends NumberArray>(array: A, needed: number): A {
  if (needed <= array.length) return array;
  const larger = new (array.constructor as new (length: number) => A)(Math.max(needed, array.length * 2, 64));
  larger.set(array);
  return larger;
}
