import type { WireEvaluation } from "../../src/client/index.ts";

type Metrics = NonNullable<WireEvaluation["report"]>["metrics"];

/** AUROC: probability that a random right answer has a higher confidence than a random wrong one. */
const RANKING = "confidence.auroc";

/** The main metrics of a run, in display order. */
const FIGURES: readonly { readonly name: string; readonly title: string }[] = [
  { name: "answered.answerable", title: "Answerable questions answered" },
  { name: "right.answerable", title: "Answerable questions answered correctly" },
  { name: "wrong.shown", title: "Answers shown that are wrong" },
  { name: "first.right", title: "Right answers that are right in the first sentence" },
  { name: "refused.near_miss", title: "Correctly refused: near miss" },
  { name: "refused.false_premise", title: "Correctly refused: false premise" },
  { name: "refused.out_of_scope", title: "Correctly refused: out of scope" },
  { name: RANKING, title: "Probability that a right answer has a higher confidence than a wrong one (AUROC)" },
];

export interface Figure {
  readonly name: string;
  readonly title: string;
  readonly value: number;
}

/** Returns the main metrics that the run has. */
export function figuresOf(metrics: Metrics): Figure[] {
  return FIGURES.flatMap(({ name, title }) => {
    const value = metrics[name];
    return value === undefined || value === null ? [] : [{ name, title, value }];
  });
}

export function titleOf(name: string): string | null {
  return FIGURES.find((figure) => figure.name === name)?.title ?? null;
}

/** Formats a share (0–1) as a percentage. */
export function inFigures(value: number): string {
  return `${(100 * value).toFixed(0)} %`.replace("-", "−").replace("−0 %", "0 %");
}
