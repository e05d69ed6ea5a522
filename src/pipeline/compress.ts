import { z } from "zod";
import type { ScoreScale } from "../models/calibration/calibration.ts";
import { type ChatModel, type ChatPrompt, type ReplyForm, throwIfLeft } from "../models/chat.ts";
import { readJson } from "../models/read-json.ts";
import type { Profile, WriteSettings } from "../profiles/profile.ts";
import type { Choice } from "../ranking/features.ts";
import { messageOf } from "../shared/errors.ts";
import type { Evidence, ModelCall, Passage, PlacedUnit, Question, TextRange } from "../shared/types.ts";
import { MAX_DRAFT_CHARACTERS } from "../writing/draft.ts";
import { choosePrompt } from "../writing/prompt.ts";
import { type CompleteQuote, chooseQuotes, type QuoteCandidate } from "../writing/quotes.ts";
import { createBinder, type OfferedSource, partSource, passageSource } from "../writing/sources.ts";
import { fitPrompt, type ModelTask, type Offer, offerQuotes, type Selection } from "../writing/write-drafts.ts";
import type { PipelineContext, StageLog } from "./context.ts";
import { wordsFor } from "./retrieve.ts";

/** Returns the complete reply of a model in `CHOICE_FORM`. @param calls receives the call, even if it fails */
async function replyOf(model: ChatModel, prompt: ChatPrompt, calls: ModelCall[], signal: AbortSignal) {
  const call: ModelCall = { stage: "compress", model: model.id, inputTokens: null, outputTokens: null };
  calls.push(call);
  try {
    let text = "";
    for await (const event of model.stream(prompt, { temperature: 0, signal, form: CHOICE_FORM })) {
      if (event.type === "end") Object.assign(call, { inputTokens: event.inputTokens, outputTokens: event.outputTokens });
      else text += event.text;
      if (text.length > MAX_DRAFT_CHARACTERS) return { failure: `the reply exceeds ${MAX_DRAFT_CHARACTERS} characters` };
    }
    return { text };
  } catch (error) {
    throwIfLeft(signal);
    return { failure: messageOf(error) };
  }
}

/** JSON Schema of a reply that selects passages by their numbers. */
const CHOICE_FORM: ReplyForm = {
  name: "choice",
  schema: {
    type: "object",
    properties: { numbers: { type: "array", items: { type: "integer" }, description: "passages that answer, best first; empty: none" } },
    required: ["numbers"],
    additionalProperties: false,
  },
};
const choiceSchema = z.union([z.object({ numbers: z.array(z.int()) }).transform(({ numbers }) => numbers), z.array(z.int())]);
/** Matches a reply of nothing but numbers, such as "2, 5", "[3]" or "Passages 1 and 4". */
const ONLY_NUMBERS = /^\W*(?:passages?\b\W*)?\d{1,2}(?:(?:\W|\band\b)+\d{1,2})*\W*$/i;

/** Returns the chosen numbers in order; `null`: the reply contains no choice. */
function readChoice(reply: string): readonly number[] | null {
  if (ONLY_NUMBERS.test(reply)) return (reply.match(/\d+/g) ?? []).map(Number);
  return choiceSchema.safeParse(readJson(reply)).data ?? null;
}

/**
 * Lets a model select the quotes that answer, by their numbers. The model adds no words; quotes are shown unchanged.
 * @param most maximum number of quotes, not counting their context
 * @param calls receives the call, even if it fails
 */
export async function selectByModel(
  question: string,
  candidates: readonly CompleteQuote[],
  { model, most, fits }: { readonly model: ChatModel; readonly most: number; readonly fits: (prompt: ChatPrompt) => boolean },
  calls: ModelCall[],
  signal: AbortSignal,
): Promise<Selection> {
  const failed = (reason: string): Selection => ({ type: "failed", model: model.id, reason });
  const offered = [...candidates];
  while (offered.length > 0 && !fits(choosePrompt(question, offered, most))) offered.pop();
  if (offered.length === 0) return failed("no passage is short enough for its prompt");
  const reply = await replyOf(model, choosePrompt(question, offered, most), calls, signal);
  if (reply.failure !== undefined) return failed(reply.failure);
  const numbers = readChoice(reply.text);
  if (numbers === null || numbers.some((n) => n < 0 || n > offered.length))
    return failed("its reply did not name quotes from the list that it was given");
  const chosen = [...new Set(numbers)].flatMap((n) => offered[n - 1] ?? []);
  return { type: "chosen", quotes: chosen.slice(0, most) };
}

/**
 * Minimum confidence of a kept candidate, as a share of the confidence of the best candidate of all passages. The best
 * candidate of every passage is always kept.
 */
const BEARS = 0.3;
/** If the kept sentences, items and rows cover more than this share of a passage, the whole passage is kept. */
const MOSTLY = 0.7;

/**
 * Trims each passage to its relevant candidates, with their neighbours, context, conditions and headings. A passage
 * without candidates is not trimmed. Orders the passages by their best candidates.
 */
