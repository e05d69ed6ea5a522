import { UnavailableError } from "../shared/errors.ts";
import { bytesIn, type ScratchFile, type StoredBytes } from "./scratch-file.ts";
import { arrayIn, arraySections, damaged, type Section, type Snapshot } from "./snapshot.ts";
import { type Scored, SlotSet, TopK } from "./top-k.ts";
import { BLOCK_ROWS, createWasmKernel, type Layout, layoutFor, MAX_DIMENSIONS, type ScanKernel, VectorRows } from "./vector-rows.ts";

/**
 * Number of rows per result that are rescored in f32 after the int8 scan. `bench speed`, 100,000 vectors of 384
 * dimensions, top 50: recall .991 with as many rows as results, 1.000 with 1.5 times as many. The default is twice that,
 * as a margin for vectors that are closer together; it costs little.
 */
export const OVERSAMPLING = 3;

/** Minimum number of rows to rescore. For a single result, `OVERSAMPLING` gives three rows, which are too few. */
export const MIN_CANDIDATES = 64;

/** Maximum bytes of a WebAssembly memory with f32 vectors: enough for 139,000 chunks with four windows each, in 384 dimensions. */
const MEMORY_BYTES = 2 ** 30;

/** Bytes left free for everything besides vectors when the index grows. */
const SPARE_BYTES = 256 * 1024 * 1024;

export interface DenseOptions {
  /** @default OVERSAMPLING */
  readonly oversampling?: number;
  /** @default MIN_CANDIDATES */
  readonly minCandidates?: number;
  /** Creates the kernel of each memory. @default WebAssembly SIMD */
  readonly createKernel?: () => ScanKernel;
  /** Maximum bytes of one WebAssembly memory with f32 vectors. @default MEMORY_BYTES */
  readonly memoryBytes?: number;
  /** Creates a file for the f32 vectors that do not fit the first memory. @default null: every memory contains its f32 vectors */
  readonly createFile?: (() => ScratchFile) | null;
  /** Returns the number of bytes that this process may still allocate. @default the free memory of the machine or container */
  readonly availableBytes?: () => number;
}

/** Cosines of a question with windows. */
export interface VectorRanking {
  /** Returns the nearest of the accepted windows, best first. */
  readonly nearest: (windows: number, accept: SlotSet) => Scored[];
  /** Returns the highest cosine among some windows; `null` if none has a vector. */
  readonly best: (slots: readonly number[]) => number | null;
}

/**
 * Exact ranking by dot product (cosine for unit vectors): an int8 scan reads a quarter of the bytes, and the best rows
 * are rescored in f32. Equal scores rank the lower slot first.
 *
 * Rows fill one WebAssembly memory after another. With `createFile`, the f32 vectors of the second and later memories
 * are in a file, and a search reads only the best rows from it.
 */
export class DenseIndex {
  private readonly options: Required<DenseOptions>;
  private layout: Layout | null = null;
  /** Layout of memories whose f32 vectors are in the file; `null` without a file. */
  private codes: Layout | null = null;
  private file: ScratchFile | null = null;
  /** All memories except the last hold `rowsPerMemory` rows. */
  private memories: VectorRows[] = [];
  private rowsPerMemory = 0;
  private alive = new SlotSet();
  private used = 0;
  private live = 0;

  constructor(options: DenseOptions = {}) {
    this.options = {
      ...{ oversampling: OVERSAMPLING, minCandidates: MIN_CANDIDATES, createKernel: createWasmKernel, memoryBytes: MEMORY_BYTES },
      createFile: null,
      availableBytes: () => process.availableMemory(),
      ...options,
    };
  }

  /** Number of live vectors. */
  get size(): number {
    return this.live;
  }

  /** Number of slots up to the last one that was assigned, including empty and deleted ones. */
  get slots(): number {
    return this.used;
  }

  /** Dimensions of the vectors; 0 without vectors. */
  get dimensions(): number {
    return this.layout?.dimensions ?? 0;
  }

