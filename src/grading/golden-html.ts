import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { escapeUTF8 } from "entities";
import { PACKAGE_ROOT } from "../package.ts";
import { type GoldenItem, SCORE_NAMES } from "./golden-item.ts";
import { type Change, type Count, countFaults, countGolden, countLive, meanScores } from "./golden-report.ts";
import { wilson } from "./metrics.ts";
import { decimal, type Report, signed } from "./report.ts";

/** A metric with its 95 % interval; `null`: not computed. */
interface PlottedFigure {
  readonly name: string;
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Such as `n 20`. */
  readonly note: string;
}

const WIDTH = 640;
const ROW = 26;
const LEFT = 190;
const RIGHT = 130;

/** Plots metrics on the axis from `from` to `to` as points with error bars, one per row. */
function plotIntervals(title: string, figures: readonly PlottedFigure[], [from, to]: readonly [number, number] = [0, 1]): string {
  const height = figures.length * ROW + 28;
  const x = (value: number) => LEFT + ((Math.min(to, Math.max(from, value)) - from) / (to - from)) * (WIDTH - LEFT - RIGHT);
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => from + share * (to - from));
  const grid = ticks.map(
    (value) =>
      `<line class="grid" x1="${x(value)}" x2="${x(value)}" y1="4" y2="${height - 20}"/><text class="tick" x="${x(value)}" y="${height - 6}" text-anchor="middle">${decimal(value)}</text>`,
  );
  const rows = figures.map(({ name, value, low, high, note }, i) => {
    const y = i * ROW + 18;
    const label = `<text x="${LEFT - 8}" y="${y + 4}" text-anchor="end">${html(name)}</text>`;
    if (value === null) return `${label}<text class="tick" x="${LEFT + 4}" y="${y + 4}">not scored</text>`;
    const whisker = low === null || high === null ? "" : `<line class="whisker" x1="${x(low)}" x2="${x(high)}" y1="${y}" y2="${y}"/>`;
    return `${label}${whisker}<circle class="point" cx="${x(value)}" cy="${y}" r="4.5"/><text class="tick" x="${WIDTH - RIGHT + 8}" y="${y + 4}">${decimal(value)} · ${html(note)}</text>`;
  });
  return figure(title, height, [...grid, ...rows].join(""));
}

/** A group of a stacked histogram. */
interface PlottedGroup {
  readonly name: string;
  /** CSS class. */
  readonly style: "right" | "wrong" | "plain";
  readonly values: readonly number[];
}

const BINS = 20;
const PLOT_HEIGHT = 170;

/** Plots a stacked histogram with twenty equal bins; empty if there are no values. */
function plotHistogram(title: string, groups: readonly PlottedGroup[], unit: string, most?: number): string {
  const all = groups.flatMap(({ values }) => values);
  if (all.length === 0) return "";
  const top = most ?? Math.max(...all, Number.MIN_VALUE);
  const binOf = (value: number) => Math.min(BINS - 1, Math.max(0, Math.floor((value / top) * BINS)));
  const counts = groups.map(({ values }) => {
    const bins = new Array<number>(BINS).fill(0);
    for (const value of values) bins[binOf(value)] = (bins[binOf(value)] ?? 0) + 1;
    return bins;
  });
  const sums = Array.from({ length: BINS }, (_, bin) => counts.reduce((sum, bins) => sum + (bins[bin] ?? 0), 0));
  const peak = Math.max(...sums);
  const width = (WIDTH - 60) / BINS;
  const base = PLOT_HEIGHT - 24;
  const scale = (base - 10) / peak;
  const bars = sums.flatMap((_, bin) => {
    let y = base;
    return groups.map(({ name, style }, g) => {
      const count = counts[g]?.[bin] ?? 0;
      if (count === 0) return "";
      y -= count * scale;
      return `<rect class="${style}" x="${44 + bin * width}" y="${y}" width="${width - 2}" height="${count * scale}"><title>${count} ${html(name)}</title></rect>`;
    });
  });
  const number = (value: number) => (top <= 1 ? decimal(value) : value.toFixed(0));
  const ticks = [0, 0.5, 1].map(
    (share) =>
      `<text class="tick" x="${44 + share * (WIDTH - 60)}" y="${PLOT_HEIGHT - 6}" text-anchor="${share === 1 ? "end" : "middle"}">${number(share * top)}${html(unit)}</text>`,
  );
  const axis = `<line class="grid" x1="44" x2="${WIDTH - 16}" y1="${base}" y2="${base}"/><text class="tick" x="38" y="16" text-anchor="end">${peak}</text>`;
  const legend = groups.map(
    ({ name, style, values }, g) =>
      `<rect class="${style}" x="${60 + g * 150}" y="2" width="10" height="10"/><text class="tick" x="${76 + g * 150}" y="11">${html(name)} (${values.length})</text>`,
  );
  return figure(title, PLOT_HEIGHT, [axis, ...bars, ...ticks, ...(groups.length > 1 ? legend : [])].join(""));
}

