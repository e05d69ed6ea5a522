import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ModelError, messageOf } from "../../shared/errors.ts";
import { onceDone } from "../../text/memo.ts";
import { type Encoder, normalizeVector } from "../encoder.ts";
import { DEFAULT_DTYPE, DEFAULT_MAX_TOKENS, type Dtype, hubModelFacts, type Pooling } from "../hub/catalog.ts";
import { findLocalModel, fingerprint, poolingOf } from "../hub/local.ts";
import { type HubInputs, type HubModel, type HubTensor, type HubTokenizer, loadHubRuntime, requireHubRuntime } from "../hub/runtime.ts";
import type { Reranker, RerankPassage } from "../reranker.ts";
import { evidenceLines, hasWord, type SupportPair, type SupportScorer } from "../support.ts";

const configSchema = z.object({ id2label: z.record(z.string(), z.string()).optional() });
/** `YES` matches names of classes that mean "supported"; `NO` matches prefixes that negate them. */
const YES = /^(?:entail\w*|support\w*|consistent|factual|faithful|label_1|1)$/i;
const NO = /^(?:not[_ -]?|un|non|in)/i;

/**
 * Scores support with a Hugging Face Hub model that takes evidence and claim together. The model returns one logit (HHEM)
 * or one per class (MiniCheck, NLI); `config.json` names the classes. Each text of the evidence is scored alone, and the
 * highest score is used, as MiniCheck does with chunks (Tang et al., EMNLP 2024). The scorer returns no spans.
 * @throws ModelError `hub_runtime_missing`, `hub_model_missing`; `hub_model_damaged` if no class means "supported"
 */
export function createHubSupportScorer(name: string, options: HubOptions): SupportScorer {
  const { id, shortName, folder, logitsOf, scoreEach } = openClassifier(name, options, { kind: "Support model", code: "support_failed" });
  const yes = yesClass(folder);
  const scoreOne = async ({ claim, evidence }: SupportPair, signal: AbortSignal | undefined) => {
    const texts = evidenceLines(evidence).filter(hasWord);
    if (!hasWord(claim) || texts.length === 0) return null;
    let score = 0;
    for (const text of texts) {
      signal?.throwIfAborted();
      score = Math.max(score, probabilityOf(await logitsOf(text, claim), yes));
    }
    return { score, spans: [], reason: `${shortName} gives ${score.toFixed(2)}.` };
  };
  return { id, score: (pairs, of) => scoreEach(pairs, scoreOne, of) };
}

/** Returns the index of the class that means "supported"; `null` for a model with one logit. */
function yesClass(folder: string): number | null {
  const parsed = configSchema.safeParse(JSON.parse(readFileSync(join(folder, "config.json"), "utf8")));
  const labels = Object.entries(parsed.success ? (parsed.data.id2label ?? {}) : {});
  if (labels.length <= 1) return null;
  const found = labels.find(([, label]) => YES.test(label) && !NO.test(label.replace(/^inf/i, "")));
  if (found !== undefined) return Number(found[0]);
  const message = `No class of the model in ${folder} means that a claim is supported (${labels.map(([, label]) => label).join(", ")}). Choose a model for entailment or factual consistency.`;
  throw new ModelError("hub_model_damaged", message, { folder });
}

/**
 * Returns the logistic function of one logit, or the softmax of several.
 * @throws Error if a logit is not finite or the class is missing
 */
function probabilityOf(data: ArrayLike<number | bigint>, yes: number | null): number {
  const logits = Array.from(data, Number);
  const wanted = yes === null ? 1 : yes + 1;
  if (logits.length < wanted || (yes === null && logits.length !== 1) || !logits.every(Number.isFinite)) {
    const needed = yes === null ? "exactly one finite score is" : `at least ${wanted} scores, all finite, are`;
    throw new Error(`the model returned the scores ${logits.slice(0, 5).join(", ")}, but ${needed} needed: use another model`);
  }
  if (yes === null) return 1 / (1 + Math.exp(-(logits[0] as number)));
  const top = Math.max(...logits);
  const parts = logits.map((value) => Math.exp(value - top));
  return (parts[yes] as number) / parts.reduce((sum, value) => sum + value, 0);
}

