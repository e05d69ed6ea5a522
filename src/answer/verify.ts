import { messageOf } from "../errors.ts";
import type { SupportScorer } from "../models/support.ts";
import type { PassageVerdict } from "../models/verifier.ts";
import type { Profile } from "../profiles/profile.ts";
import { dot } from "../reader/dot.ts";
import type { ReadTexts } from "../reader/reader.ts";
import { readQuestion } from "../reading/question.ts";
import type { QuestionWords } from "../retrieve/understand.ts";
import type { Conflict, Evidence, ModelCall, Passage, Question, Scope } from "../types.ts";
import { agreementOf, type Compared, comparePassages, MAJORITY, NOT_COMPARED } from "../verify/compare-passages.ts";
import { carryGate } from "../verify/decide.ts";
import { BY_WORDS, judgePassages, type PassageJudge, poolReadings } from "../verify/relevance.ts";
import { type EvidenceView, viewEvidence } from "../verify/sufficiency-view.ts";
import { verifyPassages } from "../verify/verify.ts";
import { pieceCut } from "../write/choose.ts";
import { piecesOf } from "../write/pieces.ts";
import { readingText } from "../write/read-pieces.ts";
import { QUOTE_CHARACTERS } from "./choose.ts";
import type { JudgingParts, ModelVerifier } from "./parts.ts";
import { type Found, wordsFor } from "./retrieve.ts";
import type { StageLog } from "./trace.ts";

/**
 * Pieces of a passage that are read, those nearest to the question: each takes 20 to 30 ms of a core. A passage is longer than what the reader was trained on, and
 * read whole it says least (`lab/train/reader/LOG.md`): which of all passages of 310 golden questions holds a marked quote it tells with an AUROC of .73; by the
 * nearest piece .83, the better of two .85, the best of three .86 (`reader-5`).
 */
export const PIECES_READ = 2;

interface ReadPassagesOptions {
  /** Characters of one piece at most, as they may be quoted. */
  readonly maxCharacters: number;
  /** Vectors of texts, each of length 1. */
  readonly embed: (texts: readonly string[]) => readonly Float32Array[];
  readonly readTexts: ReadTexts;
  readonly signal: AbortSignal;
}

/**
 * Log odds by the reader that each passage answers, in their order: of the best of its pieces that were read. A passage without anything to quote has `null`.
 * @returns `null`: the reader could not read
 * @throws the signal's reason when it is cancelled
 */
export async function readPassages(
  question: string,
  passages: readonly Passage[],
  { maxCharacters, embed, readTexts, signal }: ReadPassagesOptions,
): Promise<readonly (number | null)[] | null> {
  const cut = pieceCut(readQuestion(question).type, maxCharacters);
  const texts = passages.map((passage) => piecesOf(passage, cut).map((piece) => readingText({ piece, evidence: { passage } })));
  if (texts.every((own) => own.length === 0)) return texts.map(() => null);
  const [asked, ...vectors] = embed([question, ...texts.flat()]) as [Float32Array, ...Float32Array[]];
  const likeness = vectors.map((vector) => dot(asked, vector));
  let first = 0;
  const nearest = texts.flatMap((own, place) => {
    const cosines = likeness.slice(first, first + own.length);
    first += own.length;
    return own
      .map((text, i) => ({ place, text, cosine: cosines[i] as number }))
      .sort((a, b) => b.cosine - a.cosine)
      .slice(0, PIECES_READ);
  });
  const readings = await readTexts(
    nearest.map(({ text }) => ({ question, text })),
    signal,
  );
  if (readings === null) return null;
  const best = texts.map((): number | null => null);
  for (const [i, { answer }] of readings.entries()) {
    const { place } = nearest[i] as (typeof nearest)[number];
    best[place] = Math.max(best[place] ?? answer, answer);
  }
  return best;
}

/** Support from which another passage bears a statement out: what the default profile takes for supported. */
const BEARS_OUT = 0.7;
/**
 * Where rules say nothing of two passages, the learned score of claims does: does what one says of the question bear out what the other says of it? What it
 * does not tell gives no vote: near sentences with a word exchanged may speak of another thing, so who says otherwise is told by rules alone.
 */
