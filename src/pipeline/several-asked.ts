import type { ScoredCandidate } from "../ranking/features.ts";
import type { Conflict, Evidence, Passage, Question, QuestionPart, Warning } from "../shared/types.ts";
import { onceEach, sumOrNull } from "../text/numbers.ts";
import type { Outcome } from "./assemble.ts";
import { ofPassages } from "./compress.ts";
import { type PipelineContext, SILENT_LOG, type StageLog } from "./context.ts";
import { askedParts, type Decided, decide, isNothing } from "./decide.ts";
import { type Found, retrieve } from "./retrieve.ts";
import { type Judged, verify } from "./verify.ts";

/** Result for the whole message, before its parts are searched separately. */
type AskedWhole = Readonly<Pick<Outcome, "embedding" | "evidence" | "conflicts" | "decision" | "decisionMargin" | "choice">>;

/**
 * Returns the parts to search separately: the unanswered parts of an answered message, or all parts of a refused one.
 * Returns none for a message with injection signals.
 */
export function partsToAsk(question: Question, { decision, choice }: AskedWhole, context: PipelineContext): QuestionPart[] {
  if (decision.answer) return [...(choice?.open ?? [])];
  return decision.reason === "injection" ? [] : askedParts(question, context);
}

/**
 * Retrieves and decides for each part separately. Answered parts are shown in the order of the message; each unanswered
 * part gives a warning.
 * @returns `settled` replaces the decision on the whole message; `null` if neither the message nor a part is answered
 */
export async function decideAlone(
  { question, asked, whole }: { readonly question: Question; readonly asked: readonly QuestionPart[]; readonly whole: AskedWhole },
  context: PipelineContext,
  log: StageLog,
  signal: AbortSignal,
) {
  const nameFound = oneName(whole.evidence);
  const found: PartFound[] = [];
  for (const { text, resolved, standsAlone } of asked) {
    // Use the part's own text if it can stand alone, otherwise its resolved text.
    const alone = { ...question, text, resolved: standsAlone ? text : resolved };
    const retrieved = await retrieve(alone, context, SILENT_LOG, signal);
    found.push({ question: alone, found: { ...retrieved, passages: nameFound(retrieved.passages) } });
  }
  // The retrieval above runs one part at a time, because passages are numbered in order; it takes milliseconds. The slower
  // cross-encoder scores all parts in parallel.
  const alone = await Promise.all(found.map((part) => decidePart(part, context, signal)));
  const answered = alone.filter(({ decision }) => decision.answer);
  log.fact("asked_parts", asked.length);
  log.fact("answered_parts", answered.length);
  const settled = settle(alone, whole);
  // The confidence of the parts replaces that of the whole message.
  if (settled !== null) log.fact("chance", settled.decision.probability);
  return { calls: alone.flatMap(({ calls }) => calls), embedding: together([whole, ...alone]), settled };
}

/** Merges the results for the whole message and for its parts. Leaves out refused results; returns `null` if all were refused. */
function settle(alone: readonly PartAlone[], whole: AskedWhole): (Decided & Pick<Judged, "evidence" | "conflicts">) | null {
  const asked = [whole, ...alone];
  const answered = asked.filter(({ decision }) => decision.answer);
  const choice = answered[0]?.choice ?? null;
  if (choice === null) return null;
  const sidOf = ({ passage }: Evidence) => passage.sid;
  const found = answered.flatMap(({ decision }) => decision.usable);
  const usable = onceEach(found, sidOf);
  const conflicts = answered.flatMap((one) => one.conflicts);
  // Keep the warnings about refused parts, for example that no document contains a code. Drop the warnings about the
  // whole message if it was refused.
  const heard = asked.filter((one) => one !== whole || one.decision.answer);
  const left = alone.flatMap(({ question: { text }, decision, choice }): Warning[] => {
    if (decision.answer) return [];
    if (whole.decision.answer && isNothing(choice.candidates))
      return [{ code: "part_unanswered", message: `None of the retrieved passages answers “${text}”.` }];
    return [{ code: "part_refused", message: `“${text}” is not answered: the confidence of the best passage is too low.` }];
  });
  const said = [...heard.flatMap(({ decision }) => decision.warnings), ...left];
  const decision = {
    answer: true,
    confidence: least(answered.map((one) => one.decision.confidence)),
    probability: least(answered.map((one) => one.decision.probability)),
    calibrated: answered.every((one) => one.decision.calibrated),
    quotable: true,
    usable,
    warnings: onceEach(said, ({ code, message }) => `${code} ${message}`),
    reason: null,
  };
  return {
    decision,
    decisionMargin: least(answered.map(({ decisionMargin }) => decisionMargin)),
    choice: { ...choice, candidates: candidatesOf(whole, alone) },
    evidence: onceEach([...usable, ...answered.flatMap(({ evidence }) => evidence), ...whole.evidence], sidOf),
    conflicts: onceEach(conflicts, placesOf),
  };
}

