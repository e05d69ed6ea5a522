import { conflictWarning } from "./evidence/conflicts.ts";
import { admit } from "./pipeline/admit.ts";
import { assemble, createOutcome, type Outcome } from "./pipeline/assemble.ts";
import { compress, type Usable } from "./pipeline/compress.ts";
import { createTrace, limitModel, type PipelineContext, type Trace } from "./pipeline/context.ts";
import { type Decided, decide } from "./pipeline/decide.ts";
import { type Known, lookup, recall } from "./pipeline/lookup.ts";
import { refuse, refuseUnsearched } from "./pipeline/refuse.ts";
import { remember } from "./pipeline/remember.ts";
import { assertCanRun, retrieve, unfinishedWarnings } from "./pipeline/retrieve.ts";
import { decideAlone, partsToAsk } from "./pipeline/several-asked.ts";
import { consultWeb, verify } from "./pipeline/verify.ts";
import { checkWhole, flags, warn, writeChecked } from "./pipeline/write.ts";
import type { AnswerEvent } from "./shared/events.ts";
import type { Answer, AskRequest, Question } from "./shared/types.ts";

interface Run {
  readonly context: PipelineContext;
  readonly trace: Trace;
  readonly signal: AbortSignal;
  /** Aborts with `signal`, or earlier at the model's own time limit, so that time remains to answer with quotes. */
  readonly modelSignal: AbortSignal;
}

/** Share of the answer's time limit after which the model is stopped. The remaining time is for checks and quotes. */
const MODEL_SHARE = 0.8;

/**
 * Answers a question, stage by stage (DESIGN.md, "The path of a question"). The stages are functions in `pipeline/`; this file passes their
 * results on. A sentence is yielded after its check and never changes. The `answer` event comes last, with the same sentences.
 * @throws SourceboundError when the question cannot be admitted or the profile cannot run; a refusal is an answer, not an error
 */
export async function* answer(request: AskRequest, context: PipelineContext, signal: AbortSignal): AsyncGenerator<AnswerEvent, void> {
  const trace = createTrace(context, request);
  assertCanRun(context);

  const question = yield* trace.stage("admit", (log) => admit(request, context, log));
  const known = yield* trace.stage("lookup", (log) => lookup(question, context, log));
  const outcome = createOutcome();
  outcome.hit = known.hit;
  if (outcome.hit === null) {
    const limit = limitModel(signal, MODEL_SHARE * (request.timeLimitMs ?? Number.POSITIVE_INFINITY));
    try {
      yield* answerFresh(question, known, outcome, { context, trace, signal, modelSignal: limit.signal });
    } finally {
      limit.end();
    }
  }
  if (outcome.hit !== null) {
    yield* warn(outcome, outcome.hit.answer.warnings);
    yield* replay(outcome.hit.answer);
  }

  const result = assemble(question, outcome, context, trace);
  yield* trace.stage("remember", (log) => remember({ question, answer: result, outcome }, context, log));
  yield { type: "answer", answer: { ...result, latencyMs: trace.elapsed() } };
}

