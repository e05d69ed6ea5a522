import type { EmbedOptions, Encoder, EncoderChoice } from "../models/encoder.ts";
import { ModelError, messageOf, RequestError } from "../shared/errors.ts";
import type { IndexedDocument } from "../store/document-rows.ts";
import type { EmbeddingStore } from "../store/embeddings.ts";
import { sha256Hex } from "../text/hash.ts";
import type { IndexChanges, QuestionVector, SearchEngine, WindowText } from "./search-engine.ts";

/** An encoder with vectors cached in the database. It checks that all vectors have the same length and finite values. */
export class Embedder {
  readonly encoder: Encoder;
  private readonly embeddings: EmbeddingStore;
  /** Length of the vectors; `null` before the first vector. */
  private dimensions: number | null = null;

  constructor(encoder: Encoder, embeddings: EmbeddingStore) {
    this.encoder = encoder;
    this.embeddings = embeddings;
  }

  /** Sets the expected length of vectors: the length of the indexed vectors, or `null` if no vectors are indexed. */
  expect(dimensions: number | null): void {
    this.dimensions ??= dimensions;
  }

  /** @throws ModelError of the encoder, or `encoder_changed` when the length of its vectors has changed or a value is not finite */
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
    const textOf = new Map(hashes.map((hash, i) => [hash, texts[i] as string]));
    const known = await this.embeddings.get(id, [...textOf.keys()]);
    this.checked([...known.values()], known.size);
    const fresh = [...textOf].filter(([hash]) => !known.has(hash));
    if (fresh.length > 0) {
      const asked = fresh.map(([, text]) => text);
      const made = this.checked(await this.encoder.embed(asked, options), asked.length);
      const vectors = new Map(fresh.map(([hash], i) => [hash, made[i] as Float32Array]));
      await this.embeddings.put(id, vectors);
      for (const [hash, vector] of vectors) known.set(hash, vector);
    }
    return hashes.map((hash) => known.get(hash) as Float32Array);
  }

  private checked(vectors: readonly Float32Array[], expected: number): readonly Float32Array[] {
    const fail = (received: string) => {
      const message = `Encoder "${this.encoder.id}" returned ${received}, so its vectors were not kept. If this name now stands for another model, serve that under a new name and set \`embeddings.model\` to it. Otherwise, use another encoder: \`sourcebound models switch\`.`;
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

/** Progress of computing the next encoder's vectors; `done` and `total` are numbers of windows. */
export interface SwitchState {
  readonly from: string | null;
  readonly to: string;
  readonly done: number;
  readonly total: number;
  /** Why the switch stopped; it resumes by itself. `null`: it has not failed. */
  readonly failure: string | null;
}

export interface SyncOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onEmbed?: (done: number, total: number) => void;
  readonly onUsage?: EmbedOptions["onUsage"] | undefined;
  /**
   * Whether to wait for vectors that another caller is computing. A question does not wait; windows without a vector are
   * then found only by BM25. @default true
   */
  readonly mayWaitForVectors?: boolean;
  /** Whether a switch may start in the background. @default true */
  readonly mayPrepare?: boolean;
}

export interface EncoderSwitchOptions {
  readonly engine: SearchEngine;
  /** The encoder, or a function that returns the current choice, called on every sync. */
  readonly encoder: Encoder | null | (() => Promise<EncoderChoice>);
  readonly embeddings: EmbeddingStore;
  /** Number of texts per call of the encoder. */
  readonly batch: number;
  /** Applies the documents of the store, and then runs `then`. No other work runs before `then` has ended. */
  readonly takeIn: (then?: () => Promise<void>) => Promise<void>;
  /** Cancels background work. */
  readonly signal?: AbortSignal | undefined;
  /** Returns the time in milliseconds. */
  readonly now: () => number;
}

/** Milliseconds before a failed switch is retried. Without this pause, every question would retry an encoder that is down. */
const SWITCH_PAUSE_MS = 15_000;

/**
 * Computes the vectors of a domain's windows for the active encoder. During a switch to another encoder, also computes
 * the vectors of that encoder until every window has one.
 */
export class EncoderSwitch {
  private readonly options: EncoderSwitchOptions;
  /** The active encoder; `null`: words alone, or not selected yet. */
  active: Embedder | null = null;
  private next: Embedder | null = null;
  private state: SwitchState | null = null;
  private background: Promise<void> | null = null;
  /** Running computation of vectors; `null` if there is none. */
  private embedding: Promise<void> | null = null;
  private switchAgainAt = 0;

  constructor(options: EncoderSwitchOptions) {
    this.options = options;
    const { encoder } = options;
    if (typeof encoder === "object" && encoder !== null) this.active = this.embedderOf(encoder);
  }

  get encoder(): Encoder | null {
    return this.active?.encoder ?? null;
  }

  /** The running switch, or a failed one that will resume; `null` if there is none. */
  get switching(): SwitchState | null {
    return this.state;
  }

  /** Activates the selected encoder. If another process has switched the encoder, the new vectors are already in the store. */
  async choose(): Promise<EncoderChoice> {
    const choice = await this.choice();
    const { serve } = choice;
    if (serve?.id === this.encoder?.id) return choice;
    this.active = serve === null ? null : this.embedderOf(serve);
    await this.options.engine.serve(serve?.id ?? null);
    return choice;
  }

  /** Checks whether the selected encoder is active. */
  async isChosen(): Promise<boolean> {
    const { serve } = await this.choice();
    return serve?.id === this.encoder?.id;
  }

  /** Checks whether the selected encoder is active and has every vector that the caller would wait for, and no switch is due. */
  async isCurrent({ mayWaitForVectors = true, mayPrepare = true }: SyncOptions): Promise<boolean> {
    const { serve, prepare } = await this.choice();
    if (serve?.id !== this.encoder?.id) return false;
    if (mayPrepare && prepare !== null && prepare.id !== this.encoder?.id && this.background === null) return false;
    return this.active === null || (!mayWaitForVectors && this.embedding !== null) || (await this.missing(this.active)) === 0;
  }

  /**
   * Computes missing vectors after documents were applied. One caller computes at a time; other callers wait for its
   * results or continue without them.
   */
  async follow(choose: () => Promise<EncoderChoice>, options: SyncOptions): Promise<void> {
    if (this.embedding !== null && options.mayWaitForVectors === false) return;
    const before = this.embedding;
    const work = (async () => {
      await before?.catch(() => undefined);
      options.signal?.throwIfAborted();
      const { prepare, activate } = await choose();
      if (this.active !== null) await this.embedMissing(this.active, options);
      const isDue = prepare !== null && prepare.id !== this.encoder?.id && options.mayPrepare !== false;
      if (isDue) this.prepareLater(prepare, activate);
    })();
    this.embedding = work;
    try {
      await work;
    } finally {
      if (this.embedding === work) this.embedding = null;
    }
  }

  /**
   * Computes the vectors of another encoder in addition to the active ones, and switches when every window has one.
   * Until then the old encoder ranks questions. If the switch ends early, the computed vectors are kept.
   * @throws RequestError `switch_running`; ModelError of the new encoder
   */
  async switchTo(encoder: Encoder, activate: (encoder: Encoder) => Promise<void>, options: SyncOptions = {}): Promise<void> {
    const running = `Vectors of ${this.next?.encoder.id} are already being computed. Wait until that switch has finished.`;
    if (this.next !== null) throw new RequestError("switch_running", running);
    if (this.encoder?.id === encoder.id) return activate(encoder);
    const { takeIn, engine } = this.options;
    const next = this.embedderOf(encoder);
    this.next = next;
    const from = this.encoder?.id ?? null;
    const onEmbed = (done: number, total: number) => {
      this.state = { from, to: encoder.id, done, total, failure: null };
      options.onEmbed?.(done, total);
    };
    this.state = { from, to: encoder.id, done: 0, total: 0, failure: null };
    try {
      await takeIn();
      onEmbed(0, await this.missing(next));
      await this.embedMissing(next, { ...options, onEmbed });
      await takeIn(async () => {
        await this.embedMissing(next, { ...options, onEmbed });
        await activate(encoder);
        this.active = next;
        await engine.serve(encoder.id);
      });
      this.state = null;
    } catch (cause) {
      this.state = { ...(this.state as SwitchState), failure: messageOf(cause) };
      throw cause;
    } finally {
      this.next = null;
    }
  }

  /**
   * Waits for a switch in the background. If another encoder is still selected, switches to that encoder and reports progress to `onEmbed`.
   */
  async finish(options: SyncOptions = {}): Promise<void> {
    if (this.background !== null) await this.background;
    const { prepare, activate } = await this.choice();
    if (prepare !== null && prepare.id !== this.encoder?.id) await this.switchTo(prepare, activate, options);
  }

  /** Resolves when no switch runs in the background and no vectors are being computed. */
  async idle(): Promise<void> {
    await this.background;
    await this.embedding?.catch(() => undefined);
  }

  /** Returns the active embedder if it has this encoder, else a new one. */
  embedderOf(encoder: Encoder): Embedder {
    return this.active?.encoder === encoder ? this.active : new Embedder(encoder, this.options.embeddings);
  }

  private async choice(): Promise<EncoderChoice> {
    const { encoder } = this.options;
    return typeof encoder === "function" ? encoder() : { serve: encoder, prepare: null, activate: async () => undefined };
  }

  private prepareLater(encoder: Encoder, activate: EncoderChoice["activate"]): void {
    const { signal, now } = this.options;
    if (this.background !== null || this.next !== null || now() < this.switchAgainAt) return;
    this.background = this.switchTo(encoder, activate, { signal })
      .catch(() => {
        this.switchAgainAt = now() + SWITCH_PAUSE_MS;
      })
      .finally(() => {
        this.background = null;
      });
  }

  /** Returns the number of windows without a vector. */
  private async missing(embedder: Embedder): Promise<number> {
    const { windows, vectors, dimensions } = await this.options.engine.coverage(embedder.encoder.id);
    embedder.expect(dimensions);
    return windows - vectors;
  }

  /**
   * Returns vectors for the windows of documents, for an engine that stores text and vector together. If the encoder
   * fails, windows are stored without vectors, and `follow` computes them later.
   */
  async vectorsOf(documents: readonly IndexedDocument[]): Promise<IndexChanges["vectors"]> {
    const { active } = this;
    const { signal } = this.options;
    if (active === null) return undefined;
    const windows = documents.flatMap(windowTexts);
    const size = this.batchOf(active);
    const found: (WindowText & { readonly vector: Float32Array })[] = [];
    for (let at = 0; at < windows.length; at += size) {
      try {
        found.push(...(await embedWindows(active, windows.slice(at, at + size), { signal })));
      } catch (error) {
        if (signal?.aborted === true || !(error instanceof ModelError)) throw error;
        break;
      }
    }
    return { encoder: active.encoder.id, windows: found };
  }

  /** Adds missing vectors, from the cache if possible. A batch is stored before the next one begins, so a crash loses at most one batch. */
  private async embedMissing(embedder: Embedder, { signal, onEmbed, onUsage }: SyncOptions): Promise<void> {
    const missing = await this.missing(embedder);
    if (missing === 0) return;
    const { engine } = this.options;
    const encoder = embedder.encoder.id;
    let done = 0;
    for await (const batch of engine.windowsWithout(encoder, this.batchOf(embedder))) {
      signal?.throwIfAborted();
      await engine.index({ vectors: { encoder, windows: await embedWindows(embedder, batch, { signal, onUsage }) } });
      done += batch.length;
      onEmbed?.(done, Math.max(done, missing));
    }
  }

  private batchOf({ encoder }: Embedder): number {
    return Math.min(encoder.batch ?? this.options.batch, this.options.batch);
  }
}

async function embedWindows(embedder: Embedder, windows: readonly WindowText[], options: EmbedOptions) {
  const vectors = await embedder.embedTexts(windows.map(encodedText), options);
  return windows.map((window, i) => ({ ...window, vector: vectors[i] as Float32Array }));
}

function windowTexts({ id, title, text, chunks }: IndexedDocument): WindowText[] {
  return chunks.flatMap(({ id: chunkId, headingPath, windows }) =>
    windows.map(({ start, end }) => ({ documentId: id, chunkId, start, title, headingPath, text: text.slice(start, end) })),
  );
}

/** Returns the text that an encoder receives for a window. */
function encodedText({ title, headingPath, text }: WindowText): string {
  return [title, ...headingPath, text].join("\n");
}
