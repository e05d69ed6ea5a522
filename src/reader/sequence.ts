import type { ToRead } from "./reader.ts";
import type { Wordpiece } from "./wordpiece.ts";

/** Most tokens of a text with [CLS] and [SEP]; what stands behind them is not read. */
export const MAX_TOKENS = 256;
/** The same of a question and a text together, and of the question alone: as in training (`lab/train/reader`). */
export const MAX_PAIR_TOKENS = 176;
export const MAX_QUESTION_TOKENS = 48;

/** Token ids of [CLS] text [SEP], or of [CLS] question [SEP] text [SEP]. */
export type SequenceBuilder = (read: ToRead) => Int32Array;

export function createSequenceBuilder(wordpiece: Wordpiece): SequenceBuilder {
  const start = wordpiece.idOf("[CLS]");
  const separator = wordpiece.idOf("[SEP]");
  return (read) => {
    if (typeof read === "string") return Int32Array.from([start, ...wordpiece.encode(read, MAX_TOKENS - 2).ids, separator]);
    const question = wordpiece.encode(read.question, MAX_QUESTION_TOKENS).ids;
    const text = wordpiece.encode(read.text, MAX_PAIR_TOKENS - 3 - question.length).ids;
    return Int32Array.from([start, ...question, separator, ...text, separator]);
  };
}
