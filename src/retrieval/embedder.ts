import type { EmbedOptions, Encoder } from "../models/encoder.ts";
import { ModelError } from "../shared/errors.ts";
import type { EmbeddingStore } from "../store/embeddings.ts";
import { sha256Hex } from "../text/hash.ts";
import type { QuestionVector } from "./search-engine.ts";

/** An encoder with vectors cached in the database. It checks that all vectors have one length and finite values. */
export class Embedder {
  readonly encoder: Encoder;
  private readonly embeddings: EmbeddingStore;
  /** `null` before the first vector. */
  private dimensions: number | null = null;

  constructor(encoder: Encoder, embeddings: EmbeddingStore) {
    this.encoder = encoder;
    this.embeddings = embeddings;
  }

  /** Sets the expected length, that of the indexed vectors; `null` if there are none. */
  expect(dimensions: number | null): void {
    this.dimensions ??= dimensions;
  }

  /** @throws ModelError of the encoder, or `encoder_changed` when its vectors do not match earlier ones */
  async embedQuestion(text: string, options: EmbedOptions): Promise<QuestionVector> {
    const made = await this.encoder.embed([text], options);
    return { encoder: this.encoder, values: this.checked(made, 1)[0] as Float32Array };
  }

  /**
   * Returns vectors of texts. Each distinct text is embedded once.
   * @throws ModelError of the encoder, or `encoder_changed`
   */
  async embedTexts(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> {
    const { id } = this.encoder;
    const hashes = texts.map((text) => sha256Hex(text));
    const known = await this.embeddings.get(id, [...new Set(hashes)]);
    this.checked([...known.values()], known.size);
    const fresh = [...new Set(hashes.filter((hash) => !known.has(hash)))];
    if (fresh.length > 0) {
      const textOf = new Map(hashes.map((hash, i) => [hash, texts[i] as string]));
      const asked = fresh.map((hash) => textOf.get(hash) as string);
      const made = this.checked(await this.encoder.embed(asked, options), asked.length);
      const vectors = new Map(fresh.map((hash, i) => [hash, made[i] as Float32Array]));
      await this.embeddings.put(id, vectors);
      for (const [hash, vector] of vectors) known.set(hash, vector);
    }
    return hashes.map((hash) => known.get(hash) as Float32Array);
  }

  private checked(vectors: readonly Float32Array[], expected: number): readonly Float32Array[] {
    const fail = (what: string) => {
      const message = `Encoder "${this.encoder.id}" returned ${what}, so its vectors were not kept. If its model changed, give it another name in the configuration, or use another encoder (\`sourcebound models switch\`).`;
      throw new ModelError("encoder_changed", message, { encoder: this.encoder.id });
    };
    if (vectors.length !== expected) fail(`${vectors.length} vectors for ${expected} texts`);
    const dimensions = this.dimensions ?? vectors[0]?.length ?? null;
    for (const vector of vectors) {
      if (vector.length === 0 || vector.length !== dimensions)
        fail(`a vector of length ${vector.length}, while the others have length ${dimensions}`);
      if (!vector.every(Number.isFinite)) fail(`a vector of length ${vector.length} with a value that is not a finite number`);
    }
    this.dimensions = dimensions;
    return vectors;
  }
}
