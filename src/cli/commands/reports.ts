import { InvalidArgumentError } from "commander";
import type { Engine, ReportOptions } from "../../engine/engine.ts";
import type { ReportOverview, TopicOverview } from "../../memory/recommend.ts";
import { DEFAULT_REPORT_DAYS } from "../../shared/config.ts";
import { toSnakeCase } from "../../text/validate.ts";
import { DOMAIN, define, JSON_OUT, printResult, renderRecord, toWhole } from "../command.ts";

const OF_TENANT = ["--tenant <name>", "reports of this tenant"] as const;

export const addReportsCommand = define("reports", {
  description: "show what the documents lack: questions refused, answered with low confidence or answered with a warning, by topic",
  options: [
    DOMAIN,
    OF_TENANT,
    ["--topic <slug>", "only reports about this topic of the domain pack; `none`: reports of questions without a topic"],
    ["--since <date>", "only reports since this day (YYYY-MM-DD)", { parse: parseDay }],
    ["--limit <n>", "number of reports listed below the topics, newest first (default 10)", { parse: toWhole }],
    ["--offset <n>", "number of reports to skip", { parse: toWhole }],
    JSON_OUT,
  ],
  help: `
A report is created when a question is refused, is answered with low confidence, or a check warns or leaves a sentence out. Advice marked as a
heuristic follows a rule and may be wrong. Reports are kept for \`reports.days\` (default: ${DEFAULT_REPORT_DAYS} days), without
recognised personal data.

Examples:
  sourcebound reports
  sourcebound reports --topic pension --since 2026-11-01
  sourcebound reports show 7c9e6679-7425-40de-944b-e07fc1f90ae7`,
  async use(engine, { flags: { json, topic, ...flags }, terminal, signal }) {
    const overview = await engine.reports({ ...flags, topic: topic === "none" ? null : topic, signal });
    const text = () => (overview.total > 0 ? renderRecord(summaryOf(overview)) : terminal.asTyped(emptyText({ ...flags, topic }, engine)));
    printResult(terminal, json, toSnakeCase(overview), text);
  },
  commands: [
    define("show", {
      description: "show one report in full",
      argument: ["<id>", "id of the report or of its answer"],
      options: [DOMAIN, OF_TENANT, JSON_OUT],
      async use(engine, { given, command, terminal }) {
        // The parent command has the same options, and Commander then assigns their values to the parent.
        const { json, domain, tenant } = command.optsWithGlobals<{ json?: boolean; domain?: string; tenant?: string }>();
        printResult(terminal, json, toSnakeCase(await engine.report(given, { domain, tenant })));
      },
    }),
  ],
});

/** Explains why no reports are listed, and what to do. */
function emptyText({ topic, since, tenant, domain }: ReportOptions, { config }: Engine): string {
  const narrowed = [...(topic === undefined ? [] : ["--topic"]), ...(since === undefined ? [] : ["--since"])];
  const scope = `domain "${domain ?? config.domain}"${tenant === undefined ? "" : `, tenant "${tenant}"`}`;
  if (narrowed.length > 0) return `No report in ${scope} matches. Omit ${narrowed.join(" and ")} to see all reports.`;
  if (!config.reports.enabled)
    return `There are no reports in ${scope}, because they are disabled. To get reports of future questions, set \`reports.enabled: true\`.`;
  return `There are no reports in ${scope} from the last ${config.reports.days} days. A report is created when a question is refused, answered with low confidence or answered with a warning:\n  sourcebound ask${domain === undefined ? "" : ` --domain ${domain}`} "…"`;
}

function parseDay(text: string): Date {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : new Date(Number.NaN);
  // `Date` turns a nonexistent day into another one, e.g. 2026-02-30 into 2026-03-02.
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(text)) throw new InvalidArgumentError("Use a day such as 2026-11-01.");
  return day;
}

/** Summarises reports: groups by topic with their advice, then the newest questions. A question whose text is not stored is "". */
export function summaryOf({ total, topics, reports }: ReportOverview) {
  const advice = ({ recommendations }: TopicOverview) =>
    recommendations.map(({ reports: n, basis, text, kind }) => `${n} × ${text === "" ? kind.replaceAll("_", " ") : text} (${basis})`);
  return {
    reports: total,
    topics: topics.map((one) => {
      const { topic, name, reports: n, refused, meanConfidence, missing } = one;
      const words = missing.map(({ text, reports: times }) => `${text} (${times})`);
      return { topic, name, reports: n, refused, mean_confidence: meanConfidence, in_no_retrieved_passage: words, advice: advice(one) };
    }),
    newest: reports.map(({ id, createdAt, topic, question, report: { confidence } }) => {
      return { id, at: createdAt, topic, confidence, question: question.slice(0, QUESTION_CHARACTERS) };
    }),
  };
}

/** Maximum characters of a displayed question. */
const QUESTION_CHARACTERS = 160;
