import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { mergeAdapter } from "../../../src/cross-encoder/adapter.ts";
import { weightsFile as bundled, SHIPPED_WEIGHTS } from "../../../src/cross-encoder/create-reader.ts";
import { placeOf } from "../../../src/cross-encoder/weights.ts";
import { readEntailmentWeights } from "../../../src/models/entailment.ts";
import { weightsFile } from "../../../src/models/hub/catalog.ts";
import { createReaderGraph, readStoredWeights } from "./export-onnx.ts";
import { encodeModel, type OnnxGraph, type OnnxNode } from "./onnx-model.ts";

/**
 * Writes a head of the cross-encoder as a classifier with one logit, in the layout of transformers.js. The optional runtime then loads it
 * in place of a model of the Hub: `export-hub.js --head answer --out models/Xenova/ms-marco-MiniLM-L-6-v2` as reranker,
 * `--head claim --out models/vectara/hallucination_evaluation_model` for support.
 */
if (process.argv[1]?.endsWith("export-hub.js")) {
  const { values } = parseArgs({ options: { head: { type: "string", default: "answer" }, out: { type: "string" } } });
  if (values.out === undefined) throw new Error("--out is missing: name the folder of the model");
  if (values.head !== "answer" && values.head !== "claim") throw new Error('--head must be "answer" or "claim"');
  const weights = readStoredWeights(SHIPPED_WEIGHTS);
  if (values.head === "claim") mergeAdapter(bundled("claims"), { ...weights, memory: weights });
  mkdirSync(join(values.out, "onnx"), { recursive: true });
  writeFileSync(join(values.out, weightsFile("q8")), encodeModel(createClassifierGraph(weights, values.head)));
  const label = values.head === "answer" ? "answers" : "consistent";
  const files = {
    config: { model_type: "bert", architectures: ["BertForSequenceClassification"], id2label: { 0: label }, label2id: { [label]: 0 } },
    tokenizer: tokenizerOf(weights, values.head),
    tokenizer_config: { tokenizer_class: "BertTokenizer", model_max_length: weights.header.max_tokens, do_lower_case: true },
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(values.out, `${name}.json`), JSON.stringify(content));
}

type StoredWeights = ReturnType<typeof readStoredWeights>;

/** Puts embeddings before the layers and a head behind them. Of `claim` the logit is the calibrated log odds of "supported". */
export function createClassifierGraph(weights: StoredWeights, head: "answer" | "claim"): OnnxGraph {
  const { header, buffer } = weights;
  const { hidden, max_tokens: most } = header;
  const layers = createReaderGraph(weights);
  const floats = (name: string, count: number) => new Float32Array(buffer, placeOf(weights, name), count).slice();
  const outputs = head === "answer" ? 1 : 3;
  const { slope, offset } = head === "claim" ? readEntailmentWeights() : { slope: 1, offset: 0 };
  const constants: OnnxGraph["constants"] = {
    ...layers.constants,
    "word table": { shape: [piecesOf(weights).length, hidden], data: wordTable(weights) },
    "position table": { shape: [most, hidden], data: positionTable(weights) },
    flat: { shape: [1], data: BigInt64Array.of(-1n) },
    zero: { shape: [], data: BigInt64Array.of(0n) },
    one: { shape: [], data: BigInt64Array.of(1n) },
    "last position": { shape: [], data: BigInt64Array.of(BigInt(most - 1)) },
    "head weights": { shape: [outputs, hidden], data: floats(`${head}.weights`, outputs * hidden) },
    "head bias": { shape: [outputs], data: floats(`${head}.bias`, outputs) },
    "one row": { shape: [2], data: BigInt64Array.of(1n, -1n) },
    supported: { shape: [1], data: BigInt64Array.of(0n) },
    others: { shape: [2], data: BigInt64Array.of(1n, 2n) },
    columns: { shape: [1], data: BigInt64Array.of(1n) },
    slope: { shape: [], data: Float32Array.of(slope) },
    offset: { shape: [], data: Float32Array.of(offset) },
  };
  const node = (operator: string, inputs: string[], output: string, attributes: OnnxNode["attributes"] = {}): OnnxNode => ({
    ...{ operator, inputs, outputs: [output], attributes },
  });
  const before = [
    node("Reshape", ["input_ids", "flat"], "ids"),
    node("Gather", ["word table", "ids"], "words"),
    node("Size", ["ids"], "length"),
    node("Range", ["zero", "length", "one"], "places"),
    node("Min", ["places", "last position"], "positions"),
    node("Gather", ["position table", "positions"], "rest"),
  ];
  const after = [
    node("Reshape", ["mean", "one row"], "row"),
    node("LpNormalization", ["row"], "vector", { axis: 1, p: 2 }),
    node("Gemm", ["vector", "head weights", "head bias"], head === "answer" ? "logits" : "labels", { transB: 1 }),
  ];
  const odds = [
    node("Gather", ["labels", "supported"], "supported logit", { axis: 1 }),
    node("Gather", ["labels", "others"], "other logits", { axis: 1 }),
    node("ReduceLogSumExp", ["other logits", "columns"], "others together"),
    node("Sub", ["supported logit", "others together"], "odds"),
    node("Mul", ["odds", "slope"], "scaled odds"),
    node("Add", ["scaled odds", "offset"], "logits"),
  ];
  return {
    nodes: [...before, ...layers.nodes, ...after, ...(head === "claim" ? odds : [])],
    constants,
    inputs: {},
    integers: { input_ids: ["texts", "tokens"] },
    outputs: { logits: [1, 1] },
  };
}

