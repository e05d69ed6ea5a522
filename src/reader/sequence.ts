import type { TokenSequence } from "./forward.ts";
import type { ReadRequest } from "./reader.ts";
import type { Tokens, Wordpiece } from "./wordpiece.ts";

/** Most tokens of the first text: a question, a claim. Longer ones are cut, as in training. */
const MAX_FIRST_TOKENS = { answers: 64, claims: 96, pairs: 64 } as const;
/** Most tokens of a head, so that every window has room for the passage itself. */
const MAX_HEAD_TOKENS = 64;
/** Most tokens of a window: [CLS] TASK a [SEP] b [SEP]. */
export const WINDOW_TOKENS = 256;
/** Tokens that two windows of one text share: an answer of up to this length stands whole in one of them. */
export const OVERLAP_TOKENS = 64;

/** A piece of the second text with what stands before it, as the model reads it. */
export interface ReadWindow {
  readonly sequence: TokenSequence;
  /** Place in the sequence of the window's first token of the text itself (behind the head). */
  readonly from: number;
  /** Tokens of the text in this window: `count` from `first` on. */
  readonly first: number;
  readonly count: number;
}

export interface SequenceBuilder {
  /** The windows of a request, and the tokens of the text that they cut up. A second question of a pair is cut, not windowed. */
  build(request: ReadRequest): { readonly tokens: Tokens; readonly windows: Generator<ReadWindow> };
}

/** One reserved piece says which of the three questions is asked. */
const TASK_PIECES = { answers: "[unused0]", claims: "[unused1]", pairs: "[unused2]" } as const;

export function createSequenceBuilder(wordpiece: Wordpiece): SequenceBuilder {
  const start = wordpiece.idOf("[CLS]");
  const separator = wordpiece.idOf("[SEP]");
  const task = { answers: idOfTask("answers"), claims: idOfTask("claims"), pairs: idOfTask("pairs") };
  const bar = wordpiece.encode(" | ").ids;

  function idOfTask(name: keyof typeof TASK_PIECES): number {
    return wordpiece.idOf(TASK_PIECES[name]);
  }

  return {
    build(request) {
      const { first, head, second } = textsOf(request);
      const asked = wordpiece.encode(first, MAX_FIRST_TOKENS[request.task]).ids;
      const heading = head.trim() === "" ? [] : [...wordpiece.encode(head, MAX_HEAD_TOKENS).ids, ...bar];
      const before = [start, task[request.task], ...asked, separator, ...heading];
      const room = WINDOW_TOKENS - before.length - 1;
      const tokens = wordpiece.encode(second, request.task === "pairs" ? room : undefined);
      const sequenceStart = 3 + asked.length;
      return { tokens, windows: cut(before, sequenceStart, tokens.ids, room) };
    },
  };

  function* cut(before: readonly number[], second: number, ids: Int32Array, room: number): Generator<ReadWindow> {
    for (const first of windowStarts(ids.length, room)) {
      const part = ids.subarray(first, first + room);
      const sequence = { ids: Int32Array.from([...before, ...part, separator]), second };
      yield { sequence, from: before.length, first, count: part.length };
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

function textsOf(request: ReadRequest): { first: string; head: string; second: string } {
  switch (request.task) {
    case "answers":
      return { first: request.question, head: request.head, second: request.passage };
    case "claims":
      return { first: request.claim, head: request.head ?? "", second: request.evidence };
    case "pairs":
      return { first: request.a, head: "", second: request.b };
  }
}