/** The cross-encoder of the profile `spark`. */
export const DEFAULT_CROSS_ENCODER = "cross-encoder/ms-marco-MiniLM-L-6-v2";

/**
 * Reranks on this machine with a cross-encoder from the Hugging Face Hub. The score of a question–passage pair is the
 * logistic function of its logit.
 * @param name name in the catalog or on the Hub, such as `DEFAULT_CROSS_ENCODER`
 * @throws ModelError `hub_runtime_missing`, `hub_model_missing`
 */
export function createHubReranker(name: string, options: HubOptions): Reranker {
  const { id, logitsOf, scoreEach } = openClassifier(name, options, { kind: "Cross-encoder", code: "reranker_failed" });
  return {
    id,
    rerank: (question, passages, of) =>
      scoreEach(passages, async (passage) => probabilityOf(await logitsOf(question, passageInput(passage)), null), of),
  };
}

/** Returns the cross-encoder's input for a passage: `title. section. text`, without empty parts. */
export function passageInput({ title, section, text }: RerankPassage): string {
  return [title, section, text].flatMap((part) => part.trim() || []).join(". ");
}

export interface HubOptions {
  /** Folder of models in the layout of transformers.js. */
  readonly modelsDir: string;
  /** Other folders in which the runtime may be installed. */
  readonly runtimeDirs: readonly string[];
  readonly dtype?: Dtype | undefined;
}

export interface HubEncoderOptions extends HubOptions {
  /** Pooling of token vectors. @default the pooling that the model's files state, else the mean */
  readonly pooling?: Pooling | undefined;
}

/**
 * Number of texts per model call with fp32 weights. With other precisions, texts are embedded one at a time. Models with
 * eight-bit weights scale a batch by its largest value, so a vector would depend on the other texts of the batch.
 */
const TEXTS_PER_CALL = 16;

/** Number of texts between two progress reports. One core takes about a second for them. */
const TEXTS_PER_STEP = 16;

/**
 * Embeds with a Hugging Face Hub model from local files, without network access. The model is loaded on first use.
 * @throws ModelError `hub_runtime_missing`, `hub_model_missing`
 */
export function createHubEncoder(name: string, options: HubEncoderOptions): Encoder {
  const { idOf, dtype, facts, shortName, maxTokens, folder, load } = openModel(name, options, "AutoModel");
  const pooling = options.pooling ?? poolingOf(folder) ?? facts?.pooling ?? "mean";
  const size = dtype === "fp32" ? TEXTS_PER_CALL : 1;
  return {
    id: idOf(`${dtype}/${pooling}`),
    model: shortName,
    batch: TEXTS_PER_STEP,
    async embed(texts, { signal } = {}) {
      signal?.throwIfAborted();
      if (texts.length === 0) return [];
      try {
        const loaded = await load();
        const vectors: Float32Array[] = [];
        for (let at = 0; at < texts.length; at += size) {
          signal?.throwIfAborted();
          vectors.push(...(await embedBatch(texts.slice(at, at + size), loaded, { pooling, maxTokens })));
        }
        return vectors;
      } catch (cause) {
        signal?.throwIfAborted();
        throw failure("encoder_failed", `Hub model "${name}" in ${folder}`, name, cause);
      }
    },
  };
}

async function embedBatch(
  texts: readonly string[],
  { tokenizer, model }: { readonly tokenizer: HubTokenizer; readonly model: HubModel },
  { pooling, maxTokens }: { readonly pooling: Pooling; readonly maxTokens: number },
): Promise<Float32Array[]> {
  const inputs = tokenizer(texts, { padding: true, truncation: true, max_length: maxTokens });
  const output = await model(inputs);
  const vectors = pool(tensorOf(output, ["last_hidden_state", "token_embeddings"]), inputs, pooling);
  if (vectors.length !== texts.length) throw new Error(`it returned ${vectors.length} vectors for ${texts.length} texts`);
  if (vectors.some((vector) => !vector.every(Number.isFinite))) throw new Error("a vector has non-finite values: use another model");
  return vectors.map(normalizeVector);
}

