import type { AnswerEvent } from "../events.ts";
import type { Answer, FilterRequest, Selection, Turn } from "../types.ts";

/** Whose answer it is, by name. */
export interface ReplayOptions {
  readonly domain?: string | undefined;
  readonly tenant?: string | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What an answer says, as far as a reader sees a difference. */
export interface Said {
  readonly status: Answer["status"];
  readonly sentences: readonly string[];
  /** Path and quote of each citation. */
  readonly citations: readonly { readonly path: string; readonly quote: string }[];
}

/** An answer made again from what was recorded. */
export interface Replayed {
  readonly id: string;
  readonly question: string;
  /** Byte for byte, but for the times that it took. */
  readonly identical: boolean;
  /** Places of the stored JSON that came out otherwise. */
  readonly differs: readonly string[];
  /** Of the answer that was served from memory: the one that was made. */
  readonly servedFrom: string | null;
  readonly was: Said;
}

/** What would be answered today, and what made the difference. */
export interface ReplayedNow extends Replayed {
  readonly now: Said;
  readonly changed: boolean;
  readonly causes: readonly Cause[];
}

export type Cause =
  /** The answer changes by this edit alone. */
  | { readonly type: "edit"; readonly path: string; readonly change: DocumentChange["change"] }
  /** It changes by all edits together, by none alone. */
  | { readonly type: "edits"; readonly paths: readonly string[] }
  /** It changes by today's settings, with the documents as they were. */
  | { readonly type: "settings"; readonly settings: readonly SettingChange[] }
  /** It changes only by documents and settings together. */
  | { readonly type: "both" };

export interface SettingChange {
  readonly setting: string;
  readonly before: string;
  readonly after: string;
}

export interface DocumentChange {
  readonly id: string;
  readonly path: string;
  readonly change: "added" | "changed" | "deleted";
}

/** What an engine makes again of its stored answers. */
export interface Replayer {
  /**
   * Makes a stored answer again from the documents, settings and model output of then.
   * @throws RequestError `unknown_answer`, `replay_impossible` with the reason
   */
  replay(id: string, options?: ReplayOptions): Promise<Replayed>;
  /** The same, then with today's documents and settings. */
  replayNow(id: string, options?: ReplayOptions): Promise<ReplayedNow>;
}

/** The part of an engine that replays. */
export interface ScratchEngine {
  ask(question: string, options: ScratchAsk): AsyncGenerator<AnswerEvent, void>;
  close(): Promise<void>;
}

export interface ScratchAsk {
  readonly domain: string;
  readonly tenant: string | null;
  readonly access: readonly string[];
  readonly profile: string;
  readonly detail: "normal" | "more";
  readonly selection: Selection | null;
  readonly filters: FilterRequest | null;
  readonly history: readonly Turn[];
  readonly signal?: AbortSignal | undefined;
}
