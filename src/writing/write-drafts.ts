import { type ChatModel, type ChatPrompt, throwIfLeft } from "../models/chat.ts";
import type { WriteSettings } from "../profiles/profile.ts";
import { ModelError, messageOf } from "../shared/errors.ts";
import type { DraftSentence, ModelCall, Question, Quote, Warning } from "../shared/types.ts";
import { tokenize } from "../text/tokens.ts";
import { readDraft, refersBack, saysInsufficient } from "./draft.ts";
import { ANSWER_FORM, groundedPrompt, readPrompt } from "./prompt.ts";
import { ANSWER_WORDS, type CompleteQuote, overlap, type QuoteCandidate, readQuote, withNeighbours, writeExtractive } from "./quotes.ts";
import { createStatementTest, repairSentence } from "./repair-sentence.ts";
import { type BindSentence, type OfferedSource, quoteSource } from "./sources.ts";

/** The result of writing, updated while sentences are drafted. */
export interface WriteOutcome {
  /** Name of the model that wrote, or `extractive`. */
  writer: string;
  /** True if the model says that the sources do not answer. */
  insufficient: boolean;
  /** Model calls in order. */
  readonly calls: ModelCall[];
  readonly warnings: Warning[];
}

/** A prompt within a token budget, and the sources that it may cite. */
export interface ModelTask {
  readonly model: ChatModel;
  readonly prompt: ChatPrompt;
  readonly sources: readonly OfferedSource[];
  /** Returns the quotes of a source that match a sentence. */
  readonly bind: BindSentence;
  /** Lets the model select quotes, after a sentence has failed. @param calls receives the call, even if it fails */
  readonly select: (calls: ModelCall[]) => Promise<Selection>;
}

/** The quotes that a model selected. An empty list means that no quote answers. */
export type Selection =
  | { readonly type: "chosen"; readonly quotes: readonly CompleteQuote[] }
  | { readonly type: "failed"; readonly model: string; readonly reason: string };

interface Writing {
  /** The model's prompt; `null`: the answer consists of quotes. */
  readonly task: ModelTask | null;
  /** Quotes that a model selected; `null`: no model was asked to select. */
  readonly selected: Selection | null;
  readonly settings: WriteSettings;
}

/** The sentences drafted so far. The caller updates this record before it requests the next sentence. */
export interface DraftRecord {
  /** Displayed sentences in order. */
  readonly shown: readonly DraftSentence[];
  /** Texts of the sentences that failed a check. */
  readonly faults: readonly string[];
}

/** A sentence to check and, if it passes, to show. */
export interface OfferedDraft extends DraftSentence {
  /**
   * True: check the sentence, but do not show it yet. Either an earlier sentence failed, or the answer must be shown only
   * as a whole.
   */
  readonly held?: boolean;
  /** True if the sentence refers to a sentence that failed, so it must fail too. */
  readonly dangling?: boolean;
}

/**
 * Maximum attempts at a draft whose connection broke before its first complete sentence. The model adapter itself retries
 * only before the first word.
 */
const DRAFT_TRIES = 2;

/**
 * Yields the model's sentences. If the draft is incomplete, adds a warning and yields quotes for what is missing. Shown
 * sentences never change.
 */
export async function* writeDrafts(
  question: Question,
  candidates: readonly QuoteCandidate[],
  outcome: WriteOutcome,
  writing: Writing,
  record: DraftRecord,
  signal: AbortSignal,
): AsyncGenerator<OfferedDraft, void> {
  const { task, selected, settings } = writing;
  if (selected?.type === "chosen") {
    outcome.insufficient = selected.quotes.length === 0;
    outcome.writer = "extractive";
    yield* quoteDrafts(selected.quotes);
    return;
  }
  let ending: Ending = { type: "failed", error: null };
  if (task !== null) {
    outcome.writer = task.model.id;
    ending = yield* writeByModel({ task, question, outcome, settings, record, signal });
    if (ending.type === "done") return;
  }
  if (record.shown.length === 0) outcome.writer = "extractive";
  const quotes = writeExtractive(candidates, { quotes: settings.sentences[question.detail], words: ANSWER_WORDS[question.detail] });
  const isThere = ending.type === "faulty" ? isCited : isSaid;
  const missing = quotes.filter((draft) => !isThere(draft, record.shown));
  if (selected !== null) ending = { type: "failed", error: new Error(selected.reason) };
  const asked = selected?.model ?? task?.model.id;
  if (asked !== undefined) outcome.warnings.push(warningOf(ending, asked, record, missing.length > 0));
  yield* missing;
}

