import type { ChosenFolders } from "../../src/grading/choose-sets.ts";
import { readGoldenSet } from "../../src/grading/golden-set.ts";
import { countRow, makeReport } from "../../src/grading/report.ts";
import { sharedEncoder } from "../../src/models/embedded-encoder.ts";
import { createSimilarity } from "../../src/models/similarity.ts";
import { VALIDATOR_GUARDS } from "../../src/profiles/guards.ts";
import { accuracyAt, chooseOnHalves, type ScoredCase } from "../judges/halves.ts";
import type { EvaluateEvent } from "./va.ts";

/** Offset of the question whose answer serves as an off-topic answer from the same documents. */
const STRANGER = 7;

/** Compares the cosine of questions with their own reference answers and with those of another question of the same set. */
export async function* evaluateRelevancy(sets: readonly ChosenFolders[], command: string): AsyncGenerator<EvaluateEvent, void> {
  const scorer = createSimilarity(sharedEncoder(), null, []);
  const cases: ScoredCase[] = [];
  for (const folders of sets) {
    yield { type: "progress", done: cases.length, total: cases.length, what: folders.name };
    const asked = readGoldenSet(folders).answerable.filter(({ answer }) => answer !== "");
    for (const [i, { question, answer }] of asked.entries()) {
      const other = asked[(i + STRANGER) % asked.length];
      if (other === undefined || other.answer === answer) continue;
      cases.push({ set: folders.name, positive: true, score: await scorer.similarity(question, answer) });
      cases.push({ set: folders.name, positive: false, score: await scorer.similarity(question, other.answer) });
    }
  }
  const { table, metrics } = chooseOnHalves(cases);
  const shipped = VALIDATOR_GUARDS.relevancy?.embedded ?? 0;
  for (const positive of [true, false]) {
    const some = cases.filter((one) => one.positive === positive);
    const hits = some.filter(({ score }) => score !== null && score >= shipped === positive).length;
    table.push(countRow(`${positive ? "own answer, passed" : "another one's answer, failed"} at ${shipped}`, hits, some.length));
  }
  const all = { ...metrics, balanced_accuracy: accuracyAt(cases, shipped) };
  yield {
    type: "report",
    report: makeReport({ name: "relevancy", command, n: { cases: cases.length }, metrics: all, items: cases.map((one) => ({ ...one })) }),
    table,
  };
}
