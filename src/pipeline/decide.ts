import type { ReadTexts } from "../cross-encoder/reader.ts";
import { applyThreshold } from "../evidence/calibration.ts";
import { type Decision, decideByGate, decisionMarginOf, type Sufficiency, usesCosines } from "../evidence/gate.ts";
import {
  alignQuestionWords,
  askedTerms,
  formsHeld,
  holdingCodes,
  holdsCode,
  missingWarnings,
  namedThings,
  otherNumbers,
  spelledLikeOthers,
  unlikeForms,
  wordsOnce,
  wordsUnheld,
} from "../evidence/named-things.ts";
import { askedValues, heldValues } from "../language/question.ts";
import type { Profile } from "../profiles/profile.ts";
import type { AskedQuestion, CandidateView, Choice, RankingWeights, ScoredCandidate } from "../ranking/features.ts";
import { confidenceFeatures, confidenceOf, equalRows, readingText, withFollowing } from "../ranking/rank.ts";
import type { Block, Evidence, Question, QuestionPart } from "../shared/types.ts";
import { questionParts } from "./admit.ts";
import { answersInQuotes, ofPassages, writersOf } from "./compress.ts";
import type { PipelineContext, StageLog } from "./context.ts";
import { type Found, wordsFor } from "./retrieve.ts";
import { type Judged, rankFor } from "./verify.ts";

/** A question with the results of retrieval and verification. */
export interface Weighed extends Pick<Judged, "evidence" | "ranked" | "gate">, Pick<Found, "ranker" | "scale"> {
  readonly question: Question;
}

/**
 * Decides whether to answer or refuse. In the result, `choice` holds the candidates, best first. `decisionMargin` is
 * the gate's score minus its threshold for an answer (`null`: unknown).
 */
export async function decide(weighed: Weighed, context: PipelineContext, log: StageLog, signal: AbortSignal) {
  const { question, evidence, scale, gate } = weighed;
  const things = context.profile.gate.type === "sufficiency" ? await askedThings(question, context) : null;
  // Drop evidence that lacks the question's codes, such as "KX-10287", before ranking: the best candidate determines the confidence.
  const holding = things === null ? evidence : holdingCodes(evidence, things.codes);
  const found = await choose({ ...weighed, evidence: holding.length === 0 ? evidence : holding }, context, log, signal);
  const choice = things === null ? found : { ...found, candidates: withoutOtherRows(found.candidates, things.codes) };
  const sufficiency = applyCalibration(weighed, choice, context, log);
  const made = decideByGate(evidence, gate, sufficiency, writersOf(context) !== null);
  if (sufficiency !== null) {
    log.fact("minimum", Number(sufficiency.minimum.toFixed(4)));
    log.fact("weights", sufficiency.model);
    log.fact("chance", sufficiency.probability);
    for (const [name, value] of Object.entries(confidenceFeatures(choice))) log.fact(`best.${name}`, value);
    log.notice("sufficiency", sufficiency.reason);
  }
  if (usesCosines(gate)) {
    const isLearned = (gate.type === "best-similarity" || gate.type === "guard") && gate.by === "probability";
    log.fact("thresholds", isLearned ? "learned" : scale.type);
    if (gate.type === "similarity" || gate.type === "best-similarity") log.fact("minimum", Number(gate.minimum.toFixed(4)));
    if (scale.note !== null && !isLearned) log.notice(`thresholds_${scale.type}`, scale.note);
  }
  const isNamed = choice.candidates[0]?.isNamed === true;
  const named = things === null ? made : await withNamed(made, { ...things, question, isNamed }, context, log, signal);
  const decision: Decision =
    question.injectionSignals.length === 0 ? named : { ...named, answer: false, usable: [], warnings: [], reason: "injection" as const };
  log.fact("confidence", decision.confidence);
  log.fact("calibrated", decision.calibrated);
  const decisionMargin = decisionMarginOf(made, gate, sufficiency);
  // A refusal shows candidates. If the usable evidence has none, show those of rejected passages.
  const { rows, left } = decision.answer
    ? await withEqualRows(question, choice, context)
    : { rows: choice.candidates.length === 0 ? (weighed.ranked ?? choice) : choice, left: 0 };
  log.fact("answer", decision.answer && left === 0);
  if (!decision.answer) return { decision, decisionMargin, choice: rows };
  if (left > 0) {
    // A list of only some of the rows would be wrong.
    const message = `${left} rows of one table match the question equally well, so none was chosen. Ask again with a word that only the wanted row contains, or open the table.`;
    return { decision: { ...refusedFor(decision), warnings: [{ code: "rows_alike", message }] }, decisionMargin, choice };
  }
  return { decision, decisionMargin, choice: await completeChoice(question, rows, context, log, signal) };
}
export type Decided = Awaited<ReturnType<typeof decide>>;

