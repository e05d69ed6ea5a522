import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";

/**
 * Writes a fake of the package that runs Hugging Face Hub models. The vector of a token counts its characters. The logit of
 * a pair is the number of shared words minus one. If `config.json` names two classes, the first class has logit 0 instead,
 * and the second this logit. A text with `NAN` gives NaN, a text with `BOOM` throws.
 */
export function writeFakeHubRuntime(folder: string, version = "0.0.0"): void {
  const root = join(folder, "node_modules", "@huggingface", "transformers");
  write(join(root, "package.json"), JSON.stringify({ name: "@huggingface/transformers", version, main: "dist/transformers.node.mjs" }));
  write(join(root, "dist", "transformers.node.mjs"), RUNTIME);
}

/** Writes the files of a model in the layout of transformers.js, with placeholder contents. */
export function writeFakeHubModel(modelsDir: string, path: string, { weights = "weights", files = {} }: FakeModelOptions = {}): void {
  const all = {
    "config.json": "{}",
    "tokenizer.json": "{}",
    "tokenizer_config.json": "{}",
    "onnx/model_quantized.onnx": weights,
    ...files,
  };
  for (const [file, text] of Object.entries(all)) write(join(modelsDir, path, file), text);
}

export interface FakeModelOptions {
  readonly weights?: string;
  readonly files?: Readonly<Record<string, string>>;
}

export interface FakeHub {
  readonly url: string;
  /** Received requests as `GET path` or `GET path range`. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

export interface FakeHubOptions {
  readonly repository: string;
  readonly files: Readonly<Record<string, Buffer>>;
  readonly tags?: readonly string[];
  /** Returns the number of bytes after which the connection breaks, for each request of a file; -1: never. */
  readonly cutAfter?: (path: string, request: number) => number;
  /** Returns true to replace the content of a file by other bytes of the same length. */
  readonly damage?: (path: string) => boolean;
  readonly ignoreRange?: boolean;
}

/** Starts a local HTTP server that acts as the Hugging Face Hub with one repository. */
export async function startFakeHub({ repository, files, tags = [], cutAfter, damage, ignoreRange }: FakeHubOptions): Promise<FakeHub> {
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    const path = new URL(request.url ?? "", "http://hub").pathname;
    const { range } = request.headers;
    requests.push(`GET ${path}${range === undefined ? "" : ` ${range}`}`);
    if (path === `/api/models/${repository}`) return json(response, { sha: "abcdef1234567", tags, siblings: siblingsOf(files) });
    const file = path.replace(`/${repository}/resolve/abcdef1234567/`, "");
    const bytes = files[file];
    if (bytes === undefined) return response.writeHead(404).end();
    const from = range === undefined || ignoreRange ? 0 : Number(/bytes=(\d+)-/.exec(range)?.[1] ?? 0);
    const sent = damage?.(file) ? Buffer.alloc(bytes.length, 7) : bytes;
    response.writeHead(from > 0 ? 206 : 200, { "content-length": bytes.length - from });
    const cut = cutAfter?.(file, requests.filter((one) => one.startsWith(`GET ${path}`)).length) ?? -1;
    if (cut < 0) return response.end(sent.subarray(from));
    response.write(sent.subarray(from, from + cut), () => setTimeout(() => response.destroy(), 20));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function siblingsOf(files: FakeHubOptions["files"]) {
  return Object.entries(files).map(([rfilename, bytes]) =>
    rfilename.endsWith(".onnx")
      ? { rfilename, size: bytes.length, lfs: { sha256: createHash("sha256").update(bytes).digest("hex"), size: bytes.length } }
      : { rfilename, size: bytes.length, blobId: createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex") },
  );
}

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const RUNTIME = `
import { readFileSync } from "node:fs";
export const env = { localModelPath: "", allowRemoteModels: true, allowLocalModels: false, useFSCache: true };
const read = (path) => {
  if (env.allowRemoteModels) throw new Error("remote models are allowed");
  readFileSync(env.localModelPath + path + "/config.json");
  const weights = readFileSync(env.localModelPath + path + "/onnx/model_quantized.onnx", "utf8");
  if (weights === "broken") throw new Error("protobuf parsing failed");
};
const DIMENSIONS = 16;
export const AutoTokenizer = {
  async from_pretrained() {
    return (texts, { text_pair, max_length }) => {
      const rows = texts.map((text) => text.toLowerCase().split(/\\s+/).filter(Boolean).slice(0, max_length - 1));
      const width = Math.max(...rows.map((row) => row.length)) + 1;
      const mask = rows.flatMap((row) => Array.from({ length: width }, (_, i) => (i <= row.length ? 1n : 0n)));
      return { rows, texts, pairs: text_pair, attention_mask: { dims: [rows.length, width], data: mask } };
    };
  },
};
const vectorOf = (word) => {
  const vector = new Array(DIMENSIONS).fill(0);
  for (const letter of word) vector[letter.codePointAt(0) % DIMENSIONS] += 1;
  return vector;
};
export const AutoModel = {
  async from_pretrained(path) {
    read(path);
    return async ({ rows, texts, attention_mask }) => {
      if (texts.some((text) => text.includes("BOOM"))) throw new Error("boom");
      const [count, width] = attention_mask.dims;
      const data = rows.flatMap((row) => Array.from({ length: width }, (_, i) => (i === 0 ? vectorOf("cls") : i <= row.length ? vectorOf(row[i - 1]) : vectorOf("padding"))).flat());
      if (texts.some((text) => text.includes("NAN"))) data[3] = NaN;
      return { last_hidden_state: { dims: [count, width, DIMENSIONS], data: Float32Array.from(data) } };
    };
  },
};
export const AutoModelForSequenceClassification = {
  async from_pretrained(path) {
    read(path);
    const classes = Object.keys(JSON.parse(readFileSync(env.localModelPath + path + "/config.json", "utf8")).id2label ?? {}).length;
    return async ({ texts, pairs }) => {
      if (pairs[0].includes("BOOM")) throw new Error("boom");
      const asked = new Set(texts[0].toLowerCase().split(/\\W+/));
      const shared = pairs[0].toLowerCase().split(/\\W+/).filter((word) => asked.has(word)).length;
      const logit = pairs[0].includes("NAN") ? NaN : shared - 1;
      const data = classes === 2 ? Float32Array.of(0, logit) : Float32Array.of(logit);
      return { logits: { dims: [1, data.length], data } };
    };
  },
};
`;
