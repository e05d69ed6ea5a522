import { createHash } from "node:crypto";
import { type Count, countFaults, countGolden, countLive, meanScores } from "../golden-figures.ts";
import type { GoldenItem } from "../golden-item.ts";
import type { Change } from "../golden-report.ts";
import { wilson } from "../metrics.ts";
import { decimal, type Report } from "../report.ts";
import { type PlottedFigure, plotHistogram, plotIntervals } from "./plots.ts";
import { renderQuestion } from "./question.ts";
import { STYLE } from "./style.ts";
import { html } from "./text.ts";

/** What a report is drawn from. */
export interface DrawnReport {
  readonly report: Report;
  readonly items: readonly GoldenItem[];
  /** Milliseconds of each answer, in the order of the items. */
  readonly latenciesMs: readonly number[];
  /** Against an earlier run; `null`: there is none. */
  readonly changes: readonly Change[] | null;
}

/** Nothing but the style above may be loaded or run, so that no text of a document can. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; base-uri 'none'; form-action 'none'`;

/** The run as one page that stands alone: figures with n and interval, plots, and every question with what was shown, cited, found and marked. */
export function renderGoldenHtml({ report, items, latenciesMs, changes }: DrawnReport): string {
  const asked = `${items.length} of ${report.n.questions ?? items.length}`;
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><title>${html(report.command)}</title><style>${STYLE}</style></head><body>`,
    `<header><h1>Golden set: ${asked} questions</h1><p class="mono">${html(report.command)}</p><p class="soft">${html(report.date)} · sourcebound ${html(report.versions.sourcebound ?? "")} · Node ${html(report.versions.node ?? "")} · ${report.n.documents} documents, ${report.n.chunks} chunks</p></header>`,
    `<main>${tiles(items, report)}`,
    `<div class="plots">${plots(items, latenciesMs, changes)}</div>`,
    `<h2>Figures</h2><div class="scroll" tabindex="0">${figures(items)}</div>`,
    ...(changes === null ? [] : [`<h2>Against the earlier run</h2><div class="scroll" tabindex="0">${changeTable(changes)}</div>`]),
    `<h2>Questions</h2><div class="filters" role="radiogroup" aria-label="Questions shown">${filters()}</div>`,
    ...items.map((item, i) => renderQuestion(item, latenciesMs[i] ?? null)),
    "</main></body></html>\n",
  ].join("\n");
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
    ["wrong of those shown", fraction("wrong.shown")],
    ["answered", fraction("answered.answerable")],
    ["median answer", ms(timings.ask_ms_p50)],
    ["cost of an answer", cost === null || cost === undefined ? "not known" : `$${cost.toFixed(5)}`],
  ];
  return `<div class="tiles">${shown.map(([name, figure]) => `<div class="tile"><b>${html(figure ?? "")}</b><span class="soft">${html(name ?? "")}</span></div>`).join("")}</div>`;
}

function plots(items: readonly GoldenItem[], latenciesMs: readonly number[], changes: readonly Change[] | null): string {
  const shown = items.filter((item) => item.shown);
  const confidence = (right: boolean) => shown.flatMap((item) => (item.right === right ? (item.confidence ?? []) : []));
  const scores = meanScores(items).map(({ name, value, low, high, n }) => ({
    name: name.replaceAll("_", " "),
    value,
    low,
    high,
    note: `n ${n}`,
  }));
  return [
    plotIntervals("Verdicts, with 95 % intervals", countGolden(items).map(proportion)),
    plotIntervals("Scores, with 95 % intervals", scores),
    plotHistogram(
      "Confidence of what was shown",
      [
        { name: "right", style: "right", values: confidence(true) },
        { name: "wrong", style: "wrong", values: confidence(false) },
      ],
      "",
      1,
    ),
    plotHistogram("Time of an answer", [{ name: "answers", style: "plain", values: latenciesMs }], " ms"),
    ...(changes === null
      ? []
      : [
          plotIntervals(
            "Change against the earlier run, paired",
            changes
              .filter(({ name }) => !/words/.test(name))
              .map(({ name, difference, low, high, before }) => ({ name, value: difference, low, high, note: `was ${decimal(before)}` })),
            [-1, 1],
          ),
        ]),
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
    row(name, `n ${n}`, value, [low, high], unscored === 0 ? "" : `${unscored} questions could not be scored and count as nothing`),
  );
  return `<table><thead><tr><th>figure</th><th>n</th><th>value</th><th>95 % interval</th><th>what</th></tr></thead><tbody>${[...counts, ...means].join("")}</tbody></table>`;
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
  return `<table><thead><tr><th>figure</th><th>before</th><th>change</th><th>95 % interval (paired bootstrap over pages)</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

function signed(value: number): string {
  return `${value < 0 ? "−" : "+"}${decimal(Math.abs(value))}`;
}

function filters(): string {
  const choices = { all: "all", wrong: "wrong", right: "right", refused: "refused", fault: "with a fault" };
  return Object.entries(choices)
    .map(([id, name]) => `<label><input type="radio" name="show" id="show-${id}"${id === "all" ? " checked" : ""}> ${name}</label>`)
    .join("");
}