/** How the model's writing ended. `done`: the answer is complete. `faulty` (failed checks) and `failed` (error): quotes follow. */
type Ending = { readonly type: "done" } | { readonly type: "faulty" } | { readonly type: "failed"; readonly error: unknown };

/** A task with everything that the drafts of the model need. */
interface Run extends Pick<Writing, "settings"> {
  readonly task: ModelTask;
  readonly question: Question;
  readonly outcome: WriteOutcome;
  readonly record: DraftRecord;
  readonly signal: AbortSignal;
}

async function* writeByModel(run: Run): AsyncGenerator<OfferedDraft, Ending> {
  const { task, outcome, record } = run;
  const { onFault } = run.settings;
  const stood: DraftSentence[] = [];
  if (onFault === "reject") {
    const ending = yield* drawDraft(stood, () => true, run);
    if (ending.type === "faulty") return { type: "done" };
    if (ending.type === "failed" || outcome.insufficient) return ending;
    yield* stood;
    return { type: record.shown.length > 0 ? "done" : "faulty" };
  }
  const ending = yield* drawDraft(stood, (fell) => onFault === "select" && fell, run);
  if (ending.type !== "faulty" || onFault !== "select" || record.faults.length === 0) return ending;
  const selected = await task.select(outcome.calls);
  const drafts = selected.type === "chosen" ? quoteDrafts(selected.quotes) : [];
  const quotes = drafts.filter((draft) => !isSaid(draft, record.shown));
  if (quotes.length > 0) {
    if (record.shown.length === 0) outcome.writer = "extractive";
    outcome.warnings.push(warningOf(ending, task.model.id, record, true));
    yield* quotes;
    return { type: "done" };
  }
  // Nothing new was selected. Show the sentences of the draft that passed but were held back.
  const before = record.shown.length;
  yield* stood;
  if (selected.type === "failed") return { type: "failed", error: new Error(selected.reason) };
  if (before + stood.length === 0) return ending;
  outcome.warnings.push(warningOf(ending, task.model.id, record, false));
  return { type: "done" };
}

function quoteDrafts(quotes: readonly CompleteQuote[]): DraftSentence[] {
  return quotes.flatMap(withNeighbours).map((quote) => ({ text: quote.text, quotes: [quote], missing: [] }));
}

/**
 * Runs one draft. Returns `faulty` if a sentence failed, or if none passed.
 * @param stood collects the sentences that passed but are not shown yet
 * @param isHeld returns whether the next sentence is checked but not shown yet; `fell`: a sentence of this draft has failed
 */
async function* drawDraft(
  stood: DraftSentence[],
  isHeld: (fell: boolean) => boolean,
  { task, question, outcome, settings, record, signal }: Run,
): AsyncGenerator<OfferedDraft, Ending> {
  const { model, prompt, sources, bind } = task;
  const saysNothing = createStatementTest(sources, [prompt.system, readPrompt("grounded.user.md"), question.resolved]);
  const cite = (text: string, n: number) => {
    const source = sources[n - 1];
    return source === undefined ? null : bind(text, source);
  };
  let drawn = 0;
  for (let tried = 1; ; tried++) {
    const call = { stage: "write" as const, model: model.id, inputTokens: null, outputTokens: null };
    outcome.calls.push(call);
    let before = record.faults.length;
    let hasFallen = false;
    const onThought = () => {
      // All text so far was reasoning. Its faults do not count.
      before = record.faults.length;
      hasFallen = false;
      stood.length = 0;
    };
    try {
      const stream = model.stream(prompt, { temperature: settings.temperature, signal, form: ANSWER_FORM });
      for await (const drafted of readDraft(stream, { cite, onThought }, call)) {
        outcome.insufficient = saysInsufficient(drafted);
        if (outcome.insufficient) break;
        drawn++;
        if (saysNothing(drafted)) continue;
        for (const sentence of repairSentence(drafted, question.resolved, task)) {
          const fallen = record.faults.length;
          const held = isHeld(fallen > before);
          const leans: boolean = hasFallen && refersBack(sentence);
          if (held) yield { ...sentence, held: true };
          else yield leans ? { ...sentence, dangling: true } : sentence;
          hasFallen = record.faults.length > fallen || (held && leans);
          if (held && !hasFallen) stood.push(sentence);
        }
      }
      if (outcome.insufficient) return { type: "done" };
      const isClean = record.faults.length === before;
      return { type: isClean && stood.length + record.shown.length > 0 ? "done" : "faulty" };
    } catch (error) {
      throwIfLeft(signal);
      const again = drawn === 0 && tried < DRAFT_TRIES && error instanceof ModelError && error.code === "model_cut";
      if (!again) return { type: "failed", error };
    }
  }
}

