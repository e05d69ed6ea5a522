import { applyThreshold } from "../evidence/calibration.ts";
import { type Decision, decide as decideByGate, headroomOf, type Sufficiency, usesCosines } from "../evidence/decide.ts";
import {
  askedTerms,
  formsHeld,
  holdingCodes,
  holdsCode,
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
} from "../evidence/named-things.ts";
import type { ScoreScale } from "../models/calibration/calibration.ts";
import type { GateSettings } from "../profiles/profile.ts";
import type { Choice, RankingWeights, ScoredCandidate } from "../ranking/features.ts";
import { confidenceFeatures, confidenceOf } from "../ranking/rank.ts";
import type { Evidence, Question } from "../shared/types.ts";
import { choose, completeChoice } from "./choose.ts";
import type { JudgingParts } from "./parts.ts";
import { wordsFor } from "./retrieve.ts";
import type { StageLog } from "./trace.ts";

/** What is decided on. */
export interface Weighed {
  readonly question: Question;
  readonly evidence: readonly Evidence[];
  /** The candidates of all passages, where the gate went by them; `null`: none were ranked yet. */
  readonly ranked: Choice | null;
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
  const things = parts.profile.gate.type === "sufficiency" ? await askedThings(question, parts) : null;
  // A code must stand where it is answered from. What does not hold it is left out before anything is chosen: the chance is mostly that of the best candidate.
  const holding = things === null ? evidence : holdingCodes(evidence, things.codes);
  const found = await choose({ question, evidence: holding.length === 0 ? evidence : holding, ranked: weighed.ranked }, parts, log, signal);
  const choice = things === null ? found : { ...found, candidates: candidatesHolding(found.candidates, things.codes) };
  const sufficiency = applyCalibration(weighed, choice, parts, log);
  const made = decideByGate(evidence, gate, sufficiency);
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
  const named = things === null ? made : await withNamed(made, weighed, things, parts, log, signal);
  const decision: Decision =
    question.injectionSignals.length === 0 ? named : { ...named, answer: false, usable: [], warnings: [], reason: "injection" as const };
  log.fact("answer", decision.answer);
  log.fact("confidence", decision.confidence);
  log.fact("calibrated", decision.calibrated);
  const headroom = headroomOf(made, gate, sufficiency);
  // A refusal shows what came nearest, also of what is rejected.
  if (!decision.answer) return { decision, headroom, choice: choice.candidates.length === 0 ? (weighed.ranked ?? choice) : choice };
  const shown = await completeChoice({ question, evidence, usable: decision.usable, choice }, parts, log, signal);
  return { decision, headroom, choice: shown };
}
export type Decided = Awaited<ReturnType<typeof decide>>;

/** The candidates that hold a code of the question themselves or in what stands above them; all where none does. */
function candidatesHolding(candidates: readonly ScoredCandidate[], codes: readonly string[]): readonly ScoredCandidate[] {
  const holding = candidates.filter(({ view: { text, candidate } }) => holdsCode(`${candidate.above} ${text}`, codes));
  return codes.length === 0 || holding.length === 0 ? candidates : holding;
}

/** What a question names, and the words by which that is told. */
type AskedThings = NamedThings & {
  readonly words: Pick<NameParts, "tokens" | "has"> & { readonly content: ReadonlySet<string> };
  readonly repairs: readonly { readonly written: string }[];
};

async function askedThings(question: Question, { corpus, profile }: JudgingParts): Promise<AskedThings> {
  const { strange, repairs } = await corpus.understand({ resolved: question.text, scope: question.scope }, profile.retrieve.query);
  const { has, own } = await wordsFor(question, { corpus, profile });
  const words = { tokens: (text: string) => corpus.tokens(text), has, content: new Set(own.tokens) };
  return { ...namedThings(question.text, { strange, ...words }), words, repairs };
}

/** Nothing is answered from the neighbour of what the question names without a word: what no document names or holds is said, and a code must stand where it is answered from. */
async function withNamed(
  made: Decision,
  { question }: Pick<Weighed, "question">,
  { words, repairs, ...things }: AskedThings,
  parts: JudgingParts,
  log: StageLog,
  signal: AbortSignal,
): Promise<Decision> {
  if (!made.answer) return made;
  const usable = holdingCodes(made.usable, things.codes);
  const repaired = new Set(repairs.map(({ written }) => written.toLowerCase()));
  const beside = layWordsBeside(question.text, usable, words);
  const unlike = await unlikeForms(formsHeld(beside, words.tokens), parts.ranking().read, signal);
  const terms = askedTerms(question.resolved, await wordsFor(question, parts), parts.isCommon);
  const common = new Set(terms.flatMap((term) => (term.common ? term.tokens : [])));
  const isCommon = (word: string) => words.tokens(word).some((token) => common.has(token));
  const alike = [...spelledLikeOthers(beside, { ...words, isCommon }), ...unlike].filter((word) => !repaired.has(word));
  const isCode = (name: string) => /\d/.test(name);
  const otherwise = things.unknown.filter((name) => !isCode(name) && beside.isSpelledOtherwise(name));
  const unknown = wordsOnce([...things.unknown.filter((name) => !otherwise.includes(name)), ...alike]);
  log.fact("not_named", unknown.join(", ") || null);
  const refused = { ...made, answer: false, usable: [], reason: "evidence_too_weak" as const };
  if (unknown.some(isCode)) return { ...refused, warnings: unknownCodes(unknown.filter(isCode)) };
  if (usable.length === 0) return { ...refused, warnings: [] };
  const unheld = wordsUnheld(question.resolved, { terms, said: [...repaired, ...unknown, ...otherwise] }, words.tokens);
  log.fact("not_held", unheld.join(", ") || null);
  return { ...made, usable, warnings: [...made.warnings, ...unknownNames(unknown), ...unheldWords(unheld)] };
}

/** How likely the best candidate answers, and the threshold that holds; a notice says why a calibration does not. */
function applyCalibration({ evidence, ranker }: Weighed, choice: Choice, parts: JudgingParts, log: StageLog) {
  const { ranking, threshold, corpus } = parts;
  const judged = parts.profile.gate.type !== "sufficiency" || evidence.length === 0 ? null : judgeBest(choice, ranking().weights, ranker);
  const at = judged === null ? null : applyThreshold(judged, threshold, { ranker, windows: corpus.windows });
  if (threshold.type === "calibrated") log.fact("calibration", threshold.calibration.name);
  const misfit =
    at?.misfit ??
    (judged === null && evidence.length > 0 && threshold.type === "calibrated" ? "the learned gate did not judge this question" : null);
  if (misfit !== null) log.notice("calibration_unused", `The calibration is not used, the shipped threshold is: ${misfit}.`);
  return at;
}

function judgeBest(choice: Choice, weights: RankingWeights, ranker: string | null): Sufficiency {
  const probability = confidenceOf(choice, weights);
  const { minimum, rule } = weights.threshold;
  const [chance, from] = [probability, minimum].map((share) => `${Math.round(100 * share)} %`);
  const reason = `${chance} likely that the best quote answers; shown as an answer from ${from} (${rule})`;
  const model = ranker === null ? ("words" as const) : ("vectors" as const);
  return { probability, confidence: probability, minimum, calibrated: false, model, reason };
}
