import type { EmbedOptions, Encoder } from "../models/encoder.ts";
import { ModelError } from "../shared/errors.ts";
import type { EmbeddingStore } from "../store/embeddings.ts";
import { sha256Hex } from "../text/hash.ts";
import { DenseIndex } from "./dense.ts";
import { SlotSet, withRoom } from "./slot-set.ts";
import { damaged, type SnapshotFile } from "./snapshot.ts";
import type { Scored } from "./top-k.ts";

/** A question's vector with the index that it may be compared with: vectors of two encoders cannot meet. */
export interface QuestionVector {
  readonly index: VectorIndex;
  readonly values: Float32Array;
}

/** The vectors of one encoder for the windows of a corpus, by the windows' slots. */
export class VectorIndex {
  readonly encoder: Encoder;
  private dense: DenseIndex;
  private windowOfVector = new Uint32Array(0);
  /** Slot of each window's vector plus 1; 0: none. */
  private vectorOfWindow = new Uint32Array(0);
  private width: number | null = null;
  /** Sets of windows as sets of vectors, until a vector is added; those deleted are no matter. */
  private vectorsOf = new WeakMap<SlotSet, SlotSet>();

  constructor(encoder: Encoder) {
    this.encoder = encoder;
    this.dense = new DenseIndex({ model: encoder.id });
  }

  /** Bytes of the vectors. */
  get bytes(): number {
    return this.dense.bytes;
  }

  /** Number of windows that have a vector. */
  get size(): number {
    return this.dense.size;
  }

  /** `null`: before the first vector. */
  get dimensions(): number | null {
    return this.width;
  }

  /** Of a window that has one. */
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

  /** The vectors of some windows as a snapshot, and the number in `windows` of each one's window, rising: what has no vector is left out. */
  save(windows: readonly number[]): { vectors: Uint8Array; windowOf: Uint32Array } {
    const numbers = windows.flatMap((window, i) => (this.has(window) ? [i] : []));
    const vectors = this.dense.save(numbers.map((i) => this.slotOf(windows[i] as number)));
    return { vectors, windowOf: Uint32Array.from(numbers) };
  }

  /**
   * Vectors as `save` gave them, by their windows' slots.
   * @throws SnapshotError when they are damaged or another encoder's
   */
  static load(encoder: Encoder, vectors: Uint8Array | SnapshotFile, windowOf: Uint32Array): VectorIndex {
    const index = new VectorIndex(encoder);
    index.dense = DenseIndex.load(vectors, { model: encoder.id });
    if (index.dense.slots !== windowOf.length) throw damaged(`${index.dense.slots} vectors belong to ${windowOf.length} windows`);
    if (index.dense.slots > 0) index.width = index.dense.dimensions;
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
   * Windows ranked by cosine, best first.
   * @param accept windows to rank; must not change after
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

  /** Highest cosine of some windows; `null` when none has a vector. */
  best(question: Float32Array, windows: readonly number[]): number | null {
    return this.dense.best(
      question,
      windows.map((window) => this.slotOf(window)).filter((slot) => slot >= 0),
    );
  }

  /** @throws ModelError of the encoder, or `encoder_changed` when what it gave cannot be compared with the index */
  async embedQuestion(text: string, options: EmbedOptions): Promise<QuestionVector> {
    const made = await this.encoder.embed([text], options);
    return { index: this, values: this.checked(made, 1)[0] as Float32Array };
  }

  /**
   * Vectors of texts, through the cache on disk.
   * @throws ModelError of the encoder, or `encoder_changed`
   */
  async embedTexts(texts: readonly string[], embeddings: EmbeddingStore, options: EmbedOptions): Promise<Float32Array[]> {
    const { id } = this.encoder;
    const hashes = texts.map((text) => sha256Hex(text));
    const known = await embeddings.get(id, [...new Set(hashes)]);
    this.checked([...known.values()], known.size);
    const fresh = [...new Set(hashes.filter((hash) => !known.has(hash)))];
    if (fresh.length > 0) {
      const textOf = new Map(hashes.map((hash, i) => [hash, texts[i] as string]));
      const asked = fresh.map((hash) => textOf.get(hash) as string);
      const made = this.checked(await this.encoder.embed(asked, options), asked.length);
      const vectors = new Map(fresh.map((hash, i) => [hash, made[i] as Float32Array]));
      await embeddings.put(id, vectors);
      for (const [hash, vector] of vectors) known.set(hash, vector);
    }
    return hashes.map((hash) => known.get(hash) as Float32Array);
  }

  private checked(vectors: readonly Float32Array[], expected: number): readonly Float32Array[] {
    const fail = (what: string) => {
      const message = `Encoder "${this.encoder.id}" gave ${what}: nothing of it was kept. If its model changed, give it another name in the configuration, or use another encoder (\`sourcebound models switch\`).`;
      throw new ModelError("encoder_changed", message, { encoder: this.encoder.id });
    };
    if (vectors.length !== expected) fail(`${vectors.length} vectors for ${expected} texts`);
    const dimensions = this.width ?? vectors[0]?.length ?? null;
    for (const vector of vectors) {
      if (vector.length === 0 || vector.length !== dimensions)
        fail(`a vector of length ${vector.length} where the others have length ${dimensions}`);
      if (!vector.every(Number.isFinite)) fail(`a vector of length ${vector.length} with a value that is not a finite number`);
    }
    this.width = dimensions;
    return vectors;
  }
}
