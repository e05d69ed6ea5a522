import { pathToFileURL } from "node:url";
import { z } from "zod";
import { messageOf } from "../../shared/errors.ts";
import type { LocalReply, LocalRequest } from "./local-model.ts";

/**
 * Maximum context size in tokens: room for the longest prompt of any profile and the reply. A model that supports less
 * gets a smaller context.
 */
const CONTEXT_TOKENS = 12_288;

/** The part of `node-llama-cpp` that is used here. */
interface LlamaRuntime {
  getLlama(options: object): Promise<Llama>;
  LlamaChatSession: new (options: object) => LlamaSession;
}
interface Llama {
  loadModel(options: { modelPath: string }): Promise<LlamaModel>;
  createGrammarForJsonSchema(schema: unknown): Promise<unknown>;
}
interface LlamaModel {
  tokenize(text: string): ArrayLike<number>;
  createContext(options: object): Promise<{ getSequence(): LlamaSequence }>;
}
interface LlamaSequence {
  clearHistory(): Promise<void>;
}
interface LlamaSession {
  prompt(text: string, options: object): Promise<string>;
  dispose(options: object): void;
}
const isFunction = z.custom<never>((value) => typeof value === "function");
const runtimeSchema = z.looseObject({ getLlama: isFunction, LlamaChatSession: isFunction });

const [, , runtimeFile = "", modelFile = ""] = process.argv;
let abort = new AbortController();
let turn = Promise.resolve();
const tell = (reply: LocalReply) => process.send?.(reply);

const opened = open();
opened.catch(() => undefined);
// End this process when the parent process ends.
process.on("disconnect", () => process.exit());
process.on("message", (request: LocalRequest) => {
  if (request.type === "stop") abort.abort();
  else
    turn = turn
      .then(() => answer(request))
      .catch((error: unknown) => void tell({ id: request.id, type: "failed", message: messageOf(error) }));
});

async function open() {
  const runtime = (await import(pathToFileURL(runtimeFile).href)) as unknown;
  if (!runtimeSchema.safeParse(runtime).success) throw new Error(`${runtimeFile} is not a supported version of node-llama-cpp; update it`);
  const { getLlama, LlamaChatSession } = runtime as LlamaRuntime;
  const llama = await getLlama({ build: "never", logLevel: "error" });
  const model = await llama.loadModel({ modelPath: modelFile });
  const context = await model.createContext({ contextSize: { max: CONTEXT_TOKENS } });
  return { llama, model, sequence: context.getSequence(), LlamaChatSession };
}

async function answer(request: Extract<LocalRequest, { readonly type: "ask" }>): Promise<void> {
  abort = new AbortController();
  const { signal } = abort;
  const { id, system, user, temperature, maxTokens, schema } = request;
  const { llama, model, sequence, LlamaChatSession } = await opened;
  await sequence.clearHistory();
  const session = new LlamaChatSession({ contextSequence: sequence, systemPrompt: system });
  try {
    const grammar = schema === undefined ? {} : { grammar: await llama.createGrammarForJsonSchema(schema) };
    const onTextChunk = (text: string) => tell({ id, type: "text", text });
    const text = await session.prompt(user, { temperature, maxTokens, signal, stopOnAbortSignal: true, onTextChunk, ...grammar });
    const countOf = (one: string) => model.tokenize(one).length;
    tell({ id, type: "end", inputTokens: countOf(`${system}\n${user}`), outputTokens: countOf(text) });
  } finally {
    session.dispose({ disposeSequence: false });
  }
}
