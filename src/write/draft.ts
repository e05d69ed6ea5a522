import type { ChatEvent } from "../models/chat.ts";
import { splitSentences } from "../text/sentences.ts";
import type { DraftSentence, Quote } from "../types.ts";

/** Characters of model output that are read; what comes after is cut (endless repetition). */
export const MAX_DRAFT_CHARACTERS = 20_000;

/** What the model says when the quotes do not answer. */
export const INSUFFICIENT = "INSUFFICIENT";

export interface DraftUsage {
  inputTokens: number | null;
  outputTokens: number | null;
}

/**
 * Sentences of a streamed draft, each as soon as it is whole with its citation markers.
 * @param parseMarkers takes the markers out of a sentence
 * @param usage filled when the stream ends
 */
export async function* readDraft(
  stream: AsyncIterable<ChatEvent>,
  quotes: readonly Quote[],
  parseMarkers: (sentence: string) => { text: string; numbers: readonly number[] },
  usage: DraftUsage,
): AsyncGenerator<DraftSentence, void> {
  let pending = "";
  let read = 0;
  for await (const event of stream) {
    if (event.type === "end") {
      usage.inputTokens = event.inputTokens;
      usage.outputTokens = event.outputTokens;
      continue;
    }
    read += event.text.length;
    pending += event.text;
    const whole = wholeSentences(pending);
    pending = pending.slice(whole.consumed);
    for (const sentence of whole.sentences) yield* toDraft(sentence, quotes, parseMarkers);
    if (read > MAX_DRAFT_CHARACTERS) return;
  }
  for (const { start, end } of splitSentences(pending)) yield* toDraft(pending.slice(start, end), quotes, parseMarkers);
}

/** Sentences that cannot grow any more: the text after the last one has begun with something that is no marker. */
function wholeSentences(text: string): { sentences: string[]; consumed: number } {
  const ranges = splitSentences(text);
  const sentences: string[] = [];
  let consumed = 0;
  for (let i = 0; i < ranges.length; i++) {
    const range = ranges[i] as { start: number; end: number };
    const next = ranges[i + 1];
    if (next === undefined) break;
    const markers = leadingMarkers(text.slice(next.start, next.end));
    if (next.start + markers >= next.end) break;
    sentences.push(text.slice(range.start, range.end) + text.slice(next.start, next.start + markers));
    consumed = next.start + markers;
    ranges[i + 1] = { start: consumed, end: next.end };
  }
  return { sentences, consumed };
}

/** Length of the citation markers with which a text begins: they belong to the sentence before. */
function leadingMarkers(text: string): number {
  return /^(?:\s*(?:[[【][^\]】]{0,60}[\]】]|[⁰¹²³⁴⁵⁶⁷⁸⁹]+))*\s*/.exec(text)?.[0].length ?? 0;
}

function* toDraft(
  sentence: string,
  quotes: readonly Quote[],
  parseMarkers: (sentence: string) => { text: string; numbers: readonly number[] },
): Generator<DraftSentence, void> {
  const { text, numbers } = parseMarkers(sentence);
  if (text === "") return;
  const cited = numbers.flatMap((number) => quotes[number - 1] ?? []);
  yield { text, quotes: cited };
}
