import type { Command } from "commander";
import type { ExperimentReport, GuardrailState, VariantReport } from "../../experiments/report.ts";
import { experimentToWire } from "../../wire/reports.ts";
import type { CliContext } from "../context.ts";
import { configOf, withEngine } from "../open.ts";
import type { Terminal } from "../terminal.ts";

export function addExperimentsCommand(program: Command, context: CliContext): void {
  const { terminal } = context;
  program
    .command("experiments")
    .description("what trials of settings have come to: intervals and a plain verdict")
    .argument("[name]", "one of them, by its name in the configuration; all when absent")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Experiments are set in the configuration (\`experiments\`) and run while \`serve\` answers; docs/experiments.md says how.

Examples:
  sourcebound experiments
  sourcebound experiments lower-threshold
  sourcebound experiments lower-threshold --json | jq .verdict.code`,
    )
    .action(async (name: string | undefined, { json }: { json?: boolean }, command: Command) => {
      await withEngine(context, configOf(context, command), async (engine) => {
        const { reportExperiments, reportOf } = await import("../../experiments/experiments.ts");
        const reports = name === undefined ? await reportExperiments(engine) : [await reportOf(engine, name)];
        if (json)
          return terminal.print(JSON.stringify(name === undefined ? reports.map(experimentToWire) : reports.map(experimentToWire)[0]));
        if (reports.length === 0) terminal.error("No experiment is configured: docs/experiments.md says how to begin one.");
        for (const report of reports) terminal.print(renderExperiment(report, terminal.colors));
      });
    });
}

function renderExperiment(
  { name, metric, better, planned, intervals, variants, verdict }: ExperimentReport,
  colors: Terminal["colors"],
): string {
  const how = intervals === "fixed" ? "of the planned size" : "hold however often one looks";
  return [
    colors.bold(`${name}: ${metric}, ${better} is better, ${planned} sessions a variant; intervals ${how}`),
    ...variants.flatMap(renderVariant),
    verdict.text,
    "",
  ].join("\n");
}

function renderVariant({ name, sessions, assigned, questions, compared, guardrails }: VariantReport): string[] {
  const counts = `${sessions} sessions${assigned > sessions ? ` (of ${assigned})` : ""}, ${questions} questions`;
  const against = compared === null ? "" : `; ${figure(compared.mean)} against ${figure(compared.control)}: ${interval(compared)}`;
  const guarded = ({ metric, margin, state, ...one }: GuardrailState) =>
    `    guardrail ${metric}: ${interval(one)}, at most ${margin}: ${state}`;
  return [`  ${name.padEnd(20)} ${counts}${against}`, ...guardrails.map(guarded)];
}

function interval({ difference, low, high }: { difference: number; low: number; high: number }): string {
  return `${difference > 0 ? "+" : ""}${figure(difference)} [${figure(low)}, ${figure(high)}]`;
}

function figure(value: number): string {
  return String(Number(value.toPrecision(3)));
}
