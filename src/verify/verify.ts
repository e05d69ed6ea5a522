import { RAW_SCALE, type ScoreScale } from "../models/calibration/calibration.ts";
import type { GateSettings } from "../profiles/profile.ts";
import type { Evidence, Passage, Question, Verdict } from "../types.ts";
import { type Compared, NOT_COMPARED, type PassageComparison, withComparison } from "./compare-passages.ts";
import type { Explained } from "./consistency.ts";
import { reaches } from "./decide.ts";
import { BY_WORDS, combineScores, type PassageJudge } from "./relevance.ts";

/** What the gate needs of the index: its tokenizer and word weights. */
export interface WordStatistics {
  tokens(text: string): string[];
  /** Tokens of what a question asks, its frame left out. */
  questionTokens(question: string): string[];
  /** The same without what the conversation before added. */
  ownTokens(question: string): string[];
  idf(token: string): number;
  /** Tokens of a passage with its title and headings, where they are known already. */
  tokensOf?(passage: Passage): ReadonlySet<string>;
}

/**
 * The evidence gate, before anything is written: a verdict for every passage, in the order of the passages.
 * @param compared what the passages say of each other; without it consistency and agreement are not scored
 * @param judge the learned chance of every passage, for the gate that goes by it
 */
export function verifyPassages(
  question: Question,
  passages: readonly Passage[],
  gate: GateSettings,
  words: WordStatistics,
  scale: Pick<ScoreScale, "score"> = RAW_SCALE,
  compared: Compared = NOT_COMPARED,
  judge: PassageJudge = BY_WORDS,
): Evidence[] {
  const asked = words.questionTokens(question.resolved);
  const own = words.ownTokens(question.text);
  const isFollowUp = question.text !== question.resolved;
  return passages.map((passage, i) => {
    const comparison = compared.of(passage);
    const share = () => relevanceByCoverage(asked, own, passage, words);
    const judged =
      gate.type === "sufficiency"
        ? judgeOurs(passage, gate, share(), isFollowUp, comparison, judge, i)
        : judgeByScores(passage, gate, scale, comparison, learnedOf(judge, comparison, i));
    return withComparison(judged, comparison, gate);
  });
}

/** Our own gate: the learned chance, else what a model says, else the share of the question's words. */
function judgeOurs(
  passage: Passage,
  gate: Extract<GateSettings, { readonly type: "sufficiency" }>,
  byWords: number | null,
  isFollowUp: boolean,
  { relevance: byModel, consistency, agreement }: PassageComparison,
  judge: PassageJudge,
  place: number,
): Evidence {
  // A model may doubt that a follow-up is answered; it cannot make up for words of the question itself that the passage lacks.
  const share = byModel === undefined ? byWords : isFollowUp ? Math.min(byModel.score, byWords ?? 0) : byModel.score;
  const held = share ?? 0;
  const learned = byModel === undefined && judge.type === "learned" ? judge.relevance[place] : undefined;
  if (learned === undefined || judge.type !== "learned") {
    const why = judge.type === "words" && judge.why !== null ? ` (${judge.why})` : "";
    const reason = byModel?.reason ?? `relevance ${held.toFixed(2)}: holds ${percent(held)} of the question's words by weight${why}`;
    return evidence(passage, verdictAt(held, gate.verified, gate.uncertain), share, held, reason);
  }
  const { weights } = judge;
  const parts = { relevance: learned.probability, consistency: consistency.score, agreement: agreement.score };
  const score = combineScores(parts, weights);
  const verdict = verdictAt(score, weights.cuts.verified, weights.cuts.rejected);
  return { ...evidence(passage, verdict, learned.probability, score, `V ${score.toFixed(2)}; ${learned.reason}`), held };
}

function verdictAt(score: number, verified: number, uncertain: number): Verdict {
  return score >= verified ? "verified" : score >= uncertain ? "uncertain" : "rejected";
}

/** Does a passage answer, as a model says or as learned; `null`: neither does, the cosine counts. */
function learnedOf(judge: PassageJudge, { relevance: byModel }: PassageComparison, place: number): (Explained & { score: number }) | null {
  if (byModel !== undefined) return byModel;
  const learned = judge.type === "learned" ? judge.relevance[place] : undefined;
  return learned === undefined ? null : { score: learned.probability, reason: learned.reason };
}

