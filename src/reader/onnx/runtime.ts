import { createRequire } from "node:module";
import { z } from "zod";
import { ModelError, messageOf } from "../../errors.ts";
import { type FoundPackage, findPackage } from "../../models/hub/find-package.ts";
import { HUB_PACKAGE } from "../../models/hub/runtime.ts";

/** The package that can run the reader in the place of our own kernel, and the version that our tests ran with. */
export const ONNX_PACKAGE = "onnxruntime-node";
export const ONNX_PACKAGE_VERSION = "1.30.0";

interface OnnxTensor {
  readonly data: unknown;
}

export interface OnnxSession {
  run(inputs: Readonly<Record<string, OnnxTensor>>): Promise<Readonly<Record<string, OnnxTensor>>>;
}

/** The part of `onnxruntime-node` that is used here. Its calls give promises and block the thread that makes them. */
export interface OnnxRuntime {
  readonly InferenceSession: { create(model: Uint8Array, options: Readonly<Record<string, unknown>>): Promise<OnnxSession> };
  readonly Tensor: new (type: "float32", data: Float32Array, shape: readonly number[]) => OnnxTensor;
}

/** Where it is installed: in this project, in one of `folders`, or in either below the runtime of hub models, which needs it too. */
export function findOnnxRuntime(folders: readonly string[]): FoundPackage | null {
  const hub = findPackage(HUB_PACKAGE, folders);
  return findPackage(ONNX_PACKAGE, hub === null ? folders : [...folders, hub.root]);
}

/** @throws ModelError `reader_runtime_missing` with the commands that install it */
export function requireOnnxRuntime(folders: readonly string[]): FoundPackage {
  const found = findOnnxRuntime(folders);
  if (found !== null) return found;
  throw new ModelError(
    "reader_runtime_missing",
    `reader.runtime is "onnxruntime", and ${ONNX_PACKAGE} is not installed: run \`npm install ${ONNX_PACKAGE}\` in your project or \`sourcebound models install\`, or use reader.runtime: own.`,
    { looked: folders },
  );
}

const runtimeSchema = z.object({
  InferenceSession: z.custom<OnnxRuntime["InferenceSession"]>(
    (value) => typeof value === "function" && "create" in value && typeof value.create === "function",
  ),
  Tensor: z.custom<OnnxRuntime["Tensor"]>((value) => typeof value === "function"),
});

/** @throws ModelError `reader_runtime_broken` when the installed package cannot be loaded */
export function loadOnnxRuntime(file: string): OnnxRuntime {
  let loaded: unknown;
  try {
    loaded = createRequire(file)(file);
  } catch (cause) {
    throw brokenRuntime(file, messageOf(cause), cause);
  }
  const parsed = runtimeSchema.safeParse(loaded);
  if (!parsed.success) throw brokenRuntime(file, "it does not export what it should", parsed.error);
  return parsed.data;
}

export function brokenRuntime(file: string, what: string, cause: unknown): ModelError {
  const message = `${ONNX_PACKAGE} at ${file} cannot run the reader (${what}): install ${ONNX_PACKAGE}@${ONNX_PACKAGE_VERSION}, or use reader.runtime: own.`;
  return new ModelError("reader_runtime_broken", message, { file }, { cause });
}
