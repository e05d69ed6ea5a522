import type { SupportScorer } from "../models/support.ts";
import type { GateSettings, Profile } from "../profiles/profile.ts";
import type { QuestionReader, QuestionWords } from "../retrieve/understand.ts";
import type { Conflict, Evidence, ModelCall, Passage, Question, Scope } from "../types.ts";
import { type Compared, comparePassages, NOT_COMPARED } from "../verify/compare-passages.ts";
import type { Precedence } from "../verify/conflicts.ts";
import type { FactReader } from "../verify/facts.ts";
import { withLearnedAgreement } from "../verify/learned-agreement.ts";
import { judgeByModel, type ModelVerifier, weighsRelevance, withVerdicts } from "../verify/model-verdicts.ts";
import { BY_WORDS, judgePassages, type LearnedParts, type PassageJudge, poolReadings } from "../verify/relevance.ts";
import { carryGate } from "../verify/scale.ts";
import { type EvidenceView, viewEvidence } from "../verify/sufficiency-view.ts";
import { verifyPassages } from "../verify/verify.ts";
import { readPassages } from "../write/read-passages.ts";
import { type ChooserParts, QUOTE_CHARACTERS } from "./choose.ts";
import { wordsFor } from "./question-words.ts";
import type { Found } from "./retrieve.ts";
import type { StageLog } from "./trace.ts";

export interface VerifyParts {
  readonly corpus: QuestionReader;
  readonly profile: Profile;
  readonly compare: { readonly reader: FactReader; readonly precedence: Precedence };
  /** Loaded when a gate first asks. */
  readonly sufficiency: () => LearnedParts;
  /** The encoder and the reader that quotes are chosen with; loaded when a gate first has passages read. */
  readonly chooser: () => ChooserParts;
  /** Tells whether passages bear each other out where rules do not. */
  readonly agreement: Pick<SupportScorer, "score">;
  /** A model that scores passages beside the rules; `null`: none is asked. */
  readonly verifier: ModelVerifier | null;
}

/** What is known of a question before anything is written. */
export interface Judged {
  readonly evidence: readonly Evidence[];
  /** Among passages that are not rejected. */
  readonly conflicts: readonly Conflict[];
  /** The gate with the thresholds that hold for what ranked the passages. */
  readonly gate: GateSettings;
  /** The passages as the learned gate reads them; `null`: none did. */
  readonly view: EvidenceView | null;
  /** What a model was asked. */
  readonly calls: readonly ModelCall[];
}

/** A question with what retrieval found for it. */
export interface Retrieval extends Pick<Found, "passages" | "scale" | "ranker"> {
  readonly question: Question;
}

/** Verdicts, and the conflicts among passages that are not rejected. */
export async function verify(retrieval: Retrieval, parts: VerifyParts, log: StageLog, signal: AbortSignal): Promise<Judged> {
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
  const gate = carryGate(profile.gate, scale, judge.type === "learned");
  const evidence = verifyPassages(question, passages, gate, read, scale, compared, judge);
  for (const verdict of ["verified", "uncertain", "rejected"] as const)
    log.fact(verdict, evidence.filter((one) => one.verdict === verdict).length);
  const conflicts = amongKept(compared.conflicts, evidence);
  log.fact("conflicts", conflicts.length);
  return { evidence, conflicts, gate, view: profile.gate.type === "sufficiency" ? view : null, calls };
}

/** Does the gate go by the learned chance that a passage answers? The guard does where no cross-encoder has read the passages. */
function weighsLearned({ type }: Profile["gate"], passages: readonly Passage[]): boolean {
  if (type === "guard") return passages.every(({ scores }) => scores.cross === null);
  return type === "sufficiency" || type === "v-score" || type === "best-similarity";
}

/** For the guard the reader reads the passages too, in the cross-encoder's place; where it cannot, the learned chance alone is the cross score. */
async function withReadings(
  judge: PassageJudge,
  { question, passages }: Retrieval,
  { profile, chooser }: Pick<VerifyParts, "profile" | "chooser">,
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
  parts: VerifyParts,
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
function viewFor(
  { question, passages }: Retrieval,
  words: QuestionWords,
  { profile, sufficiency }: Pick<VerifyParts, "profile" | "sufficiency">,
): EvidenceView | null {
  if (!weighsLearned(profile.gate, passages) || passages.length === 0) return null;
  return viewEvidence(words.asked, passages, words, sufficiency().space, question.injectionSignals.length);
}

/** The tokens that the comparison has read, and what they say in other words. */
function tokensRead(scope: Scope, { alsoHeld }: QuestionWords, { compare, corpus }: Pick<VerifyParts, "compare" | "corpus">) {
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
  { verifier, profile }: Pick<VerifyParts, "verifier" | "profile">,
  log: StageLog,
  signal: AbortSignal,
): Promise<{ compared: Compared; calls: readonly ModelCall[] }> {
  if (verifier === null) return { compared, calls: [] };
  if (!weighsRelevance(profile.gate)) {
    log.notice("verify_by_rules", `profile "${profile.name}" judges by cosines alone: no model is asked`);
    return { compared, calls: [] };
  }
  const calls: ModelCall[] = [];
  const judged = await judgeByModel(question, passages, verifier, calls, signal);
  log.fact("judged_by_model", judged.verdicts.size);
  for (const failure of judged.failures) log.notice("verify_by_rules", `the scores of rules stay: ${failure}`);
  return { compared: withVerdicts(compared, judged, verifier.verifier.model), calls };
}
