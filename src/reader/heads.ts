import type { PairReading } from "./reader.ts";
import { bufferOf, placeOf, type StoredWeights } from "./shared-weights.ts";
import { HEADS } from "./weights-file.ts";

/**
 * From the sum or the mean of the tokens' last states that of length 1 (Reimers & Gurevych, EMNLP 2019, section 3), and what the heads make of it, which means
 * something for a pair alone.
 */
export type ReadHeads = (states: Float32Array) => PairReading;

export function createHeads(weights: StoredWeights): ReadHeads {
  const { hidden } = weights.header;
  const float32 = new Float32Array(bufferOf(weights));

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
