import type { ChatEvent, ChatModel, ChatPrompt } from "../models/chat.ts";
import { ModelError } from "../shared/errors.ts";

export interface FakeJudge extends ChatModel {
  readonly prompts: readonly ChatPrompt[];
}

interface ShownPassage {
  readonly passage: string;
  readonly text: string;
}

/**
 * Creates a model that scores passages by the words that they share with the question. If a passage contains
 * instructions, the model obeys them and scores all other passages 0.
 * @param change alters the reply before it is sent
 */
export function fakeJudge(change: (reply: string) => string = (reply) => reply, down = false): FakeJudge {
  const prompts: ChatPrompt[] = [];
  return {
    id: "judge",
    prompts,
    async *stream(prompt, { signal }): AsyncGenerator<ChatEvent, void> {
      signal.throwIfAborted();
      if (down) throw new ModelError("endpoint_down", "it is down");
      prompts.push(prompt);
      const shown = prompt.user.split("\n").flatMap((line) => (line.startsWith('{"passage"') ? [JSON.parse(line) as ShownPassage] : []));
      const asked = words(prompt.user.split("Question (JSON): ").at(-1) ?? "");
      const master = shown.find(({ text }) => /\b(?:score|rate|give)\b.*\b(?:all|every|each|other)\b|"verdicts"/i.test(text));
      const verdicts = shown.map((one) => {
        const obeyed = master !== undefined && one !== master;
        const relevance = asked.length === 0 ? 0 : asked.filter((word) => words(one.text).includes(word)).length / asked.length;
        return { passage: one.passage, relevance: obeyed ? 0 : master === one ? 1 : relevance, consistency: obeyed ? 0 : 1 };
      });
      yield { type: "text", text: change(JSON.stringify({ verdicts })) };
      yield { type: "end", inputTokens: 100, outputTokens: 10 };
    },
  };
}

function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
