import { createHash } from "node:crypto";
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ModelError, messageOf } from "../../shared/errors.ts";
import { DTYPES, type Dtype, hubModelFacts, type Pooling, weightsFile } from "./catalog.ts";

/**
 * A model in the models folder, in the layout of transformers.js. `path` is relative to the models folder. It is
 * separated by `/` on every system, as the runtime expects.
 */
export type LocalModel = ReturnType<typeof describeLocal>;

/** File with the licence and revision of a model. `models pull` writes it into the folder of the model. */
export const MANIFEST_FILE = "sourcebound.json";
const manifestSchema = z.object({ licence: z.string().nullable() });

/**
 * Number of bytes at each end of the weights file that `fingerprint` hashes. They suffice to distinguish models. The whole
 * file may have hundreds of megabytes.
 */
const FINGERPRINT_BYTES = 1024 * 1024;

/**
 * Returns an installed model that has all required files.
 * @throws ModelError `hub_model_missing`, which lists the missing files and states the command that downloads the model
 */
export function findLocalModel(modelsDir: string, name: string, dtype: Dtype): LocalModel {
  const found = listLocalModels(modelsDir).find(({ path }) => placesOf(name).includes(path));
  const missing = found === undefined ? requiredFiles(dtype) : requiredFiles(dtype).filter((file) => !existsSync(join(found.folder, file)));
  if (found !== undefined && missing.length === 0) return found;
  const folder = found?.folder ?? join(modelsDir, placesOf(name)[0] as string);
  const message = `Model "${name}" (${dtype}) is not in ${folder}. Run \`sourcebound models pull ${name}${dtype === "q8" ? "" : ` --dtype ${dtype}`}\`, or copy ${missing.join(", ")} there.`;
  throw new ModelError("hub_model_missing", message, { model: name, folder, missing });
}

export function requiredFiles(dtype: Dtype): string[] {
  return ["config.json", "tokenizer.json", "tokenizer_config.json", weightsFile(dtype)];
}

/** Returns the models in the folder, sorted by path. */
export function listLocalModels(modelsDir: string): LocalModel[] {
  const owners = subfolders(modelsDir);
  const paths = [...owners, ...owners.flatMap((owner) => subfolders(join(modelsDir, owner)).map((name) => `${owner}/${name}`))];
  return paths.filter((path) => existsSync(join(modelsDir, path, "config.json"))).map((path) => describeLocal(modelsDir, path));
}

function describeLocal(modelsDir: string, path: string) {
  const folder = join(modelsDir, path);
  const dtypes = DTYPES.filter((dtype) => existsSync(join(folder, weightsFile(dtype))));
  const facts = hubModelFacts(path) ?? hubModelFacts(path.split("/").at(-1) ?? path);
  const manifest = manifestSchema.safeParse(readJson(join(folder, MANIFEST_FILE)));
  const kind = facts?.kind ?? (isClassifier(folder) ? "reranker" : "encoder");
  return { path, folder, dtypes, bytes: bytesBelow(folder), kind, licence: manifest.data?.licence ?? facts?.licence ?? null };
}

/** Returns the paths, relative to the models folder, at which a model may be stored. `models pull` uses the first. */
export function placesOf(name: string): string[] {
  const facts = hubModelFacts(name);
  return [...new Set([facts?.repository, name, facts?.name].filter((place) => place !== undefined))];
}

/**
 * Returns a hash of the model's files (12 hex digits). It changes with the weights, so that vectors of different
 * weights are not mixed.
 */
export function fingerprint(folder: string, dtype: Dtype): string {
  const hash = createHash("sha256");
  for (const file of ["config.json", "tokenizer.json"]) hash.update(readFileSync(join(folder, file)));
  const weights = openSync(join(folder, weightsFile(dtype)), "r");
  try {
    const { size } = fstatSync(weights);
    const piece = Buffer.alloc(Math.min(size, FINGERPRINT_BYTES));
    for (const at of [0, size - piece.length]) hash.update(piece.subarray(0, readSync(weights, piece, 0, piece.length, at)));
    return hash.update(String(size)).digest("hex").slice(0, 12);
  } finally {
    closeSync(weights);
  }
}

const poolingSchema = z.object({ pooling_mode_cls_token: z.boolean().default(false) });

/** Returns the pooling that the model's files state; `null` if they state none. */
export function poolingOf(folder: string): Pooling | null {
  const value = readJson(join(folder, "1_Pooling", "config.json"));
  const parsed = poolingSchema.safeParse(value);
  return value === null || !parsed.success ? null : parsed.data.pooling_mode_cls_token ? "cls" : "mean";
}

const architectureSchema = z.object({ architectures: z.array(z.string()) });

function isClassifier(folder: string): boolean {
  const parsed = architectureSchema.safeParse(readJson(join(folder, "config.json")));
  return parsed.success && parsed.data.architectures.some((one) => one.endsWith("ForSequenceClassification"));
}

function readJson(path: string): unknown {
  if (!existsSync(path)) return null;
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    const message = `${path} is not readable (${messageOf(cause)}). Delete it and pull the model again.`;
    throw new ModelError("hub_model_damaged", message, { path });
  }
}

function subfolders(folder: string): string[] {
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  return entries.flatMap((entry) => (entry.isDirectory() ? entry.name : [])).sort();
}

function bytesBelow(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