function figure(title: string, height: number, body: string): string {
  return `<figure><figcaption>${html(title)}</figcaption><svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${html(title)}">${body}</svg></figure>`;
}

/** Control characters, and characters that override the text direction. */
const UNSAFE = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Escapes untrusted text for HTML, including quoted attributes. */
export function html(text: string): string {
  return escapeUTF8(text.replaceAll(UNSAFE, "\ufffd"));
}

interface DrawnReport {
  readonly report: Report;
  readonly items: readonly GoldenItem[];
  /** Milliseconds per answer, in the order of the items. */
  readonly latenciesMs: readonly number[];
  /** Changes since an earlier run; `null`: no comparison. */
  readonly changes: readonly Change[] | null;
}

/**
 * Renders a run as a self-contained page from `golden.html`: metrics with n and intervals, plots, and every question with its details. The
 * page allows only its own style, so that injected text cannot load or run anything.
 */
export function renderGoldenHtml({ report, items, latenciesMs, changes }: DrawnReport): string {
  const template = readFileSync(join(PACKAGE_ROOT, "src/grading/golden.html"), "utf8");
  const style = /<style>(.*?)<\/style>/s.exec(template)?.[1] ?? "";
  const slots: Readonly<Record<string, string>> = {
    style: createHash("sha256").update(style).digest("base64"),
    command: html(report.command),
    asked: `${items.length} of ${report.n.questions ?? items.length}`,
    date: html(report.date),
    versions: `sourcebound ${html(report.versions.sourcebound ?? "")} · Node ${html(report.versions.node ?? "")}`,
    corpus: `${report.n.documents} documents, ${report.n.chunks} chunks`,
    tiles: tiles(items, report),
    plots: plots(items, latenciesMs, changes),
    figures: figures(items),
    changes: changes === null ? "" : `<h2>Compared with the earlier run</h2>${changeTable(changes)}`,
    questions: items.map((item, i) => renderQuestion(item, latenciesMs[i] ?? null)).join("\n"),
  };
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, slot: string) => slots[slot] ?? "");
}

function tiles(items: readonly GoldenItem[], { timings, metrics }: Report): string {
  const count = (name: string) => countGolden(items).find((one) => one.name === name);
  const fraction = (name: string) => {
    const one = count(name);
    return one === undefined || one.n === 0 ? "–" : `${one.hits} of ${one.n}`;
  };
  const ms = (value: number | null | undefined) => (value === null || value === undefined ? "–" : `${value.toFixed(0)} ms`);
  const cost = metrics["cost.mean_usd"];
  const shown = [
    ["right", fraction("right.answerable")],
    ["wrong answers shown", fraction("wrong.shown")],
    ["answered", fraction("answered.answerable")],
    ["median time", ms(timings.ask_ms_p50)],
    ["cost per answer", cost === null || cost === undefined ? "unknown" : `$${cost.toFixed(5)}`],
  ];
  return `<div class="tiles">${shown.map(([name, figure]) => `<div class="tile"><b>${html(figure ?? "")}</b><span class="soft">${html(name ?? "")}</span></div>`).join("")}</div>`;
}

