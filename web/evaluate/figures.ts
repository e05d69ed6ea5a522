import type { WireEvaluation } from "../../src/client/index.ts";

type Metrics = NonNullable<WireEvaluation["report"]>["metrics"];

/** Figures of a run that are read first, and what they mean. */
const FIGURES: readonly { readonly name: string; readonly title: string }[] = [
  { name: "answered.answerable", title: "Answered, of what can be answered" },
  { name: "right.answerable", title: "Right, of what can be answered" },
  { name: "wrong.shown", title: "Wrong, of what was shown" },
  { name: "first.right", title: "First sentence right, of right answers" },
  { name: "refused.near_miss", title: "Near misses refused" },
  { name: "refused.false_premise", title: "False premises refused" },
  { name: "refused.out_of_scope", title: "Out of scope refused" },
  { name: "confidence.auroc", title: "Confidence tells right from wrong (AUROC)" },
];

export interface Figure {
  readonly name: string;
  readonly title: string;
  readonly value: number;
}

/** The figures that a run has. */
export function figuresOf(metrics: Metrics): Figure[] {
  return FIGURES.flatMap(({ name, title }) => {
    const value = metrics[name];
    return value === undefined || value === null ? [] : [{ name, title, value }];
  });
}

export function titleOf(name: string): string | null {
  return FIGURES.find((figure) => figure.name === name)?.title ?? null;
}

/** A share or an AUROC with two digits. */
export function inFigures(value: number): string {
  return value
    .toFixed(2)
    .replace(/^(-?)0\./, "$1.")
    .replace("-", "−");
}