function warningOf(ending: Ending, model: string, { shown, faults }: DraftRecord, quotesFollow: boolean): Warning {
  const replacement = quotesFollow ? "; the following text is quoted from the sources" : "";
  if (ending.type === "failed")
    return { code: "model_failed", message: `The model "${model}" failed (${messageOf(ending.error)})${replacement}.` };
  if (shown.length === 0)
    return { code: "model_unusable", message: `The draft of the model failed the checks and is not shown${replacement}.` };
  const [failed, are] = faults.length === 1 ? ["A sentence", "is"] : [`${faults.length} sentences`, "are"];
  return { code: "model_faulty", message: `${failed} of the model failed the checks and ${are} omitted${replacement}.` };
}

/** Sources for a prompt in citation order, in groups. Either all sources of a group are included, or none. */
export type Offer = readonly (readonly OfferedSource[])[];

export interface PromptLimits {
  /** Maximum length of the whole prompt in tokens. */
  readonly budgetTokens: number;
  readonly rules?: WriteSettings["rules"];
  readonly countTokens: (text: string) => number;
}

/**
 * Returns the longest prompt that fits the budget, with its sources. To shorten a prompt, it drops the oldest turns first,
 * then takes the next offer. From the last offer it drops groups, last one first.
 * @param offers alternative lists of sources, fullest first
 * @returns `null` if not even one group fits
 */
export function fitPrompt(
  question: Question,
  offers: readonly Offer[],
  { budgetTokens, rules, countTokens }: PromptLimits,
): Pick<ModelTask, "prompt" | "sources"> | null {
  for (const [i, offer] of offers.entries()) {
    const groups = [...offer];
    const history = [...question.history];
    while (groups.length > 0) {
      const sources = groups.flat();
      const prompt = groundedPrompt({ question: question.text, sources, history, rules });
      if (countTokens(prompt.system) + countTokens(prompt.user) <= budgetTokens) return { prompt, sources };
      if (history.length > 0) history.shift();
      else if (i === offers.length - 1) groups.pop();
      else break;
    }
  }
  return null;
}

/**
 * Selects at most `most` quotes, each with at most `tokens` tokens, best candidates first. A group consists of a candidate's quote, its
 * context and its conditions. It also has the continuation of the quote if the limits allow that.
 */
export function offerQuotes(
  candidates: readonly CompleteQuote[],
  { most, tokens }: { readonly most: number; readonly tokens: number },
  countTokens: (text: string) => number,
): Offer {
  const groups: Quote[][] = [];
  for (const candidate of candidates) {
    const known = groups.flat();
    const { following, ...complete } = candidate;
    // If the group does not fit, leave out the continuation. If it still does not fit, leave out the group.
    const group = (following === undefined ? [complete] : [candidate, complete])
      .map((one) => withNeighbours(one).filter((quote) => !known.some((other) => isSameQuote(other, quote))))
      .find((fresh) => known.length + fresh.length <= most && fresh.every((one) => countTokens(readQuote(one)) <= tokens));
    if (group !== undefined && group.length > 0) groups.push(group);
  }
  return groups.map((group) => group.map(quoteSource));
}

function isSameQuote(a: Quote, b: Quote): boolean {
  return a.passage.document.id === b.passage.document.id && a.start === b.start && a.end === b.end;
}

/** Returns whether the shown sentences cite each quote of the draft or a range that overlaps it. */
function isCited({ quotes }: DraftSentence, shown: readonly DraftSentence[]): boolean {
  return quotes.every((quote) => shown.some((sentence) => sentence.quotes.some((cited) => overlap(cited, quote))));
}

/**
 * Returns whether the shown sentences that cite the draft's quotes contain every word of the draft. That they cite the
 * quotes is not enough, because a shown sentence may paraphrase only a part of a quote.
 */
export function isSaid({ text, quotes }: DraftSentence, shown: readonly DraftSentence[]): boolean {
  const resting = shown.filter((sentence) => sentence.quotes.some((cited) => quotes.some((quote) => overlap(cited, quote))));
  const said = new Set(resting.flatMap((sentence) => tokenize(sentence.text)));
  return resting.length > 0 && tokenize(text).every((token) => said.has(token));
}
