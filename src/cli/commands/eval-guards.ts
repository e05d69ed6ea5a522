import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { showEvaluation } from "./show-evaluation.ts";

/** Measuring of the guards that look at text by itself. */
export function addEvalGuardsCommands(evaluate: Command, context: CliContext): void {
  evaluate
    .command("pii")
    .description("personal data found and false alarms by kind, on labelled sentences")
    .requiredOption("--data <folder>", "folder with synth_dataset*.jsonl, or with pii-presidio/")
    .option("--json <file>", "write the whole report")
    .action(async ({ data, json }: { data: string; json?: string }) => {
      const { evaluatePii } = await import("../../evaluate/pii.ts");
      await showEvaluation(evaluatePii({ data, command: `eval pii --data ${data}` }), json, context);
    });
  evaluate
    .command("injection")
    .description("orders in documents and questions caught, and benign text blocked")
    .requiredOption("--data <folder>", "folder with prompts*.jsonl, or with prompt-injection/")
    .option("--corpus <folder>", "folder with `pages/` whose sentences must not be blocked")
    .option("--json <file>", "write the whole report")
    .action(async ({ data, corpus, json }: { data: string; corpus?: string; json?: string }) => {
      const { evaluateInjection } = await import("../../evaluate/injection.ts");
      const command = `eval injection --data ${data}${corpus === undefined ? "" : ` --corpus ${corpus}`}`;
      await showEvaluation(evaluateInjection({ data, corpus, command }), json, context);
    });
}