  /** Bytes of the rows and of working memory. */
  get bytes(): number {
    return this.memories.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** True if there is a vector in the slot. */
  has(slot: number): boolean {
    return this.alive.has(slot);
  }

  /**
   * Adds a unit vector; returns its slot.
   * @param slot a slot without a vector. Slots that are skipped take memory too. @default the next one
   * @throws RangeError when its dimension differs from the first one's or a value is not finite; UnavailableError
   * `index_full` when memory is exhausted
   */
  add(vector: Float32Array, slot = this.used): number {
    assertVector(vector, this.layout?.dimensions ?? vector.length);
    const layout = this.layout ?? this.begin(vector.length);
    this.reserve(layout, slot + 1);
    this.memoryOf(slot).write(slot % this.rowsPerMemory, vector);
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
    const { minCandidates, oversampling } = this.options;
    const candidates = Math.min(count, Math.max(minCandidates, Math.ceil(wanted * oversampling)));
    const found = new TopK(candidates);
    for (const [i, memory] of this.memories.entries()) {
      const base = i * this.rowsPerMemory;
      memory.writeQuery(query);
      memory.scan(Math.min(this.used - base, this.rowsPerMemory), base, accepted, found);
    }
    return this.rescore(found.slotsKept(), wanted);
  }

  /** Returns `search` and `best` for one query. */
  rank(query: Float32Array): VectorRanking {
    return { nearest: (k, accept) => this.search(query, k, accept), best: (slots) => this.best(query, slots) };
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
    for (const memory of new Set(held.map((slot) => this.memoryOf(slot)))) memory.writeQuery(query);
    return (this.rescore(Uint32Array.from(held), 1)[0] as Scored).score;
  }

  /**
   * Returns the vectors in the slots `only`, renumbered from 0. Slots without a vector stay gaps. Vectors may be added or
   * deleted before the sections are read; the sections do not change, because the vector of a slot is never replaced.
   * @param only slots in ascending order. @default all
   */
  save(only: readonly number[] = [...Array(this.used).keys()]): Section[] {
    const slots = only.slice(0, only.findLastIndex((slot) => this.alive.has(slot)) + 1);
    const kept = SlotSet.from(slots.length, (i) => this.alive.has(slots[i] as number));
    const alive = Uint32Array.from({ length: Math.ceil(slots.length / 32) }, (_, i) => kept.word(i));
    const shape = Uint32Array.of(this.dimensions, slots.length);
    return [...arraySections({ shape, alive }), ...Object.entries(this.partsOf(slots, kept))];
  }

  /**
   * Creates an index and loads the sections that `save` returned directly into its memory.
   * @throws SnapshotError when it is incomplete or damaged
   */
  static load(snapshot: Snapshot, options: DenseOptions = {}): DenseIndex {
    const [dimensions = 0, slots = 0] = arrayIn(snapshot, "shape", Uint32Array);
    const index = new DenseIndex(options);
    if (slots === 0) return index;
    const layout = layoutFor(dimensions);
    const alive = arrayIn(snapshot, "alive", Uint32Array);
    if (dimensions > MAX_DIMENSIONS || snapshot.bytes("floats") !== slots * layout.floatBytes || alive.length !== Math.ceil(slots / 32))
      throw damaged(`the parts of its vector index do not match ${slots} vectors of ${dimensions} dimensions`);
    index.start(layout);
    index.reserve(layout, slots);
    index.used = slots;
    for (const [name, parts] of Object.entries(index.partsOf([...Array(slots).keys()], null))) snapshot.copy(name, parts);
    index.alive = SlotSet.from(slots, (slot) => ((alive[slot >>> 5] as number) & (1 << (slot & 31))) !== 0);
    index.live = index.alive.size;
    return index;
  }

  /**
   * Returns the rows of some slots as parts, each with consecutive rows of one block.
   * @param full indexes in `slots` of the slots with a vector. A part with a gap is copied, because the gap may be
   * filled before the part is read. `null`: no part is copied
   */
  private partsOf(slots: readonly number[], full: SlotSet | null): Record<"scales" | "int8" | "floats", (StoredBytes | Uint8Array)[]> {
    type Parts = (StoredBytes | Uint8Array)[];
    const parts = { scales: [] as Parts, int8: [] as Parts, floats: [] as Parts };
    if (this.layout === null) return parts;
    for (let from = 0, next = 0; from < slots.length; from = next) {
      const first = slots[from] as number;
      const row = first % BLOCK_ROWS;
      let isFull = full?.has(from) !== false;
      for (next = from + 1; row + next - from < BLOCK_ROWS && slots[next] === first + next - from; next++)
        isFull &&= full?.has(next) !== false;
      const found = this.memoryOf(first).parts(first % this.rowsPerMemory, next - from);
      for (const name of ["scales", "int8", "floats"] as const) parts[name].push(isFull ? found[name] : bytesIn(found[name]));
    }
    return parts;
  }

  private memoryOf(slot: number): VectorRows {
    return this.memories[Math.floor(slot / this.rowsPerMemory)] as VectorRows;
  }

  private begin(dimensions: number): Layout {
    if (dimensions < 1 || dimensions > MAX_DIMENSIONS)
      throw new RangeError(`A vector must have 1 to ${MAX_DIMENSIONS} dimensions, not ${dimensions}.`);
    return this.start(layoutFor(dimensions));
  }

  private start(layout: Layout): Layout {
    this.rowsPerMemory = Math.max(1, Math.floor((this.options.memoryBytes - layout.blocks) / layout.blockBytes)) * BLOCK_ROWS;
    this.layout = layout;
    this.codes = this.options.createFile === null ? null : layoutFor(layout.dimensions, true);
    return layout;
  }

  private open(memory: number, layout: Layout): VectorRows {
    const kernel = this.options.createKernel();
    if (memory === 0 || this.options.createFile === null) return new VectorRows(kernel, layout);
    this.file ??= this.options.createFile();
    return new VectorRows(kernel, layout, { file: this.file, first: (memory - 1) * this.rowsPerMemory });
  }

  /** Makes room for `slots` rows. @throws UnavailableError `index_full` */
  private reserve(layout: Layout, slots: number): void {
    for (let i = 0; i * this.rowsPerMemory < slots; i++) {
      const rows = Math.min(slots - i * this.rowsPerMemory, this.rowsPerMemory);
      // The first memory contains f32 vectors; those of all other memories may be in a file.
      const own = i === 0 ? layout : (this.codes ?? layout);
      const lacking = this.memories[i]?.lacking(rows) ?? own.blocks + own.blockBytes;
      if (lacking === 0) continue;
      const available = this.options.availableBytes();
      if (lacking + SPARE_BYTES > available) throw indexFull(layout, slots, this.bytes + lacking, available);
      try {
        const memory = this.memories[i] ?? this.open(i, own);
        memory.reserve(rows);
        this.memories[i] = memory;
      } catch (cause) {
        throw indexFull(layout, slots, this.bytes + lacking, available, cause);
      }
    }
  }

  /** Returns the `wanted` best of the given slots by their f32 scores. */
  private rescore(slots: Uint32Array, wanted: number): Scored[] {
    const best = new TopK(wanted);
    for (const [i, memory] of this.memories.entries()) {
      const base = i * this.rowsPerMemory;
      const rows = slots.filter((slot) => slot >= base && slot < base + this.rowsPerMemory).map((slot) => slot - base);
      if (rows.length > 0) memory.rescore(rows, base, best);
    }
    return best.ranked();
  }
}

/** Vectors of one model in one index, searched by group. A search never crosses groups. */
export class VectorGroups {
  private readonly index = new DenseIndex();
  private readonly groups = new Map<string, SlotSet>();
  private readonly groupOf = new Map<number, string>();

