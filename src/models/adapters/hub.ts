import { ModelError, messageOf } from "../../errors.ts";
import { type Encoder, normalizeVector } from "../encoder.ts";
import { DEFAULT_DTYPE, DEFAULT_MAX_TOKENS, type Dtype, hubModelFacts, type Pooling } from "../hub/catalog.ts";
import { findLocalModel, fingerprint, poolingOf } from "../hub/local.ts";
import { type HubInputs, type HubModel, type HubTensor, type HubTokenizer, loadHubRuntime, requireHubRuntime } from "../hub/runtime.ts";

export interface HubOptions {
  /** Folder of models in the layout of transformers.js. */
  readonly modelsDir: string;
  /** Folders besides this project in which the runtime may be installed. */
  readonly runtimeDirs: readonly string[];
  readonly dtype?: Dtype | undefined;
}

export interface HubEncoderOptions extends HubOptions {
  /** How token vectors become one; what the model's files say when absent, else their mean. */
  readonly pooling?: Pooling | undefined;
}

/**
 * Texts in one call with unquantised weights. Eight-bit models get one text at a time: they scale a whole batch by its largest value,
 * so that a text's vector would depend on its company.
 */
const TEXTS_PER_CALL = 16;

/** Texts between two reports of progress: about a second on one core. */
const TEXTS_PER_STEP = 16;

/**
 * An encoder from the hub, run on this machine from local files; nothing is fetched. The model is loaded on first use.
 * @throws ModelError `hub_runtime_missing`, `hub_model_missing` with the command that helps
 */
export function createHubEncoder(name: string, options: HubEncoderOptions): Encoder {
  const { modelsDir, runtimeDirs, dtype = DEFAULT_DTYPE } = options;
  const runtimeFile = requireHubRuntime(runtimeDirs);
  const local = findLocalModel(modelsDir, name, dtype);
  const facts = hubModelFacts(name);
  const pooling = options.pooling ?? poolingOf(local.folder) ?? facts?.pooling ?? "mean";
  const load = once(async () => {
    const runtime = await loadHubRuntime(runtimeFile, modelsDir);
    const tokenizer = await runtime.AutoTokenizer.from_pretrained(local.path, { local_files_only: true });
    const model = await runtime.AutoModel.from_pretrained(local.path, { local_files_only: true, dtype, device: "cpu" });
    return { tokenizer, model };
  });
  const size = dtype === "fp32" ? TEXTS_PER_CALL : 1;
  return {
    id: `hub/${facts?.name ?? name}/${dtype}/${pooling}/${fingerprint(local.folder, dtype)}`,
    model: facts?.name ?? name,
    batch: TEXTS_PER_STEP,
    async embed(texts, { signal } = {}) {
      signal?.throwIfAborted();
      if (texts.length === 0) return [];
      try {
        const { tokenizer, model } = await load();
        const vectors: Float32Array[] = [];
        for (let at = 0; at < texts.length; at += size) {
          signal?.throwIfAborted();
          vectors.push(
            ...(await embedBatch(texts.slice(at, at + size), tokenizer, model, pooling, facts?.maxTokens ?? DEFAULT_MAX_TOKENS)),
          );
        }
        return vectors;
      } catch (cause) {
        signal?.throwIfAborted();
        throw new ModelError(
          "encoder_failed",
          `Hub model "${name}" in ${local.folder} failed: ${messageOf(cause)}`,
          { model: name },
          { cause },
        );
      }
    },
  };
}

async function embedBatch(
  texts: readonly string[],
  tokenizer: HubTokenizer,
  model: HubModel,
  pooling: Pooling,
  maxTokens: number,
): Promise<Float32Array[]> {
  const inputs = tokenizer(texts, { padding: true, truncation: true, max_length: maxTokens });
  const output = await model(inputs);
  const vectors = pool(tensorOf(output, ["last_hidden_state", "token_embeddings"]), inputs, pooling);
  if (vectors.length !== texts.length) throw new Error(`${vectors.length} vectors came back for ${texts.length} texts`);
  if (vectors.some((vector) => !vector.every(Number.isFinite))) throw new Error("a vector holds a value that is not a finite number");
  return vectors.map(normalizeVector);
}

/** Token vectors (texts × tokens × dimensions) to one vector per text: the mean over its own tokens, or the first token's. */
export function pool(hidden: HubTensor, inputs: HubInputs, pooling: Pooling): Float32Array[] {
  const [texts = 0, tokens = 0, dimensions = 0] = hidden.dims;
  const mask = inputs.attention_mask;
  return Array.from({ length: texts }, (_, text) => {
    const vector = new Float32Array(dimensions);
    const last = pooling === "cls" ? 1 : tokens;
    for (let token = 0; token < last; token++) {
      if (mask !== undefined && Number(mask.data[text * tokens + token]) === 0) continue;
      const start = (text * tokens + token) * dimensions;
      for (let i = 0; i < dimensions; i++) vector[i] = (vector[i] as number) + Number(hidden.data[start + i]);
    }
    return vector;
  });
}

/** @throws Error when the model gives none of the outputs */
export function tensorOf(output: Readonly<Record<string, unknown>>, names: readonly string[]): HubTensor {
  for (const name of names) {
    const value = output[name];
    if (typeof value === "object" && value !== null && "dims" in value && "data" in value) return value as HubTensor;
  }
  throw new Error(`the model gives ${Object.keys(output).join(", ")}; one of ${names.join(", ")} is needed`);
}

/** Runs `make` on first use and keeps its result; a failure is not kept. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make().catch((cause: unknown) => {
      made = null;
      throw cause;
    });
    return made;
  };
}
