import { type Command, InvalidArgumentError } from "commander";
import { DEFAULT_REPORT_DAYS } from "../../config.ts";
import type { Engine } from "../../engine/engine.ts";
import { toSnakeCase } from "../../text/snake-case.ts";
import type { CliContext } from "../context.ts";
import { configOf, withEngine } from "../open.ts";
import { renderOverview, renderReport } from "../render-report.ts";

interface ReportsFlags {
  domain?: string;
  tenant?: string;
  topic?: string;
  since?: Date;
  limit?: number;
  offset?: number;
  json?: boolean;
}

export function addReportsCommand(program: Command, context: CliContext): void {
  const { terminal, signal } = context;
  const reports = program
    .command("reports")
    .description("what the documents lack: questions refused, answered with low confidence or warned about, by topic")
    .option("--domain <name>", "body of knowledge")
    .option("--tenant <name>", "reports of this party inside the domain")
    .option("--topic <slug>", "only this topic of the domain pack; `none`: questions without one")
    .option("--since <date>", "not older than this day (YYYY-MM-DD)", parseDay)
    .option("--limit <n>", "reports listed below the topics, newest first (default 10)", parseCount)
    .option("--offset <n>", "reports passed over before those that are listed", parseCount)
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
A report is made when a question is refused, is answered with low confidence, or a check warns or leaves a sentence out. Advice marked as a
heuristic is a guess by rule. Reports are kept for \`reports.days\` (${DEFAULT_REPORT_DAYS}), without personal data as far as that is recognised.

Examples:
  sourcebound reports
  sourcebound reports --topic pension --since 2026-11-01
  sourcebound reports --limit 50 --offset 50
  sourcebound reports --json | jq '.topics[].missing'
  sourcebound reports show 7c9e6679-7425-40de-944b-e07fc1f90ae7`,
    )
    .action(async ({ json, topic, ...flags }: ReportsFlags, command: Command) => {
      await withEngine(context, configOf(context, command), async (engine) => {
        const overview = await engine.reports({ ...flags, topic: topic === "none" ? null : topic, signal });
        if (json) terminal.print(JSON.stringify(toSnakeCase(overview), null, 2));
        else if (overview.total > 0) terminal.print(renderOverview(overview, terminal));
        else terminal.print(terminal.asTyped(emptyText({ ...flags, ...(topic === undefined ? {} : { topic }) }, engine)));
      });
    });
  reports
    .command("show")
    .description("one report in full")
    .argument("<id>", "id of the report, or of the answer that it belongs to")
    .option("--domain <name>", "body of knowledge")
    .option("--tenant <name>", "reports of this party inside the domain")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Examples:
  sourcebound reports show 7c9e6679-7425-40de-944b-e07fc1f90ae7
  sourcebound reports show --json 7c9e6679-7425-40de-944b-e07fc1f90ae7 | jq .report.recommendations`,
    )
    .action(async (id: string, _flags: unknown, command: Command) => {
      const { json, domain, tenant } = command.optsWithGlobals<ReportsFlags>();
      await withEngine(context, configOf(context, command), async (engine) => {
        const report = await engine.report(id, { domain, tenant });
        terminal.print(json ? JSON.stringify(toSnakeCase(report), null, 2) : renderReport(report, terminal.colors));
      });
    });
}

/** What to do where nothing is listed. */
function emptyText({ topic, since, tenant, domain }: ReportsFlags, { config }: Engine): string {
  const narrowed = [...(topic === undefined ? [] : ["--topic"]), ...(since === undefined ? [] : ["--since"])];
  const where = `domain "${domain ?? config.domain}"${tenant === undefined ? "" : `, tenant "${tenant}"`}`;
  if (narrowed.length > 0) return `No report matches in ${where}. Leave ${narrowed.join(" and ")} out to see all.`;
  if (!config.reports.enabled) return `No reports in ${where}: they are switched off (\`reports.enabled: false\`).`;
  return `No reports in ${where} of the last ${config.reports.days} days. A question that is refused, answered with low confidence or warned about makes one:\n  sourcebound ask "…"`;
}

function parseCount(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError("It must be a whole number from 0 to 999999.");
  return Number(text);
}

function parseDay(text: string): Date {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : new Date(Number.NaN);
  // A day that does not exist rolls over into the next month.
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(text))
    throw new InvalidArgumentError("It must be a day such as 2026-11-01.");
  return day;
}
