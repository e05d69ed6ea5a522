import { z } from "zod";
import type { AskOptions } from "../engine/engine-types.ts";
import { parseJson } from "../models/read-json.ts";
import { RequestError } from "../shared/errors.ts";
import type { Answer } from "../shared/types.ts";
import { describeIssues, optional } from "../text/validate.ts";
import { askResponseSchema } from "./answer.ts";
import { errorResponseSchema } from "./answer-to-wire.ts";
import { askRequestSchema, requestSchema } from "./ask.ts";

const { session_id: _session, user_id: _user, ...fields } = askRequestSchema.shape;

/** A line of a batch: a question with the fields of POST /v1/ask, except sessions. */
export const batchLineSchema = requestSchema("POST /v1/batch, one line per question (JSON Lines)", {
  id: optional(z.string().min(1).max(200), "Id of the question in the output. Absent: the number of its line, from 1."),
  ...fields,
});

/** A line of the output. It has either `answer` or `error`. */
export const batchResultSchema = z.object({
  id: z.string(),
  done: z.int().describe("Finished questions so far."),
  total: z.int(),
  answer: askResponseSchema.optional(),
  error: errorResponseSchema.shape.error.optional(),
});

export type BatchQuestion = Omit<z.output<typeof batchLineSchema>, "id"> & { readonly id: string };

/**
 * Parses a batch. Empty lines are skipped.
 * @param defaults values of fields that a line does not set
 * @throws RequestError `batch_invalid` with the line number: no question in a line, an id that occurs twice, or too many questions
 */
export function readBatch(text: string, maxQuestions: number, defaults: object = {}): BatchQuestion[] {
  const invalid = (line: number, reason: string) => {
    const message = `Line ${line} of the batch is invalid: ${reason}. Write one JSON object with "question" per line.`;
    return new RequestError("batch_invalid", message, { line });
  };
  const questions = new Map<string, BatchQuestion>();
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const value = parseJson(line);
    if (typeof value !== "object" || value === null) throw invalid(at + 1, "it is no JSON object");
    const parsed = batchLineSchema.safeParse({ ...defaults, ...value });
    if (!parsed.success) throw invalid(at + 1, describeIssues(parsed.error, batchLineSchema).join("; "));
    const { id = String(at + 1) } = parsed.data;
    if (questions.has(id)) throw invalid(at + 1, `the id "${id}" occurs twice`);
    questions.set(id, { ...parsed.data, id });
    if (questions.size > maxQuestions) {
      const message = `The batch has more than ${maxQuestions} questions (\`batch.questions\`). Send it in parts.`;
      throw new RequestError("batch_invalid", message, { limit: maxQuestions });
    }
  }
  return [...questions.values()];
}

/** Converts a request to options of the engine. Scope, session and signal are missing here; the caller adds them. */
export function askOptions(request: z.output<typeof askRequestSchema> & { readonly id?: string }): AskOptions {
  const { id: _id, question: _question, session_id: _session, user_id: _user, selection, filters, ...asked } = request;
  return {
    ...asked,
    filters: filters ?? null,
    selection: selection === undefined ? null : { documentId: selection.document_id, start: selection.start, end: selection.end },
  };
}

/** The outcome of one question of a batch. */
export type BatchOutcome = { readonly id: string } & ({ readonly answer: Answer } | { readonly error: unknown });

/**
 * Asks the questions of a batch, at most `parallel` at the same time, and yields each outcome as soon as it is known.
 * After an abort no further question starts. When all running questions have ended, the abort reason is thrown.
 */
export async function* askBatch(
  questions: readonly BatchQuestion[],
  ask: (question: BatchQuestion) => Promise<Answer>,
  { parallel, signal }: { readonly parallel: number; readonly signal: AbortSignal },
): AsyncGenerator<BatchOutcome, void> {
  const running = new Map<string, Promise<BatchOutcome>>();
  const waiting = [...questions];
  const start = async (question: BatchQuestion): Promise<BatchOutcome> => {
    try {
      return { id: question.id, answer: await ask(question) };
    } catch (error) {
      return { id: question.id, error };
    }
  };
  while (waiting.length > 0 || running.size > 0) {
    const next = signal.aborted ? [] : waiting.splice(0, parallel - running.size);
    for (const question of next) running.set(question.id, start(question));
    if (running.size === 0) break;
    const outcome = await Promise.race(running.values());
    running.delete(outcome.id);
    if (!signal.aborted) yield outcome;
  }
  signal.throwIfAborted();
}
