import { type Command, InvalidArgumentError } from "commander";
import { DEFAULT_REPORT_DAYS } from "../../config.ts";
import type { Engine } from "../../engine/engine.ts";
import type {
  CheckIssue,
  DiagnosticReport,
  ReportCause,
  ReportedPassage,
  ReportOverview,
  StoredReport,
  TopicOverview,
} from "../../store/diagnostic-report.ts";
import { toSnakeCase } from "../../text/snake-case.ts";
import { DOMAIN, define, JSON_OUT, printResult, toWhole } from "../command.ts";
import type { CliContext } from "../context.ts";
import { harmless, harmlessLine, type Terminal } from "../terminal.ts";

const OF_TENANT = ["--tenant <name>", "reports of this party inside the domain"] as const;

export function addReportsCommand(program: Command, context: CliContext): void {
  const { terminal, signal } = context;
  const reports = define(program, context, "reports", {
    description: "what the documents lack: questions refused, answered with low confidence or warned about, by topic",
    options: [
      DOMAIN,
      OF_TENANT,
      ["--topic <slug>", "only this topic of the domain pack; `none`: questions without one"],
      ["--since <date>", "not older than this day (YYYY-MM-DD)", { parse: parseDay }],
      ["--limit <n>", "reports listed below the topics, newest first (default 10)", { parse: toWhole }],
      ["--offset <n>", "reports passed over before those that are listed", { parse: toWhole }],
      JSON_OUT,
    ],
    help: `
A report is made when a question is refused, is answered with low confidence, or a check warns or leaves a sentence out. Advice marked as a
heuristic is a guess by rule. Reports are kept for \`reports.days\` (${DEFAULT_REPORT_DAYS}), without personal data as far as that is recognised.

Examples:
  sourcebound reports
  sourcebound reports --topic pension --since 2026-11-01
  sourcebound reports --limit 50 --offset 50
  sourcebound reports --json | jq '.topics[].missing'
  sourcebound reports show 7c9e6679-7425-40de-944b-e07fc1f90ae7`,
    async use(engine, { flags: { json, topic, ...flags } }) {
      const overview = await engine.reports({ ...flags, topic: topic === "none" ? null : topic, signal });
      const text = () =>
        overview.total > 0 ? renderOverview(overview, terminal) : terminal.asTyped(emptyText({ ...flags, topic }, engine));
      printResult(terminal, json, toSnakeCase(overview), text);
    },
  });
  define(reports, context, "show", {
    description: "one report in full",
    argument: ["<id>", "id of the report, or of the answer that it belongs to"],
    options: [DOMAIN, OF_TENANT, JSON_OUT],
    help: `
Examples:
  sourcebound reports show 7c9e6679-7425-40de-944b-e07fc1f90ae7
  sourcebound reports show --json 7c9e6679-7425-40de-944b-e07fc1f90ae7 | jq .report.recommendations`,
    async use(engine, { given, command }) {
      // The options of the parent command are read as its own.
      const { json, domain, tenant } = command.optsWithGlobals<{ json?: boolean; domain?: string; tenant?: string }>();
      const report = await engine.report(given, { domain, tenant });
      printResult(terminal, json, toSnakeCase(report), () => renderReport(report, terminal.colors));
    },
  });
}

interface Narrowing {
  readonly topic: string | undefined;
  readonly since: Date | undefined;
  readonly tenant: string | undefined;
  readonly domain: string | undefined;
}

/** What to do where nothing is listed. */
function emptyText({ topic, since, tenant, domain }: Narrowing, { config }: Engine): string {
  const narrowed = [...(topic === undefined ? [] : ["--topic"]), ...(since === undefined ? [] : ["--since"])];
  const where = `domain "${domain ?? config.domain}"${tenant === undefined ? "" : `, tenant "${tenant}"`}`;
  if (narrowed.length > 0) return `No report matches in ${where}. Leave ${narrowed.join(" and ")} out to see all.`;
  if (!config.reports.enabled) return `No reports in ${where}: they are switched off (\`reports.enabled: false\`).`;
  return `No reports in ${where} of the last ${config.reports.days} days. A question that is refused, answered with low confidence or warned about makes one:\n  sourcebound ask "…"`;
}

function parseDay(text: string): Date {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : new Date(Number.NaN);
  // A day that does not exist rolls over into the next month.
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(text))
    throw new InvalidArgumentError("It must be a day such as 2026-11-01.");
  return day;
}