function trimPassages(passages: readonly Passage[], candidates: Choice["candidates"]): OfferedSource[] {
  const top = Math.max(0, ...candidates.map(({ probability }) => probability));
  const trimmed = passages.map((passage) => {
    const own = candidates.filter(({ view }) => view.evidence.passage.sid === passage.sid);
    const best = Math.max(0, ...own.map(({ probability }) => probability));
    const kept = own.filter(({ probability }) => probability >= Math.min(best, BEARS * top));
    return { best, source: kept.length === 0 ? passageSource(passage) : trim(passage, kept) };
  });
  return trimmed.sort((a, b) => b.best - a.best).map(({ source }) => source);
}

function trim(passage: Passage, kept: Choice["candidates"]): OfferedSource {
  const { units } = passage;
  const keep = new Set<number>();
  for (const { view } of kept) {
    const { range, context, conditions } = view.candidate;
    for (const part of [range, ...context, ...conditions]) for (const i of unitsIn(units, part)) keep.add(i);
    const own = unitsIn(units, range);
    // Keep the sentences, items or rows next to the candidate too.
    for (const i of [(own[0] ?? 0) - 1, (own.at(-1) ?? 0) + 1]) if (units[i] !== undefined && units[i]?.type !== "heading") keep.add(i);
  }
  for (const i of [...keep]) {
    const heading = units.slice(0, i + 1).findLastIndex(({ type }) => type === "heading");
    if (heading >= 0) keep.add(heading);
  }
  const parts = runsOf(units, keep);
  const length = parts.reduce((sum, { start, end }) => sum + end - start, 0);
  return length > MOSTLY * (passage.range.end - passage.range.start) ? passageSource(passage) : partSource(passage, parts);
}

function unitsIn(units: readonly PlacedUnit[], { start, end }: TextRange): number[] {
  return units.flatMap((unit, i) => (unit.start < end && unit.end > start ? [i] : []));
}

/** Returns kept units as ranges; adjacent units share one range. */
function runsOf(units: readonly PlacedUnit[], keep: ReadonlySet<number>): TextRange[] {
  const runs: { start: number; end: number; last: number }[] = [];
  for (const [i, { start, end }] of units.entries()) {
    if (!keep.has(i)) continue;
    const run = runs.at(-1);
    if (run !== undefined && run.last === i - 1) Object.assign(run, { end, last: i });
    else runs.push({ start, end, last: i });
  }
  return runs.map(({ start, end }) => ({ start, end }));
}

/** A question with the evidence that may be used to answer it. */
export interface Usable {
  readonly question: Question;
  readonly choice: Choice;
  readonly usable: readonly Evidence[];
  /** True if an answer may consist of quotes alone, without a model. */
  readonly quotable: boolean;
  readonly scale: ScoreScale;
}

/** Maximum number of candidates that this stage passes on for writing. */
const QUOTE_CANDIDATES = 12;

/**
 * Prepares the input for writing. In the result, `candidates` are the quotes that may answer without a model. `task` is
 * the model's prompt; `null` if no model writes. `selected` are the quotes that a model selected. `calls` are the model
 * calls of this stage.
 */
export async function compress(given: Usable, context: PipelineContext, log: StageLog, signal: AbortSignal) {
  const { question } = given;
  const { profile } = context;
  const models = writersOf(context);
  const words = await wordsFor(question, context);
  const choice = ofPassages(given.choice, given.usable);
  const found: readonly QuoteCandidate[] = chooseQuotes(choice, words, QUOTE_CANDIDATES);
  const candidates = given.quotable ? found : [];
  log.fact("candidates", found.length);
  if (models === null) {
    log.fact("sources", 0);
    log.fact("model", "extractive");
    return { candidates, task: null, selected: null, calls: [] };
  }
  const route = routeModel(profile.write.route, routeFacts(given, context));
  const countTokens = await context.loadTokenCounter();
  const budgetTokens = Math.min(profile.write.promptTokens, context.modelTokens ?? Number.POSITIVE_INFINITY);
  const sizeOf = ({ system, user }: ChatPrompt) => countTokens(system) + countTokens(user);
  const fits = (prompt: ChatPrompt) => sizeOf(prompt) <= budgetTokens;
  const calls: ModelCall[] = [];
  const selectInto = (into: ModelCall[], model: ChatModel, most: number) =>
    selectByModel(question.resolved, found, { model, most, fits }, into, signal);
  log.fact("route", `${route.size}: ${route.because}`);
  const { mode, given: form, sentences } = profile.write;
  if (mode === "quotes") {
    const selected = await selectInto(calls, models[route.size], sentences[question.detail]);
    log.fact("model", models[route.size].id);
    return { candidates, task: null, selected, calls };
  }
  // If the profile compresses by a model, the small model selects quotes. If it fails or selects none, use the highest-ranked quotes.
  const most = form.type === "quotes" ? form.most : QUOTE_CANDIDATES;
  const picked = profile.write.compress === "model" ? await selectInto(calls, models.small, most) : null;
  if (picked?.type === "failed")
    log.notice("compress_failed", `the model selected no quotes, so they were selected by rules instead. Reason: ${picked.reason}`);
  const quotes = picked?.type === "chosen" && picked.quotes.length > 0 ? picked.quotes : found;
  const limits = { budgetTokens, rules: profile.write.rules, countTokens };
  const fitted = fitPrompt(question, offersOf({ ...given, choice }, quotes, profile.write, countTokens), limits);
  const model = fitted === null ? null : models[route.size];
  log.fact("sources", fitted?.sources.length ?? 0);
  log.fact("prompt_tokens", fitted === null ? 0 : sizeOf(fitted.prompt));
  log.fact("model", model?.id ?? "extractive");
  const task: ModelTask | null =
    model === null || fitted === null
      ? null
      : { model, bind: createBinder(words), select: (into) => selectInto(into, model, sentences[question.detail]), ...fitted };
  return { candidates, task, selected: null, calls };
}

