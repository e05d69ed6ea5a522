import type { ScoreScale } from "../models/calibration/calibration.ts";
import { chanceOf } from "../models/weights/scorer.ts";
import type { GateSettings } from "../profiles/profile.ts";
import type { Evidence, Question } from "../types.ts";
import { applyThreshold } from "../verify/calibration.ts";
import { type Decision, decide as decideByGate, headroomOf, usesCosines } from "../verify/decide.ts";
import {
  formsHeld,
  holdingCodes,
  layWordsBeside,
  type NamedThings,
  type NameParts,
  namedThings,
  spelledLikeOthers,
  unheldWords,
  unknownCodes,
  unknownNames,
  unlikeForms,
  wordsOnce,
  wordsUnheld,
} from "../verify/named-things.ts";
import { judgeSufficiency, measureEvidence, SUFFICIENCY_FEATURES, type Sufficiency } from "../verify/sufficiency.ts";
import type { EvidenceView } from "../verify/sufficiency-view.ts";
import { type Choice, type ChooserWeights, logit, measureBestReading, PIECE_FEATURES, type ScoredPiece } from "../write/chooser-weights.ts";
import { choose, completeChoice } from "./choose.ts";
import type { ChooserParts, JudgingParts } from "./parts.ts";
import { wordsFor } from "./retrieve.ts";
import type { StageLog } from "./trace.ts";

/** Lead of a piece that has no competitor. */
const ALONE = 6;

/** The chance that what would be shown first answers, and the figures of the reading that it is made of; `null`: nothing was read. */
interface AnswerChance {
  /** 0 to 1. */
  readonly chance: number;
  /** By `READ_ANSWER_FEATURES`. */
  readonly readings: Readonly<Record<string, number | null>> | null;
}

/**
 * Chance that the best piece, with what follows it, answers the question: what a glance says, and, where the best pieces were read, what reading says beside it.
 * @param known values of the other features by name; a name that is absent or `null` counts as the mean of the training questions
 * @returns chance 0 when there is no piece
 */
export function answerChance(
  { pieces, glance }: Pick<Choice, "pieces" | "glance">,
  known: ReadonlyMap<string, number | null>,
  { answer, read_answer: scorer }: Pick<ChooserWeights, "answer" | "read_answer">,
): AnswerChance {
  const chance = glanceChance(glance ?? pieces, known, answer);
  const [first, second] = pieces;
  if (glance === null || first === undefined || first.reading === null) return { chance, readings: null };
  const readings: Readonly<Record<string, number | null>> = {
    glance: logit(chance),
    score: first.score,
    // Alone among what was read it is ahead of nobody, and above nobody: that says nothing, least of all that it answers. What was not read has a score of another kind.
    "score.ahead": second === undefined || second.reading === null ? null : first.score - second.score,
    row: Number(first.view.piece.type === "row"),
    ...measureBestReading(pieces.flatMap(({ reading }) => reading ?? [])),
  };
  const values = scorer.features.map((name) => readings[name] ?? null);
  return { chance: chanceOf(values, scorer), readings };
}

/** By the score at a glance, its lead over the others, and what is known of the passages. */
function glanceChance(pieces: readonly ScoredPiece[], known: ReadonlyMap<string, number | null>, answer: ChooserWeights["answer"]): number {
  const scores = pieces.map(({ score }) => score);
  const [first] = pieces;
  const best = scores[0];
  if (first === undefined || best === undefined) return 0;
  const own = new Map<string, number | null>([
    ...Object.entries(PIECE_FEATURES).map(([name, measure]) => [`piece.${name}`, measure(first.measured)] as const),
    ["score", best],
    ["score.ahead", best - (scores[1] ?? best - ALONE)],
    ["score.crowd", Math.log(scores.reduce((sum, score) => sum + Math.exp(score - best), 0))],
  ]);
  const values = answer.features.map((name) => own.get(name) ?? known.get(name) ?? null);
  return chanceOf(values, answer);
}

/** What is decided on. */
export interface Weighed {
  readonly question: Question;
  readonly evidence: readonly Evidence[];
  /** The passages as the learned gate reads them; `null`: none did. */
  readonly view: EvidenceView | null;
  /** Id of the encoder that ranked; `null`: words alone did. */
  readonly ranker: string | null;
  readonly scale: ScoreScale;
  /** With the thresholds that hold for what ranked the passages. */
  readonly gate: GateSettings;
}

/**
 * Answer or refuse, with the threshold that holds for this question. `headroom`: how far above the least that answers, `null`: not known; `choice`: what would be
 * shown, the best first: how likely it answers is what decides.
 */
export async function decide(weighed: Weighed, parts: JudgingParts, log: StageLog, signal: AbortSignal) {
  const { question, evidence, scale, gate } = weighed;
  const things = parts.profile.gate.type === "sufficiency" ? askedThings(question, parts) : null;
  // A code must stand where it is answered from. What does not hold it is left out before anything is chosen: the chance is mostly that of the best piece.
  const holding = things === null ? evidence : holdingCodes(evidence, things.codes);
  const choice = await choose({ question, evidence: holding.length === 0 ? evidence : holding }, parts, log, signal);
  const sufficiency = applyCalibration(weighed, choice, parts, log);
  const made = decideByGate(evidence, gate, sufficiency, question.text !== question.resolved);
  if (sufficiency !== null) {
    log.fact("minimum", Number(sufficiency.minimum.toFixed(4)));
    log.fact("weights", sufficiency.model);
    log.fact("chance", sufficiency.probability);
    log.notice("sufficiency", sufficiency.reason);
  }
  if (usesCosines(gate)) {
    const isLearned = (gate.type === "best-similarity" || gate.type === "guard") && gate.by === "chance";
    log.fact("thresholds", isLearned ? "learned" : scale.type);
    if (gate.type === "similarity" || gate.type === "best-similarity") log.fact("minimum", Number(gate.minimum.toFixed(4)));
    if (scale.note !== null && !isLearned) log.notice(`thresholds_${scale.type}`, scale.note);
  }
  const named = things === null ? made : await withNamed(made, weighed, things, parts, log, signal);
  const decision: Decision =
    question.injectionSignals.length === 0 ? named : { ...named, answer: false, usable: [], warnings: [], reason: "injection" as const };
  log.fact("answer", decision.answer);
  log.fact("confidence", decision.confidence);
  log.fact("calibrated", decision.calibrated);
  const headroom = headroomOf(made, gate, sufficiency);
  if (!decision.answer) return { decision, headroom, choice };
  const shown = await completeChoice({ question, evidence, usable: decision.usable, choice }, parts, log, signal);
  return { decision, headroom, choice: shown };
}
export type Decided = Awaited<ReturnType<typeof decide>>;

