import type { TokenSequence } from "./forward.ts";
import type { ReadRequest } from "./reader.ts";
import type { Wordpiece } from "./wordpiece.ts";

/** Most tokens of a question. Longer ones are cut, as in training. */
const MAX_QUESTION_TOKENS = 64;
/** Most tokens of a head, so that every window has room for the passage itself. */
const MAX_HEAD_TOKENS = 64;
/** Most tokens of a window: [CLS] TASK question [SEP] head | passage [SEP]. */
export const WINDOW_TOKENS = 256;
/** Tokens that two windows of one text share: an answer of up to this length stands whole in one of them. */
export const OVERLAP_TOKENS = 64;

export interface SequenceBuilder {
  /** Windows of the passage, each with what stands before it. */
  build(request: ReadRequest): Generator<TokenSequence>;
}

/** A reserved piece says what is asked: answers to a question. */
const TASK_PIECE = "[unused0]";

export function createSequenceBuilder(wordpiece: Wordpiece): SequenceBuilder {
  const start = wordpiece.idOf("[CLS]");
  const separator = wordpiece.idOf("[SEP]");
  const task = wordpiece.idOf(TASK_PIECE);
  const bar = wordpiece.encode(" | ").ids;

  return {
    build({ question, head, passage }) {
      const asked = wordpiece.encode(question, MAX_QUESTION_TOKENS).ids;
      const heading = head.trim() === "" ? [] : [...wordpiece.encode(head, MAX_HEAD_TOKENS).ids, ...bar];
      const before = [start, task, ...asked, separator, ...heading];
      return cut(before, 3 + asked.length, wordpiece.encode(passage).ids, WINDOW_TOKENS - before.length - 1);
    },
  };

  function* cut(before: readonly number[], second: number, ids: Int32Array, room: number): Generator<TokenSequence> {
    for (const first of windowStarts(ids.length, room)) {
      yield { ids: Int32Array.from([...before, ...ids.subarray(first, first + room), separator]), second };
    }
  }
}

/** Where windows of `room` tokens start in a text of `length` tokens; the last one ends with the text. */
export function windowStarts(length: number, room: number): number[] {
  const starts = [0];
  for (let start = 0; start + room < length; ) {
    start = Math.min(start + room - OVERLAP_TOKENS, length - room);
    starts.push(start);
  }
  return starts;
}
