import { createReadText, type ReadText } from "../read-text.ts";
import { readStoredWeights } from "../weights.ts";
import { createOnnxForward } from "./forward.ts";

/** Reads by `onnxruntime-node` in the thread that calls, from the files of the weights and of the runtime; what is wrong with either, every reading says. */
export function createOnnxReadText(path: string, file: string): ReadText {
  const opened = open(path, file);
  opened.catch(() => undefined);
  return async (read) => (await opened)(read);
}

async function open(path: string, file: string): Promise<ReadText> {
  const weights = readStoredWeights(path);
  const { run } = await createOnnxForward(weights, file);
  return createReadText(weights, run);
}
