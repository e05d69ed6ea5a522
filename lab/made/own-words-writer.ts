import { splitSentences } from "../../src/text/sentences.ts";
import { readPrompt } from "../runs/ablate/scripted-model.ts";
import { type KeptWriter, startKept } from "./kept-writing.ts";

/**
 * Starts a model behind HTTP that knows the reference answer. It writes that answer and cites every source of its prompt that contains a
 * gold quote; if none does, it reports insufficient sources. It depends only on the prompt.
 * @param countTokens counts tokens, for realistic usage figures
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

/** Keeps only letters and digits: the prompt formats tables, emphasis and line ends differently. */
function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
}

/** Tests whether a text contains a gold quote, or the longest line of a quote with several lines. */
export function holdsQuote(text: string, gold: string): boolean {
  const longest = gold.split("\n").reduce((best, line) => (line.length > best.length ? line : best), "");
  const sought = lettersOf(longest);
  return sought !== "" && lettersOf(text).includes(sought);
}
