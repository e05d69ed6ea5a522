import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { type AskOptions, createEngine, type Engine, type EngineParts } from "../../src/engine/engine.ts";
import { loadConfig } from "../../src/shared/config.ts";
import type { AnswerEvent } from "../../src/shared/events.ts";
import type { Answer } from "../../src/shared/types.ts";
import { fakeEncoder } from "../../src/testing/fake-encoder.ts";
import { type ChatReply, type FakeEndpoint, type FakeEndpointOptions, startFakeEndpoint } from "../../src/testing/fake-endpoint.ts";
import { answerOf } from "./engine.ts";
import { SHARED_PARTS } from "./shared-parts.ts";

export const TINNITUS = "Tinnitus is rated at 10 percent, whether it is in one ear or both.";
export const TINNITUS_CLAIM = "To claim tinnitus, file VA Form 21-526EZ within one year.";
export const DOCUMENTS: Readonly<Record<string, string>> = {
  "tinnitus.md": `# Tinnitus rating\n\n${TINNITUS} ${TINNITUS_CLAIM}\n`,
  "pension.md": "# Pension\n\nA pension is paid every month to wartime veterans with low income. The pension limit for 2026 is $17,441.\n",
  "burial.md":
    "# Burial\n\nThe burial allowance is $978 for a death that is not service-connected. Claim the burial allowance within two years.\n",
};
export const QUESTION = "What rating does tinnitus get?";
export const GOOD = ["Tinnitus is ra", "ted at 10 percent [1]. ", "You file VA Form 21-526EZ within one year.", " [1]"];

export interface Opened {
  readonly engine: Engine;
  readonly endpoint: FakeEndpoint;
  close(): Promise<void>;
}

/** Shared by all test files of a process. */
const ingested = new Map<object, Promise<string>>();
const newFolder = () => mkdtempSync(join(tmpdir(), "sourcebound-model-"));
const remove = (folder: string) => rmSync(folder, { recursive: true, force: true });

/** Returns a data folder with these documents, ingested once per process without embeddings. */
function ingestOnce(documents: Readonly<Record<string, string>>): Promise<string> {
  const made =
    ingested.get(documents) ??
    (async () => {
      const folder = newFolder();
      process.once("exit", () => remove(folder));
      mkdirSync(join(folder, "documents"));
      for (const [name, text] of Object.entries(documents)) writeFileSync(join(folder, "documents", name), text);
      const engine = await createEngine(
        loadConfig({ cwd: folder, env: {}, overrides: { domain: "veterans", data_dir: "data", embeddings: "none" } }),
        SHARED_PARTS,
      );
      for await (const _event of engine.ingest(join(folder, "documents")));
      await engine.close();
      return join(folder, "data");
    })();
  ingested.set(documents, made);
  return made;
}

/** Opens an engine on its own copy of the documents, with a fake endpoint for its models. */
export async function open(
  script: FakeEndpointOptions = {},
  parts: EngineParts = { encoder: null },
  documents = DOCUMENTS,
  over: { readonly timeout_ms?: number; readonly prompt_tokens?: number } = {},
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Opened> {
  const folder = newFolder();
  cpSync(await ingestOnce(documents), join(folder, "data"), { recursive: true });
  const endpoint = await startFakeEndpoint(script);
  const model = { base_url: endpoint.url, api_key: "sk-secret", small: "small", large: "large", timeout_ms: 10_000, retries: 1, ...over };
  const config = loadConfig({
    cwd: folder,
    env: {},
    // Low enough for every question to reach the model; other tests cover the threshold.
    overrides: { domain: "veterans", data_dir: "data", model, cache: { enabled: false }, answer_from: 0.2, write: "answer", ...settings },
  });
  const engine = await createEngine(config, { ...SHARED_PARTS, ...parts });
  return {
    engine,
    endpoint,
    async close() {
      await engine.close();
      await endpoint.close();
      remove(folder);
    },
  };
}

export async function ask(
  engine: Engine,
  question = QUESTION,
  options: AskOptions = {},
): Promise<{ answer: Answer; events: AnswerEvent[] }> {
  const events = await Array.fromAsync(engine.ask(question, options));
  return { answer: answerOf(events), events };
}

export async function using<T>(opening: Promise<Opened>, use: (opened: Opened) => Promise<T>): Promise<T> {
  const opened = await opening;
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}

/** Opens, asks one question, and closes. The endpoint's requests can be read afterwards. */
export const askOnce = (opening: Promise<Opened>, options?: AskOptions) =>
  using(opening, async ({ engine, endpoint }) => ({ ...(await ask(engine, QUESTION, options)), endpoint }));

export const stream = (...pieces: string[]): ChatReply => ({ type: "stream", pieces });
/** Returns the messages of one chat call. @default the last one */
export function promptOf({ chats }: FakeEndpoint, at = -1): { system: string; user: string } {
  const [system, user] = (chats.at(at)?.body.messages ?? []) as { content: string }[];
  return { system: system?.content ?? "", user: user?.content ?? "" };
}
export const texts = (answer: Answer) => answer.sentences.map(({ text }) => text);
export const codes = (answer: Answer) => answer.warnings.map(({ code }) => code);
/** Checks that every sentence is a byte-exact quote of its first citation. */
export const isQuoted = ({ sentences, citations }: Answer) =>
  sentences.every(({ text, citations: [n] }) => citations.find((citation) => citation.n === n)?.quote === text);

/** Asserts that the streamed sentences are exactly those of the answer, in order. */
export function expectShownIsFinal(events: readonly AnswerEvent[], answer: Answer): void {
  const shown = events.flatMap((event) => (event.type === "sentence" ? [event] : []));
  expect(shown.map(({ sentence }) => sentence)).toEqual(answer.sentences);
  expect(shown.map(({ index }) => index)).toEqual(answer.sentences.map((_, i) => i));
}

/** Creates an encoder that gives a question this cosine to every document, or the cosine in `byText` for documents that contain its key. */
export function near(cosine = 0.9, byText: Readonly<Record<string, number>> = {}) {
  return fakeEncoder({
    dimensions: 2,
    vectorOf: (text) => {
      if (!text.includes("\n")) return [1, 0];
      const own = Object.entries(byText).find(([part]) => text.includes(part))?.[1] ?? cosine;
      return [own, Math.sqrt(1 - own * own)];
    },
  });
}
