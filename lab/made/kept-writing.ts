import { type ChatReply, type EndpointRequest, startFakeEndpoint } from "../../src/testing/fake-endpoint.ts";

/** The reference answer to one question. */
export interface RightAnswer {
  /** The answer as a person wrote it; empty: none. */
  readonly answer: string;
  /** Its evidence: exact substrings of pages. */
  readonly goldQuotes: readonly string[];
}

/** A model behind HTTP that records prompts and sentences per question. */
export interface KeptWriter {
  readonly url: string;
  /** Whether the writer knows the reference answer, so that any other sentence shown to the user is not from it. */
  readonly knows: boolean;
  /** Sets the next question's reference and clears the records. */
  begin(right: RightAnswer): void;
  /** Answer prompts since `begin`, without those for quotes and verdicts. */
  readonly prompts: readonly string[];
  /** Sentences written since `begin`, without their citations. */
  readonly written: readonly string[];
  close(): Promise<void>;
}

export interface WriterCall {
  readonly request: EndpointRequest;
  readonly prompt: string;
  /** Whether it asks for an answer, not for quotes or verdicts. */
  readonly isForAnswer: boolean;
  /** Reference of the current question. */
  readonly right: RightAnswer;
}

export interface WriterReply {
  readonly chat: ChatReply;
  /** Its sentences without citations; `null`: the call failed and is not recorded. */
  readonly sentences: readonly string[] | null;
}

/** Starts the endpoint of a writer and records its answer prompts and sentences. */
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

/** Joins the texts of a request's messages. */
function promptOf({ body: { messages } }: EndpointRequest): string {
  return Array.isArray(messages) ? messages.map((one) => (typeof one?.content === "string" ? one.content : "")).join("\n") : "";
}
