import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { ModelError, messageOf } from "../../shared/errors.ts";
/** Package that runs Hugging Face Hub models, in the version that was tested. */
export const HUB_PACKAGE = "@huggingface/transformers";
export const HUB_PACKAGE_VERSION = "4.3.1";
/** Size of the installed runtime on disk, in MB (linux-x64, installed without package scripts). The download has 120 MB. */
export const HUB_RUNTIME_MB = 474;

export interface HubTensor {
  readonly dims: readonly number[];
  readonly data: ArrayLike<number | bigint>;
}

export type HubInputs = Readonly<Record<string, HubTensor>>;
export type HubTokenizer = (texts: readonly string[], options: Readonly<Record<string, unknown>>) => HubInputs;
export type HubModel = (inputs: HubInputs) => Promise<Readonly<Record<string, unknown>>>;

interface Loader<T> {
  from_pretrained(path: string, options: Readonly<Record<string, unknown>>): Promise<T>;
}

/** The part of `@huggingface/transformers` that is used here. */
export interface HubRuntime {
  readonly env: { localModelPath: string; allowRemoteModels: boolean; allowLocalModels: boolean; useFSCache: boolean };
  readonly AutoTokenizer: Loader<HubTokenizer>;
  readonly AutoModel: Loader<HubModel>;
  readonly AutoModelForSequenceClassification: Loader<HubModel>;
}

const loader = z.custom<Loader<never>>((value) => typeof (value as Loader<never> | null)?.from_pretrained === "function");
const env = z.custom<HubRuntime["env"]>((value) => typeof value === "object" && value !== null && "localModelPath" in value);
const runtimeSchema = z.object({ env, AutoTokenizer: loader, AutoModel: loader, AutoModelForSequenceClassification: loader });

/**
 * Finds the runtime in the `node_modules` of this program, or else in the first of `folders` that contains it.
 * @returns the file to import, and its version; `null` if it is not installed
 */
export function findHubRuntime(folders: readonly string[]): { file: string; version: string } | null {
  const bases = [import.meta.url, ...folders.map((folder) => pathToFileURL(join(folder, "package.json")).href)];
  for (const base of bases) {
    const file = resolveIn(base);
    const root = file === null ? null : packageRoot(file);
    if (file === null || root === null) continue;
    const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
    const module = join(root, "dist", "transformers.node.mjs");
    return { file: existsSync(module) ? module : file, version };
  }
  return null;
}

function resolveIn(base: string): string | null {
  try {
    return createRequire(base).resolve(HUB_PACKAGE);
  } catch {
    return null;
  }
}

/** Returns the root folder of the package that contains a file. */
function packageRoot(file: string): string | null {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder))
    if (folder.endsWith(join("node_modules", HUB_PACKAGE)) && existsSync(join(folder, "package.json"))) return folder;
  return null;
}

/** Returns the file to import. @throws ModelError `hub_runtime_missing`, which states the command that installs the runtime */
export function requireHubRuntime(folders: readonly string[]): string {
  const found = findHubRuntime(folders);
  if (found !== null) return found.file;
  const message = `Hugging Face models require ${HUB_PACKAGE}, which is not installed (${HUB_RUNTIME_MB} MB, optional). Run \`sourcebound models install\`, or use embeddings: "embedded".`;
  throw new ModelError("hub_runtime_missing", message, { looked: folders });
}

/** Loads the runtime. @throws ModelError `hub_runtime_broken` if the installed package cannot be loaded */
export async function loadHubRuntime(file: string, modelsDir: string): Promise<HubRuntime> {
  let loaded: unknown;
  try {
    loaded = await import(pathToFileURL(file).href);
  } catch (cause) {
    throw broken(file, messageOf(cause), cause);
  }
  const parsed = runtimeSchema.safeParse(loaded);
  if (!parsed.success) throw broken(file, "functions that Sourcebound needs are missing from it", parsed.error);
  const runtime = parsed.data as HubRuntime;
  Object.assign(runtime.env, { allowRemoteModels: false, allowLocalModels: true, useFSCache: false, localModelPath: `${modelsDir}/` });
  return runtime;
}

function broken(file: string, reason: string, cause: unknown): ModelError {
  const message = `${HUB_PACKAGE} at ${file} cannot be loaded (${reason}). Run \`sourcebound models install --again\`.`;
  return new ModelError("hub_runtime_broken", message, { file }, { cause });
}

type InstallEvent =
  | { readonly type: "line"; readonly text: string }
  | { readonly type: "bytes"; readonly bytes: number }
  | { readonly type: "end"; readonly folder: string; readonly version: string };

interface InstallOptions {
  /** Environment variables of the npm process, such as settings of npm. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Program and first arguments that replace npm in tests. @default npm */
  readonly npm?: readonly [string, ...string[]];
  /** Milliseconds between two measurements of the folder's size. @default 500 */
  readonly everyMs?: number;
}

/**
 * Returns the arguments for npm. Package scripts are off, because one of them downloads 200 MB of CUDA files, and fails
 * without a network.
 */
export function installArguments(folder: string): string[] {
  const options = "--ignore-scripts --no-audit --no-fund --save-exact".split(" ");
  return ["install", "--prefix", folder, ...options, `${HUB_PACKAGE}@${HUB_PACKAGE_VERSION}`];
}

/**
 * Installs the runtime of Hugging Face Hub models in a temporary folder, and renames the folder at the end. So an
 * interrupted installation never looks complete.
 * @throws ModelError `hub_install_failed`, which quotes the last lines of npm's output
 */
export async function* installHubRuntime(
  folder: string,
  { env, signal, npm = ["npm"], everyMs = 500 }: InstallOptions,
): AsyncGenerator<InstallEvent, void> {
  const part = `${folder}.part`;
  mkdirSync(part, { recursive: true });
  writeFileSync(join(part, "package.json"), '{ "private": true }\n');
  const [program, ...leading] = npm;
  const child = spawn(program, [...leading, ...installArguments(part)], {
    env: { ...env, ONNXRUNTIME_NODE_INSTALL: "skip", ONNXRUNTIME_NODE_INSTALL_CUDA: "skip" },
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
    signal,
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on("line", (line) => lines.push(line));
  const end = new Promise<{ code: number | null; error: Error | null }>((resolve) => {
    child.on("error", (error) => resolve({ code: null, error }));
    child.on("close", (code) => resolve({ code, error: null }));
  });
  let shown = 0;
  let ended: Awaited<typeof end> | null = null;
  while (ended === null) {
    ended = await Promise.race([end, setTimeout(everyMs, null, { ref: false })]);
    for (; shown < lines.length; shown++) yield { type: "line", text: lines[shown] as string };
    yield { type: "bytes", bytes: await bytesBelow(part) };
  }
  signal.throwIfAborted();
  const { code, error } = ended;
  const found = code === 0 ? findHubRuntime([part]) : null;
  if (found === null) {
    const reason = error?.message ?? (lines.slice(-3).join(" ").slice(0, 400) || `npm exited with code ${code}`);
    const message = `${HUB_PACKAGE} could not be installed in ${folder}: ${reason}. Check the connection to the package registry and run the command again.`;
    throw new ModelError("hub_install_failed", message, { folder });
  }
  if (existsSync(folder)) rmSync(folder, { recursive: true });
  renameSync(part, folder);
  yield { type: "end", folder, version: found.version };
}

async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries)
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => ({ size: 0 }))).size;
  return bytes;
}
