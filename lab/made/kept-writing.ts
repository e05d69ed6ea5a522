import { type ChatReply, type EndpointRequest, startFakeEndpoint } from "../../src/testing/fake-endpoint.ts";

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
  /** Prompts for answers since `begin`, those for quotes and verdicts left out. */
  readonly prompts: readonly string[];
  /** Sentences that were written since `begin`, without their citations. */
  readonly written: readonly string[];
  close(): Promise<void>;
}

/** What a writer is asked. */
export interface WriterCall {
  readonly request: EndpointRequest;
  readonly prompt: string;
  /** For an answer, and not for quotes or verdicts. */
  readonly isForAnswer: boolean;
  /** Of the question that was begun. */
  readonly right: RightAnswer;
}

export interface WriterReply {
  readonly chat: ChatReply;
  /** What it says, without citations; `null`: it could not say anything, and nothing of the call is kept. */
  readonly sentences: readonly string[] | null;
}

/** Starts the endpoint of a writer and keeps what it is asked and says for answers. */
export async function startKept(knows: boolean, reply: (call: WriterCall) => WriterReply | Promise<WriterReply>): Promise<KeptWriter> {
  let right: RightAnswer = { answer: "", goldQuotes: [] };
  let prompts: string[] = [];
  let written: string[] = [];
  const endpoint = await startFakeEndpoint({
    chat: async (request) => {
      const prompt = promptOf(request);
      const isForAnswer = asksForAnswer(prompt);
      const { chat, sentences } = await reply({ request, prompt, isForAnswer, right });
      if (isForAnswer && sentences !== null) {
        prompts.push(prompt);
        written.push(...sentences);
      }
      return chat;
    },
  });
  return {
    url: endpoint.url,
    knows,
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

function asksForAnswer(prompt: string): boolean {
  return prompt.includes("\nQuestion: ") && !prompt.includes("Passages:\n");
}

/** The text of a request's messages. */
function promptOf({ body: { messages } }: EndpointRequest): string {
  return Array.isArray(messages) ? messages.map((one) => (typeof one?.content === "string" ? one.content : "")).join("\n") : "";
}
