import { type GoldenItem, goldenItemSchema } from "./golden-item.ts";
import { reportGolden } from "./golden-report.ts";
import type { GoldenSet } from "./golden-set.ts";

type Asked = Pick<GoldenSet, "name" | "answerable" | "unanswerable">;

/** Names of the figures that a run of these sets will have but for those of live grading and of changes: those of its report if nothing were answered. */
export function figureNames(sets: readonly Asked[]): string[] {
  const unmeasured = { latenciesMs: [], checksMs: [], ingested: { documents: 0, chunks: 0, ms: 0 } };
  const measured = sets.map((set) => ({ ...unmeasured, name: set.name, items: unanswered(set) }));
  return Object.keys(reportGolden(measured, { command: "", now: new Date(0) }).report.metrics);
}

function unanswered({ name, answerable, unanswerable }: Asked): GoldenItem[] {
  const asked = [
    ...answerable.map(({ id, needs }) => ({ id, needs, kind: "answerable" })),
    ...unanswerable.map((one) => ({ ...one, needs: "" })),
  ];
  return asked.map(({ id, needs, kind }) =>
    goldenItemSchema.parse({
      ...{ domain: name, id, needs, kind, question: "", cluster: "", shown: false, right: null, first: null, page: null, quoted: null },
      ...{ lacks: [], holds: [], confidence: null, words: 0, refusal: null, sentences: [], citations: [] },
    }),
  );
}