/** Number of candidates to list in the log. */
const DESCRIBED = 10;
/** Maximum characters of each candidate: one terminal line. */
const DESCRIBED_CHARACTERS = 80;

/** Lists the first candidates with their scores, one per line, for diagnosis; "" without candidates. */
function describeCandidates(candidates: readonly ScoredCandidate[]): string {
  return candidates
    .slice(0, DESCRIBED)
    .map(({ probability, cross, first, view }) => {
      const scores = `cross-encoder ${cross?.toFixed(2) ?? "not run"}, first stage ${first.toFixed(2)}`;
      return `${probability.toFixed(2)} (${scores}) ${view.text.slice(0, DESCRIBED_CHARACTERS).replaceAll("\n", " ")}`;
    })
    .join("\n");
}

/** Ranks the candidates of usable evidence, best first. */
async function choose({ question, evidence, ranked }: Weighed, context: PipelineContext, log: StageLog, signal: AbortSignal) {
  const used = mayBeUsed(evidence, context.profile);
  const choice = ranked === null ? await rankFor(question, used, context, signal) : ofPassages(ranked, used);
  log.fact("ranking", context.ranking().weights.name);
  log.fact("pieces", choice.candidates.length);
  const isRead = choice.candidates.some(({ cross }) => cross !== null);
  log.fact("read", isRead);
  log.fact("best_piece", choice.candidates[0]?.probability ?? null);
  // List candidates of rejected passages too, because they explain a refusal.
  log.detail("first", () => describeCandidates((ranked ?? choice).candidates) || null);
  return choice;
}

/** Returns the evidence to rank. A `sufficiency` gate excludes rejected passages; other gates put them last. */
function mayBeUsed(evidence: readonly Evidence[], { gate }: Profile): Evidence[] {
  const { kept = [], rejected = [] } = Object.groupBy(evidence, ({ verdict }) => (verdict === "rejected" ? "rejected" : "kept"));
  return gate.type === "sufficiency" ? kept : [...kept, ...rejected];
}

/** Maximum number of rows that an answer lists. */
const MAX_EQUAL_ROWS = 12;

/**
 * Moves the rows of a table that match the question equally well to the front, so that the answer lists all of them.
 * `left` is their number if an answer cannot list them all or retrieval found only some, otherwise 0. If a model
 * writes, nothing is moved, because the model gets whole passages.
 */
async function withEqualRows(question: Question, choice: Choice, context: PipelineContext): Promise<{ rows: Choice; left: number }> {
  if (!answersInQuotes(context) || context.profile.gate.type !== "sufficiency") return { rows: choice, left: 0 };
  const equal = equalRows(question.resolved, choice, await wordsFor(question, context));
  if (equal === null) return { rows: choice, left: 0 };
  const { rows, documentId, header } = equal;
  const { blocks = [], text = "" } = (await context.store.documents.load(question.scope, [documentId])).get(documentId) ?? {};
  const { start: from, end: to } = rows[0]?.view.evidence.passage.bounds ?? { start: 0, end: text.length };
  const isOfTable = (block: Block) => blocks[block.header ?? -1]?.start === header.start && block.start > header.start;
  const isEqual = ({ start, end }: Block) => start >= from && end <= to && equal.matches(text.slice(start, end));
  const all = blocks.filter((one) => isOfTable(one) && isEqual(one)).length;
  if (all > Math.min(rows.length, MAX_EQUAL_ROWS)) return { rows: choice, left: all };
  const [first, ...others] = rows as [ScoredCandidate, ...ScoredCandidate[]];
  const rest = choice.candidates.filter((candidate) => !rows.includes(candidate));
  return { rows: { ...choice, candidates: [first, ...others.map((row) => ({ ...row, isRequired: true as const })), ...rest] }, left: 0 };
}

/**
 * If a table row contains a code of the question, drops the rows that contain none: "KX-10288" is not "KX-10287". Keeps
 * sentences, because a section about a code need not repeat it.
 */
