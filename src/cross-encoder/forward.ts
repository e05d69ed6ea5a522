import { createKernel } from "./kernel/kernel.ts";
import type { PairReading } from "./reader.ts";
import { type Forward, placeOf, planArena, type ReaderWeights } from "./weights.ts";
import { HEADS } from "./weights-file.ts";

/** Creates the forward pass. It works in the memory area (arena) `arenaNumber` and runs one token sequence at a time. */
export function createForward(weights: ReaderWeights, arenaNumber: number): Forward {
  const { header, limits } = weights;
  const { hidden, heads, feed_forward: wide, epsilon } = header;
  const kernel = createKernel(weights);
  const arena = planArena(header, weights.firstArena + arenaNumber * weights.arenaBytes);
  const float32 = new Float32Array(weights.memory.buffer);
  const at = (name: string) => placeOf(weights, name);
  const embed = createEmbedding(weights);
  const readHeads = createHeads(weights);
  const layers = Array.from({ length: header.layers }, (_, layer) => matricesOf(`layer.${layer}.`, at, limits));

  /**
   * Computes out = matrix · input + bias for `rows` rows of the matrix from row `first` on. The input is the quantised data
   * in `arena.codes`.
   */
  function multiply(matrix: Matrix, first: number, rows: number, depth: number, tokens: number, out: number): void {
    const { codes, scales, bias } = matrix;
    const { codes: input, codeScales } = arena;
    kernel.multiply(codes + first * depth, scales + 4 * first, bias + 4 * first, rows, depth, input, codeScales, tokens, out, 4 * rows);
  }

  function runLayer(layer: Layer, tokens: number): void {
    const { x, keyValue, query, mixed, wide: widened, narrow, codes, codeScales, scratch } = arena;
    const { attention, output, up, down } = layer;
    kernel.quantise(x, tokens, hidden, attention.limit, codes, codeScales);
    multiply(attention, hidden, 2 * hidden, hidden, tokens, keyValue);
    multiply(attention, 0, hidden, hidden, tokens, query);
    kernel.attend(query, tokens, keyValue, tokens, heads, hidden / heads, 1 / Math.sqrt(hidden / heads), scratch, mixed);
    kernel.quantise(mixed, tokens, hidden, output.limit, codes, codeScales);
    multiply(output, 0, hidden, hidden, tokens, narrow);
    kernel.addNorm(x, narrow, layer.attentionNorm.gain, layer.attentionNorm.bias, tokens, hidden, epsilon);
    kernel.quantise(x, tokens, hidden, up.limit, codes, codeScales);
    multiply(up, 0, wide, hidden, tokens, widened);
    kernel.gelu(widened, tokens * wide);
    kernel.quantise(widened, tokens, wide, down.limit, codes, codeScales);
    multiply(down, 0, hidden, wide, tokens, narrow);
    kernel.addNorm(x, narrow, layer.outputNorm.gain, layer.outputNorm.bias, tokens, hidden, epsilon);
  }

  return {
    run(ids) {
      const tokens = ids.length;
      embed(ids, float32.subarray(arena.x / 4), float32.subarray(arena.narrow / 4));
      kernel.addNorm(arena.x, arena.narrow, at("embedding_norm.gain"), at("embedding_norm.bias"), tokens, hidden, epsilon);
      for (const layer of layers) runLayer(layer, tokens);
      return readHeads(sumOf(tokens));
    },
    tokenOdds({ weights: head, bias }, start, end) {
      return Float32Array.from({ length: end - start }, (_, i) => {
        const from = arena.x / 4 + (start + i) * hidden;
        return head.reduce((sum, weight, k) => sum + weight * (float32[from + k] as number), bias);
      });
    },
  };

  function sumOf(tokens: number): Float32Array {
    const sum = new Float32Array(hidden);
    for (let token = 0; token < tokens; token++) {
      const from = arena.x / 4 + token * hidden;
      for (let k = 0; k < hidden; k++) sum[k] = (sum[k] as number) + (float32[from + k] as number);
    }
    return sum;
  }
}

interface Matrix {
  readonly codes: number;
  readonly scales: number;
  readonly bias: number;
  readonly limit: number;
}

type Norm = Readonly<Record<"gain" | "bias", number>>;

type Layer = ReturnType<typeof matricesOf>;

