import { SlotSet } from "./slot-set.ts";
import { damaged, type Section, type Snapshot } from "./snapshot.ts";
import { arrayIn } from "./snapshot-columns.ts";
import { type Scored, TopK } from "./top-k.ts";
import { createWasmKernel, MAX_MEMORY_BYTES, type ScanKernel } from "./wasm/kernel.ts";
/**
 * Number of rows per result that the int8 scan passes on to f32 rescoring. `bench speed`, 100,000 × 384, top 50: recall
 * .991 with as many rows as results, 1.000 with 1.5 times as many. Twice that is a margin for vectors closer together
 * and costs little.
 */
export const OVERSAMPLING = 3;

/** Minimum number of such rows. A single result needs more than three candidates. */
export const MIN_CANDIDATES = 64;

export interface DenseOptions {
  /** @default OVERSAMPLING */
  readonly oversampling?: number;
  /** @default MIN_CANDIDATES */
  readonly minCandidates?: number;
  /** @default WebAssembly SIMD */
  readonly kernel?: ScanKernel;
}

/**
 * Exact ranking by dot product (cosine for unit vectors): an int8 scan reads a quarter of the bytes, and the best are rescored
 * in f32. Equal scores rank the lower slot first.
 *
 * Rows are stored in blocks of a WebAssembly memory that grows in place, so adding a row copies no other.
 */
export class DenseIndex {
  private readonly kernel: ScanKernel;
  private readonly oversampling: number;
  private readonly minCandidates: number;
  private layout: Layout | null = null;
  private alive = new SlotSet();
  private used = 0;
  private live = 0;
  private int8 = new Int8Array(0);
  private int16 = new Int16Array(0);
  private uint32 = new Uint32Array(0);
  private float32 = new Float32Array(0);

  constructor({ oversampling = OVERSAMPLING, minCandidates = MIN_CANDIDATES, kernel }: DenseOptions = {}) {
    this.oversampling = oversampling;
    this.minCandidates = minCandidates;
    this.kernel = kernel ?? createWasmKernel();
  }

  /** Number of live vectors. */
  get size(): number {
    return this.live;
  }

  /** Number of slots ever assigned. */
  get slots(): number {
    return this.used;
  }

  /** Dimensions of the vectors; 0 before the first one. */
  get dimensions(): number {
    return this.layout?.dimensions ?? 0;
  }

  /** Bytes of the rows and of working memory. */
  get bytes(): number {
    return this.kernel.buffer.byteLength;
  }

  /** True if there is a vector in the slot. */
  has(slot: number): boolean {
    return this.alive.has(slot);
  }

  /**
   * Adds a unit vector; returns its slot.
   * @param slot a slot without a vector. Slots left out cost memory until they are filled. @default the next one
   * @throws RangeError when its dimension differs from the first one's, a value is not finite, or the memory is full
   */
  add(vector: Float32Array, slot = this.used): number {
    assertVector(vector, this.layout?.dimensions ?? vector.length);
    const layout = this.layout ?? this.begin(vector.length);
    this.reserve(layout, slot + 1);
    this.writeRow(layout, slot, vector);
    this.alive.add(slot);
    this.used = Math.max(this.used, slot + 1);
    this.live++;
    return slot;
  }

  /** Deletes a vector; unknown and deleted slots are ignored. */
  delete(slot: number): void {
    if (!this.alive.has(slot)) return;
    this.alive.delete(slot);
    this.live--;
  }

  /**
   * Returns the `k` best vectors by dot product, best first.
   * @param accept slots to rank; others are skipped before scoring. Absent: all
   * @throws RangeError when the query's dimension differs or a value is not finite
   */
  search(query: Float32Array, k: number, accept?: SlotSet): Scored[] {
    const { layout } = this;
    if (layout === null || this.live === 0 || k <= 0) return [];
    assertVector(query, layout.dimensions);
    const accepted = accept === undefined ? this.alive : this.alive.and(accept);
    const count = accept === undefined ? this.live : accepted.size;
    const wanted = Math.min(k, count);
    if (wanted === 0) return [];
    this.writeQuery(layout, query);
    const candidates = Math.min(count, Math.max(this.minCandidates, Math.ceil(wanted * this.oversampling)));
    this.writeQuery16(layout, query);
    return this.rescore(layout, this.scanBlocks(layout, accepted, candidates).slotsKept(), wanted);
  }

  /**
   * Returns the highest dot product of a query with the vectors in some slots, bit for bit as `search` does; `null` if
   * none has a vector.
   * @throws RangeError when the query's dimension differs or a value is not finite
   */
  best(query: Float32Array, slots: readonly number[]): number | null {
    const { layout } = this;
    const held = slots.filter((slot) => this.alive.has(slot));
    if (layout === null || held.length === 0) return null;
    assertVector(query, layout.dimensions);
    this.writeQuery(layout, query);
    return (this.rescore(layout, Uint32Array.from(held), 1)[0] as Scored).score;
  }

