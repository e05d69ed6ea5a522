import type { PairReading, ReadTexts } from "../cross-encoder/reader.ts";
import { applyThreshold } from "../evidence/calibration.ts";
import { type Decision, decideByGate, decisionMarginOf, type Sufficiency, usesCosines } from "../evidence/gate.ts";
import {
  alignQuestionWords,
  askedTerms,
  formsHeld,
  holdingCodes,
  holdsCode,
  type NamedThings,
  type NameParts,
  namedThings,
  otherNumbers,
  similarWords,
  spelledLikeOthers,
  unheldWords,
  unknownCodes,
  unknownNames,
  unlikeForms,
  wordsOnce,
  wordsUnheld,
} from "../evidence/named-things.ts";
import { askedValues, heldValues } from "../language/question.ts";
import type { ScoreScale } from "../models/calibration/calibration.ts";
import type { GateSettings } from "../profiles/profile.ts";
import type { AskedQuestion, CandidateView, Choice, OpenPart, RankingWeights, ScoredCandidate } from "../ranking/features.ts";
import { confidenceFeatures, confidenceOf, equalRows, readingText, withFollowing } from "../ranking/rank.ts";
import type { Block, Evidence, Question, QuestionPart, Warning } from "../shared/types.ts";
import { questionParts } from "./admit.ts";
import { writersOf } from "./compress.ts";
import type { PipelineContext, StageLog } from "./context.ts";
import { wordsFor } from "./retrieve.ts";
import { choose, rankFor } from "./verify.ts";

/** The input of the decision. */
export interface Weighed {
  readonly question: Question;
  readonly evidence: readonly Evidence[];
  /** Candidates of all passages, if verification ranked them; `null`: not ranked yet. */
  readonly ranked: Choice | null;
  /** Id of the encoder that ranked; `null`: BM25 alone. */
  readonly ranker: string | null;
  readonly scale: ScoreScale;
  /** Gate settings with the thresholds for the encoder that ranked the passages. */
  readonly gate: GateSettings;
}

/**
 * Decides whether to answer or refuse. `decisionMargin`: distance above the answer threshold, `null`: unknown; `choice`: candidates, best first.
 */
export async function decide(weighed: Weighed, context: PipelineContext, log: StageLog, signal: AbortSignal) {
  const { question, evidence, scale, gate } = weighed;
  const things = context.profile.gate.type === "sufficiency" ? await askedThings(question, context) : null;
  // Drop evidence without the question's codes before ranking, because the best candidate determines the confidence.
  const holding = things === null ? evidence : holdingCodes(evidence, things.codes);
  const found = await choose(
    { question, evidence: holding.length === 0 ? evidence : holding, ranked: weighed.ranked },
    context,
    log,
    signal,
  );
  const choice = things === null ? found : { ...found, candidates: candidatesHolding(found.candidates, things.codes) };
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
    const isLearned = (gate.type === "best-similarity" || gate.type === "guard") && gate.by === "chance";
    log.fact("thresholds", isLearned ? "learned" : scale.type);
    if (gate.type === "similarity" || gate.type === "best-similarity") log.fact("minimum", Number(gate.minimum.toFixed(4)));
    if (scale.note !== null && !isLearned) log.notice(`thresholds_${scale.type}`, scale.note);
  }
  const named =
    things === null
      ? made
      : await withNamed(made, { question, isNamed: choice.candidates[0]?.isNamed === true }, things, context, log, signal);
  const decision: Decision =
    question.injectionSignals.length === 0 ? named : { ...named, answer: false, usable: [], warnings: [], reason: "injection" as const };
  log.fact("confidence", decision.confidence);
  log.fact("calibrated", decision.calibrated);
  const decisionMargin = decisionMarginOf(made, gate, sufficiency);
  // If no candidate is left, a refusal shows those of rejected passages.
  const { rows, left } = decision.answer
    ? await withEqualRows(question, choice, context)
    : { rows: choice.candidates.length === 0 ? (weighed.ranked ?? choice) : choice, left: 0 };
  log.fact("answer", decision.answer && left === 0);
  if (!decision.answer) return { decision, decisionMargin, choice: rows };
  if (left > 0) return { decision: { ...refusedFor(decision), warnings: [manyRows(left)] }, decisionMargin, choice };
  const shown = await completeChoice({ question, evidence, usable: decision.usable, choice: rows }, context, log, signal);
  return { decision, decisionMargin, choice: shown };
}
export type Decided = Awaited<ReturnType<typeof decide>>;

