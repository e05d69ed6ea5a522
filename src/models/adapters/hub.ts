import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ModelError, messageOf } from "../../shared/errors.ts";
import { type Encoder, normalizeVector } from "../encoder.ts";
import { DEFAULT_DTYPE, DEFAULT_MAX_TOKENS, type Dtype, hubModelFacts, type Pooling } from "../hub/catalog.ts";
import { findLocalModel, fingerprint, poolingOf } from "../hub/local.ts";
import { type HubInputs, type HubModel, type HubTensor, type HubTokenizer, loadHubRuntime, requireHubRuntime } from "../hub/runtime.ts";
import type { Reranker, RerankPassage } from "../reranker.ts";
import { evidenceLines, type SupportPair, type SupportScorer } from "../support.ts";

const configSchema = z.object({ id2label: z.record(z.string(), z.string()).optional() });
/** Class names that mean "supported". */
const YES = /^(?:entail\w*|support\w*|consistent|factual|faithful|label_1|1)$/i;
const NO = /^(?:not[_ -]?|un|non|in)/i;

/**
 * Scores support with a Hub model that takes evidence and claim together. The model returns one logit (HHEM class) or one per class
 * (MiniCheck and NLI classes, whose `config.json` names the supporting class). Each text of the evidence is scored alone and the maximum
 * counts, as MiniCheck does with chunks (Tang et al., EMNLP 2024). The scorer returns no spans.
 * @throws ModelError `hub_runtime_missing`, `hub_model_missing` with the command that helps, `hub_model_damaged` without a supporting class
 */
export function createHubSupportScorer(name: string, { modelsDir, runtimeDirs, dtype = DEFAULT_DTYPE }: HubOptions): SupportScorer {
  const { local, facts, load } = openClassifier(name, { modelsDir, runtimeDirs, dtype });
  const yes = yesClass(local.folder);

  async function best({ claim, evidence }: SupportPair, signal: AbortSignal | undefined): Promise<number> {
    const { tokenizer, model } = await load();
    let most = 0;
    for (const text of evidenceLines(evidence)) {
      signal?.throwIfAborted();
      if (!hasWord(text)) continue;
      const inputs = tokenizer([text], {
        text_pair: [claim],
        padding: true,
        truncation: true,
        max_length: facts?.maxTokens ?? DEFAULT_MAX_TOKENS,
      });
      most = Math.max(most, chanceOf(tensorOf(await model(inputs), ["logits"]).data, yes));
    }
    return most;
  }

  return {
    id: `hub/${facts?.name ?? name}/${dtype}/${fingerprint(local.folder, dtype)}`,
    async score(pairs, { signal, onFailure } = {}) {
      signal?.throwIfAborted();
      if (pairs.length === 0) return [];
      await load().catch((cause: unknown) => {
        const message = `Support model "${name}" in ${local.folder} failed: ${messageOf(cause)}`;
        throw new ModelError("support_failed", message, { model: name }, { cause });
      });
      const scores = [];
      for (const pair of pairs) {
        signal?.throwIfAborted();
        if (!hasWord(pair.claim) || !evidenceLines(pair.evidence).some(hasWord)) {
          scores.push(null);
          continue;
        }
        try {
          const score = await best(pair, signal);
          scores.push({ score, spans: [], reason: `${facts?.name ?? name} gives ${score.toFixed(2)}.` });
        } catch (cause) {
          signal?.throwIfAborted();
          onFailure?.(`Support model "${name}" failed: ${messageOf(cause)}`);
          scores.push(null);
        }
      }
      return scores;
    },
  };
}

