import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOfFile } from "../../../test/support/folders.ts";
import { ConfigError } from "../../shared/errors.ts";
import { type ChatBehaviour, describeChatContract } from "../../testing/chat-contract.ts";
import { createLocalModel } from "./local-model.ts";

/** A fake `node-llama-cpp`. Its model file is a script with the replies. */
const RUNTIME = `
import { readFileSync } from "node:fs";
let script;
export const getLlama = async () => ({
  loadModel: async ({ modelPath }) => {
    script = JSON.parse(readFileSync(modelPath, "utf8"));
    if (script.type === "broken") throw new Error("no such architecture");
    return { tokenize: (text) => ({ length: script.usage === null ? null : text.includes("Question") ? 90 : 7 }), createContext: async () => ({ getSequence: () => ({ clearHistory: async () => {} }) }) };
  },
  createGrammarForJsonSchema: async (schema) => schema,
});
export class LlamaChatSession {
  async prompt(user, { onTextChunk, signal, grammar }) {
    const pieces = grammar === undefined ? (script.pieces ?? [script.piece]) : [JSON.stringify(grammar.required)];
    for (const piece of pieces) onTextChunk(piece);
    if (script.type === "cut") process.exit(3);
    if (script.type === "stalled") await new Promise((resolve) => { signal.addEventListener("abort", resolve); setTimeout(resolve, 60000).unref(); });
    return pieces.join("");
  }
  dispose() {}
}
`;
const root = folderOfFile();
let made = 0;

function write(behaviour: ChatBehaviour): string {
  const folder = join(root, String(++made));
  const runtime = join(folder, "node_modules", "node-llama-cpp");
  mkdirSync(join(runtime, "dist"), { recursive: true });
  writeFileSync(join(runtime, "package.json"), JSON.stringify({ name: "node-llama-cpp", type: "module", main: "./dist/index.js" }));
  writeFileSync(join(runtime, "dist", "index.js"), RUNTIME);
  writeFileSync(join(folder, "Small.gguf"), JSON.stringify(behaviour));
  return join(folder, "Small.gguf");
}
const open = (behaviour: ChatBehaviour) => createLocalModel(write(behaviour), { folders: [], replyTokens: 100 });
const ask = (model: ReturnType<typeof open>, form?: { name: string; schema: Record<string, unknown> }) =>
  Array.fromAsync(model.stream({ system: "S", user: "Question?" }, { temperature: 0, signal: new AbortController().signal, form }));

describe("a local model", () => {
  it("answers one prompt at a time, follows a JSON schema, and is named after its file", async () => {
    const model = open({ type: "answer", pieces: ["One ", "two."], usage: { input: 90, output: 7 } });
    expect(model.id).toBe("Small");
    const [first, second] = await Promise.all([ask(model), ask(model, { name: "answer", schema: { required: ["sentences"] } })]);
    expect(first.map((event) => (event.type === "text" ? event.text : event.inputTokens))).toEqual(["One ", "two.", 90]);
    expect(second[0]).toEqual({ type: "text", text: '["sentences"]' });
  });

  it("fails with the reason when its process ends, and restarts", async () => {
    const model = open({ type: "cut", pieces: ["One "] });
    for (let i = 0; i < 2; i++) await expect(ask(model)).rejects.toThrow('Local model "Small" failed: its process ended (exit code 3)');
  });

  it("names the missing file, or the command that installs the runtime", () => {
    const options = { folders: [], replyTokens: 100 };
    expect(() => createLocalModel(join(root, "none.gguf"), options)).toThrow("none.gguf does not exist");
    const file = join(root, "alone.gguf");
    writeFileSync(file, "");
    if (existsSync("/node_modules/node-llama-cpp")) return;
    expect(() => createLocalModel(file, options)).toThrow(ConfigError);
    expect(() => createLocalModel(file, options)).toThrow(`npm install --prefix ${root} node-llama-cpp`);
  });
});

describeChatContract("local", async (behaviour) => ({ model: open(behaviour), close: async () => undefined }));