/**
 * Pools token vectors (texts × tokens × dimensions) into one vector per text, not scaled to length 1. `mean` sums the
 * token vectors of the text, because the sum has the direction of the mean. `cls` takes the vector of its first token.
 */
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

/** Returns the first of the named outputs that the model has. @throws Error if it has none of them */
export function tensorOf(output: Readonly<Record<string, unknown>>, names: readonly string[]): HubTensor {
  for (const name of names) {
    const value = output[name];
    if (typeof value === "object" && value !== null && "dims" in value && "data" in value) return value as HubTensor;
  }
  throw new Error(`the model returns ${Object.keys(output).join(", ")}, but ${names.join(" or ")} is needed: use another model`);
}

/**
 * Finds an installed Hugging Face Hub model. Its `load` loads the model on the first call.
 * @throws ModelError `hub_runtime_missing`, `hub_model_missing`
 */
function openModel(
  name: string,
  { modelsDir, runtimeDirs, dtype = DEFAULT_DTYPE }: HubOptions,
  type: "AutoModel" | "AutoModelForSequenceClassification",
) {
  const runtimeFile = requireHubRuntime(runtimeDirs);
  const { folder, path } = findLocalModel(modelsDir, name, dtype);
  const facts = hubModelFacts(name);
  const shortName = facts?.name ?? name;
  const load = onceDone(async () => {
    const runtime = await loadHubRuntime(runtimeFile, modelsDir);
    const tokenizer = await runtime.AutoTokenizer.from_pretrained(path, { local_files_only: true });
    const model = await runtime[type].from_pretrained(path, { local_files_only: true, dtype, device: "cpu" });
    return { tokenizer, model };
  });
  const idOf = (variant: string) => `hub/${shortName}/${variant}/${fingerprint(folder, dtype)}`;
  return { idOf, dtype, facts, shortName, maxTokens: facts?.maxTokens ?? DEFAULT_MAX_TOKENS, folder, load };
}

/** Opens a Hugging Face Hub model that scores pairs of texts. @throws ModelError `hub_runtime_missing`, `hub_model_missing` */
function openClassifier(name: string, options: HubOptions, { kind, code }: { readonly kind: string; readonly code: string }) {
  const { idOf, dtype, shortName, maxTokens, folder, load } = openModel(name, options, "AutoModelForSequenceClassification");
  return {
    ...{ id: idOf(dtype), shortName, folder },
    async logitsOf(text: string, pair: string) {
      const { tokenizer, model } = await load();
      const inputs = tokenizer([text], { text_pair: [pair], padding: true, truncation: true, max_length: maxTokens });
      return tensorOf(await model(inputs), ["logits"]).data;
    },
    /** Scores items one at a time. An item that fails gets `null`. @throws ModelError `code` */
    async scoreEach<Item, Score>(
      items: readonly Item[],
      score: (item: Item, signal: AbortSignal | undefined) => Promise<Score>,
      { signal }: { readonly signal?: AbortSignal | undefined } = {},
    ): Promise<(Score | null)[]> {
      signal?.throwIfAborted();
      if (items.length === 0) return [];
      await load().catch((cause: unknown) => {
        throw failure(code, `${kind} "${name}" in ${folder}`, name, cause);
      });
      const scores: (Score | null)[] = [];
      for (const item of items) {
        signal?.throwIfAborted();
        const scored = await score(item, signal).catch(() => null);
        signal?.throwIfAborted();
        scores.push(scored);
      }
      return scores;
    },
  };
}

function failure(code: string, source: string, model: string, cause: unknown): ModelError {
  return new ModelError(code, `${source} failed: ${messageOf(cause)}`, { model }, { cause });
}
