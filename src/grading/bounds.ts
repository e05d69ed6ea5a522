import { RequestError } from "../shared/errors.ts";
import { didYouMean } from "../text/spelling.ts";
import { decimal } from "./report.ts";

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

const CHANGE = /\.change(?:\.low|\.high)?$/;

/** Describes violated bounds; a metric that could not be computed violates its bound. @throws RequestError `config_invalid` */
export function brokenBounds(bounds: readonly Bound[], metrics: Readonly<Record<string, number | null>>): string[] {
  return bounds.flatMap(({ side, name, value }) => {
    const figure = metrics[name];
    if (figure === undefined) {
      // A metric that is missing in both runs has no change.
      if (CHANGE.test(name) && metrics[name.replace(CHANGE, "")] !== undefined) return [unscored({ side, name, value })];
      const known = Object.keys(metrics);
      const some = `Known figures include ${known.slice(0, 12).join(", ")}.${didYouMean(name, known)}`;
      throw new RequestError("config_invalid", `Unknown figure "${name}". ${some}`);
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
