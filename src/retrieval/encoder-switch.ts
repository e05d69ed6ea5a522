import type { EmbedOptions, Encoder } from "../models/encoder.ts";
import { messageOf, RequestError } from "../shared/errors.ts";
import type { EmbeddingStore } from "../store/embeddings.ts";
import { Embedder } from "./embedder.ts";
import type { SearchEngine, WindowText } from "./search-engine.ts";

/** Which encoder serves a domain, and which one takes its place once its index is complete. */
export interface EncoderChoice {
  readonly serve: Encoder | null;
  readonly prepare: Encoder | null;
  /** Writes down that `prepare` serves from now on. */
  readonly activate: (encoder: Encoder) => Promise<void>;
}

/** How far the vectors of the next encoder are. */
export interface SwitchState {
  readonly from: string | null;
  readonly to: string;
  readonly done: number;
  readonly total: number;
  /** Why it stopped; it goes on by itself. */
  readonly failure: string | null;
}

export interface SyncOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onEmbed?: (done: number, total: number) => void;
  readonly onUsage?: EmbedOptions["onUsage"];
  /** Wait for vectors that another caller is making? A question does not: until they are there, words alone find those windows. @default true */
  readonly mayWaitForVectors?: boolean;
  /** May a switch begin in the background? @default true */
  readonly mayPrepare?: boolean;
}

export interface EncoderSwitchOptions {
  readonly engine: SearchEngine;
  /** Encoder of every index, or the question which one serves now, asked on every sync. */
  readonly encoder: Encoder | null | (() => Promise<EncoderChoice>);
  readonly embeddings: EmbeddingStore;
  /** Texts in one call of the encoder. */
  readonly batch: number;
  /** Takes in documents as they stand in the store; with `then`, nothing else runs until that has ended. */
  readonly takeIn: (then?: () => Promise<void>) => Promise<void>;
  /** Ends work in the background. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds. */
  readonly now: () => number;
}

/** Syncs in this many milliseconds after a switch failed do not try it again: whoever asks must not wait for an encoder that is down. */
const SWITCH_PAUSE_MS = 15_000;

/** Makes the vectors of a domain's windows: those of the encoder that serves, and beside them those of the next one until they are complete. */
export class EncoderSwitch {
  private readonly options: EncoderSwitchOptions;
  /** The encoder that serves; `null`: words alone, or not chosen yet. */
  active: Embedder | null = null;
  private next: Embedder | null = null;
  private state: SwitchState | null = null;
  private background: Promise<void> | null = null;
  /** Vectors that are being made; `null`: none are. */
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

  /** The switch that is under way or that failed and goes on later; `null` when there is none. */
  get switching(): SwitchState | null {
    return this.state;
  }

  /** Another process may have switched: its vectors are in the store then, and this one follows. */
  async choose(): Promise<EncoderChoice> {
    const choice = await this.choice();
    const { serve } = choice;
    if (serve?.id === this.encoder?.id) return choice;
    this.active = serve === null ? null : this.embedderOf(serve);
    await this.options.engine.serve(serve?.id ?? null);
    return choice;
  }

  /** Does the right encoder serve? */
  async isChosen(): Promise<boolean> {
    const { serve } = await this.choice();
    return serve?.id === this.encoder?.id;
  }

  /** Does the right encoder serve, with every vector that is to be waited for? */
  async isCurrent({ mayWaitForVectors = true, mayPrepare = true }: SyncOptions): Promise<boolean> {
    const { serve, prepare } = await this.choice();
    if (serve?.id !== this.encoder?.id) return false;
    if (mayPrepare && prepare !== null && prepare.id !== this.encoder?.id && this.background === null) return false;
    return this.active === null || (!mayWaitForVectors && this.embedding !== null) || (await this.missing(this.active)) === 0;
  }

  /** After documents were taken in. One caller makes vectors at a time; the others find what it has made, or go on without the rest. */
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
   * Makes the vectors of another encoder beside those that serve, and switches when every window has one. Questions meanwhile are ranked by
   * the old encoder. What was made is kept when it ends early.
   * @throws RequestError `switch_running`; ModelError of the new encoder
   */
  async switchTo(encoder: Encoder, activate: (encoder: Encoder) => Promise<void>, options: SyncOptions = {}): Promise<void> {
    if (this.next !== null) {
      throw new RequestError("switch_running", `Vectors of ${this.next.encoder.id} are being made; wait until that has ended.`);
    }
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

  /** Waits for the switch that the choice of encoders asks for; its progress goes to `onEmbed`. */
  async finish(options: SyncOptions = {}): Promise<void> {
    if (this.background !== null) await this.background;
    const { prepare, activate } = await this.choice();
    if (prepare !== null && prepare.id !== this.encoder?.id) await this.switchTo(prepare, activate, options);
  }

  /** Resolves when no switch is under way in the background and no vectors are being made. */
  async idle(): Promise<void> {
    await this.background;
    await this.embedding?.catch(() => undefined);
  }

  /** The embedder of an encoder; another one than before where it does not serve. */
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
    this.background = this.switchTo(encoder, activate, signal === undefined ? {} : { signal })
      .catch(() => {
        this.switchAgainAt = now() + SWITCH_PAUSE_MS;
      })
      .finally(() => {
        this.background = null;
      });
  }

  /** Windows that have no vector yet. */
  private async missing(embedder: Embedder): Promise<number> {
    const { windows, vectors, dimensions } = await this.options.engine.coverage(embedder.encoder.id);
    embedder.expect(dimensions);
    return windows - vectors;
  }

  /** Vectors come from the cache on disk where they were paid for before; every batch is stored at once, so a crash loses one batch at most. */
  private async embedMissing(embedder: Embedder, { signal, onEmbed, onUsage }: SyncOptions): Promise<void> {
    const missing = await this.missing(embedder);
    if (missing === 0) return;
    const { engine } = this.options;
    const encoder = embedder.encoder.id;
    const options = { ...(signal === undefined ? {} : { signal }), ...(onUsage === undefined ? {} : { onUsage }) };
    let done = 0;
    for await (const batch of engine.windowsWithout(encoder, Math.min(embedder.encoder.batch ?? this.options.batch, this.options.batch))) {
      signal?.throwIfAborted();
      const vectors = await embedder.embedTexts(batch.map(encodedText), options);
      const windows = batch.map((window, i) => ({ ...window, vector: vectors[i] as Float32Array }));
      await engine.index({ vectors: { encoder, windows } });
      done += batch.length;
      onEmbed?.(done, Math.max(done, missing));
    }
  }
}

/** What an encoder sees of a window. */
function encodedText({ title, headingPath, text }: WindowText): string {
  return [title, ...headingPath, text].join("\n");
}
