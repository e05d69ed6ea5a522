import type { Wordpiece } from "./wordpiece.ts";

/** Most tokens of a text with [CLS] and [SEP]; what stands behind them is not read. */
export const MAX_TOKENS = 256;

/** Token ids of [CLS] text [SEP]. */
export type SequenceBuilder = (text: string) => Int32Array;

export function createSequenceBuilder(wordpiece: Wordpiece): SequenceBuilder {
  const start = wordpiece.idOf("[CLS]");
  const separator = wordpiece.idOf("[SEP]");
  return (text) => Int32Array.from([start, ...wordpiece.encode(text, MAX_TOKENS - 2).ids, separator]);
}