/** The gates of the source designs. */
function judgeByScores(
  passage: Passage,
  gate: Exclude<GateSettings, { readonly type: "sufficiency" }>,
  scale: Pick<ScoreScale, "score">,
  { consistency, agreement, outlier }: PassageComparison,
  learned: (Explained & { score: number }) | null,
): Evidence {
  const { dense, cross, rerank } = passage.scores;
  /** The cosine on the scale of the model whose scores the gate combines. */
  const carried = dense === null ? null : unit(scale.score(dense));
  switch (gate.type) {
    case "similarity": {
      const score = dense ?? 0;
      const verdict = reaches(score, gate.minimum) ? "verified" : "rejected";
      return evidence(passage, verdict, unit(dense), score, `cosine ${score.toFixed(2)}, kept from ${Number(gate.minimum.toFixed(3))}`);
    }
    case "guard": {
      const read = cross ?? (gate.by === "chance" ? (learned?.score ?? null) : rerank);
      const score = guardScore(carried, unit(read), gate);
      const verdict = score !== null && reaches(score, gate.perPassage) ? "verified" : "rejected";
      const by = gate.by === "chance" && learned !== null ? `; ${learned.reason}` : "";
      const reason = `guard ${(score ?? 0).toFixed(2)}, kept from ${gate.perPassage}${by}`;
      return evidence({ ...passage, scores: { ...passage.scores, cross: read } }, verdict, carried, score ?? 0, reason);
    }
    case "v-score": {
      const relevance = learned?.score ?? carried;
      const parts = { relevance, consistency: consistency.score, agreement: agreement.score };
      const score = scoreOf(parts, gate.rejected, outlier);
      const verdict = outlier || !reaches(score, gate.rejected) ? "rejected" : reaches(score, gate.verified) ? "verified" : "uncertain";
      const scored = Object.entries(parts).flatMap(([name, value]) => (value === null ? [] : [name]));
      const reason = learned?.reason ?? cosineReason(dense, carried);
      return evidence(passage, verdict, relevance, score, `V ${score.toFixed(2)}, the geometric mean of ${scored.join(", ")}; ${reason}`);
    }
    case "best-similarity":
      return gate.by === "chance" && learned !== null
        ? evidence(passage, "verified", learned.score, learned.score, `the best chance of all decides; ${learned.reason}`)
        : evidence(passage, "verified", unit(dense), dense ?? 0, "the best cosine of all decides");
    case "none":
      return evidence(passage, "verified", unit(dense), dense ?? passage.scores.fused, "no gate for single passages in this profile");
    default:
      return gate satisfies never;
  }
}

function cosineReason(dense: number | null, carried: number | null): string {
  if (dense === null || carried === null) return "relevance not scored: no encoder ranked it";
  return `relevance ${carried.toFixed(2)}: cosine ${dense.toFixed(2)} of question and passage`;
}

/**
 * `relevanceWeight·rel + crossWeight·cross` (`spark` source, section 2.3). A score that is missing is left out and the other weights are renormalised.
 * @returns `null` when both are missing
 */
export function guardScore(
  relevance: number | null,
  cross: number | null,
  { relevanceWeight, crossWeight }: { relevanceWeight: number; crossWeight: number },
): number | null {
  const parts = [
    { weight: relevanceWeight, value: relevance },
    { weight: crossWeight, value: cross },
  ].filter((part): part is { weight: number; value: number } => part.value !== null);
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  return total === 0 ? null : parts.reduce((sum, { weight, value }) => sum + weight * value, 0) / total;
}

/** V; that one other passage says otherwise makes a passage uncertain at least: one against one is no majority. */
function scoreOf(parts: Parameters<typeof vScore>[0], rejected: number, outlier: boolean): number {
  const score = vScore(parts) ?? 0;
  return outlier ? score : Math.max(score, Math.min(vScore({ ...parts, agreement: null }) ?? 0, rejected));
}

/**
 * `vg-rag`: geometric mean of the scores that exist, with equal weights. The source states neither weights nor how they are put together; in an arithmetic mean
 * a passage that does not answer at all, but reads well, has .5 and can never be rejected. `null` when none exists.
 */
export function vScore(parts: Readonly<Record<"relevance" | "consistency" | "agreement", number | null>>): number | null {
  const scores = Object.values(parts).filter((score) => score !== null);
  return scores.length === 0 ? null : scores.reduce((product, score) => product * score, 1) ** (1 / scores.length);
}

/**
 * Where words alone judge, history says what a question is about; it cannot make up for words of the question itself that the passage lacks.
 * A question without any ("How long does it take?") is refused there: what was meant is a guess, and the refusal asks for the whole question.
 */
function relevanceByCoverage(asked: readonly string[], own: readonly string[], passage: Passage, words: WordStatistics): number | null {
  const held =
    words.tokensOf?.(passage) ?? new Set(words.tokens([passage.document.title, ...passage.headingPath, passage.text].join("\n")));
  const idf = (token: string) => words.idf(token);
  const withHistory = weightedCoverage(asked, held, idf);
  return withHistory === null ? null : Math.min(withHistory, weightedCoverage(own, held, idf) ?? 0);
}

function evidence(passage: Passage, verdict: Verdict, relevance: number | null, score: number, reason: string): Evidence {
  return { passage, verdict, relevance, consistency: null, agreement: null, score, reason };
}

/** A cosine as a score in 0–1. */
function unit(score: number | null): number | null {
  return score === null ? null : Math.min(1, Math.max(0, score));
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/**
 * Share of a question's words that a text holds, each word weighted by its inverse document frequency: Σ idf(q ∩ d) / Σ idf(q).
 * A heuristic for relevance, 0–1. Words that no document holds count fully against it: what the corpus never mentions it cannot answer.
 * @returns `null` when the question has no content words
 */
export function weightedCoverage(question: readonly string[], text: ReadonlySet<string>, idf: (token: string) => number): number | null {
  const asked = [...new Set(question)];
  let all = 0;
  let found = 0;
  for (const token of asked) {
    const weight = idf(token);
    all += weight;
    if (text.has(token)) found += weight;
  }
  return all === 0 ? null : found / all;
}
