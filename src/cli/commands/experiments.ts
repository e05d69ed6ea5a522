import type { Command } from "commander";
import type { ExperimentReport, GuardrailState, VariantReport } from "../../experiments/report.ts";
import { experimentToWire } from "../../wire/reports.ts";
import { define, JSON_OUT } from "../command.ts";
import type { CliContext } from "../context.ts";
import type { Terminal } from "../terminal.ts";

export function addExperimentsCommand(program: Command, context: CliContext): void {
  const { terminal } = context;
  define(program, context, "experiments", {
    description: "what trials of settings have come to: intervals and a plain verdict",
    argument: ["[name]", "one of them, by its name in the configuration; all when absent"],
    options: [JSON_OUT],
    help: `
Experiments are set in the configuration (\`experiments\`) and run while \`serve\` answers; docs/experiments.md says how.

Examples:
  sourcebound experiments
  sourcebound experiments lower-threshold
  sourcebound experiments lower-threshold --json | jq .verdict.code`,
    async use(engine, { flags: { json }, given: name }) {
      const { reportExperiments, reportOf } = await import("../../experiments/experiments.ts");
      const reports = name === undefined ? await reportExperiments(engine) : [await reportOf(engine, name)];
      const wire = reports.map(experimentToWire);
      if (json) return terminal.print(JSON.stringify(name === undefined ? wire : wire[0]));
      if (reports.length === 0) terminal.error("No experiment is configured: docs/experiments.md says how to begin one.");
      for (const report of reports) terminal.print(renderExperiment(report, terminal.colors));
    },
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