/** Maximum number of rows that an answer lists. */
const MAX_EQUAL_ROWS = 12;

/**
 * Moves all rows that match the question as well as the best row to the front, so that none is left out. `left` is the
 * number of such rows if there are more than an answer lists or more than retrieval found, otherwise 0. Not used for a
 * model, which gets whole passages.
 */
async function withEqualRows(question: Question, choice: Choice, context: PipelineContext): Promise<{ rows: Choice; left: number }> {
  if (writersOf(context) !== null || context.profile.gate.type !== "sufficiency") return { rows: choice, left: 0 };
  const equal = equalRows(question.resolved, choice, await wordsFor(question, context));
  if (equal === null) return { rows: choice, left: 0 };
  const { rows, documentId, header } = equal;
  const { blocks = [], text = "" } = (await context.store.documents.load(question.scope, [documentId])).get(documentId) ?? {};
  const { start: from, end: to } = rows[0]?.view.evidence.passage.bounds ?? { start: 0, end: text.length };
  const isOfTable = (block: Block) => blocks[block.header ?? -1]?.start === header.start && block.start > header.start;
  const all = blocks.filter(
    (one) => isOfTable(one) && one.start >= from && one.end <= to && equal.matches(text.slice(one.start, one.end)),
  ).length;
  if (all > Math.min(rows.length, MAX_EQUAL_ROWS)) return { rows: choice, left: all };
  const [first, ...others] = rows as [ScoredCandidate, ...ScoredCandidate[]];
  const rest = choice.candidates.filter((candidate) => !rows.includes(candidate));
  return { rows: { ...choice, candidates: [first, ...others.map((row) => ({ ...row, isRequired: true as const })), ...rest] }, left: 0 };
}

/** Returns the warning of a refusal because of too many rows: a few of them would be no answer. */
function manyRows(rows: number): Warning {
  const message = `${rows} rows of one table match the question equally. Add a word that tells them apart, or open the table.`;
  return { code: "rows_alike", message };
}

/** Returns the candidates that contain a code of the question in their text or headings; all candidates if none does. */
function candidatesHolding(candidates: readonly ScoredCandidate[], codes: readonly string[]): readonly ScoredCandidate[] {
  const holding = candidates.filter(({ view: { text, candidate } }) => holdsCode(`${candidate.above} ${text}`, codes));
  return codes.length === 0 || holding.length === 0 ? candidates : holding;
}

/** Names and codes of a question, with the function that detects them. */
type AskedThings = NamedThings & {
  readonly words: Pick<NameParts, "tokens" | "has"> & { readonly content: ReadonlySet<string> };
  readonly repairs: readonly { readonly written: string }[];
};

async function askedThings(question: Question, { corpus, profile }: PipelineContext): Promise<AskedThings> {
  const { outOfVocabulary, repairs } = await corpus.understand({ resolved: question.text, scope: question.scope }, profile.retrieve.query);
  const { has, own } = await wordsFor(question, { corpus, profile });
  const words = { tokens: (text: string) => corpus.tokens(text), has, content: new Set(own.tokens) };
  return { ...namedThings(question.text, { outOfVocabulary, ...words }), words, repairs };
}

function refusedFor(decision: Decision): Decision {
  return { ...decision, answer: false, usable: [], reason: "evidence_too_weak" };
}

/**
 * Refuses, or warns, when the evidence is about a similar entity. The evidence must contain the question's codes.
 * Unknown names cause warnings.
 */
async function withNamed(
  made: Decision,
  { question, isNamed }: Pick<Weighed, "question"> & { readonly isNamed: boolean },
  { words, repairs, ...things }: AskedThings,
  context: PipelineContext,
  log: StageLog,
  signal: AbortSignal,
): Promise<Decision> {
  if (!made.answer) return made;
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
  if (unknown.some(isCode)) return { ...refused, warnings: unknownCodes(unknown.filter(isCode)) };
  if (usable.length === 0) return { ...refused, warnings: [] };
  const unheld = wordsUnheld(terms, [...repaired, ...unknown, ...similar, ...otherwise, ...held], words.tokens);
  log.fact("not_held", unheld.join(", ") || null);
  return { ...made, usable, warnings: [...made.warnings, ...unknownNames(unknown), ...similarWords(similar), ...unheldWords(unheld)] };
}