function piecesOf({ header, buffer, places }: StoredWeights): string[] {
  const bytes = new Uint8Array(buffer, placeOf({ places }, "vocabulary"), header.tensors.vocabulary?.shape[0] as number);
  return Buffer.from(bytes).toString("utf8").split("\n");
}

/** Dequantises the word vectors, one row per token of the vocabulary. */
function wordTable(weights: StoredWeights): Float32Array {
  const { header, buffer } = weights;
  const { hidden, embedding_bits: bits } = header;
  const pieces = piecesOf(weights).length;
  const [at, rows] = [placeOf(weights, "words.codes"), new Uint16Array(buffer, placeOf(weights, "rows"), pieces)];
  const scales = new Float32Array(buffer, placeOf(weights, "words.scales"), header.tensors["words.scales"]?.shape[0]);
  const [bytes, mask, zero] = [new Uint8Array(buffer), 2 ** bits - 1, 2 ** (bits - 1)];
  return Float32Array.from({ length: pieces * hidden }, (_, i) => {
    const row = rows[Math.floor(i / hidden)] as number;
    const bit = (row * hidden + (i % hidden)) * bits;
    const from = at + (bit >> 3);
    const code = ((((bytes[from + 1] as number) << 8) | (bytes[from] as number)) >> (bit & 7)) & mask;
    return (bits === 8 ? (code << 24) >> 24 : code - zero) * (scales[row] as number);
  });
}

/** Dequantises the position vectors and adds the vector of the first type. */
function positionTable(weights: StoredWeights): Float32Array {
  const { header, buffer } = weights;
  const { hidden, max_tokens: most } = header;
  const codes = new Int8Array(buffer, placeOf(weights, "positions.codes"), most * hidden);
  const scales = new Float32Array(buffer, placeOf(weights, "positions.scales"), most);
  const types = new Float32Array(buffer, placeOf(weights, "types"), hidden);
  return Float32Array.from(codes, (code, i) => code * (scales[Math.floor(i / hidden)] as number) + (types[i % hidden] as number));
}

/**
 * `tokenizer.json` of BERT's WordPiece with the vocabulary of the weights. Support models are given evidence and claim; our head reads the
 * claim first.
 */
function tokenizerOf(weights: StoredWeights, head: "answer" | "claim") {
  const pieces = piecesOf(weights);
  const special = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
  const sequence = (id: "A" | "B") => ({ Sequence: { id, type_id: 0 } });
  const single = [special("[CLS]"), sequence("A"), special("[SEP]")];
  const [first, second] = head === "answer" ? (["A", "B"] as const) : (["B", "A"] as const);
  const pair = [special("[CLS]"), sequence(first), special("[SEP]"), sequence(second), special("[SEP]")];
  const ids = Object.fromEntries(["[CLS]", "[SEP]"].map((id) => [id, { id, ids: [pieces.indexOf(id)], tokens: [id] }]));
  return {
    version: "1.0",
    added_tokens: ["[UNK]", "[CLS]", "[SEP]"].map((content) => ({ id: pieces.indexOf(content), content, special: true })),
    normalizer: { type: "BertNormalizer", clean_text: true, handle_chinese_chars: true, strip_accents: true, lowercase: true },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: { type: "TemplateProcessing", single, pair, special_tokens: ids },
    decoder: { type: "WordPiece", prefix: "##", cleanup: true },
    model: {
      ...{ type: "WordPiece", unk_token: "[UNK]", continuing_subword_prefix: "##", max_input_chars_per_word: 100 },
      vocab: Object.fromEntries(pieces.map((piece, id) => [piece, id])),
    },
  };
}
