import type { ChatModel } from "../models/chat.ts";
import type { WriteSettings } from "../profiles/profile.ts";
import type { DraftSentence, Question, Quote, Warning } from "../types.ts";
import type { QuoteCandidate } from "./compress.ts";
import { type DraftUsage, INSUFFICIENT, readDraft } from "./draft.ts";
import { writeExtractive } from "./extract.ts";
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

export interface WriteParts {
  /** The model that was routed to; `null` writes from quotes. */
  readonly model: ChatModel | null;
  readonly settings: WriteSettings;
  readonly parseMarkers: (sentence: string) => { text: string; numbers: readonly number[] };
  readonly describeError: (error: unknown) => string;
}

/** Drafts in the order in which they are tried: the model's, then quotes. Each is drawn only if what came before showed too little. */
export function planDrafts(
  question: Question,
  candidates: readonly QuoteCandidate[],
  quotes: readonly Quote[],
  outcome: WriteOutcome,
  { model, settings, parseMarkers, describeError }: WriteParts,
  signal: AbortSignal,
): (() => AsyncGenerator<DraftSentence, void>)[] {
  async function* fromQuotes(): AsyncGenerator<DraftSentence, void> {
    if (outcome.writer === "") outcome.writer = "extractive";
    yield* writeExtractive(candidates, settings.sentences[question.detail]);
  }
  async function* fromModel(chosen: ChatModel): AsyncGenerator<DraftSentence, void> {
    outcome.writer = chosen.id;
    const prompt = groundedPrompt(question.text, quotes, question.history);
    try {
      const stream = chosen.stream(prompt, { temperature: settings.temperature, signal });
      for await (const sentence of readDraft(stream, quotes, parseMarkers, outcome.usage)) {
        if (sentence.text.replace(/[.!]$/, "") === INSUFFICIENT) outcome.insufficient = true;
        else yield sentence;
      }
    } catch (error) {
      if (signal.aborted) throw error;
      outcome.warnings.push({
        code: "model_failed",
        message: `The model "${chosen.id}" failed (${describeError(error)}); what follows is quoted from the sources.`,
      });
    }
  }
  return model === null ? [fromQuotes] : [() => fromModel(model), fromQuotes];
}

/** Quotes that fit the model's budget: at most `quotes` of `quoteTokens` each, verbatim, in the order of the candidates. */
export function fitBudget(candidates: readonly QuoteCandidate[], settings: WriteSettings, countTokens: (text: string) => number): Quote[] {
  const fitting: Quote[] = [];
  for (const { context, quote } of candidates) {
    for (const one of [...context, quote]) {
      if (fitting.length === settings.quotes) return fitting;
      const known = fitting.some(
        (other) => other.passage.document.id === one.passage.document.id && other.start === one.start && other.end === one.end,
      );
      if (!known && countTokens(one.text) <= settings.quoteTokens) fitting.push(one);
    }
  }
  return fitting;
}