function plots(items: readonly GoldenItem[], latenciesMs: readonly number[], changes: readonly Change[] | null): string {
  const shown = items.filter((item) => item.shown);
  const confidence = (right: boolean) => shown.flatMap((item) => (item.right === right ? (item.confidence ?? []) : []));
  const scores = meanScores(items).map(({ name, n, ...score }) => ({ ...score, name: name.replaceAll("_", " "), note: `n ${n}` }));
  const verdicts = [
    { name: "right", style: "right", values: confidence(true) },
    { name: "wrong", style: "wrong", values: confidence(false) },
  ] as const;
  const changed = changes
    ?.filter(({ name }) => !/words/.test(name))
    .map(({ difference: value, before, ...change }) => ({ ...change, value, note: `was ${decimal(before)}` }));
  return [
    plotIntervals("Verdicts, with 95 % intervals", countGolden(items).map(proportion)),
    plotIntervals("Scores, with 95 % intervals", scores),
    plotHistogram("Confidence of shown answers", verdicts, "", 1),
    plotHistogram("Response time", [{ name: "answers", style: "plain", values: latenciesMs }], " ms"),
    ...(changed === undefined ? [] : [plotIntervals("Change from the earlier run, paired", changed, [-1, 1])]),
  ].join("");
}

function proportion({ name, hits, n }: Count): PlottedFigure {
  const interval = wilson(hits, n);
  return { name, value: n === 0 ? null : hits / n, low: interval?.low ?? null, high: interval?.high ?? null, note: `${hits} of ${n}` };
}

function figures(items: readonly GoldenItem[]): string {
  const counts = [...countGolden(items), ...countFaults(items), ...countLive(items)].map((one) => {
    const { value, low, high } = proportion(one);
    return row(one.name, one.n === 0 ? "none" : `${one.hits} of ${one.n}`, value, [low, high], one.note ?? "");
  });
  const means = meanScores(items).map(({ name, value, low, high, n, unscored }) =>
    row(name, `n ${n}`, value, [low, high], unscored === 0 ? "" : `${unscored} questions could not be scored and were excluded`),
  );
  return table(["figure", "n", "value", "95 % interval", "what"], [...counts, ...means]);
}

