import { splitSentences } from "../../src/text/sentences.ts";
import { readPrompt } from "../runs/ablate/scripted-model.ts";
import { type KeptWriter, startKept } from "./kept-writing.ts";

/**
 * A model behind HTTP that knows the right answer and writes it in a person's words, citing every source of its prompt in which a marked quote stands; where none
 * does it writes that the sources are not enough. It reads nothing but the prompt.
 * @param countTokens of a text, so that it counts what it reads and writes as a model does
 */
export function startOwnWordsWriter(countTokens: (text: string) => number): Promise<KeptWriter> {
  return startKept(true, ({ prompt, isForAnswer, right: { answer, goldQuotes } }) => {
    const say = (text: string, sentences: readonly string[]) => {
      const usage = { prompt_tokens: countTokens(prompt), completion_tokens: countTokens(text) };
      return { chat: { type: "stream", pieces: [text], usage } as const, sentences };
    };
    if (!isForAnswer) return say("{}", []);
    const { quotes } = readPrompt(prompt);
    const cites = quotes.flatMap((quote, i) => (goldQuotes.some((gold) => holdsQuote(quote, gold)) ? [i + 1] : []));
    const sentences = cites.length === 0 ? [] : splitSentences(answer).map(({ start, end }) => answer.slice(start, end));
    if (sentences.length === 0) return say("INSUFFICIENT", []);
    const marks = cites.map((n) => `[${n}]`).join("");
    return say(sentences.map((one) => `${one.replace(/[.!]$/, "")} ${marks}.`).join(" "), sentences);
  });
}

/** Letters and digits alone: marks of tables, of emphasis and of line ends are put otherwise in a prompt. */
function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
}

/** Does a text hold a marked quote, or its longest line where the quote runs over several? */
export function holdsQuote(text: string, gold: string): boolean {
  const longest = gold.split("\n").reduce((best, line) => (line.length > best.length ? line : best), "");
  const sought = lettersOf(longest);
  return sought !== "" && lettersOf(text).includes(sought);
}