function withoutOtherRows(candidates: readonly ScoredCandidate[], codes: readonly string[]): readonly ScoredCandidate[] {
  const isRow = ({ view }: ScoredCandidate) => view.candidate.header !== null;
  const isHolding = ({ view }: ScoredCandidate) => holdsCode(`${view.candidate.above} ${view.text}`, codes);
  const found = codes.length > 0 && candidates.some((one) => isRow(one) && isHolding(one));
  return found ? candidates.filter((one) => !isRow(one) || isHolding(one)) : candidates;
}

/** Names and codes of a question, its words, and its corrected misspellings. */
type AboutThings = Awaited<ReturnType<typeof askedThings>> & { readonly question: Question; readonly isNamed: boolean };

async function askedThings(question: Question, { corpus, profile }: PipelineContext) {
  const { outOfVocabulary, repairs } = await corpus.understand({ resolved: question.text, scope: question.scope }, profile.retrieve.query);
  const { has, own } = await wordsFor(question, { corpus, profile });
  const words = { tokens: (text: string) => corpus.tokens(text), has, content: new Set<string>(own.tokens) };
  return { ...namedThings(question.text, { outOfVocabulary, ...words }), words, repairs };
}

function refusedFor(decision: Decision): Decision {
  return { ...decision, answer: false, usable: [], reason: "evidence_too_weak" };
}

/**
 * Refuses or warns if the evidence may be about a similar but different thing. Refuses if no evidence contains the
 * question's codes, or if the evidence names only other numbers (version 3 instead of 2). Warns about names and words
 * that the evidence lacks.
 */
async function withNamed(made: Decision, asked: AboutThings, context: PipelineContext, log: StageLog, signal: AbortSignal) {
  if (!made.answer) return made;
  const { question, isNamed, words, repairs, ...things } = asked;
  const usable = holdingCodes(made.usable, things.codes);
  const repaired = new Set(repairs.map(({ written }) => written.toLowerCase()));
  const others = isNamed ? [] : otherNumbers(question.resolved, usable);
  if (others.length > 0) return { ...refusedFor(made), warnings: others };
  const beside = alignQuestionWords(question.text, usable, words);
  const forms = formsHeld(beside, words.tokens);
  const unlike = await unlikeForms(forms, context.ranking().read, signal);
  const held = [...forms.keys()].filter((word) => !unlike.includes(word));
  const terms = askedTerms(question.resolved, await wordsFor(question, context), context.isCommon);
  const common = new Set(terms.flatMap((term) => (term.common ? term.tokens : [])));
  const isCommon = (word: string) => words.tokens(word).some((token) => common.has(token));
  const alike = [...spelledLikeOthers(beside, { ...words, isCommon }), ...unlike].filter((word) => !repaired.has(word));
  const isCode = (name: string) => /\d/.test(name);
  const otherwise = things.unknown.filter((name) => !isCode(name) && beside.isSpelledOtherwise(name));
  const unknown = wordsOnce(things.unknown.filter((name) => !otherwise.includes(name)));
  const similar = wordsOnce([...unknown, ...alike]).slice(unknown.length);
  log.fact("not_named", [...unknown, ...similar].join(", ") || null);
  const refused = refusedFor(made);
  if (unknown.some(isCode)) return { ...refused, warnings: missingWarnings("codes", unknown.filter(isCode)) };
  if (usable.length === 0) return { ...refused, warnings: [] };
  const unheld = wordsUnheld(terms, [...repaired, ...unknown, ...similar, ...otherwise, ...held], words.tokens);
  log.fact("not_held", unheld.join(", ") || null);
  const missing = [...missingWarnings("names", unknown), ...missingWarnings("similar", similar), ...missingWarnings("unheld", unheld)];
  return { ...made, usable, warnings: [...made.warnings, ...missing] };
}

/** Returns the confidence and the answer threshold. Logs a notice if the calibration cannot be used. */
function applyCalibration({ evidence, ranker }: Weighed, choice: Choice, context: PipelineContext, log: StageLog) {
  const { ranking, threshold, corpus } = context;
  const judged = context.profile.gate.type !== "sufficiency" || evidence.length === 0 ? null : judgeBest(choice, ranking().weights, ranker);
  const at = judged === null ? null : applyThreshold(judged, threshold, { ranker, windows: corpus.windows });
  if (threshold.type === "calibrated") log.fact("calibration", threshold.calibration.name);
  const isUnused = judged === null && evidence.length > 0 && threshold.type === "calibrated";
  const misfit = at?.misfit ?? (isUnused ? "no confidence could be computed for this question" : null);
  if (misfit !== null) log.notice("calibration_unused", `The calibration does not apply, so the default threshold is used: ${misfit}.`);
  return at;
}