function table(heads: readonly string[], rows: readonly string[]): string {
  return `<div class="scroll" tabindex="0"><table><thead><tr>${heads.map((head) => `<th>${head}</th>`).join("")}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
}

function row(name: string, n: string, value: number | null, [low, high]: readonly [number | null, number | null], note: string): string {
  const interval = low === null || high === null ? "–" : `${decimal(low)} – ${decimal(high)}`;
  return `<tr><td class="mono">${html(name)}</td><td class="n">${html(n)}</td><td class="n">${decimal(value)}</td><td class="n">${interval}</td><td class="soft">${html(note)}</td></tr>`;
}

function changeTable(changes: readonly Change[]): string {
  const rows = changes.map(
    ({ name, before, difference, low, high }) =>
      `<tr><td class="mono">${html(name)}</td><td class="n">${decimal(before)}</td><td class="n">${signed(difference)}</td><td class="n">${signed(low)} – ${signed(high)}</td></tr>`,
  );
  return table(["figure", "before", "change", "95 % interval (paired bootstrap over pages)"], rows);
}

/** Returns the verdict on a question as text and as a CSS class for filters. */
function verdictOf({ kind, shown, right, error }: GoldenItem): {
  readonly words: string;
  readonly style: "right" | "wrong" | "refused" | "untold";
} {
  if (error !== null) return { words: `not asked: ${error.replaceAll("_", " ")}`, style: "untold" };
  if (!shown) return kind === "answerable" ? { words: "refused", style: "refused" } : { words: "correctly refused", style: "right" };
  if (right === null) return { words: "shown", style: "untold" };
  if (right) return { words: kind === "answerable" ? "right" : "premise corrected", style: "right" };
  return { words: kind === "answerable" ? "wrong" : `wrong: ${kind.replaceAll("_", " ")} answered`, style: "wrong" };
}

/** Renders one question, collapsed. */
function renderQuestion(item: GoldenItem, latencyMs: number | null): string {
  const { words, style } = verdictOf(item);
  const faulty = item.faults.some(({ fault }) => fault !== "unscored") ? " faulty" : "";
  const refused = item.shown ? "" : " refused";
  return [
    `<details class="${style}${refused}${faulty}"><summary><span class="verdict ${style}">${html(words)}</span><span dir="auto">${html(item.question)}</span><span class="soft mono">${html(item.id)}</span></summary><div>`,
    facts(item, latencyMs),
    section("Answer", answerOf(item)),
    section("Cited", citedIn(item)),
    section("Expected answer", goldOf(item)),
    section("Scores", scoresOf(item)),
    section("Live metrics", liveOf(item)),
    section("Retrieved passages", retrievedOf(item)),
    "</div></details>",
  ].join("");
}

function citedIn({ citations }: GoldenItem): string {
  const lines = citations.map(({ n, path, heading, quote }) => {
    const place = `${html(path)}${heading === "" ? "" : ` › ${html(heading)}`}`;
    return `<b>[${n}]</b> <q dir="auto">${html(quote)}</q> <span class="soft mono">${place}</span>`;
  });
  return list("ol", lines);
}

function facts({ kind, needs, confidence, refusal, words, cost_usd, lacks, holds }: GoldenItem, latencyMs: number | null): string {
  const parts = [
    kind.replaceAll("_", " "),
    ...(needs === "" ? [] : [`needs ${needs}`]),
    `confidence ${decimal(confidence)}`,
    refusal === null ? `${words} words` : `refused: ${refusal.replaceAll("_", " ")}`,
    ...(latencyMs === null ? [] : [`${latencyMs.toFixed(0)} ms`]),
    cost_usd === null ? "cost unknown" : `$${cost_usd.toFixed(5)}`,
    ...(lacks.length === 0 ? [] : [`missing ${lacks.join(", ")}`]),
    ...(holds.length === 0 ? [] : [`contains ${holds.join(", ")}`]),
  ];
  return `<p class="soft">${html(parts.join(" · "))}</p>`;
}

function answerOf({ sentences, faults }: GoldenItem): string {
  const lines = sentences.map(({ text, citations }, i) => {
    const fault = faults.find(({ sentence }) => sentence === i);
    const line = `<span dir="auto">${html(text)}</span> ${citations.map((n) => `[${n}]`).join("")}`;
    if (fault === undefined) return line;
    const style = fault.fault === "unscored" ? "soft" : "fault";
    return `${line}<br><span class="${style}">${html(fault.fault ?? "")}: ${html(fault.reason)}</span>`;
  });
  return list("ul", lines);
}

function goldOf({ gold: { answer, quotes, pages } }: GoldenItem): string {
  return list("ul", [
    ...(answer === "" ? [] : [`<span dir="auto">${html(answer)}</span>`]),
    ...quotes.map((quote) => `<q dir="auto">${html(quote)}</q>`),
    ...(pages.length === 0 ? [] : [`<span class="mono soft">${html(pages.join(", "))}</span>`]),
  ]);
}

function scoresOf({ scores, unscored }: GoldenItem): string {
  const lines = SCORE_NAMES.flatMap((name) => {
    const value = scores[name];
    if (value === undefined) return [];
    const told = value === null ? `not scored (${html(unscored[name] ?? "")})` : `<b>${decimal(value)}</b>`;
    return [`${html(name.replaceAll("_", " "))}: ${told}`];
  });
  return list("ul", lines);
}

function liveOf({ report }: GoldenItem): string {
  return list(
    "ul",
    Object.entries(report?.metrics ?? {}).map(([name, { passed, score, threshold, reason }]) => {
      const verdict = passed === null ? "not determined" : passed ? "pass" : "fail";
      return `${html(name)}: <b>${verdict}</b>${score === null ? "" : ` ${decimal(score)}`}${threshold === null ? "" : ` (threshold ${html(String(threshold))})`} <span class="soft">${html(reason)}</span>`;
    }),
  );
}

function retrievedOf({ retrieved }: GoldenItem): string {
  return list(
    "ol",
    retrieved.map(
      ({ path, start, end, title, heading, verdict, score, gold }) =>
        `${html(title)}${heading === "" ? "" : ` › ${html(heading)}`} <span class="soft mono">${html(path)} ${start}–${end}</span> ${verdict} ${decimal(score)}${gold === true ? " <b>gold</b>" : ""}`,
    ),
  );
}

function list(tag: "ul" | "ol", lines: readonly string[]): string {
  return lines.length === 0 ? "" : `<${tag}>${lines.map((line) => `<li>${line}</li>`).join("")}</${tag}>`;
}

function section(title: string, body: string): string {
  return body === "" ? "" : `<h3>${title}</h3>${body}`;
}
