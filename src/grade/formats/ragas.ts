import { z } from "zod";
import { answerableSchema, type GoldenFile, parseRow } from "./golden-rows.ts";

const list = z.array(z.string()).nullish();

/** A row of a Ragas dataset, by the names of today and of before (`SingleTurnSample`; https://docs.ragas.io/en/stable/concepts/components/eval_dataset/). */
const rowSchema = z.looseObject({
  user_input: z.string().optional(),
  question: z.string().optional(),
  reference: z.string().nullish(),
  ground_truth: z.string().nullish(),
  ground_truths: list,
  reference_contexts: list,
  response: z.string().nullish(),
  retrieved_contexts: list,
});

/** Names that only such a row has. */
const OWN_NAMES = ["user_input", "reference", "reference_contexts", "ground_truth", "ground_truths"];

export function isRagas(row: unknown): boolean {
  return typeof row === "object" && row !== null && OWN_NAMES.some((name) => name in row);
}

/**
 * Questions with the reference answer and the passages that bear it. What a system answered (`response`, `retrieved_contexts`) is not taken: the questions are
 * asked anew.
 */
export function readRagas(path: string, rows: readonly unknown[]): GoldenFile {
  const answered = rows.filter((row) => typeof row === "object" && row !== null && "response" in row).length;
  const answerable = rows.map((given, i) => {
    const row = parseRow(path, i, given, rowSchema);
    const id = "id" in row && typeof row.id === "string" ? row.id : `q${i + 1}`;
    const answer = row.reference ?? row.ground_truth ?? row.ground_truths?.[0] ?? "";
    const quotes = (row.reference_contexts ?? []).filter((text) => text.trim() !== "");
    return parseRow(path, i, { id, question: row.user_input ?? row.question ?? "", answer, gold_quotes: quotes }, answerableSchema);
  });
  return {
    answerable,
    unanswerable: [],
    notices: answered === 0 ? [] : [`${answered} rows hold a response: it is not graded, the question is asked anew`],
  };
}
