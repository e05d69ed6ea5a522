import { RequestError } from "../errors.ts";
import { didYouMean } from "../text/nearest.ts";
import { decimal } from "./report.ts";

/** A figure that must not be below, or not above, a value. */
export interface Bound {
  readonly side: "under" | "over";
  readonly name: string;
  readonly value: number;
}

/** `right.answerable=.5` as a bound. @throws RequestError `config_invalid` */
export function parseBound(side: Bound["side"], text: string): Bound {
  const [, name, value] = /^([\w.-]+)\s*=\s*(-?(?:\d+\.?\d*|\.\d+))$/.exec(text.trim()) ?? [];
  if (name === undefined || value === undefined)
    throw new RequestError(
      "config_invalid",
      `--fail-${side} ${text} is no bound: give NAME=VALUE, such as --fail-under right.answerable=.5.`,
    );
  return { side, name, value: Number(value) };
}

/**
 * Bounds that do not hold, in words. A figure that could not be computed fails: nothing is known of it.
 * @throws RequestError `config_invalid` when there is no figure of the name
 */
export function brokenBounds(bounds: readonly Bound[], metrics: Readonly<Record<string, number | null>>): string[] {
  return bounds.flatMap(({ side, name, value }) => {
    const figure = metrics[name];
    if (figure === undefined) {
      const known = Object.keys(metrics);
      throw new RequestError(
        "config_invalid",
        `There is no figure "${name}": some are ${known.slice(0, 12).join(", ")}.${didYouMean(name, known)}`,
      );
    }
    if (figure === null) return [`${name} could not be scored; it must be ${side === "under" ? "at least" : "at most"} ${decimal(value)}`];
    const holds = side === "under" ? figure >= value : figure <= value;
    return holds ? [] : [`${name} is ${decimal(figure)}; it must be ${side === "under" ? "at least" : "at most"} ${decimal(value)}`];
  });
}