function judgeBest(choice: Choice, weights: RankingWeights, ranker: string | null): Sufficiency {
  const probability = confidenceOf(choice, weights);
  const { minimum } = weights.threshold;
  const [reached, threshold] = [probability, minimum].map((share) => `${Math.round(100 * share)} %`);
  const reason = `The confidence that the best quote answers the question is ${reached}; the default threshold is ${threshold}`;
  return { probability, confidence: probability, minimum, calibrated: false, model: ranker === null ? "words" : "vectors", reason };
}

/**
 * Appends the following sentence to the best candidate if both together answer better. Sets `open` to the parts of the
 * message that they do not answer. Runs only for answers, because a refusal uses neither.
 */
async function completeChoice(question: Question, choice: Choice, context: PipelineContext, log: StageLog, signal: AbortSignal) {
  const { read } = context.ranking();
  if (read === null) return choice;
  const followed = await withFollowing(question.resolved, choice, read, signal);
  log.fact("following", followed.candidates[0]?.followedBy !== undefined);
  const asked = askedParts(question, context);
  const open = await partsLeft(followed, asked, read, signal);
  log.fact("asked_parts", asked.length);
  log.fact("open_parts", open.length);
  return open.length === 0 ? followed : { ...followed, open };
}

/**
 * Splits a message into its questions. Applies only if the profile's gate is `sufficiency` and the answer consists of
 * quotes: a model that writes gets the whole message. A follow-up is never split.
 */
export function askedParts({ text, resolved }: Question, context: PipelineContext): QuestionPart[] {
  return context.profile.gate.type === "sufficiency" && answersInQuotes(context) && text === resolved ? questionParts(text) : [];
}

/**
 * Limits on cross-encoder scores, in log odds. A candidate counts as an answer from `ANSWERS_FROM`, as in training. If
 * all scores are below `NOTHING_BELOW`, nothing relevant was found.
 */
const ANSWERS_FROM = 0;
const NOTHING_BELOW = -1.5;

/** Returns the parts that neither the best candidate nor the sentence appended to it answers. */
export async function partsLeft(choice: Choice, parts: readonly QuestionPart[], read: ReadTexts, signal: AbortSignal) {
  const { asked, candidates } = choice;
  const [best] = candidates;
  if (best === undefined || best.cross === null || parts.length === 0) return [];
  const shown = [best.view, ...(best.followedBy === undefined ? [] : [best.followedBy])].map(readingText);
  const pairs = parts.flatMap(({ resolved }) => shown.map((text) => ({ question: resolved, text })));
  const odds = (await read(pairs, signal))?.map(({ answer }) => answer);
  const isAnswered = (i: number) => Math.max(...(odds?.slice(i * shown.length, (i + 1) * shown.length) ?? [])) >= ANSWERS_FROM;
  return odds === undefined ? [] : parts.filter((part, i) => !isAnswered(i) && !isCellOf(part, best.view, asked));
}

/**
 * Returns whether a part asks for a cell of the best candidate, if that is a table row. Needed because the
 * cross-encoder underrates wide rows. All words of the part must occur in the row or header, at least one of them in a
 * header cell after the first. The row must contain a value of each requested kind.
 */
function isCellOf({ text }: QuestionPart, { candidate, text: row }: CandidateView, asked: AskedQuestion): boolean {
  if (candidate.header === null) return false;
  const { text: header } = candidate.header;
  const [words, first = 0, ...behind] = [text, ...header.split("|").filter((name) => name.trim() !== "")].map((one) => asked.bitsIn(one));
  const columns = behind.reduce((bits, one) => bits | one, 0);
  const held = first | columns | asked.bitsIn(row);
  const values = heldValues(row);
  const isHeld = words !== undefined && (words & columns) !== 0 && (words & ~held) === 0;
  return isHeld && askedValues(text).every((kinds) => (values & kinds) !== 0);
}

/** Returns whether the cross-encoder scores every candidate too low for an answer. */
export function isNothing(candidates: Choice["candidates"]): boolean {
  return candidates.every(({ cross }) => cross === null || cross < NOTHING_BELOW);
}
