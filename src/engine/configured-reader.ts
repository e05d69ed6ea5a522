import { type Config, hubFolders } from "../config.ts";
import { createReader } from "../reader/create-reader.ts";
import { requireOnnxRuntime } from "../reader/onnx/runtime.ts";
import type { Reader } from "../reader/reader.ts";
import { openSharedReader } from "../reader/shared-reader.ts";

/**
 * What opens the reader by the runtime that is configured, one for all engines of the process that read by the same.
 * @throws ModelError `reader_runtime_missing`, before anything is opened
 */
export function configuredReader(config: Pick<Config, "reader" | "data_dir" | "models_dir">): () => Reader {
  if (config.reader.runtime === "own") return openSharedReader;
  const { file } = requireOnnxRuntime(hubFolders(config).runtimeDirs);
  return () => openSharedReader(() => createReader({ onnxRuntime: file }), file);
}
