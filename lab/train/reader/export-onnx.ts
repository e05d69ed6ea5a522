import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { SHIPPED_WEIGHTS } from "../../../src/cross-encoder/create-reader.ts";
import { placeOf } from "../../../src/cross-encoder/weights.ts";
import { checkTensors, headerSchema, layerMatrices, PREFIX_BYTES } from "../../../src/cross-encoder/weights-file.ts";
import { encodeModel, type OnnxConstant, type OnnxGraph, type OnnxNode } from "./onnx-model.ts";

/** Writes the cross-encoder's layers as an ONNX model, without embeddings and heads: `export-onnx.js [--weights FILE] --out FILE`. */
if (process.argv[1]?.endsWith("export-onnx.js")) {
  const { values } = parseArgs({ options: { weights: { type: "string", default: SHIPPED_WEIGHTS }, out: { type: "string" } } });
  if (values.out === undefined) throw new Error("--out is missing: name the file to write, such as --out reader.onnx");
  writeFileSync(values.out, encodeModel(createReaderGraph(readStoredWeights(values.weights))));
}

/** A weights file in its stored layout; the program's loader packs the matrices for its kernel. */
type StoredWeights = ReturnType<typeof readStoredWeights>;

export function readStoredWeights(path: string) {
  const bytes = readFileSync(path);
  const payloadAt = PREFIX_BYTES + bytes.readUInt32LE(40);
  const header = headerSchema.parse(JSON.parse(bytes.toString("utf8", PREFIX_BYTES, payloadAt)));
  const { buffer } = Uint8Array.from(bytes.subarray(payloadAt));
  return { header, buffer, hash: bytes.toString("hex", 8, 40), places: checkTensors(header, buffer.byteLength) };
}

/** Names of the graph's inputs, one row per token (`embedding.ts` fills them), and of its output: the mean of the last hidden states. */
const WORDS = "words";
const REST = "rest";
const MEAN = "mean";

/** Builds the graph of the layers between embeddings and heads, with dequantised matrices. */
export function createReaderGraph(weights: StoredWeights): OnnxGraph {
  const { header } = weights;
  const { hidden, heads, layers, epsilon } = header;
  const width = hidden / heads;
  const { buffer } = weights;
  const nodes: OnnxNode[] = [];
  const constants: Record<string, OnnxConstant> = {
    // A 0 keeps the input's size of that dimension.
    "by head": { shape: [3], data: BigInt64Array.of(0n, BigInt(heads), BigInt(width)) },
    "by token": { shape: [2], data: BigInt64Array.of(0n, BigInt(hidden)) },
    "all tokens": { shape: [1], data: BigInt64Array.of(0n) },
    scale: { shape: [], data: Float32Array.of(1 / Math.sqrt(width)) },
  };

  const floats = (name: string, count: number) => new Float32Array(buffer, placeOf(weights, name), count).slice();

  function add(operator: string, inputs: readonly string[], output: string, attributes: OnnxNode["attributes"] = {}): string {
    nodes.push({ operator, inputs, outputs: [output], attributes });
    return output;
  }

  function addNorm(x: string, y: string, norm: string): string {
    for (const part of ["gain", "bias"]) constants[`${norm}.${part}`] = { shape: [hidden], data: floats(`${norm}.${part}`, hidden) };
    const inputs = [add("Add", [x, y], `${norm}.sum`), `${norm}.gain`, `${norm}.bias`];
    return add("LayerNormalization", inputs, `${norm}.out`, { epsilon: { float: epsilon } });
  }

  function addMatrices(layer: string): void {
    for (const [name, rows, depth] of layerMatrices(header)) {
      const matrix = layer + name;
      const codes = new Int8Array(buffer, placeOf(weights, `${matrix}.codes`), rows * depth);
      constants[`${matrix}.weights`] = { shape: [depth, rows], data: transposed(codes, floats(`${matrix}.scales`, rows), depth) };
      constants[`${matrix}.bias`] = { shape: [rows], data: floats(`${matrix}.bias`, rows) };
    }
  }

  function multiply(x: string, matrix: string): string {
    return add("Add", [add("MatMul", [x, `${matrix}.weights`], `${matrix}.product`), `${matrix}.bias`], `${matrix}.out`);
  }

  function attend(x: string, layer: string): string {
    const all = multiply(x, `${layer}attention`);
    const parts = ["query", "key", "value"].map((part) => layer + part);
    nodes.push({ operator: "Split", inputs: [all], outputs: parts, attributes: { axis: 1, num_outputs: 3 } });
    const byHead = (part: string, order: readonly number[]) =>
      add("Transpose", [add("Reshape", [part, "by head"], `${part} by head`)], `${part} heads first`, { perm: order });
    const [query, key, value] = parts as [string, string, string];
    const likeness = add("MatMul", [byHead(query, [1, 0, 2]), byHead(key, [1, 2, 0])], `${layer}likeness`);
    const shares = add("Softmax", [add("Mul", [likeness, "scale"], `${layer}scaled`)], `${layer}shares`);
    const mixed = add("MatMul", [shares, byHead(value, [1, 0, 2])], `${layer}mixed`);
    const tokensFirst = add("Transpose", [mixed], `${layer}mixed tokens first`, { perm: [1, 0, 2] });
    return multiply(add("Reshape", [tokensFirst, "by token"], `${layer}mixed by token`), `${layer}output`);
  }

  let x = addNorm(WORDS, REST, "embedding_norm");
  for (let number = 0; number < layers; number++) {
    const layer = `layer.${number}.`;
    addMatrices(layer);
    x = addNorm(x, attend(x, layer), `${layer}attention_norm`);
    const widened = add("Gelu", [multiply(x, `${layer}up`)], `${layer}widened`);
    x = addNorm(x, multiply(widened, `${layer}down`), `${layer}output_norm`);
  }
  add("ReduceMean", [x, "all tokens"], MEAN, { keepdims: 0 });
  const rows = ["tokens", hidden];
  return { nodes, constants, inputs: { [WORDS]: rows, [REST]: rows }, outputs: { [MEAN]: [hidden] } };
}

/** Dequantises a matrix with one scale per row, and transposes it. */
function transposed(codes: Int8Array, scales: Float32Array, depth: number): Float32Array {
  const rows = scales.length;
  const floats = new Float32Array(codes.length);
  for (let row = 0; row < rows; row++) {
    const scale = scales[row] as number;
    for (let k = 0; k < depth; k++) floats[k * rows + row] = (codes[row * depth + k] as number) * scale;
  }
  return floats;
}