  /**
   * Returns copies of the vectors in some slots, renumbered in this order. Slots without a vector stay gaps.
   * @param only slots in ascending order. @default all
   */
  save(only: readonly number[] = Array.from({ length: this.used }, (_, slot) => slot)): Section[] {
    const slots = only.slice(0, only.findLastIndex((slot) => this.alive.has(slot)) + 1);
    const kept = SlotSet.from(slots.length, (i) => this.alive.has(slots[i] as number));
    const alive = Uint32Array.from({ length: Math.ceil(slots.length / 32) }, (_, i) => kept.word(i));
    const { scales, int8, floats } = this.partsOf(this.layout, slots);
    return [
      ["shape", [Uint32Array.of(this.dimensions, slots.length)]],
      ["alive", [alive]],
      ["scales", scales.map((part) => part.slice())],
      ["int8", int8.map((part) => part.slice())],
      ["floats", floats.map((part) => part.slice())],
    ];
  }

  /**
   * Loads what `save` returned, directly into the index's memory.
   * @throws SnapshotError when it is incomplete or damaged
   */
  static load(snapshot: Snapshot, options: DenseOptions = {}): DenseIndex {
    const [dimensions = 0, slots = 0] = arrayIn(snapshot, "shape", Uint32Array);
    const index = new DenseIndex(options);
    if (slots === 0) return index;
    const layout = layoutFor(dimensions);
    const bits = arrayIn(snapshot, "alive", Uint32Array);
    if (dimensions > MAX_DIMENSIONS || snapshot.bytes("floats") !== slots * layout.floatBytes || bits.length !== Math.ceil(slots / 32))
      throw damaged(`${slots} slots of ${dimensions} dimensions do not fill its sections`);
    index.layout = layout;
    index.used = slots;
    index.reserve(layout, slots);
    const { scales, int8, floats } = index.partsOf(
      layout,
      Array.from({ length: slots }, (_, slot) => slot),
    );
    snapshot.copy("scales", scales);
    snapshot.copy("int8", int8);
    snapshot.copy("floats", floats);
    index.alive = SlotSet.from(slots, (slot) => ((bits[slot >>> 5] as number) & (1 << (slot & 31))) !== 0);
    index.live = index.alive.size;
    return index;
  }

  /** Returns views on the rows of some slots. Adjacent rows share a view. */
  private partsOf(layout: Layout | null, slots: readonly number[]): Record<"scales" | "int8" | "floats", Uint8Array[]> {
    const parts = { scales: [] as Uint8Array[], int8: [] as Uint8Array[], floats: [] as Uint8Array[] };
    if (layout === null) return parts;
    const { buffer } = this.kernel;
    for (let from = 0, next = 0; from < slots.length; from = next) {
      const first = slots[from] as number;
      const row = first % BLOCK_ROWS;
      next = from + 1;
      while (row + next - from < BLOCK_ROWS && slots[next] === first + next - from) next++;
      const rows = next - from;
      const at = places(layout, Math.floor(first / BLOCK_ROWS));
      parts.scales.push(new Uint8Array(buffer, at.scales + row * 4, rows * 4));
      parts.int8.push(new Uint8Array(buffer, at.int8 + row * layout.int8Bytes, rows * layout.int8Bytes));
      parts.floats.push(new Uint8Array(buffer, at.floats + row * layout.floatBytes, rows * layout.floatBytes));
    }
    return parts;
  }

  private begin(dimensions: number): Layout {
    if (dimensions < 1 || dimensions > MAX_DIMENSIONS)
      throw new RangeError(`A vector must have 1 to ${MAX_DIMENSIONS} dimensions, not ${dimensions}.`);
    const layout = layoutFor(dimensions);
    this.reserve(layout, 0);
    this.layout = layout;
    return layout;
  }

  /**
   * Makes room for `slots` rows. Memory grows by whole blocks. Growing detaches the views on it, so they are created
   * again.
   */
  private reserve(layout: Layout, slots: number): void {
    const needed = layout.blocks + Math.ceil(slots / BLOCK_ROWS) * layout.blockBytes;
    if (needed <= this.kernel.buffer.byteLength && this.uint32.length > 0) return;
    try {
      if (needed > MAX_MEMORY_BYTES) throw new RangeError("beyond 32-bit addresses");
      this.kernel.grow(needed);
    } catch (cause) {
      throw new RangeError(
        `The dense index is full: ${slots} vectors of ${layout.dimensions} dimensions need ${needed} bytes, but one index can contain at most ${MAX_MEMORY_BYTES}.`,
        { cause },
      );
    } finally {
      const { buffer } = this.kernel;
      this.int8 = new Int8Array(buffer);
      this.int16 = new Int16Array(buffer);
      this.uint32 = new Uint32Array(buffer);
      this.float32 = new Float32Array(buffer);
    }
  }

  /** Returns the vector of a live slot as it was added. */
  vectorAt(slot: number): Float32Array {
    const { layout } = this;
    if (layout === null || !this.alive.has(slot)) throw new RangeError(`There is no vector in slot ${slot}.`);
    const floats = (places(layout, Math.floor(slot / BLOCK_ROWS)).floats + (slot % BLOCK_ROWS) * layout.floatBytes) / 4;
    return this.float32.slice(floats, floats + layout.dimensions);
  }

