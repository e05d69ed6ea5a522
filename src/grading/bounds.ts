import { RequestError } from "../shared/errors.ts";
import { didYouMean } from "../text/spelling.ts";
import { goldenItemSchema } from "./golden-item.ts";
import { reportGolden } from "./golden-report.ts";
import type { GoldenSet } from "./golden-set.ts";
import { decimal } from "./report.ts";
import type { AskedItem } from "./run-golden.ts";

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
    throw new RequestError(
      "config_invalid",
      `--fail-${side} ${text} is not a valid bound. Use NAME=VALUE, such as --fail-under right.answerable=.5.`,
    );
  return { side, name, value: Number(value) };
}

/** The profile defines the metrics of live grading, so their names cannot be checked in advance. */
const LIVE = /(?:^|\.)live\./;
const CHANGE = /\.change(?:\.low|\.high)?$/;

/**
 * Checks the names of bounds before the run, as far as they are known.
 * @param names of the metrics that are known before the run
 * @param compared whether the run is compared with an earlier report, which adds a change to each metric
 * @throws RequestError `config_invalid`
 */
export function assertFigures(bounds: readonly Bound[], names: readonly string[], compared: boolean): void {
  const known = new Set(names);
  for (const { name } of bounds) {
    const figure = compared ? name.replace(CHANGE, "") : name;
    if (!known.has(figure) && !LIVE.test(figure)) throw noFigure(name, names);
  }
}

/** Describes violated bounds; a metric that could not be computed violates its bound. @throws RequestError `config_invalid` */
export function brokenBounds(bounds: readonly Bound[], metrics: Readonly<Record<string, number | null>>): string[] {
  return bounds.flatMap(({ side, name, value }) => {
    const figure = metrics[name];
    if (figure === undefined) {
      // A metric that was computed in neither run has no change.
      if (CHANGE.test(name) && metrics[name.replace(CHANGE, "")] !== undefined) return [unscored({ side, name, value })];
      throw noFigure(name, Object.keys(metrics));
    }
    if (figure === null) return [unscored({ side, name, value })];
    const holds = side === "under" ? figure >= value : figure <= value;
    return holds ? [] : [`${name} is ${decimal(figure)}; it must be ${limitOf({ side, name, value })}`];
  });
}

function unscored(bound: Bound): string {
  return `${bound.name} could not be scored; it must be ${limitOf(bound)}`;
}

function limitOf({ side, value }: Bound): string {
  return `${side === "under" ? "at least" : "at most"} ${decimal(value)}`;
}

function noFigure(name: string, known: readonly string[]): RequestError {
  return new RequestError(
    "config_invalid",
    `Unknown figure "${name}". Known figures include ${known.slice(0, 12).join(", ")}.${didYouMean(name, known)}`,
  );
}

type Asked = Pick<GoldenSet, "name" | "answerable" | "unanswerable">;

/** Lists the metrics of a run of these sets, except live grading and changes, by reporting a run without answers. */
export function figureNames(sets: readonly Asked[]): string[] {
  const ingested = { documents: 0, chunks: 0, ms: 0 };
  const measured = sets.map((set) => ({ name: set.name, asked: unanswered(set), ingested }));
  return Object.keys(reportGolden(measured, { command: "", now: new Date(0) }).report.metrics);
}

function unanswered({ name, answerable, unanswerable }: Asked): AskedItem[] {
  const asked = [
    ...answerable.map(({ id, needs }) => ({ id, needs, kind: "answerable" })),
    ...unanswerable.map((one) => ({ ...one, needs: "" })),
  ];
  return asked.map(({ id, needs, kind }) => {
    const item = goldenItemSchema.parse({
      ...{ domain: name, id, needs, kind, question: "", cluster: "", shown: false, right: null, first: null, page: null, quoted: null },
      ...{ lacks: [], holds: [], confidence: null, words: 0, refusal: null, sentences: [], citations: [] },
    });
    return { item, latencyMs: 0, checkMs: null };
  });
}
