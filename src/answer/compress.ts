import type { ScoreScale } from "../models/calibration/calibration.ts";
import type { ChatModel } from "../models/chat.ts";
import type { Profile } from "../profiles/profile.ts";
import type { QuestionReader } from "../retrieve/understand.ts";
import type { Evidence, ModelCall, Question } from "../types.ts";
import { createBinder } from "../write/bind.ts";
import type { Choice } from "../write/choice.ts";
import { type CompleteQuote, chooseQuotes, type QuoteCandidate } from "../write/compress.ts";
import { compressByModel } from "../write/model-compress.ts";
import { findComplexTerms, type RouteFacts, routeModel } from "../write/route.ts";
import { passageSource } from "../write/sources.ts";
import { trimPassages } from "../write/trim.ts";
import { fitPrompt, type ModelTask, type Offer, offerQuotes } from "../write/write.ts";
import { wordsFor } from "./question-words.ts";
import type { StageLog } from "./trace.ts";

export interface CompressParts {
  readonly corpus: QuestionReader;
  readonly profile: Profile;
  /** `null`: quotes alone answer. */
  readonly models: { readonly small: ChatModel; readonly large: ChatModel } | null;
  /** Tokens of a prompt that the model takes at most; `null`: as many as the profile gives. */
  readonly modelTokens: number | null;
  /** Words that make a question complex, by category. */
  readonly complexity: Readonly<Partial<Record<string, readonly string[]>>>;
  /** Tokens of a text; only asked when a model writes. */
  readonly loadTokenCounter: () => Promise<(text: string) => number>;
}

/** What the writers choose from. */
export interface ChosenQuotes {
  readonly candidates: readonly QuoteCandidate[];
  /** What a model is asked; `null` when quotes alone answer. */
  readonly task: ModelTask | null;
  /** What a model was asked to pick them. */
  readonly calls: readonly ModelCall[];
}

/** A question with the evidence that may answer it. */
export interface Usable {
  readonly question: Question;
  readonly choice: Choice;
  readonly usable: readonly Evidence[];
  readonly scale: ScoreScale;
}

/** Candidates that the writers choose from. */
const QUOTE_CANDIDATES = 12;

export async function compress(given: Usable, parts: CompressParts, log: StageLog, signal: AbortSignal): Promise<ChosenQuotes> {
  const { question } = given;
  const { profile } = parts;
  const models = writersOf(parts);
  const words = wordsFor(question, parts);
  const choice = usableOf(given);
  const candidates = chooseQuotes(choice, words, QUOTE_CANDIDATES);
  log.fact("candidates", candidates.length);
  if (models === null) {
    log.fact("sources", 0);
    log.fact("model", "extractive");
    return { candidates, task: null, calls: [] };
  }
  const route = routeModel(profile.write.route, routeFacts(given, parts));
  const countTokens = await parts.loadTokenCounter();
  const picked = profile.write.compress === "model" ? await pickByModel(given, models.small, log, signal) : null;
  const budgetTokens = Math.min(profile.write.promptTokens, parts.modelTokens ?? Number.POSITIVE_INFINITY);
  const limits = { budgetTokens, rules: profile.write.rules, countTokens };
  const fitted = fitPrompt(question, offersOf({ ...given, choice }, picked?.quotes ?? candidates, profile, countTokens), limits);
  const model = fitted === null ? null : models[route.size];
  log.fact("sources", fitted?.sources.length ?? 0);
  log.fact("prompt_tokens", fitted === null ? 0 : countTokens(fitted.prompt.system) + countTokens(fitted.prompt.user));
  log.fact("model", model?.id ?? "extractive");
  log.fact("route", `${route.size}: ${route.because}`);
  const task = model === null || fitted === null ? null : { model, countTokens, budgetTokens, bind: createBinder(words), ...fitted };
  return { candidates, task, calls: picked?.calls ?? [] };
}

/** The models that write; `null`: quotes alone answer. */
export function writersOf<Models>({ models, profile }: { readonly models: Models | null; readonly profile: Profile }): Models | null {
  return profile.write.writer === "extractive" ? null : models;
}

/** What the model may be given, the fullest first: passages that are too long together are cut to what bears on the question before one is left out. */
function offersOf(
  { usable, choice }: Usable,
  candidates: readonly CompleteQuote[],
  { write: { given } }: Pick<Profile, "write">,
  countTokens: (text: string) => number,
): Offer[] {
  if (given.type === "quotes") return [offerQuotes(candidates, given, countTokens)];
  const passages = usable.map(({ passage }) => passage);
  const whole = passages.map((passage) => [passageSource(passage)]);
  const trimmed = trimPassages(passages, choice.pieces).map((source) => [source]);
  return given.type === "passages" ? [whole, trimmed] : [trimmed];
}

/** The pieces of usable passages. */
function usableOf({ choice, usable }: Usable): Choice {
  const allowed = new Set(usable.map(({ passage }) => passage.sid));
  return { ...choice, pieces: choice.pieces.filter(({ view }) => allowed.has(view.evidence.passage.sid)) };
}

/** Quotes that the small model picked and that stand in the passages; `null` when there are none, and rules pick instead. */
async function pickByModel({ question, usable }: Usable, model: ChatModel, log: StageLog, signal: AbortSignal) {
  const calls: ModelCall[] = [];
  const picked = await compressByModel(question.resolved, usable, model, calls, signal);
  log.fact("altered_quotes", picked.dropped);
  if (picked.failure !== null) log.notice("compress_failed", `quotes are picked by rules: ${picked.failure}`);
  return { quotes: picked.quotes.length === 0 ? null : picked.quotes, calls };
}

function routeFacts({ question, usable, scale }: Usable, { complexity }: Pick<CompressParts, "complexity">): RouteFacts {
  const cosines = usable.flatMap(({ passage }) => (passage.scores.dense === null ? [] : scale.score(passage.scores.dense)));
  return {
    complexTerms: findComplexTerms(question.resolved, complexity),
    passages: usable.length,
    meanSimilarity: cosines.length === 0 ? null : cosines.reduce((sum, one) => sum + one, 0) / cosines.length,
  };
}
