import type { Encoder } from "../models/encoder.ts";
import { messageOf, RequestError } from "../shared/errors.ts";
import type { EmbeddingStore } from "../store/embeddings.ts";
import type { Entry } from "./indexed-windows.ts";
import type { EncoderChoice, SwitchState, SyncOptions } from "./search-index.ts";
import { VectorIndex } from "./vector-index.ts";

export interface EncoderSwitchOptions {
  /** Encoder of every index, or the question which one serves now, asked on every sync. */
  readonly encoder: Encoder | null | (() => Promise<EncoderChoice>);
  readonly embeddings: EmbeddingStore;
  /** Texts in one call of the encoder. */
  readonly batch: number;
  /** Windows by slot; `null` once deleted. */
  readonly entries: () => readonly (Entry | null)[];
  /** Windows indexed. */
  readonly windows: () => number;
  /** Takes in documents as they stand in the store; with `then`, nothing else runs until that has ended. */
  readonly takeIn: (then?: () => Promise<void>) => Promise<void>;
  /** Told when what a snapshot would hold has changed. */
  readonly onChange: () => void;
  /** Ends work in the background. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds. */
  readonly now: () => number;
}

/** Syncs in this many milliseconds after a switch failed do not try it again: whoever asks must not wait for an encoder that is down. */
const SWITCH_PAUSE_MS = 15_000;

/** The vectors of a domain's windows: those of the encoder that serves, and beside them those of the next one until they are complete. */
export class EncoderSwitch {
  private readonly options: EncoderSwitchOptions;
  /** The vectors that serve; `null`: words alone, or not chosen yet. */
  active: VectorIndex | null = null;
  private next: VectorIndex | null = null;
  private state: SwitchState | null = null;
  private background: Promise<void> | null = null;
  /** Vectors that are being made; `null`: none are. */
  private embedding: Promise<void> | null = null;
  private switchAgainAt = 0;

  constructor(options: EncoderSwitchOptions) {
    this.options = options;
    if (typeof options.encoder === "object" && options.encoder !== null) this.active = new VectorIndex(options.encoder);
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
    if (choice.serve?.id !== this.encoder?.id) this.active = choice.serve === null ? null : new VectorIndex(choice.serve);
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
    return this.active === null || this.active.size === this.options.windows() || (!mayWaitForVectors && this.embedding !== null);
  }

  delete(slot: number): void {
    this.active?.delete(slot);
    this.next?.delete(slot);
  }

  /** After documents were taken in. One caller makes vectors at a time; the others find what it has made, or go on without the rest. */
  async follow(choose: () => Promise<EncoderChoice>, options: SyncOptions): Promise<void> {
    if (this.embedding !== null && options.mayWaitForVectors === false) return;
    const before = this.embedding;
    const work = (async () => {
      await before?.catch(() => undefined);
      options.signal?.throwIfAborted();
      await this.embedNow(await choose(), options);
    })();
    this.embedding = work;
    try {
      await work;
    } finally {
      if (this.embedding === work) this.embedding = null;
    }
  }

  /** Vectors that are missing, and a switch in the background where one is due. */
  private async embedNow({ prepare, activate }: EncoderChoice, options: SyncOptions): Promise<void> {
    if (this.active !== null) await this.embedMissing(this.active, options);
    if (prepare !== null && prepare.id !== this.encoder?.id && options.mayPrepare !== false) this.prepareLater(prepare, activate);
  }

  /**
   * Makes the vectors of another encoder beside those that serve, and switches when every window has one. Questions meanwhile, and those that
   * began before, are ranked by the old encoder. What was made is kept when it ends early.
   * @throws RequestError `switch_running`; ModelError of the new encoder
   */
  async switchTo(encoder: Encoder, activate: (encoder: Encoder) => Promise<void>, options: SyncOptions = {}): Promise<void> {
    if (this.next !== null) {
      throw new RequestError("switch_running", `Vectors of ${this.next.encoder.id} are being made; wait until that has ended.`);
    }
    if (this.encoder?.id === encoder.id) return activate(encoder);
    const { takeIn, windows, onChange } = this.options;
    const next = new VectorIndex(encoder);
    this.next = next;
    const from = this.encoder?.id ?? null;
    const onEmbed = (done: number, total: number) => {
      this.state = { from, to: encoder.id, done, total, failure: null };
      options.onEmbed?.(done, total);
    };
    this.state = { from, to: encoder.id, done: 0, total: 0, failure: null };
    try {
      await takeIn();
      onEmbed(0, windows());
      await this.embedMissing(next, { ...options, onEmbed });
      await takeIn(async () => {
        await this.embedMissing(next, { ...options, onEmbed });
        await activate(encoder);
        this.active = next;
        onChange();
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

  /** Vectors come from the cache on disk where they were paid for before; every batch is stored at once, so a crash loses one batch at most. */
  private async embedMissing(index: VectorIndex, { signal, onEmbed, onUsage }: SyncOptions): Promise<void> {
    const { entries, windows, embeddings, onChange } = this.options;
    if (index.size === windows()) return;
    const missing = entries().flatMap((entry, slot) => (entry !== null && !index.has(slot) ? [slot] : []));
    const options = { ...(signal === undefined ? {} : { signal }), ...(onUsage === undefined ? {} : { onUsage }) };
    const batch = Math.min(index.encoder.batch ?? this.options.batch, this.options.batch);
    for (let at = 0; at < missing.length; at += batch) {
      signal?.throwIfAborted();
      const slots = missing.slice(at, at + batch).filter((slot) => entries()[slot] !== null);
      const held = slots.map((slot) => entries()[slot] as Entry);
      const vectors = await index.embedTexts(held.map(passageText), embeddings, options);
      slots.forEach((slot, i) => {
        if (entries()[slot] === held[i]) index.add(slot, vectors[i] as Float32Array);
      });
      onEmbed?.(Math.min(at + batch, missing.length), missing.length);
    }
    if (missing.length > 0 && index === this.active) onChange();
  }
}

/** What an encoder sees of a window: title, headings, text. */
function passageText({ document, chunk, window }: Entry): string {
  return [document.title, ...chunk.headingPath, document.text.slice(window.start, window.end)].join("\n");
}
