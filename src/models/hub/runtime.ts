import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { ModelError, messageOf } from "../../errors.ts";
import { findPackage } from "./find-package.ts";

/** The package that runs hub models, and the version that our tests ran with. */
export const HUB_PACKAGE = "@huggingface/transformers";
export const HUB_PACKAGE_VERSION = "4.3.1";
/** Megabytes on disk, measured after an install without scripts on linux-x64; 120 MB of it come over the network. */
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

const loader = z.custom<Loader<never>>(
  (value) =>
    ((typeof value === "object" && value !== null) || typeof value === "function") &&
    "from_pretrained" in value &&
    typeof value.from_pretrained === "function",
);
const runtimeSchema = z.object({
  env: z.custom<HubRuntime["env"]>((value) => typeof value === "object" && value !== null && "localModelPath" in value),
  AutoTokenizer: loader,
  AutoModel: loader,
  AutoModelForSequenceClassification: loader,
});

/**
 * Where the runtime is installed: in this project, else in the first of `folders`.
 * @returns file to import and version; `null` when it is nowhere
 */
export function findHubRuntime(folders: readonly string[]): { file: string; version: string } | null {
  const found = findPackage(HUB_PACKAGE, folders);
  if (found === null) return null;
  const module = join(found.root, "dist", "transformers.node.mjs");
  return { file: existsSync(module) ? module : found.file, version: found.version };
}

/** @throws ModelError `hub_runtime_missing` with the command that installs it */
export function requireHubRuntime(folders: readonly string[]): string {
  const found = findHubRuntime(folders);
  if (found !== null) return found.file;
  throw new ModelError(
    "hub_runtime_missing",
    `Hub models need ${HUB_PACKAGE}, which is not installed (${HUB_RUNTIME_MB} MB, optional): run \`sourcebound models install\`, or use embeddings: "embedded".`,
    { looked: folders },
  );
}

/** @throws ModelError `hub_runtime_broken` when the installed package cannot be loaded */
export async function loadHubRuntime(file: string, modelsDir: string): Promise<HubRuntime> {
  let loaded: unknown;
  try {
    loaded = await import(pathToFileURL(file).href);
  } catch (cause) {
    throw broken(file, messageOf(cause), cause);
  }
  const parsed = runtimeSchema.safeParse(loaded);
  if (!parsed.success) throw broken(file, "it does not export what it should", parsed.error);
  const runtime = parsed.data as HubRuntime;
  Object.assign(runtime.env, { allowRemoteModels: false, allowLocalModels: true, useFSCache: false, localModelPath: `${modelsDir}/` });
  return runtime;
}

function broken(file: string, what: string, cause: unknown): ModelError {
  const message = `${HUB_PACKAGE} at ${file} cannot be loaded (${what}): run \`sourcebound models install --again\`.`;
  return new ModelError("hub_runtime_broken", message, { file }, { cause });
}