/** What a question names, and the words by which that is told. */
type AskedThings = NamedThings & {
  readonly words: Pick<NameParts, "tokens" | "has"> & { readonly content: ReadonlySet<string> };
  readonly repairs: readonly { readonly written: string }[];
};

function askedThings(question: Question, { corpus, profile }: JudgingParts): AskedThings {
  const { strange, repairs } = corpus.understand({ resolved: question.text, scope: question.scope }, profile.retrieve.query);
  const { has, own } = wordsFor(question, { corpus, profile });
  const words = { tokens: (text: string) => corpus.tokens(text), has, content: new Set(own.tokens) };
  return { ...namedThings(question.text, { strange, ...words }), words, repairs };
}

/** Nothing is answered from the neighbour of what the question names without a word: what no document names or holds is said, and a code must stand where it is answered from. */
async function withNamed(
  made: Decision,
  { question, view }: Pick<Weighed, "question" | "view">,
  { words, repairs, ...things }: AskedThings,
  parts: JudgingParts,
  log: StageLog,
  signal: AbortSignal,
): Promise<Decision> {
  if (!made.answer) return made;
  const usable = holdingCodes(made.usable, things.codes);
  const repaired = new Set(repairs.map(({ written }) => written.toLowerCase()));
  const beside = layWordsBeside(question.text, usable, words);
  const unlike = await unlikeForms(formsHeld(beside, words.tokens), parts.chooser().read, signal);
  const common = new Set((view?.terms ?? []).flatMap((term) => (term.common ? term.tokens : [])));
  const isCommon = (word: string) => words.tokens(word).some((token) => common.has(token));
  const alike = [...spelledLikeOthers(beside, { ...words, isCommon }), ...unlike].filter((word) => !repaired.has(word));
  const isCode = (name: string) => /\d/.test(name);
  const otherwise = things.unknown.filter((name) => !isCode(name) && beside.isSpelledOtherwise(name));
  const unknown = wordsOnce([...things.unknown.filter((name) => !otherwise.includes(name)), ...alike]);
  log.fact("not_named", unknown.join(", ") || null);
  const refused = { ...made, answer: false, usable: [], reason: "evidence_too_weak" as const };
  if (unknown.some(isCode)) return { ...refused, warnings: unknownCodes(unknown.filter(isCode)) };
  if (usable.length === 0) return { ...refused, warnings: [] };
  const unheld = wordsUnheld(question.resolved, { terms: view?.terms ?? [], said: [...repaired, ...unknown, ...otherwise] }, words.tokens);
  log.fact("not_held", unheld.join(", ") || null);
  return { ...made, usable, warnings: [...made.warnings, ...unknownNames(unknown), ...unheldWords(unheld)] };
}

/** How likely the evidence answers, and the threshold that holds; a notice says why a calibration does not. */
function applyCalibration({ view, evidence, ranker }: Weighed, choice: Choice, parts: JudgingParts, log: StageLog) {
  const { sufficiency, chooser, threshold, corpus } = parts;
  const { windows } = corpus;
  const together = view === null ? null : judgeSufficiency(view, sufficiency(), ranker);
  const judged = view === null || together === null ? null : judgeBest(together, view, choice, chooser(), log);
  const at = judged === null ? null : applyThreshold(judged, threshold, { ranker, windows });
  if (threshold.type === "calibrated") log.fact("calibration", threshold.calibration.name);
  const misfit =
    at?.misfit ??
    (judged === null && evidence.length > 0 && threshold.type === "calibrated" ? "the learned gate did not judge this question" : null);
  if (misfit !== null) log.notice("calibration_unused", `The calibration is not used, the shipped threshold is: ${misfit}.`);
  return at;
}

/** Name of the feature: log odds that the passages together answer. */
const TOGETHER = "together";

/** The chance that what would be shown first answers, in the place of the chance that the passages together do. */
function judgeBest(together: Sufficiency, view: EvidenceView, choice: Choice, { weights }: ChooserParts, log: StageLog): Sufficiency {
  const names = weights.answer.features.filter((name) => Object.hasOwn(SUFFICIENCY_FEATURES, name));
  const values = measureEvidence(view, names);
  const known = new Map([...names.map((name, i) => [name, values[i] ?? null] as const), [TOGETHER, logit(together.probability)] as const]);
  const { chance: probability, readings } = answerChance(choice, known, weights);
  for (const [name, value] of Object.entries(readings ?? {})) log.fact(name.replaceAll(".", "_"), value);
  const { minimum, rule } = weights.threshold;
  const [chance, from] = [probability, minimum].map((share) => `${Math.round(100 * share)} %`);
  const reason = `${chance} likely that the best quote answers; shown as an answer from ${from} (${rule})`;
  return { ...together, probability, confidence: probability, minimum, reason };
}
