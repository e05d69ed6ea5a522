import type { WireEvaluation } from "../../src/client/index.ts";

type Metrics = NonNullable<WireEvaluation["report"]>["metrics"];

/** AUROC: how often, of a right and a wrong answer drawn at random, the right one has the higher confidence. */
const RANKING = "confidence.auroc";

/** Figures of a run that are read first, and what they mean. */
const FIGURES: readonly { readonly name: string; readonly title: string }[] = [
  { name: "answered.answerable", title: "Answered, of what can be answered" },
  { name: "right.answerable", title: "Right, of what can be answered" },
  { name: "wrong.shown", title: "Wrong, of what was shown" },
  { name: "first.right", title: "Right in the first sentence, of right answers" },
  { name: "refused.near_miss", title: "Rightly refused: close to what the documents say" },
  { name: "refused.false_premise", title: "Rightly refused: takes something wrong for granted" },
  { name: "refused.out_of_scope", title: "Rightly refused: about something else" },
  { name: RANKING, title: "A right answer has the higher confidence than a wrong one" },
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

/** A share in percent. */
export function inFigures(value: number): string {
  return `${(100 * value).toFixed(0)} %`.replace("-", "−").replace("−0 %", "0 %");
}
