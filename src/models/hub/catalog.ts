/** A Hugging Face Hub model with a short name. Models that are not listed are named `owner/name`. */
export interface HubModelFacts {
  readonly name: string;
  /** Repository with ONNX files in the layout of transformers.js. */
  readonly repository: string;
  readonly kind: "encoder" | "reranker";
  readonly licence: string;
  /** Pooling of token vectors; `null` for models that return scores. */
  readonly pooling: Pooling | null;
  /** Maximum tokens of a text, as in the model's training. Longer input is cut. */
  readonly maxTokens: number;
}

export const POOLINGS = ["mean", "cls"] as const;
export type Pooling = (typeof POOLINGS)[number];
/** Ending of the weights file `onnx/model<ending>.onnx` by precision of the weights. */
export const DTYPE_ENDINGS = { q8: "_quantized", int8: "_int8", uint8: "_uint8", fp16: "_fp16", fp32: "" } as const;
export type Dtype = keyof typeof DTYPE_ENDINGS;
export const DTYPES = Object.keys(DTYPE_ENDINGS) as [Dtype, ...Dtype[]];
/**
 * Default precision: eight bits. The download is a quarter of the size of fp32, and the loss was not measurable on our
 * test sets (lab/train/encoder/README.md).
 */
export const DEFAULT_DTYPE: Dtype = "q8";
/** Maximum tokens for models that the catalog does not list. */
export const DEFAULT_MAX_TOKENS = 512;

const known: readonly Omit<HubModelFacts, "repository">[] = [
  { name: "all-MiniLM-L6-v2", kind: "encoder", licence: "Apache-2.0", pooling: "mean", maxTokens: 256 },
  { name: "bge-small-en-v1.5", kind: "encoder", licence: "MIT", pooling: "cls", maxTokens: 512 },
  { name: "ms-marco-MiniLM-L-6-v2", kind: "reranker", licence: "Apache-2.0", pooling: null, maxTokens: 512 },
];
const catalog: readonly HubModelFacts[] = known.map((facts) => ({ ...facts, repository: `Xenova/${facts.name}` }));

const ALIASES: Readonly<Record<string, string>> = {
  "sentence-transformers/all-MiniLM-L6-v2": "all-MiniLM-L6-v2",
  "bge-small": "bge-small-en-v1.5",
  "BAAI/bge-small-en-v1.5": "bge-small-en-v1.5",
  "cross-encoder/ms-marco-MiniLM-L-6-v2": "ms-marco-MiniLM-L-6-v2",
  "cross-encoder/ms-marco-MiniLM-L6-v2": "ms-marco-MiniLM-L-6-v2",
};

/** Matches `name` or `owner/name`. Does not match paths such as `../name`, which would leave the models folder. */
export const HUB_NAME = /^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*)?$/;

export const hubModelNames: readonly string[] = catalog.map(({ name }) => name);

/** Returns the catalog entry of a model by name, alias or repository; `null` if it is not listed. */
export function hubModelFacts(name: string): HubModelFacts | null {
  const known = ALIASES[name] ?? name;
  return catalog.find((facts) => facts.name === known || facts.repository === known) ?? null;
}

/** Returns the path of the weights inside a model's folder. */
export function weightsFile(dtype: Dtype): string {
  return `onnx/model${DTYPE_ENDINGS[dtype]}.onnx`;
}
