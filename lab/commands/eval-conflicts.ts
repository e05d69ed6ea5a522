import type { Command } from "commander";
import type { CliContext } from "../../src/cli/context.ts";
import { showEvaluation } from "./show-evaluation.ts";

interface ConflictsFlags {
  corpus: string;
  golden: string;
  data?: string;
  json?: string;
}

export function addEvalConflictsCommand(evaluate: Command, context: CliContext): void {
  evaluate
    .command("conflicts")
    .description(
      "contradicting passage pairs found, others flagged; a scan of the corpus to be read; with --data, passages made to contradict",
    )
    .requiredOption("--corpus <folder>", "folder with `pages/`")
    .requiredOption("--golden <folder>", "folder with va-conflicts*.jsonl")
    .option("--data <folder>", "folder of further sets: policyqa, medquad")
    .option("--json <file>", "write the whole report")
    .addHelpText("after", "\nExample:\n  sourcebound eval conflicts --golden data/va-golden --corpus data/va-pages")
    .action(async ({ json, ...flags }: ConflictsFlags) => {
      const { evaluateConflicts } = await import("../runs/conflicts.ts");
      const data = flags.data === undefined ? "" : ` --data ${flags.data}`;
      const command = `eval conflicts --golden ${flags.golden} --corpus ${flags.corpus}${data}`;
      await showEvaluation(evaluateConflicts({ ...flags, command, signal: context.signal }), json, context);
    });
}
