import { afterAll, beforeAll, onTestFinished } from "vitest";
import { type AskOptions, createEngine, type Engine, type EngineParts, type IngestOptions } from "../../src/engine/engine.ts";
import { type Config, loadConfig } from "../../src/shared/config.ts";
import type { AnswerEvent, IngestEvent } from "../../src/shared/events.ts";
import type { Answer } from "../../src/shared/types.ts";
import { createSandbox, LIBRARY_DOCUMENTS, type Sandbox } from "./library.ts";
import { SHARED_PARTS } from "./shared-parts.ts";

export interface Library {
  readonly sandbox: Sandbox;
  readonly engine: Engine;
  events(question: string, options?: AskOptions): Promise<AnswerEvent[]>;
  ask(question: string, options?: AskOptions): Promise<Answer>;
  ingest(folder?: string, options?: IngestOptions): Promise<IngestEvent[]>;
  close(): Promise<void>;
}

export interface LibraryOptions extends EngineParts {
  readonly documents?: Readonly<Record<string, string | Uint8Array>>;
  /** Settings that override the sandbox's, by dotted key. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** Opens an engine in this process on the library's documents, in a temporary folder. */
export async function openLibrary({ documents = LIBRARY_DOCUMENTS, settings, ...parts }: LibraryOptions = {}): Promise<Library> {
  const sandbox = createSandbox(documents);
  const config = loadConfig({
    cwd: sandbox.folder,
    env: sandbox.env,
    overrides: { ...(parts.models == null ? {} : { write: "answer" }), ...settings },
  });
  const engine = await createEngine(config, { ...SHARED_PARTS, ...parts });
  const library: Library = {
    sandbox,
    engine,
    events: (question, options) => Array.fromAsync(engine.ask(question, options)),
    ask: (question, options) => engine.answer(question, options),
    ingest: (folder = "documents", options = {}) =>
      Array.fromAsync(engine.ingest(`${sandbox.folder}/${folder}`, { source: folder, ...options })),
    async close() {
      await engine.close();
      sandbox.remove();
    },
  };
  if (Object.keys(documents).length > 0) await library.ingest();
  return library;
}

export async function engineInTest(config: Config, parts: EngineParts = {}): Promise<Engine> {
  const engine = await createEngine(config, { ...SHARED_PARTS, ...parts });
  onTestFinished(() => engine.close());
  return engine;
}

export async function openInTest(options?: LibraryOptions): Promise<Library> {
  const library = await openLibrary(options);
  onTestFinished(() => library.close());
  return library;
}

/** Opens a library for all tests of the enclosing `describe` or file; it can be used from their hooks and tests on. */
export function libraryForAll(options?: LibraryOptions): Library {
  const library = {} as Library;
  beforeAll(async () => {
    Object.assign(library, await openLibrary(options));
  });
  afterAll(() => library.close());
  return library;
}

export const stagesOf = (events: readonly AnswerEvent[]): string[] =>
  events.flatMap(({ type }) => (type.endsWith("-start") ? [type.slice(0, -"-start".length)] : []));

export function answerOf(events: readonly AnswerEvent[]): Answer {
  const last = events.at(-1);
  if (last?.type !== "answer") throw new Error("the last event is no answer");
  return last.answer;
}