export async function withLearnedAgreement(
  compared: Compared,
  passages: readonly Passage[],
  support: Pick<SupportScorer, "score">,
  signal: AbortSignal,
): Promise<Compared> {
  const { unsaid } = compared;
  if (unsaid.length === 0) return compared;
  const scores = await support.score(
    unsaid.map(({ claim, evidence }) => ({ claim, evidence })),
    { signal },
  );
  const borneOut = unsaid.filter((_, i) => (scores[i]?.score ?? 0) >= BEARS_OUT);
  return {
    ...compared,
    of(passage) {
      const before = compared.of(passage);
      const own = borneOut.filter((pair) => pair.of === passage.sid).length;
      if (own === 0) return before;
      const { differ } = before.votes;
      const agree = before.votes.agree + own;
      return {
        ...before,
        votes: { agree, differ },
        agreement: agreementOf(agree, differ, passages.length),
        outlier: differ >= MAJORITY && differ > agree,
      };
    },
  };
}

/** A question with what retrieval found for it. */
export interface Retrieval extends Pick<Found, "passages" | "scale" | "ranker"> {
  readonly question: Question;
}

/** Verdicts, and the conflicts among passages that are not rejected. */
export async function verify(retrieval: Retrieval, parts: JudgingParts, log: StageLog, signal: AbortSignal) {
  const { question, passages, scale, ranker } = retrieval;
  const { profile } = parts;
  const words = wordsFor(question, parts);
  const asked = words.questionTokens(question.resolved);
  const byRules = await comparedWith(asked, retrieval, parts, signal);
  const { compared, calls } = await byModel(retrieval, byRules, parts, log, signal);
  const read = profile.comparePassages ? { ...words, tokensOf: tokensRead(question.scope, words, parts) } : words;
  const view = viewFor(retrieval, words, parts);
  const learned = view === null ? BY_WORDS : judgePassages(view, parts.sufficiency(), ranker);
  const judge = await withReadings(learned, retrieval, parts, log, signal);
  if (view !== null) log.fact("judged_by", judge.type === "learned" ? judge.weights.name : "words");
  /** With the thresholds that hold for what ranked the passages. */
  const gate = carryGate(profile.gate, scale, judge.type === "learned");
  const evidence: readonly Evidence[] = verifyPassages(question, passages, gate, read, scale, compared, judge);
  for (const verdict of ["verified", "uncertain", "rejected"] as const)
    log.fact(verdict, evidence.filter((one) => one.verdict === verdict).length);
  const conflicts: readonly Conflict[] = amongKept(compared.conflicts, evidence);
  log.fact("conflicts", conflicts.length);
  // `view`: the passages as the learned gate reads them, `null`: none did; `calls`: what a model was asked.
  return { evidence, conflicts, gate, view: profile.gate.type === "sufficiency" ? view : null, calls };
}
export type Judged = Awaited<ReturnType<typeof verify>>;

/** Does the gate go by the learned chance that a passage answers? The guard does where no cross-encoder has read the passages. */
function weighsLearned({ type }: Profile["gate"], passages: readonly Passage[]): boolean {
  if (type === "guard") return passages.every(({ scores }) => scores.cross === null);
  return type === "sufficiency" || type === "v-score" || type === "best-similarity";
}

/** For the guard the reader reads the passages too, in the cross-encoder's place; where it cannot, the learned chance alone is the cross score. */
async function withReadings(
  judge: PassageJudge,
  { question, passages }: Retrieval,
  { profile, chooser }: JudgingParts,
  log: StageLog,
  signal: AbortSignal,
): Promise<PassageJudge> {
  if (profile.gate.type !== "guard" || judge.type !== "learned") return judge;
  const { embed, read } = chooser();
  const options = { maxCharacters: QUOTE_CHARACTERS, embed, signal };
  const readings = read === null ? null : await readPassages(question.resolved, passages, { ...options, readTexts: read });
  log.fact("read", readings?.filter((one) => one !== null).length ?? null);
  if (readings !== null) return { ...judge, relevance: poolReadings(judge.relevance, readings) };
  log.notice("reader_missing", "the passages were not read: the learned chance alone stands for the cross-encoder");
  return judge;
}

/** What the passages say of each other, as far as the profile asks; learned where its gate goes by agreement and rules are silent. */
async function comparedWith(
  asked: readonly string[],
  { question, passages }: Pick<Retrieval, "question" | "passages">,
  parts: JudgingParts,
  signal: AbortSignal,
): Promise<Compared> {
  const { profile, compare, corpus, agreement } = parts;
  if (!profile.comparePassages) return NOT_COMPARED;
  const byRules = comparePassages(asked, passages, { ...compare, words: corpus.wordsIn(question.scope) });
  return profile.gate.type === "v-score" ? withLearnedAgreement(byRules, passages, agreement, signal) : byRules;
}

