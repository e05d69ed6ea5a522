import type { Command } from "commander";
import type { CliContext } from "../../src/cli/context.ts";
import { configOf } from "../../src/cli/open.ts";
import { showEvaluation } from "./show-evaluation.ts";

interface RefusalFlags {
  corpus?: string;
  golden?: string;
  data?: string;
  json?: string;
}

export function addEvalRefusalCommand(evaluate: Command, context: CliContext): void {
  evaluate
    .command("refusal")
    .description(
      "questions that the documents answer against those that they do not: how well the gate tells them apart, beside cosine and BM25",
    )
    .option("--corpus <folder>", "folder with `pages/`")
    .option("--golden <folder>", "folder with va-answerable*.jsonl and va-unanswerable*.jsonl")
    .option("--data <folder>", "folder of sets: clapnq, mtrag")
    .option("--json <file>", "write the whole report")
    .addHelpText("after", "\nExample:\n  sourcebound eval refusal --corpus data/va-pages --golden data/va-golden --data data")
    .action(async ({ json, ...options }: RefusalFlags, command: Command) => {
      const given = Object.entries(options).map(([name, value]) => ` --${name} ${value}`);
      // Loaded only now: help and wrong usage answer without the index.
      const { evaluateRefusal } = await import("../runs/refusal.ts");
      const line = `eval refusal${given.join("")}`;
      await showEvaluation(
        evaluateRefusal({
          ...options,
          config: configOf(context, command, {}, { domain: "veterans" }),
          command: line,
          signal: context.signal,
        }),
        json,
        context,
      );
    });
}
