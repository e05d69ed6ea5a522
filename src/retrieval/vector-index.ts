import { DenseIndex } from "./dense.ts";
import { SlotSet, withRoom } from "./slot-set.ts";
import { damaged, type SnapshotFile } from "./snapshot.ts";
import type { Scored } from "./top-k.ts";

/** Vectors of one encoder for the windows of a corpus, addressed by window slot. */
export class VectorIndex {
  private dense: DenseIndex;
  private windowOfVector = new Uint32Array(0);
  /** Slot of each window's vector plus 1; 0 if it has none. */
  private vectorOfWindow = new Uint32Array(0);
  /** Caches sets of windows as sets of vectors until a vector is added. Deleted vectors do no harm. */
  private vectorsOf = new WeakMap<SlotSet, SlotSet>();

  /** @param encoder id of the encoder that made the vectors */
  constructor(encoder: string) {
    this.dense = new DenseIndex({ model: encoder });
  }

  /** Size of the vectors in bytes. */
  get bytes(): number {
    return this.dense.bytes;
  }

  /** Number of windows that have a vector. */
  get size(): number {
    return this.dense.size;
  }

  /** `null` before the first vector. */
  get dimensions(): number | null {
    return this.dense.dimensions || null;
  }

  /** Returns the vector of a window, which must have one. */
  vectorAt(window: number): Float32Array {
    return this.dense.vectorAt(this.slotOf(window));
  }

  has(window: number): boolean {
    return this.slotOf(window) >= 0;
  }

  add(window: number, vector: Float32Array): void {
    this.place(window, this.dense.add(vector));
    this.vectorsOf = new WeakMap();
  }

  delete(window: number): void {
    const slot = this.slotOf(window);
    if (slot < 0) return;
    this.dense.delete(slot);
    this.vectorOfWindow[window] = 0;
  }

  /**
   * Returns a snapshot of the vectors of some windows and, in ascending order, the index in `windows` of each vector's
   * window. Windows without a vector are left out.
   */
  save(windows: readonly number[]): { vectors: Uint8Array; windowOf: Uint32Array } {
    const numbers = windows.flatMap((window, i) => (this.has(window) ? [i] : []));
    const vectors = this.dense.save(numbers.map((i) => this.slotOf(windows[i] as number)));
    return { vectors, windowOf: Uint32Array.from(numbers) };
  }

  /**
   * Loads vectors from the output of `save`.
   * @throws SnapshotError when they are damaged or from another encoder
   */
  static load(encoder: string, vectors: Uint8Array | SnapshotFile, windowOf: Uint32Array): VectorIndex {
    const index = new VectorIndex(encoder);
    index.dense = DenseIndex.load(vectors, { model: encoder });
    if (index.dense.slots !== windowOf.length) throw damaged(`${index.dense.slots} vectors belong to ${windowOf.length} windows`);
    index.windowOfVector = windowOf.slice();
    index.vectorOfWindow = new Uint32Array((windowOf.at(-1) ?? -1) + 1);
    for (let slot = 0; slot < windowOf.length; slot++) index.vectorOfWindow[windowOf[slot] as number] = slot + 1;
    return index;
  }

  private slotOf(window: number): number {
    return (this.vectorOfWindow[window] ?? 0) - 1;
  }

  private place(window: number, slot: number): void {
    this.windowOfVector = withRoom(this.windowOfVector, slot + 1);
    this.vectorOfWindow = withRoom(this.vectorOfWindow, window + 1);
    this.windowOfVector[slot] = window;
    this.vectorOfWindow[window] = slot + 1;
  }

  /**
   * Ranks windows by cosine, best first.
   * @param accept windows to rank; must not change afterwards, because it is cached
   */
  search(question: Float32Array, k: number, accept: SlotSet): Scored[] {
    return this.dense.search(question, k, this.vectorSlots(accept)).map(({ slot, score }) => ({
      slot: this.windowOfVector[slot] as number,
      score,
    }));
  }

  private vectorSlots(windows: SlotSet): SlotSet {
    const known = this.vectorsOf.get(windows);
    if (known !== undefined) return known;
    const slots = new SlotSet();
    windows.forEach((window) => {
      const slot = this.slotOf(window);
      if (slot >= 0) slots.add(slot);
    });
    this.vectorsOf.set(windows, slots);
    return slots;
  }

  /** Returns the highest cosine of some windows; `null` if none has a vector. */
  best(question: Float32Array, windows: readonly number[]): number | null {
    return this.dense.best(
      question,
      windows.map((window) => this.slotOf(window)).filter((slot) => slot >= 0),
    );
  }
}