export type ChosenQuotes = Awaited<ReturnType<typeof compress>>;

/** Returns the models that write, or `null` for an extractive answer. */
export function writersOf<M>({ models, profile }: { readonly models: M | null; readonly profile: Profile }): M | null {
  return profile.write.writer === "extractive" ? null : models;
}

/** Returns whether an answer consists of quotes only, selected by rules or by a model. */
export function answersInQuotes(context: Pick<PipelineContext, "models" | "profile">): boolean {
  return writersOf(context) === null || context.profile.write.mode === "quotes";
}

type CountTokens = Awaited<ReturnType<PipelineContext["loadTokenCounter"]>>;

/** Returns alternative contents for the model's prompt, longest first, so that passages are trimmed before any is left out. */
function offersOf({ usable, choice }: Usable, quotes: readonly CompleteQuote[], { given }: WriteSettings, count: CountTokens): Offer[] {
  if (given.type === "quotes") return [offerQuotes(quotes, given, count)];
  const passages = usable.map(({ passage }) => passage);
  const whole = passages.map((passage) => [passageSource(passage)]);
  const trimmed = trimPassages(passages, choice.candidates).map((source) => [source]);
  return given.type === "passages" ? [whole, trimmed] : [trimmed];
}

/** Returns the ranking without candidates of other passages than those of the evidence. */
export function ofPassages(ranked: Choice, evidence: readonly Evidence[]): Choice {
  const sids = new Set(evidence.map(({ passage }) => passage.sid));
  return { ...ranked, candidates: ranked.candidates.filter(({ view }) => sids.has(view.evidence.passage.sid)) };
}

function routeFacts({ question, usable, scale }: Usable, { complexity }: PipelineContext) {
  const cosines = usable.flatMap(({ passage }) => (passage.scores.dense === null ? [] : scale.score(passage.scores.dense)));
  return {
    /** Complex terms in the question, as `category: word`. */
    complexTerms: findComplexTerms(question.resolved, complexity),
    passages: usable.length,
    /** Mean cosine between question and passages, converted to the scale of the rule's threshold; `null`: no dense ranking. */
    meanSimilarity: cosines.length === 0 ? null : cosines.reduce((sum, one) => sum + one, 0) / cosines.length,
  };
}
type RouteFacts = ReturnType<typeof routeFacts>;

/**
 * Selects the large model if the question has at least 1 complex term, there are more than 5 passages, or their mean similarity is below
 * 0.55. These numbers are those of profile `seven-layer`; another profile may set others. An unknown similarity is ignored.
 * @returns the size and the reasons for it, for display
 */
export function routeModel(route: WriteSettings["route"], { complexTerms, passages, meanSimilarity }: RouteFacts) {
  if (typeof route === "string") return { size: route, because: "set by the profile" };
  const reasons = [
    ...(complexTerms.length >= route.complexTerms ? [`complex (${complexTerms.join(", ")})`] : []),
    ...(passages > route.passages ? [`${passages} passages > ${route.passages}`] : []),
    ...(meanSimilarity !== null && meanSimilarity < route.meanSimilarity
      ? [`mean similarity ${meanSimilarity.toFixed(3)} < ${route.meanSimilarity}`]
      : []),
  ];
  if (reasons.length > 0) return { size: "large" as const, because: reasons.join("; ") };
  const unknown = meanSimilarity === null ? ", similarity unknown" : "";
  return { size: "small" as const, because: `no complex term, ${passages} passages${unknown}` };
}

/** Finds complex terms by category. A term matches at the start of a word: "burn pit" in "burn pits", "retro" in "retroactive". */
export function findComplexTerms(question: string, terms: Readonly<Partial<Record<string, readonly string[]>>>): readonly string[] {
  const plain = ` ${plainWords(question)} `;
  return Object.entries(terms).flatMap(([category, words = []]) =>
    words.filter((word) => plainWords(word) !== "" && plain.includes(` ${plainWords(word)}`)).map((word) => `${category}: ${word}`),
  );
}

export function plainWords(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}&]+/gu, " ")
    .trim();
}
