import { questionParts } from "../admit/question-parts.ts";
import type { Profile } from "../profiles/profile.ts";
import type { ReadTexts } from "../reader/reader.ts";
import type { RetrieveParts } from "../retrieve/retrieve.ts";
import type { QuestionReader, QuestionWords } from "../retrieve/understand.ts";
import { normalizeQuestion } from "../text/normalize-question.ts";
import type { Evidence, Question, QuestionPart } from "../types.ts";
import { weightedCoverage } from "../verify/coverage.ts";
import type { Choice } from "../write/choice.ts";
import { choosePieces } from "../write/choose.ts";
import type { ChooserWeights } from "../write/chooser-weights.ts";
import { withFollowing } from "../write/following.ts";
import { type PartsOptions, withParts } from "../write/parts.ts";
import type { PieceView } from "../write/piece-view.ts";
import { tellPieces } from "../write/tell-pieces.ts";
import { writersOf } from "./compress.ts";
import { wordsFor } from "./question-words.ts";
import type { StageLog } from "./trace.ts";

export interface ChooserParts {
  readonly weights: ChooserWeights;
  /** Vectors of texts by the encoder that the weights were learned with. */
  readonly embed: (texts: readonly string[]) => readonly Float32Array[];
  /** The reader that they were learned with; `null`: it is not there, and what a glance says stands. */
  readonly read: ReadTexts | null;
}

export interface ChooseParts {
  readonly corpus: QuestionReader;
  readonly profile: Profile;
  readonly rerankers?: RetrieveParts["rerankers"];
  /** Loaded when it is first asked. */
  readonly chooser: () => ChooserParts;
  /** Who may write; `null`: quotes alone answer. */
  readonly models: object | null;
}

/** Characters of one quote in an answer; a longer sentence is not taken. */
export const QUOTE_CHARACTERS = 1200;

/** Every sentence, list and row of the passages that may be used, the one that most likely answers first. */
export async function choose(
  { question, evidence }: { readonly question: Question; readonly evidence: readonly Evidence[] },
  parts: ChooseParts,
  log: StageLog,
  signal: AbortSignal,
): Promise<Choice> {
  const { weights } = parts.chooser();
  const choice = await piecesFor(question, evidence, parts, { signal });
  log.fact("chooser", weights.name);
  log.fact("pieces", choice.pieces.length);
  log.fact("read", choice.glance !== null);
  log.fact("best_piece", choice.pieces[0]?.chance ?? null);
  log.detail("first", () => tellPieces(choice.pieces, weights) || null);
  return choice;
}

/** The pieces of what may be used, for one question. */
function piecesFor(
  question: Question,
  evidence: readonly Evidence[],
  parts: ChooseParts,
  options: { readonly mostRead?: number; readonly signal: AbortSignal },
): Promise<Choice> {
  const { weights, embed, read } = parts.chooser();
  const reranker = parts.rerankers?.embedded ?? null;
  const words = wordsFor(question, parts);
  // A model may say more of what was said: "no, that is for each person".
  const isLeftOut = writersOf(parts) === null ? saidBefore(question, words) : () => false;
  const given = { maxCharacters: QUOTE_CHARACTERS, reranker, embed, read, weights, isLeftOut, ...options };
  return choosePieces(question.resolved, mayBeUsed(evidence, parts.profile), words, given);
}

/** Of a follow-up's own words, by weight, what the sentence holds that answered an earlier turn, if it is to answer the follow-up too. */
const HOLDS_FOLLOW_UP = 0.5;

/**
 * Did an earlier answer begin with this? It answered that turn; what asks on wants something else, unless the sentence holds what it asks, or the same is asked
 * again.
 */
function saidBefore({ text, resolved, history }: Question, words: QuestionWords): (view: PieceView) => boolean {
  if (text === resolved) return () => false;
  const asked = normalizeQuestion(text);
  const before = history.flatMap(({ question, answer }) => (normalizeQuestion(question) === asked ? [] : [`${plain(answer)} `]));
  return ({ text: piece, piece: { header } }) => {
    const said = `${plain(piece)} `;
    if (!before.some((answer) => answer.startsWith(said))) return false;
    // A row says what its columns are called: "does it have showers?" asks for another cell of it.
    const held = weightedCoverage(words.own.tokens, new Set(words.tokens(`${header?.text ?? ""}\n${piece}`)), words.idf);
    return held === null || held < HOLDS_FOLLOW_UP;
  };
}

/** Letters and digits alone: an answer comes back with the marks and line breaks of whoever showed it. */
function plain(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

/** Pieces that are read for one of several questions at most: what answers the message as a whole was found already. */
const READ_OF_PART = 5;

/** One of the things that a question asks, asked by itself. @param resolved as it is understood; absent: with what it leaves out */
export function askAlone(question: Question, { text, resolved }: QuestionPart, as = resolved): Question {
  return { ...question, text, resolved: as };
}

/** A question that is answered, with all that was found and what may be quoted of it. */
export interface Answered {
  readonly question: Question;
  readonly evidence: readonly Evidence[];
  readonly usable: readonly Evidence[];
  readonly choice: Choice;
}

/** The choice with what follows the best piece, and with what answers the other things asked. Both are read for an answer alone: a refusal shows no quote. */
export async function completeChoice(answered: Answered, parts: ChooseParts, log: StageLog, signal: AbortSignal): Promise<Choice> {
  const { question, choice } = answered;
  const { weights, read: readTexts } = parts.chooser();
  if (readTexts === null) return choice;
  const followed = await withFollowing(question.resolved, choice, { weights, readTexts, signal });
  log.fact("following", followed.followingChance);
  const asked = askedParts(question, parts);
  const whole = await withParts(followed, asked, { ...lookUp(answered, parts, signal), readTexts, signal });
  log.fact("asked_parts", asked.length);
  log.fact("open_parts", whole.open?.length ?? 0);
  return whole;
}

/**
 * The several things that a question asks, where the learned gate decides and quotes answer: a model answers all that it is asked, and what it leaves out nobody
 * measured. A follow-up is answered as a whole.
 */
export function askedParts({ text, resolved }: Question, parts: Pick<ChooseParts, "profile" | "models">): QuestionPart[] {
  return parts.profile.gate.type === "sufficiency" && writersOf(parts) === null && text === resolved ? questionParts(text) : [];
}

/** A part of the question is looked up in all that was found: a verdict says what a passage is worth for the whole. */
function lookUp(
  { question, evidence, usable }: Answered,
  parts: ChooseParts,
  signal: AbortSignal,
): Pick<PartsOptions, "choosePart" | "mayBeQuoted"> {
  const sids = new Set(usable.map(({ passage }) => passage.sid));
  const open = evidence.map((one) => ({ ...one, verdict: "verified" as const }));
  return {
    choosePart: (part) => piecesFor(askAlone(question, part), open, parts, { mostRead: READ_OF_PART, signal }),
    mayBeQuoted: ({ view }) => sids.has(view.evidence.passage.sid),
  };
}

/** The learned gate never answers from what is rejected; another gate may, where nothing is better, and what is not rejected comes first there. */
function mayBeUsed(evidence: readonly Evidence[], { gate }: Profile): Evidence[] {
  const kept = evidence.filter(({ verdict }) => verdict !== "rejected");
  return gate.type === "sufficiency" ? kept : [...kept, ...evidence.filter(({ verdict }) => verdict === "rejected")];
}
