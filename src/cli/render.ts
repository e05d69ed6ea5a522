import { labelRule } from "../evidence/conflicts.ts";
import type { Answer, Searched, SeeAlso, WebEvidence } from "../shared/types.ts";
import { labelOriginal } from "../text/original-place.ts";
import { conflictToWire } from "../wire/answer-to-wire.ts";
import { type Disagreement, fitOf, joinConflicts } from "../wire/display.ts";
import { lineText } from "../writing/lines.ts";
import { answerLines as displayed, doubtsAt, labelPlace } from "../writing/render.ts";
import { counted, harmless, harmlessLine, type Terminal } from "./terminal.ts";

/** Codes of warnings about conflicts. They are not printed, because the conflicts themselves are. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set(["conflict", "conflict_resolved"]);

/**
 * Renders an answer with `[n]`, warnings and numbered sources, or a refusal with what was searched.
 * @param asTyped replaces `sourcebound` in a text by the command that the user types
 */
export function renderAnswer(answer: Answer, colors: Terminal["colors"], asTyped: Terminal["asTyped"] = (text) => text): string {
  const { filters } = answer;
  const general = answer.warnings.filter(({ sentence, code }) => sentence === undefined && !SHOWN_ELSEWHERE.has(code));
  const lines: string[] = general.map(({ message }) => colors.yellow(`! ${harmless(message)}`));
  if (lines.length > 0) lines.push("");
  lines.push(...(answer.refusal === null ? answerLines(answer, colors) : refusalLines(answer.refusal, colors, asTyped)));
  if (answer.web !== undefined) lines.push(...webLines(answer.web, colors));
  if (answer.report !== undefined) lines.push(...reportLines(answer.report, colors));
  // Confidence is about the text of an answer, so a refusal has none.
  const said = answer.refusal === null && answer.confidence !== null;
  const confidence = said ? `${asTyped(labelConfidence(answer.confidence, answer))}, ` : "";
  if (filters !== undefined) lines.push("", colors.dim(`searched in ${harmlessLine(filters.searchedIn)}`));
  if (answer.cached !== undefined) lines.push("", colors.dim(cachedLine(answer.cacheMode, answer.cached)));
  // A model's sentences are never called supported, because the checks miss faults.
  const advice = answer.cacheMode === "curated" ? "" : " (checks miss faults: compare the quotes)";
  const how = answer.model === "extractive" ? `${selectedBy(answer)}quoted verbatim` : `written by ${answer.model}${advice}`;
  const writer = answer.refusal === null ? `${how}, ` : "";
  lines.push("", colors.dim(`${confidence}${writer}${answer.latencyMs.toFixed(0)} ms`));
  return lines.join("\n");
}

/** Names the model that selected the quotes. Says nothing if a model also wrote, because quotes may then be chosen by rules. */
function selectedBy({ calls, warnings }: Answer): string {
  const [selecting, ...others] = calls.filter(({ stage }) => stage === "compress" || stage === "write");
  const isSelected = selecting?.stage === "compress" && others.length === 0 && warnings.every(({ code }) => code !== "model_failed");
  return isSelected ? `selected by ${selecting.model}, ` : "";
}

function reportLines({ overallPass, metrics }: NonNullable<Answer["report"]>, colors: Terminal["colors"]): string[] {
  const of = (passed: boolean | null, [yes, no, untold]: readonly [string, string, string]) =>
    passed === null ? colors.dim(untold) : passed ? colors.green(yes) : colors.yellow(no);
  const lines = Object.entries(metrics).map(
    ([name, { passed, reason }]) => `  ${of(passed, ["pass", "fail", "–   "])}  ${name}: ${harmlessLine(reason)}`,
  );
  return ["", `${colors.bold("Graded:")} ${of(overallPass, ["passed", "failed", "not determined"])}`, ...lines];
}

/** Describes a confidence in words. An uncalibrated one is no probability, so it is not printed as a number. */
function labelConfidence(confidence: number, { confidenceCalibrated: calibrated, profile }: Answer): string {
  const percent = Math.min(99, Math.max(1, Math.round(100 * confidence)));
  if (calibrated) return `about ${percent} of 100 such answers are correct, as measured on labelled questions`;
  const fit = fitOf(confidence, profile);
  if (fit === null) return "confidence not measured";
  return `the sources match the question ${fit} (confidence not calibrated; run \`sourcebound calibrate --risk .05\` with labelled questions)`;
}

function cachedLine(mode: Answer["cacheMode"], { question, storedAt }: NonNullable<Answer["cached"]>): string {
  const askedQuestion = question === null ? "this question" : `"${harmlessLine(question)}"`;
  if (mode === "curated") return `a reviewer's answer to ${askedQuestion}, stored on ${storedAt.slice(0, 10)} and checked again just now`;
  return `from the ${mode} cache: the answer to ${askedQuestion}, stored on ${storedAt.slice(0, 10)} and checked again just now`;
}

function answerLines(answer: Answer, colors: Terminal["colors"]): string[] {
  const lines = displayed(answer).flatMap((line, i) => [
    `${harmless(lineText(line))} ${colors.cyan(line.citations.map((n) => `[${n}]`).join(""))}`,
    ...doubtsAt(answer, i).map((doubt) => colors.yellow(`  ! ${harmless(doubt)}`)),
  ]);
  lines.push("", colors.bold("Sources"));
  for (const { n, title, url, asOf, original, ...place } of answer.citations) {
    const name = harmlessLine(`${title}${labelPlace({ title, ...place })}`);
    lines.push(`${colors.cyan(`[${n}]`)} ${name}${asOf === null ? "" : `, as of ${asOf}`}`);
    lines.push(colors.dim(`    ${harmlessLine(`${original.path}, ${labelOriginal(original)}`)}`));
    if (url !== null) lines.push(`    ${harmlessLine(url)}`);
  }
  for (const one of joinConflicts(answer.conflicts.map(conflictToWire))) lines.push("", ...conflictLines(one, colors));
  if (answer.seeAlso !== undefined && answer.seeAlso !== null) lines.push("", ...seeAlsoLines(answer.seeAlso, colors));
  return lines;
}