function hasWord(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** Returns the index of the supporting class; `null` for a model with one logit. */
function yesClass(folder: string): number | null {
  const parsed = configSchema.safeParse(JSON.parse(readFileSync(join(folder, "config.json"), "utf8")));
  const labels = Object.entries(parsed.success ? (parsed.data.id2label ?? {}) : {});
  if (labels.length <= 1) return null;
  const found = labels.find(([, label]) => YES.test(label) && !NO.test(label.replace(/^inf/i, "")));
  if (found === undefined) {
    const message = `No class of the model in ${folder} means that a claim is supported (${labels.map(([, label]) => label).join(", ")}). Choose a model for entailment or factual consistency.`;
    throw new ModelError("hub_model_damaged", message, { folder });
  }
  return Number(found[0]);
}

/** Returns the logistic of one logit, or the softmax of several. @throws Error when a logit is not finite or the class is missing */
function chanceOf(data: ArrayLike<number | bigint>, yes: number | null): number {
  const logits = Array.from(data, Number);
  const wanted = yes === null ? 1 : yes + 1;
  if (logits.length < wanted || (yes === null && logits.length !== 1) || !logits.every(Number.isFinite)) {
    throw new Error(`expected finite logits including class ${yes ?? 0}, but received ${logits.length} values, the first ${logits[0]}`);
  }
  if (yes === null) return 1 / (1 + Math.exp(-(logits[0] as number)));
  const top = Math.max(...logits);
  const parts = logits.map((value) => Math.exp(value - top));
  return (parts[yes] as number) / parts.reduce((sum, value) => sum + value, 0);
}

/** The cross-encoder of the `spark` source. */
export const DEFAULT_CROSS_ENCODER = "cross-encoder/ms-marco-MiniLM-L-6-v2";

/**
 * Reranks with a cross-encoder from the Hub on this machine. The logistic function turns the logit of a question–passage pair into a score.
 * @param name `cross-encoder/ms-marco-MiniLM-L-6-v2` for the `spark` source (section 2.2)
 * @throws ModelError `hub_runtime_missing`, `hub_model_missing` with the command that helps
 */
export function createHubReranker(name: string, { modelsDir, runtimeDirs, dtype = DEFAULT_DTYPE }: HubOptions): Reranker {
  const { local, facts, load } = openClassifier(name, { modelsDir, runtimeDirs, dtype });
  return {
    id: `hub/${facts?.name ?? name}/${dtype}/${fingerprint(local.folder, dtype)}`,
    async rerank(question, passages, { signal, onFailure } = {}) {
      signal?.throwIfAborted();
      if (passages.length === 0) return [];
      const { tokenizer, model } = await load().catch((cause: unknown) => {
        throw new ModelError(
          "reranker_failed",
          `Cross-encoder "${name}" in ${local.folder} failed: ${messageOf(cause)}`,
          { model: name },
          { cause },
        );
      });
      const scores: (number | null)[] = [];
      for (const passage of passages) {
        signal?.throwIfAborted();
        try {
          const inputs = tokenizer([question], {
            text_pair: [passageInput(passage)],
            padding: true,
            truncation: true,
            max_length: facts?.maxTokens ?? DEFAULT_MAX_TOKENS,
          });
          scores.push(scoreOf(tensorOf(await model(inputs), ["logits"])));
        } catch (cause) {
          signal?.throwIfAborted();
          onFailure?.(`Cross-encoder "${name}" failed: ${messageOf(cause)}`);
          scores.push(null);
        }
      }
      return scores;
    },
  };
}

/** Returns `title. section. text` (`spark` source, section 2.2) without empty parts. */
export function passageInput({ title, section, text }: RerankPassage): string {
  return [title, section, text]
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join(". ");
}

/** @throws Error without exactly one finite logit */
function scoreOf({ data }: { readonly data: ArrayLike<number | bigint> }): number {
  const logit = Number(data[0]);
  if (data.length !== 1 || !Number.isFinite(logit))
    throw new Error(`expected one finite logit, but received ${data.length} values, the first ${logit}`);
  return 1 / (1 + Math.exp(-logit));
}

export interface HubOptions {
  /** Folder of models in the layout of transformers.js. */
  readonly modelsDir: string;
  /** Further folders where the runtime may be installed. */
  readonly runtimeDirs: readonly string[];
  readonly dtype?: Dtype | undefined;
}

export interface HubEncoderOptions extends HubOptions {
  /** Pooling of token vectors. @default that of the model's files, else the mean */
  readonly pooling?: Pooling | undefined;
}

/**
 * Texts per call with unquantised weights. Eight-bit models get one text at a time: they scale a batch by its largest value, so that a
 * vector would depend on the other texts.
 */
const TEXTS_PER_CALL = 16;

/** Texts between two progress reports: about a second on one core. */
const TEXTS_PER_STEP = 16;

/**
 * Embeds with a Hub model from local files, without a network. Loads the model on first use.
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
  if (vectors.length !== texts.length) throw new Error(`received ${vectors.length} vectors for ${texts.length} texts`);
  if (vectors.some((vector) => !vector.every(Number.isFinite))) throw new Error("a vector contains a value that is not a finite number");
  return vectors.map(normalizeVector);
}

/** Pools token vectors (texts × tokens × dimensions): the sum over a text's own tokens, or the first token. Callers normalise. */
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

/** @throws Error when the model returns none of the outputs */
export function tensorOf(output: Readonly<Record<string, unknown>>, names: readonly string[]): HubTensor {
  for (const name of names) {
    const value = output[name];
    if (typeof value === "object" && value !== null && "dims" in value && "data" in value) return value as HubTensor;
  }
  throw new Error(`the model returns ${Object.keys(output).join(", ")}, but one of ${names.join(", ")} is required`);
}

/** Returns a function that runs `make` on first use and keeps its result, but not a failure. */
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

/** Opens a Hub model that scores pairs of texts, loaded on first use. @throws ModelError `hub_runtime_missing`, `hub_model_missing` */
function openClassifier(name: string, { modelsDir, runtimeDirs, dtype }: HubOptions & { readonly dtype: Dtype }) {
  const runtimeFile = requireHubRuntime(runtimeDirs);
  const local = findLocalModel(modelsDir, name, dtype);
  const load = once(async () => {
    const runtime = await loadHubRuntime(runtimeFile, modelsDir);
    const tokenizer = await runtime.AutoTokenizer.from_pretrained(local.path, { local_files_only: true });
    const model = await runtime.AutoModelForSequenceClassification.from_pretrained(local.path, {
      local_files_only: true,
      dtype,
      device: "cpu",
    });
    return { tokenizer, model };
  });
  return { local, facts: hubModelFacts(name), load };
}
