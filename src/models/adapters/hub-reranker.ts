import { ModelError, messageOf } from "../../errors.ts";
import { DEFAULT_DTYPE, DEFAULT_MAX_TOKENS, hubModelFacts } from "../hub/catalog.ts";
import { findLocalModel, fingerprint } from "../hub/local.ts";
import { loadHubRuntime, requireHubRuntime } from "../hub/runtime.ts";
import type { Reranker, RerankPassage } from "../reranker.ts";
import { type HubOptions, once, tensorOf } from "./hub.ts";

/** The cross-encoder of the `spark` source. */
export const DEFAULT_CROSS_ENCODER = "cross-encoder/ms-marco-MiniLM-L-6-v2";

/**
 * A cross-encoder from the hub, run on this machine: question and passage are read together, the logit becomes a score through the logistic function.
 * @param name `cross-encoder/ms-marco-MiniLM-L-6-v2` for the `spark` source (section 2.2)
 * @throws ModelError `hub_runtime_missing`, `hub_model_missing` with the command that helps
 */
export function createHubReranker(name: string, { modelsDir, runtimeDirs, dtype = DEFAULT_DTYPE }: HubOptions): Reranker {
  const runtimeFile = requireHubRuntime(runtimeDirs);
  const local = findLocalModel(modelsDir, name, dtype);
  const facts = hubModelFacts(name);
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

/** `title. section. text` (`spark` source, section 2.2); parts that are empty are left out. */
export function passageInput({ title, section, text }: RerankPassage): string {
  return [title, section, text]
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join(". ");
}

/** @throws Error when there is not one finite logit */
function scoreOf({ data }: { readonly data: ArrayLike<number | bigint> }): number {
  const logit = Number(data[0]);
  if (data.length !== 1 || !Number.isFinite(logit))
    throw new Error(`one finite logit is needed; ${data.length} values came, first ${logit}`);
  return 1 / (1 + Math.exp(-logit));
}
