import { planArena } from "./arena.ts";
import { createEmbedding } from "./embedding.ts";
import { createHeads } from "./heads.ts";
import type { ReaderKernel } from "./kernel/kernel.ts";
import type { PairReading } from "./reader.ts";
import { bufferOf, openKernel, placeOf, type ReaderWeights } from "./shared-weights.ts";

/** Runs one sequence at a time through the layers, in one thread's arena. */
export interface Forward {
  readonly run: (ids: Int32Array) => PairReading;
}

/** The forward pass over shared weights, in the arena of that number. */
export function createForward(weights: ReaderWeights, arenaNumber: number): Forward {
  const { header, limits } = weights;
  const { hidden, heads, feed_forward: wide, epsilon } = header;
  const kernel: ReaderKernel = openKernel(weights);
  const arena = planArena(header, weights.firstArena + arenaNumber * weights.arenaBytes);
  const float32 = new Float32Array(bufferOf(weights));
  const at = (name: string) => placeOf(weights, name);
  const embed = createEmbedding(weights);
  const readHeads = createHeads(weights);
  const layers = Array.from({ length: header.layers }, (_, layer) => matricesOf(`layer.${layer}.`, at, limits));

  /** out = matrix * input + bias for the matrix's rows from `first`, `rows` of them; the input stands quantised in `codes`. */
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

interface Layer {
  readonly attention: Matrix;
  readonly output: Matrix;
  readonly up: Matrix;
  readonly down: Matrix;
  readonly attentionNorm: Norm;
  readonly outputNorm: Norm;
}

function matricesOf(layer: string, at: (name: string) => number, limits: ReadonlyMap<string, number>): Layer {
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