function matricesOf(layer: string, at: (name: string) => number, limits: ReadonlyMap<string, number>) {
  const matrix = (name: string): Matrix => ({
    codes: at(`${layer}${name}.codes`),
    scales: at(`${layer}${name}.scales`),
    bias: at(`${layer}${name}.bias`),
    limit: limits.get(layer + name) as number,
  });
  const norm = (name: string): Norm => ({ gain: at(`${layer}${name}.gain`), bias: at(`${layer}${name}.bias`) });
  return {
    attention: matrix("attention"),
    output: matrix("output"),
    up: matrix("up"),
    down: matrix("down"),
    attentionNorm: norm("attention_norm"),
    outputNorm: norm("output_norm"),
  };
}

/**
 * Writes the word embedding of each token to `words`. Writes the sum of its position embedding and the first type embedding
 * to `rest`.
 * @throws Error for zero or too many tokens
 */
type Embed = (ids: Int32Array, words: Float32Array, rest: Float32Array) => void;

function createEmbedding(weights: ReaderWeights): Embed {
  const { hidden, embedding_bits: bits, max_tokens: maxTokens } = weights.header;
  const { buffer } = weights.memory;
  const at = (name: string) => placeOf(weights, name);
  const float32 = new Float32Array(buffer);
  const int8 = new Int8Array(buffer);
  const bytes = new Uint8Array(buffer);
  const rows = new Uint16Array(buffer, at("rows"), weights.vocabulary.pieces);
  const [codes, scales, types] = [at("words.codes"), at("words.scales") / 4, at("types") / 4];
  const [positions, positionScales] = [at("positions.codes"), at("positions.scales") / 4];
  const mask = 2 ** bits - 1;
  const zero = 2 ** (bits - 1);
  const codeOf = (start: number, place: number) => {
    if (bits === 8) return int8[start + place] as number;
    const bit = place * bits;
    const byte = start + (bit >> 3);
    return (((((bytes[byte + 1] as number) << 8) | (bytes[byte] as number)) >> (bit & 7)) & mask) - zero;
  };
  return (ids, words, rest) => {
    if (ids.length === 0 || ids.length > maxTokens)
      throw new Error(`a text for the cross-encoder has ${ids.length} tokens; it must have 1 to ${maxTokens}`);
    for (let token = 0; token < ids.length; token++) {
      const row = rows[ids[token] as number] as number;
      const start = codes + (row * hidden * bits) / 8;
      const scale = float32[scales + row] as number;
      const position = positions + token * hidden;
      const positionScale = float32[positionScales + token] as number;
      for (let k = 0; k < hidden; k++) {
        words[token * hidden + k] = codeOf(start, k) * scale;
        rest[token * hidden + k] = (int8[position + k] as number) * positionScale + (float32[types + k] as number);
      }
    }
  };
}

/**
 * Applies the heads to the last hidden states. The input is their sum or mean over the tokens; it is normalised to length 1
 * (mean pooling: Reimers & Gurevych, EMNLP 2019, section 3). The outputs of the heads are meaningful for pairs only.
 */
type ReadHeads = (states: Float32Array) => PairReading;

function createHeads(weights: ReaderWeights): ReadHeads {
  const { hidden } = weights.header;
  const float32 = new Float32Array(weights.memory.buffer);

  function outputOf(head: keyof typeof HEADS, output: number, vector: Float32Array): number {
    const first = placeOf(weights, `${head}.weights`) / 4 + output * hidden;
    const bias = float32[placeOf(weights, `${head}.bias`) / 4 + output] as number;
    return vector.reduce((sum, value, k) => sum + value * (float32[first + k] as number), bias);
  }

  function claimOf(vector: Float32Array): PairReading["claim"] {
    const outputs = Array.from({ length: HEADS.claim }, (_, output) => outputOf("claim", output, vector));
    const largest = Math.max(...outputs);
    const all = largest + Math.log(outputs.reduce((sum, output) => sum + Math.exp(output - largest), 0));
    const [supported, contradicted, notFound] = outputs.map((output) => output - all) as [number, number, number];
    return { supported, contradicted, notFound };
  }

  return (states) => {
    const length = Math.hypot(...states) || 1;
    const vector = states.map((value) => value / length);
    return { vector, answer: outputOf("answer", 0, vector), same: outputOf("same", 0, vector), claim: claimOf(vector) };
  };
}
