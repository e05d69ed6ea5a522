import { ModelError } from "../errors.ts";
import type { ChatModel, ChatPrompt } from "../models/chat.ts";
import type { WriteSettings } from "../profiles/profile.ts";
import type { DraftSentence, Question, Quote, Warning } from "../types.ts";
import type { QuoteCandidate } from "./compress.ts";
import { type DraftUsage, type ParseMarkers, readDraft, saysInsufficient } from "./draft.ts";
import { ANSWER_WORDS, writeExtractive } from "./extract.ts";
import { groundedPrompt } from "./prompt.ts";

/** What became of the writing; filled while sentences are drawn. */
export interface WriteOutcome {
  /** Name of the model that wrote, or `extractive`. */
  writer: string;
  /** The model said that the quotes do not answer. */
  insufficient: boolean;
  usage: DraftUsage;
  warnings: Warning[];
}

/** What a model is given: a prompt within the profile's budget, and the quotes whose numbers it may cite. */
export interface ModelTask {
  readonly model: ChatModel;
  readonly prompt: ChatPrompt;
  readonly quotes: readonly Quote[];
}

export interface WriteParts {
  /** `null` writes from quotes. */
  readonly task: ModelTask | null;
  readonly settings: WriteSettings;
  readonly parseMarkers: ParseMarkers;
  readonly describeError: (error: unknown) => string;
}

/** Tries of a draft that broke before its first sentence; the adapter retries only what broke before the first word. */
const DRAFT_TRIES = 2;

/**
 * Sentences of the model, then quotes if the model broke or nothing that it wrote was shown. A warning says so before the first quote.
 * @param hasShown has any sentence stood up to its checks?
 */
export async function* writeDrafts(
  question: Question,
  candidates: readonly QuoteCandidate[],
  outcome: WriteOutcome,
  { task, settings, parseMarkers, describeError }: WriteParts,
  hasShown: () => boolean,
  signal: AbortSignal,
): AsyncGenerator<DraftSentence, void> {
  if (task !== null) {
    outcome.writer = task.model.id;
    const failure = yield* writeByModel(task, outcome, settings.temperature, parseMarkers, signal);
    if (outcome.insufficient || (failure === null && hasShown())) return;
    outcome.warnings.push(failure === null ? UNUSABLE : failed(task.model.id, describeError(failure.error)));
  }
  if (!hasShown()) outcome.writer = "extractive";
  yield* writeExtractive(candidates, { quotes: settings.sentences[question.detail], words: ANSWER_WORDS[question.detail] });
}

/** @returns what the model failed with, or `null` */
async function* writeByModel(
  { model, prompt, quotes }: ModelTask,
  outcome: WriteOutcome,
  temperature: number,
  parseMarkers: ParseMarkers,
  signal: AbortSignal,
): AsyncGenerator<DraftSentence, { readonly error: unknown } | null> {
  let drawn = 0;
  for (let tries = 1; ; tries++) {
    try {
      for await (const sentence of readDraft(model.stream(prompt, { temperature, signal }), quotes, parseMarkers, outcome.usage)) {
        outcome.insufficient = saysInsufficient(sentence);
        if (outcome.insufficient) return null;
        drawn++;
        yield sentence;
      }
      return null;
    } catch (error) {
      if (signal.aborted) throw error;
      const again = drawn === 0 && tries < DRAFT_TRIES && error instanceof ModelError && error.code === "model_cut";
      if (!again) return { error };
    }
  }
}

const UNUSABLE: Warning = {
  code: "model_unusable",
  message: "Nothing that the model wrote stood up to the checks; what follows is quoted from the sources.",
};

function failed(model: string, why: string): Warning {
  return { code: "model_failed", message: `The model "${model}" failed (${why}); what follows is quoted from the sources.` };
}

/**
 * The quotes and the prompt that fit the profile's budget: at most `quotes` quotes of `quoteTokens` each, verbatim, best first, a quote never
 * without those that it cannot be understood without; `promptTokens` in all, for which the oldest turns go first, then the last quotes.
 * @returns `null` when no quote fits: then there is nothing that a model could be asked
 */
export function fitPrompt(
  question: Question,
  candidates: readonly QuoteCandidate[],
  settings: WriteSettings,
  countTokens: (text: string) => number,
): Omit<ModelTask, "model"> | null {
  const quotes = fitQuotes(candidates, settings, countTokens);
  const history = [...question.history];
  while (quotes.length > 0) {
    const prompt = groundedPrompt(question.text, quotes, history);
    if (countTokens(prompt.system) + countTokens(prompt.user) <= settings.promptTokens) return { prompt, quotes };
    if (history.length > 0) history.shift();
    else quotes.pop();
  }
  return null;
}

function fitQuotes(candidates: readonly QuoteCandidate[], settings: WriteSettings, countTokens: (text: string) => number): Quote[] {
  const fitting: Quote[] = [];
  for (const { context, quote } of candidates) {
    const fresh = [...context, quote].filter((one) => !fitting.some((other) => isSameQuote(other, one)));
    const fits = fitting.length + fresh.length <= settings.quotes && fresh.every(({ text }) => countTokens(text) <= settings.quoteTokens);
    if (fits) fitting.push(...fresh);
  }
  return fitting;
}

function isSameQuote(a: Quote, b: Quote): boolean {
  return a.passage.document.id === b.passage.document.id && a.start === b.start && a.end === b.end;
}
