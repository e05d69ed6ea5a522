import { decimal } from "../report.ts";
import { html } from "./text.ts";

/** A figure with its 95 % interval; `null`: it could not be computed. */
export interface PlottedFigure {
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

/** Figures between `from` and `to` as points with whiskers, one line each. */
export function plotIntervals(title: string, figures: readonly PlottedFigure[], [from, to]: readonly [number, number] = [0, 1]): string {
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
export interface PlottedGroup {
  readonly name: string;
  /** Of the style: `right`, `wrong`, `plain`. */
  readonly style: "right" | "wrong" | "plain";
  readonly values: readonly number[];
}

const BINS = 20;
const PLOT_HEIGHT = 170;

/** How often values fall into twenty bins of equal width, groups stacked. Nothing where there are no values. */
export function plotHistogram(title: string, groups: readonly PlottedGroup[], unit: string, most?: number): string {
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
