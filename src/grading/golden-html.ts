import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { escapeUTF8 } from "entities";
import { PACKAGE_ROOT } from "../package.ts";
import { describeItem, type GoldenItem, SCORE_NAMES, verdictOf } from "./golden-item.ts";
import { type Change, goldenTable } from "./golden-report.ts";
import { decimal, type Report, type TableRow } from "./report.ts";

/** Matches control characters, and characters that override the text direction. */
const UNSAFE = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Escapes untrusted text for HTML, including quoted attributes. */
export function html(text: string): string {
  return escapeUTF8(text.replaceAll(UNSAFE, "\ufffd"));
}

interface DrawnReport {
  readonly report: Report;
  readonly items: readonly GoldenItem[];
  /** Changes since an earlier run; `null`: no comparison. */
  readonly changes: readonly Change[] | null;
}

/**
 * Renders a run as one HTML page from `golden.html`: metrics with n and intervals, and every question with its details.
 * The page's content security policy allows only its own style, so that injected text can neither load nor run anything.
 */
export function renderGoldenHtml({ report, items, changes }: DrawnReport): string {
  const template = readFileSync(join(PACKAGE_ROOT, "src/grading/golden.html"), "utf8");
  const style = /<style>(.*?)<\/style>/s.exec(template)?.[1] ?? "";
  const slots: Readonly<Record<string, string>> = {
    style: createHash("sha256").update(style).digest("base64"),
    command: html(report.command),
    asked: `${items.length} of ${report.n.questions ?? items.length}`,
    date: html(report.date),
    versions: `sourcebound ${html(report.versions.sourcebound ?? "")} · Node ${html(report.versions.node ?? "")}`,
    corpus: `${report.n.documents} documents, ${report.n.chunks} chunks`,
    figures: figureTable(goldenTable(items, report.timings, changes)),
    questions: items.map((item) => renderQuestion(item, report.timings[`${item.domain}/${item.id}`] ?? null)).join("\n"),
  };
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, slot: string) => slots[slot] ?? "");
}

function figureTable(rows: readonly TableRow[]): string {
  const heads = ["figure", "value", "95 % interval", "note"].map((head) => `<th>${head}</th>`).join("");
  const cells = rows.map(
    ({ name, figure, interval = "", note = "" }) =>
      `<tr><td class="mono">${html(name)}</td><td class="n">${html(figure)}</td><td class="n">${html(interval)}</td><td class="soft">${html(note)}</td></tr>`,
  );
  return `<div class="scroll" tabindex="0"><table><thead><tr>${heads}</tr></thead><tbody>${cells.join("")}</tbody></table></div>`;
}

/** Renders one question, collapsed. */
function renderQuestion(item: GoldenItem, latencyMs: number | null): string {
  const { words, style } = verdictOf(item);
  const faulty = item.faults.some(({ fault }) => fault !== "unscored") ? " faulty" : "";
  const refused = item.shown ? "" : " refused";
  return [
    `<details class="${style}${refused}${faulty}"><summary><span class="verdict ${style}">${html(words)}</span><span dir="auto">${html(item.question)}</span><span class="soft mono">${html(item.id)}</span></summary><div>`,
    facts(item, latencyMs),
    section("Answer", "ul", answerOf(item)),
    section("Cited", "ol", citedIn(item)),
    section("Expected answer", "ul", goldOf(item)),
    section("Scores", "ul", scoresOf(item)),
    section("Live metrics", "ul", liveOf(item)),
    section("Retrieved passages", "ol", retrievedOf(item)),
    "</div></details>",
  ].join("");
}

function citedIn({ citations }: GoldenItem): string[] {
  return citations.map(({ n, path, heading, quote }) => {
    const place = `${html(path)}${heading === "" ? "" : ` › ${html(heading)}`}`;
    return `<b>[${n}]</b> <q dir="auto">${html(quote)}</q> <span class="soft mono">${place}</span>`;
  });
}

function facts(item: GoldenItem, latencyMs: number | null): string {
  const parts = [
    item.kind.replaceAll("_", " "),
    ...describeItem(item),
    ...(latencyMs === null ? [] : [`${latencyMs.toFixed(0)} ms`]),
    item.cost_usd === null ? "cost unknown" : `$${item.cost_usd.toFixed(5)}`,
  ];
  return `<p class="soft">${html(parts.join(" · "))}</p>`;
}

function answerOf({ sentences, faults }: GoldenItem): string[] {
  return sentences.map(({ text, citations }, i) => {
    const fault = faults.find(({ sentence }) => sentence === i);
    const line = `<span dir="auto">${html(text)}</span> ${citations.map((n) => `[${n}]`).join("")}`;
    if (fault === undefined) return line;
    const style = fault.fault === "unscored" ? "soft" : "fault";
    return `${line}<br><span class="${style}">${html(fault.fault ?? "")}: ${html(fault.reason)}</span>`;
  });
}

function goldOf({ gold: { answer, quotes, pages } }: GoldenItem): string[] {
  return [
    ...(answer === "" ? [] : [`<span dir="auto">${html(answer)}</span>`]),
    ...quotes.map((quote) => `<q dir="auto">${html(quote)}</q>`),
    ...(pages.length === 0 ? [] : [`<span class="mono soft">${html(pages.join(", "))}</span>`]),
  ];
}

function scoresOf({ scores, unscored }: GoldenItem): string[] {
  return SCORE_NAMES.flatMap((name) => {
    const value = scores[name];
    if (value === undefined) return [];
    const scoreText = value === null ? `not scored (${html(unscored[name] ?? "")})` : `<b>${decimal(value)}</b>`;
    return [`${html(name.replaceAll("_", " "))}: ${scoreText}`];
  });
}

function liveOf({ report }: GoldenItem): string[] {
  return Object.entries(report?.metrics ?? {}).map(([name, { passed, score, threshold, reason }]) => {
    const verdict = passed === null ? "not determined" : passed ? "pass" : "fail";
    return `${html(name)}: <b>${verdict}</b>${score === null ? "" : ` ${decimal(score)}`}${threshold === null ? "" : ` (threshold ${html(String(threshold))})`} <span class="soft">${html(reason)}</span>`;
  });
}

function retrievedOf({ retrieved }: GoldenItem): string[] {
  return retrieved.map(
    ({ path, start, end, title, heading, verdict, score, gold }) =>
      `${html(title)}${heading === "" ? "" : ` › ${html(heading)}`} <span class="soft mono">${html(path)} ${start}–${end}</span> ${verdict} ${decimal(score)}${gold === true ? " <b>gold</b>" : ""}`,
  );
}

function section(title: string, list: "ul" | "ol", lines: readonly string[]): string {
  return lines.length === 0 ? "" : `<h3>${title}</h3><${list}>${lines.map((line) => `<li>${line}</li>`).join("")}</${list}>`;
}