type Colors = Terminal["colors"];

const CAUSES: Readonly<Record<ReportCause, string>> = {
  refused: "refused",
  low_confidence: "answered with low confidence",
  checks: "a check found something",
};

/** Reports by topic, for deciding what to write next, and the newest ones. */
export function renderOverview(
  { total, topics, reports }: ReportOverview,
  { colors, asTyped }: Pick<Terminal, "colors" | "asTyped">,
): string {
  const lines = [`${total} ${total === 1 ? "report" : "reports"} on ${topics.length} ${topics.length === 1 ? "topic" : "topics"}`];
  for (const topic of topics) lines.push("", ...topicLines(topic, colors));
  if (reports.length > 0) lines.push("", colors.bold("Newest"));
  for (const { id, createdAt, topic, question, report } of reports) {
    lines.push(`  ${colors.cyan(id)}  ${timeOf(createdAt)}  ${confidenceOf(report.confidence)}  ${topic ?? "no topic"}`);
    lines.push(`    ${shortened(question)}`);
  }
  if (reports.length > 0) lines.push("", colors.dim(asTyped("`sourcebound reports show ID` shows one in full.")));
  return lines.join("\n");
}

function topicLines({ topic, name, reports, refused, meanConfidence, missing, recommendations }: TopicOverview, colors: Colors): string[] {
  const title = topic === null ? "No topic" : `${name ?? topic} (${topic})`;
  const lines = [
    `${colors.bold(title)}  ${reports} ${reports === 1 ? "report" : "reports"}, ${refused} refused, mean confidence ${confidenceOf(meanConfidence)}`,
  ];
  if (missing.length > 0)
    lines.push(
      `  found in no passage: ${missing.map(({ text, reports }) => `${colors.yellow(harmlessLine(text))} (${reports})`).join(", ")}`,
    );
  for (const { reports, basis, text, kind } of recommendations)
    lines.push(`  ${String(reports).padStart(4)} × ${adviceText(text, kind)}${basis === "heuristic" ? colors.dim(" (heuristic)") : ""}`);
  return lines;
}

/** One report in full. */
export function renderReport(
  { id, interactionId, createdAt, profile, topic, tenant, question, report }: StoredReport,
  colors: Colors,
): string {
  const { causes, confidence, headroom, reportBelow, refusal } = report;
  const heading = (text: string) => ["", colors.bold(text)];
  const margin = headroom === null ? "" : `, ${Math.abs(headroom).toFixed(2)} ${headroom < 0 ? "below" : "above"} the least that answers`;
  const below = reportBelow === null ? "" : `, reported below ${reportBelow.toFixed(2)}`;
  const lines = [
    `${colors.bold("Report")} ${id}`,
    `  answer ${interactionId}, ${timeOf(createdAt)}, profile ${profile}, ${topic ?? "no topic"}${tenant === null ? "" : `, tenant ${tenant}`}`,
    `  ${causes.map((cause) => CAUSES[cause]).join("; ")}${refusal === null ? "" : ` (${refusal.replaceAll("_", " ")})`}`,
    `  confidence ${confidenceOf(confidence)}${margin}${below}`,
    ...heading("Question"),
    `  ${question === "" ? colors.dim("(not kept)") : harmlessLine(question)}`,
    ...queryLines(report),
    ...heading(`Passages (${report.passages.length})`),
    ...(report.passages.length === 0 ? ["  none was found"] : report.passages.flatMap((passage) => passageLines(passage, colors))),
    ...heading("Gaps"),
    ...gapLines(report, colors),
  ];
  if (report.checks.length > 0) lines.push(...heading("Checks"), ...report.checks.flatMap(checkLines));
  lines.push(...heading("Recommendations"));
  if (report.recommendations.length === 0) lines.push("  none: no rule has advice for this");
  for (const { text, kind, basis } of report.recommendations)
    lines.push(`  - ${adviceText(text, kind)}${basis === "heuristic" ? colors.dim(" (heuristic)") : ""}`);
  return lines.join("\n");
}