  add(group: string, vector: Float32Array): number {
    const slot = this.index.add(vector);
    this.groups.set(group, this.groups.get(group) ?? new SlotSet());
    this.groups.get(group)?.add(slot);
    this.groupOf.set(slot, group);
    return slot;
  }

  delete(slot: number): void {
    const group = this.groupOf.get(slot);
    if (group === undefined) return;
    this.index.delete(slot);
    this.groupOf.delete(slot);
    this.groups.get(group)?.delete(slot);
  }

  /** Returns the `k` nearest vectors of a group by cosine, best first. */
  search(group: string, vector: Float32Array, k: number): Scored[] {
    const slots = this.groups.get(group);
    return slots === undefined ? [] : this.index.search(vector, k, slots);
  }
}

function indexFull({ dimensions }: Layout, slots: number, needed: number, available: number, cause?: unknown): UnavailableError {
  const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(1);
  const message = `The vector index of this process is full: ${slots} windows of ${dimensions} dimensions need ${gigabytes(needed)} GB, and ${gigabytes(available)} GB of memory are free. Give the process more memory, use an encoder with fewer dimensions, or search with OpenSearch (\`search: { type: opensearch, url: … }\`, docs/scale.md).`;
  return new UnavailableError("index_full", message, { windows: slots, dimensions }, cause === undefined ? {} : { cause });
}

function assertVector(vector: Float32Array, dimensions: number): void {
  if (vector.length !== dimensions) throw new RangeError(`Vector has ${vector.length} dimensions; the index has ${dimensions}.`);
  for (let i = 0; i < vector.length; i++)
    if (!Number.isFinite(vector[i])) throw new RangeError(`Vector has a value that is not a finite number, at ${i}: ${vector[i]}.`);
}
