import type {
  CheckIssue,
  DiagnosticReport,
  ReportCause,
  ReportedPassage,
  ReportOverview,
  StoredReport,
  TopicOverview,
} from "../store/diagnostic-report.ts";
import { harmless, harmlessLine } from "./harmless.ts";
import type { Terminal } from "./terminal.ts";

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