  private writeRow(layout: Layout, slot: number, vector: Float32Array): void {
    const at = places(layout, Math.floor(slot / BLOCK_ROWS));
    const row = slot % BLOCK_ROWS;
    const floats = (at.floats + row * layout.floatBytes) / 4;
    this.float32.fill(0, floats, floats + layout.floatBytes / 4);
    this.float32.set(vector, floats);
    const scale = Math.fround(largest(vector) / ROW_LEVELS);
    this.float32[at.scales / 4 + row] = scale;
    const int8 = at.int8 + row * layout.int8Bytes;
    this.int8.fill(0, int8, int8 + layout.int8Bytes);
    if (scale > 0) for (let i = 0; i < vector.length; i++) this.int8[int8 + i] = quantise((vector[i] as number) / scale, ROW_LEVELS);
  }

  private writeQuery(layout: Layout, query: Float32Array): void {
    this.float32.fill(0, layout.query / 4, (layout.query + layout.floatBytes) / 4);
    this.float32.set(query, layout.query / 4);
  }

  private writeQuery16(layout: Layout, query: Float32Array): void {
    const at = layout.query16 / 2;
    this.int16.fill(0, at, at + layout.int8Bytes);
    const scale = largest(query) / QUERY_LEVELS;
    if (scale > 0) for (let i = 0; i < query.length; i++) this.int16[at + i] = quantise((query[i] as number) / scale, QUERY_LEVELS);
  }

  /** Scans block by block; each block returns only what beats the worst entry kept so far. */
  private scanBlocks(layout: Layout, accepted: SlotSet, count: number): TopK {
    const { kernel, uint32, float32 } = this;
    const best = new TopK(count);
    for (let block = 0; block * BLOCK_ROWS < this.used; block++) {
      for (let i = 0; i < BLOCK_WORDS; i++) uint32[layout.mask / 4 + i] = accepted.word(block * BLOCK_WORDS + i);
      const rows = kernel.expand(layout.mask, BLOCK_WORDS, layout.list);
      if (rows === 0) continue;
      const at = places(layout, block);
      const { int8Bytes, list, query16, hits } = layout;
      const found = kernel.scanInt8(at.int8, int8Bytes, at.scales, list, rows, query16, best.threshold, hits);
      for (let i = 0, hit = hits / 4; i < found; i++, hit += 2)
        best.offer(block * BLOCK_ROWS + (uint32[hit] as number), float32[hit + 1] as number);
    }
    return best;
  }

  /** Returns the `wanted` best of some slots by their f32 scores. */
  private rescore(layout: Layout, slots: Uint32Array, wanted: number): Scored[] {
    const { kernel, uint32, float32 } = this;
    const best = new TopK(wanted);
    for (let first = 0; first < slots.length; first += BLOCK_ROWS) {
      const count = Math.min(BLOCK_ROWS, slots.length - first);
      const padded = Math.ceil(count / 4) * 4;
      for (let i = 0; i < padded; i++) {
        const slot = slots[first + Math.min(i, count - 1)] as number;
        uint32[layout.list / 4 + i] = places(layout, Math.floor(slot / BLOCK_ROWS)).floats + (slot % BLOCK_ROWS) * layout.floatBytes;
      }
      kernel.rescore(layout.list, count, layout.floatBytes, layout.query, layout.hits);
      for (let i = 0; i < count; i++) best.offer(slots[first + i] as number, float32[layout.hits / 4 + i] as number);
    }
    return best.ranked();
  }
}

/**
 * Maximum absolute value of a quantised query. With int8 rows a product is at most 127 · 4095, and 4,096 of them stay
 * below 2³¹, so that integer sums over `MAX_DIMENSIONS` cannot overflow.
 */
const QUERY_LEVELS = 4095;

const ROW_LEVELS = 127;

const MAX_DIMENSIONS = 4096;

/**
 * Number of rows per block: small enough to waste little memory on a small index, large enough that a call per block
 * costs nothing.
 */
const BLOCK_ROWS = 1024;

const BLOCK_WORDS = BLOCK_ROWS / 32;

/** Addresses in the kernel's memory. */
interface Layout {
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

function layoutFor(dimensions: number): Layout {
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

function places({ blocks, blockBytes, int8Bytes }: Layout, block: number): { scales: number; int8: number; floats: number } {
  const scales = blocks + block * blockBytes;
  const int8 = scales + BLOCK_ROWS * 4;
  return { scales, int8, floats: int8 + BLOCK_ROWS * int8Bytes };
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

function assertVector(vector: Float32Array, dimensions: number): void {
  if (vector.length !== dimensions) throw new RangeError(`Vector has ${vector.length} dimensions; the index has ${dimensions}.`);
  for (let i = 0; i < vector.length; i++)
    if (!Number.isFinite(vector[i])) throw new RangeError(`Vector has a value that is not a finite number, at ${i}: ${vector[i]}.`);
}