/** Answers after a cache miss. Refuses without a search, uses the stored answer to a similar question, or searches and writes. */
async function* answerFresh(question: Question, known: Known, outcome: Outcome, run: Run): AsyncGenerator<AnswerEvent, void> {
  const { context, trace, signal } = run;
  outcome.warnings.push(...(await context.hotlines(question.text)));
  outcome.refusal = await refuseUnsearched(question, context);
  if (outcome.refusal !== null) return;

  // Read before and after the search: an ingest may end or begin while it runs.
  const unfinished = await unfinishedWarnings(question.scope, context);
  const found = yield* trace.stage("retrieve", (log) => retrieve(question, context, log, signal));
  outcome.embedding = found.embedding;
  outcome.scale = found.scale;
  yield* warn(outcome, found.warnings);

  outcome.hit = (yield* trace.stage("recall", (log) => recall({ question, known, found }, context, log, signal))).hit;
  if (outcome.hit !== null) return;
  yield* warn(outcome, unfinished.length > 0 ? unfinished : await unfinishedWarnings(question.scope, context));

  const judged = yield* trace.stage("verify", (log) => verify({ question, ...found }, context, log, signal));
  outcome.calls.push(...judged.calls);
  outcome.evidence = judged.evidence;
  outcome.conflicts = judged.conflicts;
  yield* askWeb("decides", question, outcome, run);

  const weighed = {
    question,
    evidence: outcome.evidence,
    gate: judged.gate,
    ranked: judged.ranked,
    ranker: found.ranker,
    scale: found.scale,
  };
  const decided: Decided = yield* trace.stage("decide", (log) => decide(weighed, context, log, signal));
  Object.assign(outcome, decided);
  yield* askParts(question, outcome, run);
  const { decision, choice } = outcome;
  yield* warn(outcome, [...decision.warnings, ...(decision.answer ? outcome.conflicts.map(conflictWarning) : [])]);

  if (decision.answer && choice !== null) {
    yield* askWeb("attaches", question, outcome, run);
    yield* write({ question, choice }, outcome, run);
  }
  if (outcome.written.sheet.sentences.length === 0) outcome.refusal = await refuse(question, outcome, context);
}

/** Reduces the evidence to quotes and writes the answer. Yields each sentence after its check, then checks the whole answer. */
async function* write(
  chosen: Pick<Usable, "question" | "choice">,
  outcome: Outcome,
  { context, trace, signal, modelSignal }: Run,
): AsyncGenerator<AnswerEvent, void> {
  const { question } = chosen;
  const { usable, quotable } = outcome.decision;
  const given = { ...chosen, usable, quotable, scale: outcome.scale };
  const quotes = yield* trace.stage("compress", (log) => compress(given, context, log, modelSignal));
  outcome.calls.push(...quotes.calls);

  const written = yield* writeChecked({ question, quotes }, context, trace, { signal, modelSignal });
  outcome.written = written;
  outcome.calls.push(...written.calls);
  outcome.warnings.push(...written.warnings);

  const whole = yield* trace.stage("check", () => checkWhole({ question, written, evidence: outcome.evidence }, context));
  outcome.checks.push(...written.checks, ...whole);
  yield* warn(outcome, flags(whole));
}

/**
 * Checks uncertain passages on the web, if the profile does so at this point: before the decision to answer (`decides`)
 * or after it (`attaches`).
 */
async function* askWeb(
  when: "decides" | "attaches",
  question: Question,
  outcome: Outcome,
  { context, ...run }: Run,
): AsyncGenerator<AnswerEvent, void> {
  const { evidence, conflicts, decision } = outcome;
  const webFindings = yield* consultWeb(when, { question, evidence, conflicts, usable: decision.usable }, context, run);
  if (webFindings === null) return;
  outcome.web = webFindings.web;
  outcome.evidence = webFindings.evidence;
  outcome.conflicts = webFindings.conflicts;
  yield* warn(outcome, webFindings.warnings);
}

/**
 * Answers the questions of a message one by one. If the message as a whole was refused, it tries all of them, otherwise
 * only those that the answer leaves open.
 */
async function* askParts(question: Question, outcome: Outcome, { context, trace, signal }: Run): AsyncGenerator<AnswerEvent, void> {
  const asked = partsToAsk(question, outcome, context);
  if (asked.length === 0) return;
  const alone = yield* trace.stage("parts", (log) => decideAlone({ question, asked, whole: outcome }, context, log, signal));
  outcome.calls.push(...alone.calls);
  outcome.embedding = alone.embedding;
  if (alone.settled !== null) Object.assign(outcome, alone.settled);
}

/** Yields the sentences of a stored answer in the same form as new ones. */
function* replay({ sentences, citations }: Pick<Answer, "sentences" | "citations">): Generator<AnswerEvent, void> {
  for (const [index, sentence] of sentences.entries()) {
    yield { type: "sentence", index, sentence, citations: citations.filter(({ n }) => sentence.citations.includes(n)) };
  }
}
