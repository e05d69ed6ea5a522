import type { Command } from "commander";
import { define, JSON_OUT, printResult } from "../command.ts";
import type { CliContext } from "../context.ts";

export function addExperimentsCommand(program: Command, context: CliContext): void {
  const { terminal } = context;
  define(program, context, "experiments", {
    description: "what trials of settings have come to: intervals and a plain verdict",
    argument: ["[name]", "one of them, by its name in the configuration; all when absent"],
    options: [JSON_OUT],
    help: `
Experiments are set in the configuration (\`experiments\`) and run while \`serve\` answers; docs/experiments.md says how.

Examples:
  sourcebound experiments lower-threshold
  sourcebound experiments lower-threshold --json | jq .verdict.code`,
    async use(engine, { flags: { json }, given: name }) {
      const { reportExperiments, reportOf } = await import("../../experiments/experiments.ts");
      const reports = name === undefined ? await reportExperiments(engine) : [await reportOf(engine, name)];
      if (reports.length === 0) terminal.error("No experiment is configured: docs/experiments.md says how to begin one.");
      printResult(terminal, json, name === undefined ? reports : reports[0]);
    },
  });
}