/** Renders a conflict: for each side its value, document, date, sentence and offsets. */
export function conflictLines({ heading, sides, decidedBy }: Disagreement, colors: Terminal["colors"]): string[] {
  const lines = [colors.bold(harmlessLine(heading))];
  for (const { value, holds: isHolding, title, url, as_of: asOf, quote, start, end } of sides) {
    const said = value === null ? "" : `${colors.yellow(harmlessLine(value))} – `;
    const holds = isHolding ? colors.green(" (holds)") : "";
    lines.push(`  ${said}${harmlessLine(title)}, ${asOf === null ? "no date stated" : `as of ${asOf}`}${holds}`);
    lines.push(`    "${harmlessLine(quote)}"`, colors.dim(`    characters ${start}–${end}${url === null ? "" : `, ${harmlessLine(url)}`}`));
  }
  const all = sides.length === 2 ? "both" : "all";
  lines.push(
    decidedBy === null ? `  No rule decides which source takes precedence. Read ${all} sources.` : `  Decided by: ${labelRule(decidedBy)}`,
  );
  return lines;
}

/** Renders the results from the web, separate from the sources. */
function webLines(web: readonly WebEvidence[], colors: Terminal["colors"]): string[] {
  if (web.length === 0) return [];
  const lines = ["", colors.bold("On the web (not a source of this answer)")];
  for (const { sid, verdict, reason, pages } of web) {
    const color = verdict === "confirmed" ? colors.green : verdict === "contradicted" ? colors.yellow : colors.dim;
    lines.push(`  ${sid}: ${color(verdict)} – ${harmlessLine(reason)}`);
    for (const page of pages) {
      lines.push(`    ${page.verdict === "confirmed" ? "confirms it" : "contradicts it"}: "${harmlessLine(page.quote)}"`);
      lines.push(colors.dim(`    ${harmlessLine(page.title)}, ${harmlessLine(page.url)}, retrieved on ${page.retrievedAt.slice(0, 10)}`));
    }
  }
  return lines;
}

function seeAlsoLines({ title, heading, url }: SeeAlso, colors: Terminal["colors"]): string[] {
  const part = heading === null || heading === title ? "" : ` – ${harmlessLine(heading)}`;
  return [`${colors.bold("See also")} ${harmlessLine(title)}${part}`, ...(url === null ? [] : [`    ${harmlessLine(url)}`])];
}

function refusalLines(refusal: NonNullable<Answer["refusal"]>, colors: Terminal["colors"], asTyped: Terminal["asTyped"]): string[] {
  const { note, searched, nearest, contacts } = refusal;
  const message = asTyped(refusal.message);
  // A greeting needs only one line. In a crisis, nothing may follow the message.
  if (refusal.reason === "small_talk" || refusal.reason === "crisis") return [harmlessLine(message)];
  const lines = [colors.bold(harmlessLine(message)), ...(note === "" ? [] : [note]), "", searchedLine(searched)];
  const { unreadable, unreadableCount } = searched;
  if (unreadableCount > 0) {
    const more = unreadableCount - unreadable.length;
    const names = unreadable.map(harmlessLine).join(", ");
    lines.push(`Files that could not be read and were not searched (${unreadableCount}): ${names}${more > 0 ? ` and ${more} more` : ""}.`);
  }
  if (nearest.length > 0) {
    lines.push("", "Nearest passages, which may not answer the question:");
    for (const { title, heading, url, original, quote, missing, missingValues } of nearest) {
      lines.push(`- ${harmlessLine(title)}${heading === null ? "" : ` – ${harmlessLine(heading)}`}`);
      if (quote !== null) lines.push(`  “${harmlessLine(quote)}”`);
      if (missing.length > 0) lines.push(`  words of the question that it lacks: ${missing.map(harmlessLine).join(", ")}`);
      if (missingValues.length > 0) lines.push(`  kinds of values asked for that it lacks: ${missingValues.join("; ")}`);
      lines.push(colors.dim(`  ${harmlessLine(`${original.path}, ${labelOriginal(original)}`)}`));
      if (url !== null) lines.push(`  ${harmlessLine(url)}`);
    }
  }
  if (contacts.length > 0) lines.push("", "You can also ask:", ...contacts.map(({ name, contact }) => `- ${name}: ${contact}`));
  return lines;
}

function searchedLine({ documents, chunks, revision, asOf, within }: Searched): string {
  const only = within === undefined ? "" : `, only within ${harmlessLine(within)}`;
  return `Searched ${counted(documents, "document")} (${counted(chunks, "passage")}, revision ${revision}${labelDates(asOf)})${only}.`;
}

/** Formats the dates of the documents: `, as of 2024-03-01 to 2026-01-15, 2 without a date`; "" if no document has a date. */
function labelDates({ from, to, undated }: Searched["asOf"]): string {
  if (from === null || to === null) return "";
  return `, as of ${from === to ? from : `${from} to ${to}`}${undated === 0 ? "" : `, ${undated} without a date`}`;
}
