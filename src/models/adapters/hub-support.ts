import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ModelError, messageOf } from "../../errors.ts";
import { DEFAULT_DTYPE, DEFAULT_MAX_TOKENS, hubModelFacts } from "../hub/catalog.ts";
import { findLocalModel, fingerprint } from "../hub/local.ts";
import { loadHubRuntime, requireHubRuntime } from "../hub/runtime.ts";
import type { SupportPair, SupportScorer } from "../support.ts";
import { type HubOptions, once, tensorOf } from "./hub.ts";

const configSchema = z.object({ id2label: z.record(z.string(), z.string()).optional() });
/** How models name the class that says yes. */
const YES = /^(?:entail\w*|support\w*|consistent|factual|faithful|label_1|1)$/i;
const NO = /^(?:not[_ -]?|un|non|in)/i;

/**
 * A model from the hub that reads evidence and claim together and gives one logit (HHEM class), or one per class (MiniCheck and NLI classes; the
 * class that says yes is named by the model's own `config.json`). Each text of the evidence is read by itself and the best counts, as MiniCheck
 * does with chunks (Tang et al., EMNLP 2024). It names no spans.
 * @throws ModelError `hub_runtime_missing`, `hub_model_missing` with the command that helps, `hub_model_damaged` when no class says yes
 */
export function createHubSupportScorer(name: string, { modelsDir, runtimeDirs, dtype = DEFAULT_DTYPE }: HubOptions): SupportScorer {
  const runtimeFile = requireHubRuntime(runtimeDirs);
  const local = findLocalModel(modelsDir, name, dtype);
  const facts = hubModelFacts(name);
  const yes = yesClass(local.folder);
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

  async function best({ claim, evidence }: SupportPair, signal: AbortSignal | undefined): Promise<number> {
    const { tokenizer, model } = await load();
    let most = 0;
    for (const text of evidence) {
      signal?.throwIfAborted();
      if (!hasWord(text)) continue;
      const inputs = tokenizer([text], {
        text_pair: [claim],
        padding: true,
        truncation: true,
        max_length: facts?.maxTokens ?? DEFAULT_MAX_TOKENS,
      });
      most = Math.max(most, chanceOf(tensorOf(await model(inputs), ["logits"]).data, yes));
    }
    return most;
  }

  return {
    id: `hub/${facts?.name ?? name}/${dtype}/${fingerprint(local.folder, dtype)}`,
    async score(pairs, { signal, onFailure } = {}) {
      signal?.throwIfAborted();
      if (pairs.length === 0) return [];
      await load().catch((cause: unknown) => {
        const message = `Support model "${name}" in ${local.folder} failed: ${messageOf(cause)}`;
        throw new ModelError("support_failed", message, { model: name }, { cause });
      });
      const scores = [];
      for (const pair of pairs) {
        signal?.throwIfAborted();
        if (!hasWord(pair.claim) || !pair.evidence.some(hasWord)) {
          scores.push(null);
          continue;
        }
        try {
          const score = await best(pair, signal);
          scores.push({ score, spans: [], reason: `${facts?.name ?? name} gives ${score.toFixed(2)}.` });
        } catch (cause) {
          signal?.throwIfAborted();
          onFailure?.(`Support model "${name}" failed: ${messageOf(cause)}`);
          scores.push(null);
        }
      }
      return scores;
    },
  };
}

function hasWord(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** Index of the class that says yes; `null` for a model with one logit. */
function yesClass(folder: string): number | null {
  const parsed = configSchema.safeParse(JSON.parse(readFileSync(join(folder, "config.json"), "utf8")));
  const labels = Object.entries(parsed.success ? (parsed.data.id2label ?? {}) : {});
  if (labels.length <= 1) return null;
  const found = labels.find(([, label]) => YES.test(label) && !NO.test(label.replace(/^inf/i, "")));
  if (found === undefined) {
    const message = `No class of the model in ${folder} says that a claim is supported (${labels.map(([, label]) => label).join(", ")}): choose a model for entailment or factual consistency.`;
    throw new ModelError("hub_model_damaged", message, { folder });
  }
  return Number(found[0]);
}

/** Logistic of one logit, softmax of more. @throws Error when a logit is not finite or the class is not there */
function chanceOf(data: ArrayLike<number | bigint>, yes: number | null): number {
  const logits = Array.from(data, Number);
  const wanted = yes === null ? 1 : yes + 1;
  if (logits.length < wanted || (yes === null && logits.length !== 1) || !logits.every(Number.isFinite)) {
    throw new Error(`finite logits are needed, class ${yes ?? 0} among them; ${logits.length} values came, first ${logits[0]}`);
  }
  if (yes === null) return 1 / (1 + Math.exp(-(logits[0] as number)));
  const top = Math.max(...logits);
  const parts = logits.map((value) => Math.exp(value - top));
  return (parts[yes] as number) / parts.reduce((sum, value) => sum + value, 0);
}
