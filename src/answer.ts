import { checkWhole, flags, writeChecked } from "./answer/checked-sentences.ts";
import { consultWeb } from "./answer/consult-web.ts";
import * as memory from "./answer/memory-steps.ts";
import { createOutcome, type Outcome, warn } from "./answer/outcome.ts";
import * as steps from "./answer/steps.ts";
import { createTrace, type Trace } from "./answer/trace.ts";
import type { AnswerEvent } from "./events.ts";
import type { AskRequest, Question } from "./types.ts";

/**
 * The path of a question, top to bottom (DESIGN.md, section 3); what a stage is given stands in `steps.ts` and
 * `memory-steps.ts`, what it does in its folder.
 * A sentence is yielded after its check and never changes; `answer` is last and equals the sentences in order.
 * @throws SourceboundError when the question cannot be admitted or the profile cannot run; refusing is an answer, not an error
 */
export async function* answer(request: AskRequest, parts: steps.AnswerParts, signal: AbortSignal): AsyncGenerator<AnswerEvent, void> {
  const trace = createTrace(parts.clock);
  steps.assertCanRun(parts);

  const question = yield* trace.stage("admit", (log) => steps.admit(request, parts, log));
  const known = yield* trace.stage("lookup", (log) => memory.lookup(question, parts, log));
  const outcome = known.hit === null ? yield* answerFresh(question, known, parts, trace, signal) : yield* memory.replay(known.hit);

  const result = steps.assemble(question, outcome, parts, trace);
  yield* trace.stage("remember", (log) => memory.remember(question, result, outcome, parts, log));
  yield { type: "answer", answer: { ...result, latencyMs: trace.elapsed() } };
}

/** Retrieve; a stored answer if one is found to answer the same; else verify, decide, then quotes, sentences and their checks, or a refusal that says what was searched. */
async function* answerFresh(
  question: Question,
  known: memory.Known,
  parts: steps.AnswerParts,
  trace: Trace,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent, Outcome> {
  const outcome = createOutcome();
  outcome.warnings.push(...steps.hotlines(question, parts));

  const found = yield* trace.stage("retrieve", (log) => steps.retrieve(question, parts, log, signal));
  outcome.embedding = found.embedding;
  outcome.ranker = found.ranker;
  outcome.scale = found.scale;
  yield* warn(outcome, found.warnings);

  const { hit } = yield* trace.stage("recall", (log) => memory.recall(question, known, found, parts, log));
  if (hit !== null) return yield* memory.replay(hit, outcome);

  const judged = yield* trace.stage("verify", (log) => steps.verify(question, found.passages, outcome, parts, log, signal));
  outcome.evidence = judged.evidence;
  outcome.view = judged.view;
  outcome.conflicts = judged.conflicts;
  yield* consultWeb("decides", question, outcome, parts, trace, signal);
  outcome.decision = yield* trace.stage("decide", (log) => steps.decide(question, outcome, parts, log));
  yield* warn(outcome, [...outcome.decision.warnings, ...steps.disagreements(outcome)]);

  if (outcome.decision.answer) {
    yield* consultWeb("attaches", question, outcome, parts, trace, signal);
    const quotes = yield* trace.stage("compress", (log) => steps.compress(question, outcome, parts, log, signal));
    yield* writeChecked(question, quotes, outcome, parts, trace, signal);
    outcome.checks.push(...(yield* trace.stage("check", () => checkWhole(question, outcome, parts))));
    yield* warn(outcome, flags(outcome));
  }
  if (outcome.sheet.sentences.length === 0) outcome.refusal = await steps.refuse(question, outcome, parts);
  return outcome;
}
