import { readPrompt } from "../../src/grade/ablate/scripted-draft.ts";
import { type EndpointRequest, startFakeEndpoint } from "../../src/testing/fake-endpoint.ts";
import { splitSentences } from "../../src/text/sentences.ts";

/** What a right answer to one question is. */
export interface RightAnswer {
  /** As a person wrote it; empty: there is none. */
  readonly answer: string;
  /** Where it stands: exact substrings of pages. */
  readonly goldQuotes: readonly string[];
}

/** A model behind HTTP whose prompts and sentences are kept, question by question. */
export interface KeptWriter {
  /** Base address of the endpoint. */
  readonly url: string;
  /** Does it know the right answer, so that what else a reader is shown is not its own? */
  readonly knows: boolean;
  /** The question that comes next; forgets what was asked before. */
  begin(right: RightAnswer): void;
  /** Prompts since `begin`, those for quotes left out. */
  readonly prompts: readonly string[];
  /** Sentences that were written since `begin`, without their citations. */
  readonly written: readonly string[];
  close(): Promise<void>;
}

/**
 * A model behind HTTP that knows the right answer and writes it in a person's words, citing every source of its prompt in which a marked quote stands; where none
 * does it writes that the sources are not enough. It reads nothing but the prompt.
 * @param countTokens of a text, so that it counts what it reads and writes as a model does
 */
export async function startOwnWordsWriter(countTokens: (text: string) => number): Promise<KeptWriter> {
  let right: RightAnswer = { answer: "", goldQuotes: [] };
  let prompts: string[] = [];
  let written: string[] = [];
  const endpoint = await startFakeEndpoint({
    chat: (request) => {
      const prompt = promptOf(request);
      const usage = (text: string) => ({ prompt_tokens: countTokens(prompt), completion_tokens: countTokens(text) });
      if (!asksForAnswer(prompt)) return { type: "stream", pieces: ["{}"], usage: usage("{}") };
      prompts.push(prompt);
      const { quotes } = readPrompt(prompt);
      const cites = quotes.flatMap((quote, i) => (right.goldQuotes.some((gold) => holdsQuote(quote, gold)) ? [i + 1] : []));
      const sentences = cites.length === 0 ? [] : splitSentences(right.answer).map(({ start, end }) => right.answer.slice(start, end));
      written.push(...sentences);
      const marks = cites.map((n) => `[${n}]`).join("");
      const text = sentences.length === 0 ? "INSUFFICIENT" : sentences.map((one) => `${one.replace(/[.!]$/, "")} ${marks}.`).join(" ");
      return { type: "stream", pieces: [text], usage: usage(text) };
    },
  });
  return {
    url: endpoint.url,
    knows: true,
    begin(next) {
      right = next;
      prompts = [];
      written = [];
    },
    get prompts() {
      return prompts;
    },
    get written() {
      return written;
    },
    close: endpoint.close,
  };
}

/** Is a prompt one for an answer, and not for quotes or verdicts? */
export function asksForAnswer(prompt: string): boolean {
  return prompt.includes("\nQuestion: ") && !prompt.includes("Passages:\n");
}

/** The text of a request's messages. */
export function promptOf({ body: { messages } }: EndpointRequest): string {
  return Array.isArray(messages) ? messages.map((one) => (typeof one?.content === "string" ? one.content : "")).join("\n") : "";
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
