import { writeFileSync } from "node:fs";
import { VERSION } from "../package.ts";
import { messageOf, RequestError } from "../shared/errors.ts";
import { didYouMean } from "../text/spelling.ts";
import { wilson } from "./metrics.ts";

/** Report that measuring commands write with `--json FILE`. All fields except `date` and `timings` are the same on every run. */
export interface Report {
  readonly name: string;
  readonly command: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly seed: number;
  readonly date: string;
  readonly n: Readonly<Record<string, number>>;
  readonly metrics: Readonly<Record<string, number | null>>;
  readonly timings: Readonly<Record<string, number | null>>;
  readonly items: readonly Readonly<Record<string, unknown>>[];
}

export interface TableRow {
  readonly name: string;
  /** Formatted value: `57 of 60`, `.83`, `12 ms`. */
  readonly figure: string;
  /** 95 % interval. */
  readonly interval?: string;
  readonly note?: string;
}

export function versionsOf(): Record<string, string> {
  return { sourcebound: VERSION, node: process.versions.node };
}

/**
 * Creates a report with the current date and the versions of Sourcebound and Node.js.
 * @param made other fields of the report; absent fields are 0 or empty
 */
export function makeReport(
  made: Pick<Report, "name" | "command" | "n"> & Partial<Pick<Report, "versions" | "seed" | "metrics" | "timings" | "items">>,
): Report {
  const { name, command, versions, n, seed = 0, metrics = {}, timings = {}, items = [] } = made;
  const date = new Date().toISOString();
  return { name, command, versions: { ...versionsOf(), ...versions }, seed, date, n, metrics, timings, items };
}

export function writeReport(path: string, report: Report): void {
  writeText(path, `${JSON.stringify(report, null, 2)}\n`);
}

/** @throws RequestError `report_unwritable` */
export function writeText(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (cause) {
    const message = `${path} could not be written (${messageOf(cause)}). Choose a file in an existing folder.`;
    throw new RequestError("report_unwritable", message, {}, { cause });
  }
}

/** Renders rows with aligned columns. In a row without a figure, the note directly follows the name. */
export function renderTable(rows: readonly TableRow[]): string {
  const width = (pick: (row: TableRow) => string) => Math.max(0, ...rows.map((row) => pick(row).length));
  const name = width((row) => row.name);
  const figure = width((row) => row.figure);
  const interval = width((row) => row.interval ?? "");
  return rows
    .map((row) => {
      if (row.figure === "" && row.interval === undefined) return `  ${row.name}  ${row.note ?? ""}`.trimEnd();
      return `  ${row.name.padEnd(name)}  ${row.figure.padStart(figure)}  ${(row.interval ?? "").padEnd(interval)}  ${row.note ?? ""}`.trimEnd();
    })
    .join("\n");
}

/** Returns a row with a count such as `57 of 60`, and the Wilson interval of the proportion. */
export function countRow(name: string, successes: number, n: number, note?: string): TableRow {
  const interval = wilson(successes, n);
  const figure = n === 0 ? "none" : `${successes} of ${n}`;
  const shown = interval === null ? {} : { interval: `${decimal(successes / n)} [${decimal(interval.low)}, ${decimal(interval.high)}]` };
  return { name, figure, ...shown, ...(note === undefined ? {} : { note }) };
}

/** Formats a number: `.83`; `1.00`; `–` for `null`. */
export function decimal(value: number | null): string {
  return value === null ? "–" : value.toFixed(2).replace(/^0(?=\.)/, "");
}

/** Formats a difference: `+.05`, `−.05`. */
export function signed(value: number): string {
  return `${value < 0 ? "−" : "+"}${decimal(Math.abs(value))}`;
}

/** A lower or upper bound on a metric. */
export interface Bound {
  readonly side: "under" | "over";
  readonly name: string;
  readonly value: number;
}

/** Parses a bound such as `right.answerable=.5`. @throws RequestError `config_invalid` */
export function parseBound(side: Bound["side"], text: string): Bound {
  const [, name, value] = /^([\w.-]+)\s*=\s*(-?(?:\d+\.?\d*|\.\d+))$/.exec(text.trim()) ?? [];
  if (name === undefined || value === undefined)
    throw new RequestError("config_invalid", `--fail-${side} ${text} is no valid bound. Use NAME=VALUE, such as right.answerable=.5.`);
  return { side, name, value: Number(value) };
}

const CHANGE = /\.change(?:\.low|\.high)?$/;

/**
 * Returns a message for each bound that is violated. A metric that could not be computed violates its bound.
 * @throws RequestError `config_invalid` for an unknown metric
 */
export function brokenBounds(bounds: readonly Bound[], metrics: Readonly<Record<string, number | null>>): string[] {
  return bounds.flatMap(({ side, name, value }) => {
    // `NAME.change` is absent if there was no comparison, or if one of the two runs could not compute the metric.
    const isChange = CHANGE.test(name) && metrics[name.replace(CHANGE, "")] !== undefined;
    const figure = isChange ? (metrics[name] ?? null) : metrics[name];
    if (figure === undefined) {
      const known = Object.keys(metrics);
      const some = `Known figures include ${known.slice(0, 12).join(", ")}.${didYouMean(name, known)}`;
      throw new RequestError("config_invalid", `Unknown figure "${name}". ${some}`);
    }
    const must = `it must be ${side === "under" ? "at least" : "at most"} ${decimal(value)}`;
    if (figure === null) return [`${name} could not be scored; ${must}`];
    const holds = side === "under" ? figure >= value : figure <= value;
    return holds ? [] : [`${name} is ${decimal(figure)}; ${must}`];
  });
}