/** Returns the confidence and its threshold. Logs a notice if the calibration does not fit. */
function applyCalibration({ evidence, ranker }: Weighed, choice: Choice, context: PipelineContext, log: StageLog) {
  const { ranking, threshold, corpus } = context;
  const judged = context.profile.gate.type !== "sufficiency" || evidence.length === 0 ? null : judgeBest(choice, ranking().weights, ranker);
  const at = judged === null ? null : applyThreshold(judged, threshold, { ranker, windows: corpus.windows });
  if (threshold.type === "calibrated") log.fact("calibration", threshold.calibration.name);
  const misfit =
    at?.misfit ??
    (judged === null && evidence.length > 0 && threshold.type === "calibrated" ? "the learned gate did not judge this question" : null);
  if (misfit !== null) log.notice("calibration_unused", `The calibration does not apply, so the default threshold is used: ${misfit}.`);
  return at;
}

function judgeBest(choice: Choice, weights: RankingWeights, ranker: string | null): Sufficiency {
  const probability = confidenceOf(choice, weights);
  const { minimum, rule } = weights.threshold;
  const [chance, from] = [probability, minimum].map((share) => `${Math.round(100 * share)} %`);
  const reason = `The best quote answers with a confidence of ${chance}; the threshold is ${from} (${rule})`;
  const model = ranker === null ? ("words" as const) : ("vectors" as const);
  return { probability, confidence: probability, minimum, calibrated: false, model, reason };
}

/** Maximum number of candidates that the cross-encoder scores for one part of a message. */
const READ_OF_PART = 5;

/** Returns one part of a message as a question. @param as its resolved text; default: the part with topics of earlier parts */
export function askAlone(question: Question, { text, resolved }: QuestionPart, as = resolved): Question {
  return { ...question, text, resolved: as };
}

/** An answerable question with all its evidence, and the evidence that may be quoted. */
export interface Answered {
  readonly question: Question;
  readonly evidence: readonly Evidence[];
  readonly usable: readonly Evidence[];
  readonly choice: Choice;
}

/**
 * Adds the sentence after the best candidate, and answers to the other parts of the message. Runs only for answers,
 * because a refusal shows no quote.
 */
export async function completeChoice(answered: Answered, context: PipelineContext, log: StageLog, signal: AbortSignal): Promise<Choice> {
  const { question, choice } = answered;
  const { read: readTexts } = context.ranking();
  if (readTexts === null) return choice;
  const followed = await withFollowing(question.resolved, choice, readTexts, signal);
  log.fact("following", followed.candidates[0]?.followedBy !== undefined);
  const asked = askedParts(question, context);
  const sids = new Set(answered.usable.map(({ passage }) => passage.sid));
  // Parts search all evidence, because a verdict rates a passage for the whole question.
  const whole = await withParts(followed, asked, {
    choosePart: (part) => rankFor(askAlone(question, part), answered.evidence, context, { mostRead: READ_OF_PART, signal }),
    mayBeQuoted: ({ view }) => sids.has(view.evidence.passage.sid),
    ...{ readTexts, signal },
  });
  log.fact("asked_parts", asked.length);
  log.fact("open_parts", whole.open?.length ?? 0);
  return whole;
}

/**
 * Splits a question into parts if the profile uses the learned gate and quotes answer. A model gets the whole question,
 * and a follow-up is never split.
 */
export function askedParts({ text, resolved }: Question, context: PipelineContext): QuestionPart[] {
  return context.profile.gate.type === "sufficiency" && writersOf(context) === null && text === resolved ? questionParts(text) : [];
}

export interface PartsOptions {
  readonly readTexts: ReadTexts;
  /** Ranks the candidates for one part, best first. */
  readonly choosePart: (part: QuestionPart) => Promise<Pick<Choice, "candidates">>;
  readonly mayBeQuoted: (candidate: ScoredCandidate) => boolean;
  readonly signal: AbortSignal;
}

/** Minimum log odds of a candidate that answers, equal to the threshold in training. Below `NOTHING_BELOW` nothing was found. */
const ANSWERS_FROM = 0;
const NOTHING_BELOW = -1.5;