function queryLines({ query }: DiagnosticReport): string[] {
  const { type, words, terms, codes, values, expects, repaired, expanded, topics, followUp, injectionSignals } = query;
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["terms", terms],
    ["codes", codes],
    ["values", values],
    ["asks for", expects.map((kinds) => kinds.join(" or "))],
    ["read as", repaired.map(({ written, read }) => `${written} → ${read}`)],
    ["also searched", expanded],
    ["topics", topics],
    ["looks like an order", injectionSignals],
  ];
  return [
    `  type ${type}, ${words} ${words === 1 ? "word" : "words"}${followUp ? ", read as a follow-up" : ""}`,
    ...rows.filter(([, items]) => items.length > 0).map(([name, items]) => `  ${name}: ${items.map(harmlessLine).join(", ")}`),
  ];
}

function passageLines(
  { sid, title, url, headingPath, verdict, score, scores, reason, topics, lacks, preview }: ReportedPassage,
  colors: Colors,
): string[] {
  const color = { verified: colors.green, uncertain: colors.yellow, rejected: colors.red }[verdict];
  const raw = Object.entries(scores).flatMap(([name, value]) => (value === null ? [] : [`${name} ${value.toFixed(3)}`]));
  const place = [title, ...headingPath.filter((heading) => heading !== title)].filter((part) => part !== "").map(harmlessLine);
  const lines = [
    `  ${sid} ${color(verdict)} ${score.toFixed(2)}  ${place.join(" › ")}`,
    colors.dim(`     ${raw.join(", ")}${topics.length === 0 ? "" : `; topics ${topics.join(", ")}`}`),
  ];
  if (reason !== "") lines.push(`     ${harmlessLine(reason)}`);
  if (lacks.length > 0) lines.push(`     lacks: ${lacks.map(harmlessLine).join(", ")}`);
  if (preview !== undefined)
    lines.push(preview === null ? colors.dim("     (changed since, or gone)") : colors.dim(`     "${shortened(preview)}"`));
  if (url !== null) lines.push(colors.dim(`     ${harmlessLine(url)}`));
  return lines;
}

function gapLines({ gaps }: DiagnosticReport, colors: Colors): string[] {
  const { missing, kinds, topics, unreadable, conflicts } = gaps;
  const lines = missing.map(
    ({ text, kind, inDocuments }) =>
      `  ${kind} ${text === "" ? colors.dim("(not kept)") : colors.yellow(harmlessLine(text))}: in no passage found, ${inDocuments ? "in other documents" : "in no document"}`,
  );
  for (const group of kinds)
    lines.push(`  no passage found holds a value of the kind asked for: ${group.join(" or ")}${colors.dim(" (heuristic)")}`);
  for (const { topic, inDocuments } of topics)
    lines.push(
      `  topic ${topic}: no passage found is on it, ${inDocuments ? "documents may be" : "and no document seems to be"}${colors.dim(" (heuristic)")}`,
    );
  if (unreadable.total > 0)
    lines.push(
      `  ${unreadable.total} ${unreadable.total === 1 ? "file" : "files"} could not be parsed: ${unreadable.paths.map(harmlessLine).join(", ")}${unreadable.total > unreadable.paths.length ? ", …" : ""}`,
    );
  for (const { about, values, titles, resolvedBy } of conflicts)
    lines.push(
      `  sources disagree about ${harmlessLine(about)}: "${harmlessLine(values[0])}" (${harmlessLine(titles[0])}), "${harmlessLine(values[1])}" (${harmlessLine(titles[1])})${resolvedBy === null ? "" : `, decided by ${resolvedBy}`}`,
    );
  return lines.length === 0 ? ["  none: what was asked stands in the passages found"] : lines;
}

function checkLines({ check, warned, leftOut, reasons }: CheckIssue): string[] {
  const counts = [warned > 0 ? `${warned} warned` : "", leftOut > 0 ? `${leftOut} left out` : ""].filter((part) => part !== "").join(", ");
  return [`  ${check}: ${counts}`, ...reasons.map((reason) => `     ${harmlessLine(reason)}`)];
}

/** Advice without its text, where none is kept, is named by its kind. */
function adviceText(text: string, kind: string): string {
  return text === "" ? kind.replaceAll("_", " ") : harmlessLine(text);
}

function confidenceOf(confidence: number | null): string {
  return confidence === null ? "–" : confidence.toFixed(2);
}

function timeOf(iso: string): string {
  return iso.slice(0, 16).replace("T", " ");
}

/** Characters of a question or passage on one line. */
const LINE_CHARACTERS = 160;

function shortened(text: string): string {
  const line = harmless(text).replaceAll(/\s+/g, " ").trim();
  return line.length > LINE_CHARACTERS ? `${line.slice(0, LINE_CHARACTERS - 1)}…` : line;
}
