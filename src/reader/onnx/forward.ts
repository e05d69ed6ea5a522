import { messageOf } from "../../errors.ts";
import { createEmbedding } from "../embedding.ts";
import { createHeads } from "../heads.ts";
import type { PairReading } from "../reader.ts";
import type { StoredWeights } from "../shared-weights.ts";
import { createReaderGraph, MEAN, REST, WORDS } from "./graph.ts";
import { encodeModel } from "./model.ts";
import { brokenRuntime, loadOnnxRuntime } from "./runtime.ts";

/** One thread: as many texts are read at the same time as there are processes. What it has to say of the model is of no use to who asks. */
const SESSION = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: "sequential",
  graphOptimizationLevel: "all",
  logSeverityLevel: 3,
};

/** Runs one sequence at a time through the layers, as `Forward` does. */
export interface OnnxForward {
  readonly run: (ids: Int32Array) => Promise<PairReading>;
}

/**
 * The forward pass by `onnxruntime-node`, from the file that is to be loaded of it; the numbers are those of our own kernel but for rounding.
 * @throws ModelError `reader_runtime_broken`
 */
export async function createOnnxForward(weights: StoredWeights, file: string): Promise<OnnxForward> {
  const { hidden } = weights.header;
  const runtime = loadOnnxRuntime(file);
  const session = await runtime.InferenceSession.create(encodeModel(createReaderGraph(weights)), SESSION).catch((cause: unknown) => {
    throw brokenRuntime(file, messageOf(cause), cause);
  });
  const embed = createEmbedding(weights);
  const readHeads = createHeads(weights);
  return {
    async run(ids) {
      const shape = [ids.length, hidden];
      const [words, rest] = [new Float32Array(ids.length * hidden), new Float32Array(ids.length * hidden)];
      embed(ids, words, rest);
      const given = { [WORDS]: new runtime.Tensor("float32", words, shape), [REST]: new runtime.Tensor("float32", rest, shape) };
      const { [MEAN]: mean } = await session.run(given);
      if (!(mean?.data instanceof Float32Array) || mean.data.length !== hidden) throw new Error("the runtime gave no vector");
      return readHeads(mean.data);
    },
  };
}