/** Orders the candidates: the best and the required candidates of the whole message, then the best of each part, then all others. */
function candidatesOf({ decision, choice }: AskedWhole, alone: readonly PartAlone[]): ScoredCandidate[] {
  const asPart = (candidate: ScoredCandidate): ScoredCandidate => ({ ...candidate, isRequired: true });
  const found = alone.flatMap(bestOf);
  if (!decision.answer || choice === null) return found.map((candidate, i) => (i === 0 ? candidate : asPart(candidate)));
  const others = choice.candidates.slice(1);
  const { required = [], rest = [] } = Object.groupBy(others, ({ isRequired }) => (isRequired === true ? "required" : "rest"));
  return [...choice.candidates.slice(0, 1), ...required, ...found.map(asPart), ...rest];
}

interface PartFound {
  /** The part as a question of its own. */
  readonly question: Question;
  readonly found: Found;
}

type PartAlone = Awaited<ReturnType<typeof decidePart>>;

async function decidePart({ question, found }: PartFound, context: PipelineContext, signal: AbortSignal) {
  const { ranker, scale, embedding } = found;
  const judged = await verify({ question, ...found }, context, SILENT_LOG, signal);
  const decided = await decide({ question, ...judged, ranker, scale }, context, SILENT_LOG, signal);
  return { question, embedding, ...judged, ...decided };
}

/** Returns a function that numbers passages (`S1`, `S2` …). A passage that several retrievals found gets the same number. */
function oneName(evidence: readonly Evidence[]): (passages: readonly Passage[]) => Passage[] {
  const names = new Map(evidence.map(({ passage }) => [placeOf(passage), passage.sid]));
  return (passages) =>
    passages.map((passage) => {
      const place = placeOf(passage);
      const sid = names.get(place) ?? `S${names.size + 1}`;
      names.set(place, sid);
      return { ...passage, sid };
    });
}

function placeOf({ document, range }: Passage): string {
  return `${document.id} ${range.start} ${range.end}`;
}

/** Returns the best usable candidate of a part; none if the part is refused. */
function bestOf({ decision, choice }: PartAlone): ScoredCandidate[] {
  return ofPassages(choice, decision.usable).candidates.slice(0, 1);
}

/** Sums the embedding tokens of the message and its parts; `null`: no embedding endpoint was called. */
function together(found: readonly Pick<Found, "embedding">[]): Found["embedding"] {
  const asked = found.flatMap(({ embedding }) => (embedding === null ? [] : [embedding]));
  const [first] = asked;
  return first === undefined ? null : { model: first.model, tokens: sumOrNull(asked.map(({ tokens }) => tokens)) };
}

/** Returns the smallest known value; `null`: none is known. */
function least(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.min(...known);
}

function placesOf({ kind, sides }: Conflict): string {
  return `${kind} ${sides.map(({ sid, start, end }) => `${sid} ${start} ${end}`).join(" ")}`;
}
