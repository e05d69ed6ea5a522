import type { AnswerEvent } from "../events.ts";
import type { Answer } from "../types.ts";

/** The sentences of a stored answer, as if they had just been written. */
export function* replay({ sentences, citations }: Pick<Answer, "sentences" | "citations">): Generator<AnswerEvent, void> {
  for (const [index, sentence] of sentences.entries()) {
    yield { type: "sentence", index, sentence, citations: citations.filter(({ n }) => sentence.citations.includes(n)) };
  }
}
