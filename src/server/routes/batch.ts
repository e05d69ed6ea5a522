import { askBatch, type BatchQuestion, batchLineSchema, batchOptions, batchResultSchema, readBatch } from "../../wire/index.ts";
import { narrow } from "../access/caller.ts";
import { endpoint, type Services } from "../endpoint.ts";
import { describeFailure } from "../error-response.ts";
import { decodeUtf8, JSON_LINES_TYPES } from "../read-request.ts";
import { streamFrames } from "./ask.ts";

export const batchEndpoints = {
  batch: endpoint({
    ...{ method: "POST", path: "/v1/batch", opens: "ask" },
    what: "Answers many questions: JSON Lines in and out, each result as soon as it is known, in any order. After a cut, send the rest.",
    body: { schema: batchLineSchema, long: true, lines: true },
    gives: { status: 200, schema: batchResultSchema, lines: true },
    handle: async ({ context, caller, signal: gone }, services) => {
      const { engine, guard, limits } = services;
      const { parallel, questions: most } = engine.config.batch;
      const questions = readBatch(decodeUtf8(new Uint8Array(await context.req.arrayBuffer())), most);
      for (const question of questions) narrow(caller, question);
      const abort = new AbortController();
      const signal = AbortSignal.any([abort.signal, gone]);
      const ask = async (question: BatchQuestion) => {
        // The request itself has counted as the first question.
        if (question !== questions[0]) await guard.admitAsker(context);
        return engine.answer(question.question, { ...batchOptions(question), ...narrow(caller, question), signal });
      };
      const outcomes = askBatch(questions, ask, { parallel, signal });
      context.header("Content-Type", JSON_LINES_TYPES[0]);
      context.header("Cache-Control", "no-cache, no-transform");
      const lines = linesOf(outcomes, questions.length, services);
      return context.body(streamFrames(lines, { heartbeat: "\n", heartbeatMs: limits.heartbeatMs, onCancel: () => abort.abort() }));
    },
  }),
};

async function* linesOf(
  outcomes: ReturnType<typeof askBatch>,
  total: number,
  { write, log }: Pick<Services, "write" | "log">,
): AsyncGenerator<string, void> {
  let done = 0;
  for await (const outcome of outcomes) {
    done++;
    const head = JSON.stringify({ id: outcome.id, done, total }).slice(0, -1);
    const result =
      "answer" in outcome
        ? `"answer":${write(outcome.answer)}`
        : `"error":${JSON.stringify(describeFailure(outcome.error, log).body.error)}`;
    yield `${head},${result}}\n`;
  }
}
