import type { WeightsHeader } from "./weights-file.ts";

/** Where a thread's buffers lie, in bytes from the start of its arena, and how long the arena is. */
export interface Arena {
  readonly x: number;
  readonly keyValue: number;
  readonly query: number;
  readonly mixed: number;
  readonly wide: number;
  readonly narrow: number;
  readonly codes: number;
  readonly codeScales: number;
  readonly scratch: number;
  readonly bytes: number;
}

type Sizes = Pick<WeightsHeader, "hidden" | "heads" | "feed_forward" | "max_tokens">;

/** Buffers for sequences of up to `max_tokens` tokens, which is a multiple of 8, so that tiles are whole. */
export function planArena({ hidden, heads, feed_forward, max_tokens: tokens }: Sizes, start = 0): Arena {
  let at = start;
  const take = (bytes: number) => {
    const place = at;
    at += Math.ceil(bytes / 64) * 64;
    return place;
  };
  return {
    x: take(4 * tokens * hidden),
    keyValue: take(4 * tokens * 2 * hidden),
    query: take(4 * tokens * hidden),
    mixed: take(4 * tokens * hidden),
    wide: take(4 * tokens * feed_forward),
    narrow: take(4 * tokens * hidden),
    codes: take(2 * tokens * Math.max(hidden, feed_forward)),
    codeScales: take(4 * tokens),
    scratch: take(4 * tokens * (2 * (hidden / heads) + tokens)),
    bytes: at - start,
  };
}

export function arenaBytes(sizes: Sizes): number {
  return planArena(sizes).bytes;
}