/** Conflicts none of whose sides is rejected. */
export function amongKept(conflicts: readonly Conflict[], evidence: readonly Evidence[]): Conflict[] {
  const rejected = new Set(evidence.filter(({ verdict }) => verdict === "rejected").map(({ passage }) => passage.sid));
  return conflicts.filter(({ sides }) => sides.every(({ sid }) => !rejected.has(sid)));
}

/** What the learned gate sees of the passages, by the words that the question has with its history; `null` for a gate that does not ask. */
function viewFor({ question, passages }: Retrieval, words: QuestionWords, { profile, sufficiency }: JudgingParts): EvidenceView | null {
  if (!weighsLearned(profile.gate, passages) || passages.length === 0) return null;
  return viewEvidence(words.asked, passages, words, sufficiency().space, question.injectionSignals.length);
}

/** The tokens that the comparison has read, and what they say in other words. */
function tokensRead(scope: Scope, { alsoHeld }: QuestionWords, { compare, corpus }: JudgingParts) {
  const words = corpus.wordsIn(scope);
  return (passage: Passage): ReadonlySet<string> => {
    const held = compare.reader.tokensOf(passage, words);
    const also = alsoHeld(held);
    return also.length === 0 ? held : new Set([...held, ...also]);
  };
}

/** What a model says of the passages, where one is to be asked. */
async function byModel(
  { question, passages }: Retrieval,
  compared: Compared,
  { verifier, profile }: JudgingParts,
  log: StageLog,
  signal: AbortSignal,
): Promise<{ compared: Compared; calls: readonly ModelCall[] }> {
  if (verifier === null) return { compared, calls: [] };
  // Other gates compare cosines, as their sources say.
  if (profile.gate.type !== "sufficiency" && profile.gate.type !== "v-score") {
    log.notice("verify_by_rules", `profile "${profile.name}" judges by cosines alone: no model is asked`);
    return { compared, calls: [] };
  }
  const calls: ModelCall[] = [];
  // A question that gives orders is refused whatever its passages say.
  const isAsked = passages.length > 0 && question.injectionSignals.length === 0;
  const verdicts = isAsked ? await judgeByModel(question, passages, verifier, calls, log, signal) : new Map<Passage, PassageVerdict>();
  log.fact("judged_by_model", verdicts.size);
  return { compared: withVerdicts(compared, verdicts, verifier.verifier.model), calls };
}

/**
 * Asks the model once about all passages. Whatever goes wrong, the rules' scores stay: only whoever left ends the question.
 * @param calls takes the call, whatever becomes of it
 * @returns verdicts of the passages that the model judged; the others keep the scores of the rules
 */
async function judgeByModel(
  question: Question,
  passages: readonly Passage[],
  { verifier, timeoutMs }: ModelVerifier,
  calls: ModelCall[],
  log: StageLog,
  signal: AbortSignal,
): Promise<ReadonlyMap<Passage, PassageVerdict>> {
  const failed = (reason: string) => log.notice("verify_by_rules", `the scores of rules stay: ${reason}`);
  const verdicts = new Map<Passage, PassageVerdict>();
  const call: ModelCall = { stage: "verify", model: verifier.model, inputTokens: null, outputTokens: null };
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const found = await verifier.verify(
      question.resolved,
      passages.map(({ document, headingPath, text }) => ({ title: document.title, headingPath, text })),
      {
        signal: AbortSignal.any([signal, timeout]),
        onCall: () => calls.push(call),
        onUsage: (usage) => Object.assign(call, usage),
        onFailure: failed,
      },
    );
    for (const [i, verdict] of found.entries()) if (verdict !== null) verdicts.set(passages[i] as Passage, verdict);
  } catch (error) {
    if (signal.aborted) throw error;
    failed(timeout.aborted ? `${verifier.id} took longer than ${timeoutMs} ms` : messageOf(error));
  }
  return verdicts;
}

/** What the model says of a passage takes the place of what the rules say of it. */
function withVerdicts(compared: Compared, verdicts: ReadonlyMap<Passage, PassageVerdict>, by: string): Compared {
  return {
    ...compared,
    of(passage) {
      const comparison = compared.of(passage);
      const verdict = verdicts.get(passage);
      if (verdict === undefined) return comparison;
      const { consistency, relevance } = verdict;
      return {
        ...comparison,
        consistency: { score: consistency, reason: `judged by ${by}` },
        relevance: { score: relevance, reason: `relevance ${relevance.toFixed(2)} judged by ${by}` },
      };
    },
  };
}
