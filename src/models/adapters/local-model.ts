import { type ChildProcess, fork } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { PACKAGE_ROOT } from "../../package.ts";
import { ConfigError, ModelError, messageOf } from "../../shared/errors.ts";
import type { ChatEvent, ChatModel, ChatOptions, ChatPrompt } from "../chat.ts";

/** Package that runs GGUF files. The user installs it. */
const RUNTIME = "node-llama-cpp";
/** File that the child process runs: always the compiled file, even if this program runs from TypeScript. */
const ENTRY = join(PACKAGE_ROOT, "dist", "src", "models", "adapters", "local-model-process.js");

/** A message to the process of a local model. `ask` sends a prompt; its replies have the same `id`. `stop` ends the current reply. */
export type LocalRequest =
  | (ChatPrompt & Readonly<Record<"id" | "temperature" | "maxTokens", number>> & { readonly type: "ask"; readonly schema: unknown })
  | { readonly type: "stop" };

/** A message from the process of a local model. */
export type LocalReply = { readonly id: number } & (ChatEvent | { readonly type: "failed"; readonly message: string });

export interface LocalModelOptions {
  /** Folders in which to look for the runtime, after the folder of the model file. Their parent folders are searched too. */
  readonly folders: readonly string[];
  readonly replyTokens: number;
}

/**
 * Creates a chat model for a GGUF file. `node-llama-cpp` runs the model in a separate process. This starts with the first
 * prompt, answers one prompt at a time, and ends with the current process.
 * @param file absolute path
 * @throws ConfigError `config_invalid` if the file does not exist or the runtime is not installed
 */
export function createLocalModel(file: string, { folders, replyTokens }: LocalModelOptions): ChatModel {
  if (!existsSync(file))
    throw new ConfigError("config_invalid", `model.local: ${file} does not exist. Set the path of a GGUF file.`, { file });
  const runtime = findRuntime([dirname(file), ...folders]);
  if (runtime === null) {
    const message = `model.local requires the package ${RUNTIME}, which is not installed. Run: npm install --prefix ${dirname(file)} ${RUNTIME}`;
    throw new ConfigError("config_invalid", message, { looked: [dirname(file), ...folders] });
  }
  const id = basename(file).replace(/\.gguf$/i, "");
  let child: ChildProcess | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let asked = 0;
  const start = (): ChildProcess => {
    if (child?.connected === true) return child;
    child = fork(ENTRY, [runtime, file], { execArgv: [], stdio: ["ignore", "ignore", "ignore", "ipc"] });
    return child;
  };
  async function* run(prompt: ChatPrompt, { temperature, signal, form }: ChatOptions): AsyncGenerator<ChatEvent, void> {
    const running = start();
    const number = ++asked;
    let received = false;
    hold(running, true);
    try {
      const request: LocalRequest = { type: "ask", id: number, ...prompt, temperature, maxTokens: replyTokens, schema: form?.schema };
      running.send(request);
      for await (const event of receive(running, number, signal)) {
        received = true;
        yield event;
      }
    } catch (cause) {
      signal.throwIfAborted();
      const message = `Local model "${id}" failed: ${messageOf(cause)}`;
      throw new ModelError(received ? "model_cut" : "model_failed", message, { model: id }, { cause });
    } finally {
      if (running.connected) running.send({ type: "stop" } satisfies LocalRequest);
      hold(running, false);
    }
  }
  return {
    id,
    async *stream(prompt, options) {
      options.signal.throwIfAborted();
      const before = last;
      const done = Promise.withResolvers<void>();
      last = done.promise;
      try {
        await before;
        options.signal.throwIfAborted();
        yield* run(prompt, options);
      } finally {
        done.resolve();
      }
    },
  };
}

/** Lets the child process keep this process alive while it is busy, and only then. */
function hold(child: ChildProcess, isBusy: boolean): void {
  for (const one of [child, child.channel])
    if (isBusy) one?.ref();
    else one?.unref();
}

/** Yields the replies to one prompt. @throws Error when the process fails or ends */
async function* receive(child: ChildProcess, id: number, signal: AbortSignal): AsyncGenerator<ChatEvent, void> {
  const replies: LocalReply[] = [];
  let wake = Promise.withResolvers<void>();
  const push = (reply: LocalReply) => {
    if (reply.id === id) replies.push(reply);
    wake.resolve();
  };
  const onMessage = (reply: unknown) => push(reply as LocalReply);
  const onExit = (code: number | null, by: string | null) =>
    push({ id, type: "failed", message: `its process ended (${by ?? `exit code ${code}`}), perhaps because the memory is too small` });
  const onError = (error: Error) => push({ id, type: "failed", message: error.message });
  const onAbort = () => wake.reject(signal.reason);
  child.on("message", onMessage).on("exit", onExit).on("error", onError);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    for (;;) {
      await wake.promise;
      wake = Promise.withResolvers();
      for (const reply of replies.splice(0)) {
        if (reply.type === "failed") throw new Error(reply.message);
        const { id: _, ...event } = reply;
        yield event;
        if (event.type === "end") return;
      }
      signal.throwIfAborted();
    }
  } finally {
    wake.promise.catch(() => undefined);
    child.off("message", onMessage).off("exit", onExit).off("error", onError);
    signal.removeEventListener("abort", onAbort);
  }
}

/** Looks for the runtime in these folders and their parents. Returns the file to import; `null` if it is not installed. */
function findRuntime(folders: readonly string[]): string | null {
  const above = (folder: string): string[] => [folder, ...(folder === dirname(folder) ? [] : above(dirname(folder)))];
  const roots = folders.flatMap(above).map((folder) => join(folder, "node_modules", RUNTIME));
  const root = roots.find((one) => existsSync(join(one, "package.json")));
  if (root === undefined) return null;
  const { main } = z.object({ main: z.string() }).parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
  return join(root, main);
}