/**
 * Adds an answer for each part: the best candidate of the whole question if it answers the part, otherwise the part's
 * own best candidate. `open` lists the unanswered parts.
 */
export async function withParts(
  choice: Choice,
  parts: readonly QuestionPart[],
  { readTexts, choosePart, mayBeQuoted, signal }: PartsOptions,
): Promise<Choice> {
  const [best, ...others] = choice.candidates;
  if (best === undefined || best.cross === null || parts.length === 0) return choice;
  const shown = [best.view, ...(best.followedBy === undefined ? [] : [best.followedBy])].map(readingText);
  const pairs = parts.flatMap(({ resolved }) => shown.map((text) => ({ question: resolved, text })));
  const read = await readTexts(pairs, signal);
  if (read === null) return choice;
  const looked = await Promise.all(
    parts.map(async (part, i) => {
      const own = Math.max(...read.slice(i * shown.length, (i + 1) * shown.length).map((one) => (one as PairReading).answer));
      const isAnswered = own >= ANSWERS_FROM || isCellOf(part, best.view, choice.asked);
      const likeliest = isAnswered ? null : mostLikely((await choosePart(part)).candidates);
      return { part, odds: Math.max(own, oddsOf(likeliest)), likeliest, isAnswered };
    }),
  );
  const found: ScoredCandidate[] = [];
  const answered = new Set<QuestionPart>();
  for (const { part, likeliest } of looked) {
    if (likeliest === null || oddsOf(likeliest) < ANSWERS_FROM || !mayBeQuoted(likeliest)) continue;
    answered.add(part);
    if (![best, ...found].some((one) => isSame(one, likeliest))) found.push({ ...likeliest, isRequired: true });
  }
  const open = looked
    .filter(({ part, isAnswered }) => !isAnswered && !answered.has(part))
    .map(({ part, odds }) => ({ part, isNothing: odds < NOTHING_BELOW }));
  const rest = others.filter((candidate) => !found.some((one) => isSame(one, candidate)));
  return { ...choice, candidates: [best, ...found, ...rest], ...(open.length > 0 && { open }) };
}

/**
 * Returns whether a part asks for a cell of the displayed row. Needed because the cross-encoder underrates wide rows.
 * All words of the part must be in the row or header, one must name a column after the first, and the row must have a
 * value of the requested kind.
 */
function isCellOf({ text }: QuestionPart, { candidate, text: row }: CandidateView, asked: AskedQuestion): boolean {
  if (candidate.header === null) return false;
  const { text: header } = candidate.header;
  const [words, first = 0, ...behind] = [text, ...header.split("|").filter((name) => name.trim() !== "")].map((one) => asked.bitsIn(one));
  const columns = behind.reduce((bits, one) => bits | one, 0);
  const held = first | columns | asked.bitsIn(row);
  const values = heldValues(row);
  return (
    words !== undefined && (words & columns) !== 0 && (words & ~held) === 0 && askedValues(text).every((kinds) => (values & kinds) !== 0)
  );
}

/** Returns a warning for each unanswered part: nothing was found, or the confidence is too low. */
export function openParts(open: readonly OpenPart[]): Warning[] {
  return open.map(({ part: { text }, isNothing }) =>
    isNothing
      ? { code: "part_unanswered", message: `No passage found answers “${text}”.` }
      : { code: "part_refused", message: `“${text}” is not answered: the confidence of the best passage is too low.` },
  );
}

function mostLikely(candidates: readonly ScoredCandidate[]): ScoredCandidate | null {
  return candidates.reduce<ScoredCandidate | null>((best, candidate) => (oddsOf(candidate) > oddsOf(best) ? candidate : best), null);
}

/** Returns the cross-encoder's log odds, or minus infinity for a candidate that was not scored. */
function oddsOf(candidate: ScoredCandidate | null): number {
  return candidate?.cross ?? Number.NEGATIVE_INFINITY;
}

function isSame({ view: a }: ScoredCandidate, { view: b }: ScoredCandidate): boolean {
  const [one, other] = [a.evidence.passage, b.evidence.passage].map(({ sid }) => sid);
  return one === other && a.candidate.range.start === b.candidate.range.start && a.candidate.range.end === b.candidate.range.end;
}
