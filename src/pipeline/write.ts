import { type CheckContext, checkAnswer, checkSentence } from "../checks/check.ts";
import { type CitedQuote, type Finding, finding } from "../checks/finding.ts";
import { guardAnswer, type PassageTexts } from "../checks/guard-answer.ts";
import { terminologyOf } from "../checks/guards.ts";
import { detectLanguage } from "../guard/detect-language.ts";
import { readQuestion } from "../language/question.ts";
import { createRelevancy, createSimilarity } from "../models/similarity.ts";
import { GUARDS } from "../profiles/guards.ts";
import type { AnswerEvent } from "../shared/events.ts";
import type { Answer, CheckResult, Claim, DraftSentence, Evidence, ModelCall, Question, Quote, Warning } from "../shared/types.ts";
import { tokenize } from "../text/tokens.ts";
import { unitAt } from "../text/units.ts";
import { type AnswerBuilder, createAnswerBuilder } from "../writing/quotes.ts";
import { type OfferedDraft, writeDrafts } from "../writing/write-drafts.ts";
import type { ChosenQuotes } from "./compress.ts";
import type { PipelineContext, Trace } from "./context.ts";

/** Returns what all sentence checks of one answer share: settings, question, contacts, terminology and scorers. */
export function checking({ resolved, scope }: Question, { check, guards, profile, encoder, calibrations }: PipelineContext): CheckContext {
  const { contacts, tenants } = guards;
  const facts = { contacts, terminology: terminologyOf(tenants, scope.tenant) };
  const { uncitedSimilarity } = profile.check;
  const similarity =
    uncitedSimilarity === undefined || encoder === null ? undefined : createSimilarity(encoder, uncitedSimilarity.of, calibrations);
  return { ...check, settings: profile.check, question: resolved, guards: facts, similarity };
}

export function toCitedQuote({ passage, start, end, text, header }: Quote): CitedQuote {
  const exact = passage.text.slice(start - passage.range.start, end - passage.range.start) === text;
  const unit = unitAt(passage, start);
  const headingPath = unit?.headingPath ?? passage.headingPath;
  return {
    ...{ text, exact, url: passage.document.url, header: header?.text ?? null },
    above: above(passage.document.title, headingPath, unit?.caption?.text, header?.text),
  };
}

/** Returns the title, headings, caption and header that give a quote its context. */
function above(title: string, headingPath: readonly string[], ...table: readonly (string | undefined)[]): string[] {
  return [title, ...headingPath, ...table.filter((one) => one !== undefined)];
}

/**
 * Returns whether a stored answer passes today's checks without any change of its text. Its quotes must already have
 * been compared with the documents.
 */
export async function passesAgain({ sentences, citations }: Answer, context: CheckContext): Promise<boolean> {
  for (const { text, citations: numbers } of sentences) {
    const cited = citations
      .filter(({ n }) => numbers.includes(n))
      .map(({ quote, url, title, headingPath, row }) => ({
        text: quote,
        url,
        exact: true,
        above: above(title, headingPath, row?.caption?.text, row?.header.text),
        header: row?.header.text ?? null,
      }));
    const checked = await checkSentence({ text, cited }, context);
    if (!checked.kept || checked.text !== text || checked.results.some(({ verdict }) => verdict !== "pass")) return false;
  }
  return true;
}

/** Returns a warning for each check that warned, except for removed sentences. A warning about one sentence has its index. */
export function flags(checks: readonly CheckResult[]): Warning[] {
  return checks
    .filter(({ verdict, leftOut }) => verdict === "warn" && leftOut !== true)
    .map(({ name, reason, sentence }) => ({ code: `check_${name}`, message: reason, ...(sentence === null ? {} : { sentence }) }));
}

/**
 * A sentence only restates the question if it repeats at least this share of the question's words, and less than this
 * share of its own words is new.
 */
const HALF = 0.5;

/**
 * Warns if an answer to a "why" question only restates it: "Only one suitcase is allowed" to "Why is only one suitcase
 * allowed?". Only words are compared, so an answer that denies the premise may be flagged wrongly. The check therefore
 * only warns.
 */
function checkReason(question: string, sentences: AnswerBuilder["sentences"]): CheckResult[] {
  const { type, content } = readQuestion(question);
  const asked = new Set(tokenize(content));
  if (type !== "why" || asked.size === 0) return [];
  const words = sentences.map(({ text }) => [...new Set(tokenize(text))]);
  const speaking = words.filter((own) => shared(own, asked) >= HALF * asked.size);
  if (speaking.length === 0 || speaking.some((own) => own.length - shared(own, asked) >= HALF * own.length)) return [];
  const reason = "You ask why: what is shown says hardly more than the question does, and may give no reason.";
  return [{ name: "reason", verdict: "warn", score: null, reason, spans: [], sentence: null }];
}

function shared(own: readonly string[], asked: ReadonlySet<string>): number {
  return own.filter((token) => asked.has(token)).length;
}

interface WrittenAnswer {
  readonly question: Pick<Question, "resolved">;
  readonly written: Pick<Written, "claims" | "writer"> & { readonly sheet: Pick<AnswerBuilder, "sentences" | "citations"> };
  readonly evidence: readonly Pick<Evidence, "passage">[];
}

/** The context that checks of a whole answer need. It is small, so that a proof can repeat the checks without an engine. */
interface WholeContext extends Pick<PipelineContext, "encoder" | "calibrations" | "loadTokenCounter"> {
  readonly profile: Pick<PipelineContext["profile"], "check">;
  readonly check: Pick<PipelineContext["check"], "support" | "reader">;
}

/** Checks the answer as a whole. Single sentences are checked before they are shown. */
export async function checkWhole({ question, written, evidence }: WrittenAnswer, context: WholeContext): Promise<CheckResult[]> {
  const { profile, encoder, calibrations, loadTokenCounter } = context;
  const { sheet, claims, writer } = written;
  const whole = checkAnswer(sheet.sentences, claims, profile.check);
  if (sheet.sentences.length === 0) return whole;
  whole.push(...checkSpokenLanguage(sheet.citations), ...checkReason(question.resolved, sheet.sentences));
  const settings = profile.check.guards ?? GUARDS;
  const { relevancy } = settings;
  const byModel = writer !== "" && writer !== "extractive";
  const given = { sentences: sheet.sentences.map(({ text }) => text), passages: evidence.map(({ passage }) => textsOf(passage)) };
  const guarded = await guardAnswer(question.resolved, given, settings, {
    ...{ support: context.check.support, reader: context.check.reader },
    similarity: relevancy === null || encoder === null ? null : createRelevancy(relevancy, encoder, calibrations),
    countTokens: byModel ? await loadTokenCounter() : null,
  });
  return [...whole, ...guarded.map((result) => ({ ...result, sentence: null }))];
}

/** Warns about quotes that are not English, because no check can judge whether they answer. */
function checkSpokenLanguage(citations: Answer["citations"]): CheckResult[] {
  const foreign = citations.flatMap(({ n, quote }) => {
    const spokenLanguage = detectLanguage(quote);
    return spokenLanguage === null || spokenLanguage === "English" ? [] : [{ n, spokenLanguage }];
  });
  const [first] = foreign;
  if (first === undefined) return [];
  const numbers = foreign.map(({ n }) => `[${n}]`).join("");
  const reason = `${numbers} seems to be in another language (${first.spokenLanguage}): this version reads English, so nobody judged whether it answers`;
  return [{ name: "tongue", verdict: "warn", score: null, reason, spans: [], sentence: null }];
}

function textsOf({ text, document, headingPath }: Evidence["passage"]): PassageTexts {
  return [text, document.title, ...headingPath];
}

export function nothingWritten() {
  return {
    sheet: createAnswerBuilder(),
    claims: [] as Claim[],
    /** Results of sentence checks, including removed sentences. */
    checks: [] as CheckResult[],
    warnings: [] as Warning[],
    calls: [] as ModelCall[],
    /**
     * Drafted sentences as they were before their checks, with the similar quotes of uncited sources that each was compared
     * with. Leaves out repeated sentences, and those that passed while held back.
     */
    drafts: [] as (OfferedDraft & { readonly others: readonly (readonly Quote[])[] })[],
    /** Quotes offered to the model; empty for extractive answers. */
    offered: [] as readonly Quote[],
    /** Quotes that an extractive answer is chosen from. */
    candidates: [] as readonly Quote[],
    /** Name of the model that wrote, or `extractive`; empty if nothing was written. */
    writer: "",
    /** True if the model says that the quotes do not answer. */
    insufficient: false,
  };
}
export type Written = ReturnType<typeof nothingWritten>;

/**
 * Drafts sentences, checks each, and yields those that pass.
 * @param signals `signal` aborts if the caller leaves. `modelSignal` aborts then too, or earlier, when the model's time limit expires
 */
export async function* writeChecked(
  { question, quotes: { candidates, task, selected } }: { readonly question: Question; readonly quotes: ChosenQuotes },
  context: PipelineContext,
  trace: Trace,
  { signal, modelSignal }: Readonly<Record<"signal" | "modelSignal", AbortSignal>>,
): AsyncGenerator<AnswerEvent, Written> {
  yield { type: "write-start" };
  const started = trace.elapsed();
  const written = nothingWritten();
  const pending: Warning[] = [];
  const drawing = { writer: "", insufficient: false, calls: written.calls, warnings: pending };
  const settings = context.profile.write;
  const record: WritableRecord = { shown: [], faults: [] };
  written.offered = (task?.sources ?? []).flatMap(({ stretches }) => stretches);
  written.candidates = candidates.flatMap((one) => [...one.context, one.quote, ...(one.conditions ?? [])]);
  const checkContext: SentenceCheckContext = {
    stretches: written.offered,
    othersOf: (draft) => othersOf(draft, task),
    written,
    record,
    context: checking(question, context),
    strict: settings.onFault === "reject",
  };
  const drafts = writeDrafts(question, candidates, drawing, { task, selected, settings }, record, modelSignal);
  const { withhold = [] } = context.profile.check;
  const waiting: AnswerEvent[] = [];
  for await (const draft of drafts) {
    yield* warn(written, pending.splice(0));
    const shown = await showSentence(draft, checkContext);
    if (shown === null) continue;
    const flagged = flags(written.checks.filter(({ sentence }) => sentence === shown.index));
    written.warnings.push(...flagged);
    const events = [shown, ...flagged.map((warning) => ({ type: "warning" as const, warning }))];
    if (withhold.length > 0) {
      waiting.push(...events);
      continue;
    }
    trace.timings.first_sentence ??= trace.elapsed();
    yield* events;
  }
  yield* warn(written, pending.splice(0));
  if (written.checks.some(({ name, verdict }) => verdict === "fail" && withhold.includes(name))) withholdAll(written);
  else if (waiting.length > 0) {
    trace.timings.first_sentence = trace.elapsed();
    yield* waiting;
  }
  // If the caller has left, throw even if writing has finished.
  signal.throwIfAborted();
  Object.assign(written, { writer: drawing.writer, insufficient: drawing.insufficient });
  trace.timings.write = trace.elapsed() - started;
  const facts = {
    ...{ sentences: written.sheet.sentences.length, left_out: record.faults.length },
    ...{ writer: written.writer, calls: written.calls.length },
  };
  yield { type: "write-end", ms: trace.timings.write, facts };
  return written;
}

/** Returns, for each source that the sentence does not cite, the quotes most similar to the sentence. */
function othersOf({ text, quotes }: OfferedDraft, task: ChosenQuotes["task"]): readonly (readonly Quote[])[] {
  if (task === null) return [];
  return task.sources.filter(({ citable }) => !quotes.some((quote) => citable.includes(quote))).map((source) => task.bind(text, source));
}

/** Removes sentences and their warnings when a failed check withholds the answer. Check results stay, without a sentence index. */
function withholdAll(written: Written): void {
  const { sheet, claims, checks } = nothingWritten();
  checks.push(...written.checks.map((result) => ({ ...result, sentence: null, leftOut: true as const })));
  const warnings = written.warnings.filter(({ sentence }) => sentence === undefined);
  Object.assign(written, { sheet, claims, checks, warnings });
}

/** Yields warnings, and adds them to those of the answer. */
export function* warn(answer: Pick<Written, "warnings">, warnings: readonly Warning[]): Generator<AnswerEvent, void> {
  for (const warning of warnings) {
    answer.warnings.push(warning);
    yield { type: "warning", warning };
  }
}

interface WritableRecord {
  readonly shown: DraftSentence[];
  readonly faults: string[];
}

export interface SentenceCheckContext {
  /** Quotes offered to the model. */
  readonly stretches: readonly Quote[];
  /** Returns, for each source that the sentence does not cite, the quotes most similar to the sentence. */
  readonly othersOf: (draft: OfferedDraft) => readonly (readonly Quote[])[];
  readonly written: Written;
  readonly record: WritableRecord;
  readonly context: ReturnType<typeof checking>;
  /** True: a citation such as `[9]` that no source has is a fault, even next to a valid citation. */
  readonly strict: boolean;
}

type SentenceEvent = Extract<AnswerEvent, { readonly type: "sentence" }>;

/**
 * Checks one sentence, and replaces its citation if another source fits better. Returns `null` if the sentence is
 * repeated, removed or held back.
 */
export async function showSentence(draft: OfferedDraft, checkContext: SentenceCheckContext): Promise<SentenceEvent | null> {
  const { stretches, othersOf, written, record, context, strict } = checkContext;
  const { sheet, checks, claims, drafts } = written;
  if ([...sheet.sentences, ...record.shown].some(({ text }) => text === draft.text)) return null;
  const others = othersOf(draft);
  const cited = draft.quotes.map(toCitedQuote);
  const { nowhere } = context.settings;
  const missing = nowhere === "leave" ? [] : draft.missing;
  const compared = others.map((quotes) => quotes.map(toCitedQuote));
  const checked = await checkSentence({ text: draft.text, cited, missing, others: compared }, context);
  const results = [...checked.results, ...furtherFindings(draft, stretches, strict)];
  const fault = results.find(({ verdict }) => verdict === "fail");
  const kept = checked.kept && fault === undefined;
  if (kept && draft.held === true) return null;
  drafts.push({ ...draft, others });
  const place = kept ? { sentence: sheet.sentences.length } : { sentence: null, leftOut: true as const };
  checks.push(...results.map((result) => ({ ...result, ...place })));
  if (fault !== undefined) record.faults.push(draft.text);
  if (!kept) return null;
  const instead = checked.recited === null ? undefined : others[checked.recited];
  const quotes = instead ?? draft.quotes;
  // `nowhere` is set only in an ablation that leaves citations of missing sources in the text.
  const markers = nowhere === undefined ? "" : draft.missing.map((n) => ` [${n}]`).join("");
  const text = checked.text + markers;
  const shown = sheet.add(text, quotes);
  record.shown.push({ ...draft, text: checked.text, quotes });
  const { citations } = shown.sentence;
  claims.push({ sentence: shown.index, text, status: checked.status, citations, reason: checked.reason });
  return { type: "sentence", ...shown };
}

/** Returns findings that do not depend on the profile's checks: wrong language, reference to a removed sentence, missing source. */
function furtherFindings(draft: OfferedDraft, stretches: readonly Quote[], strict: boolean): Finding[] {
  const textsOf = (quotes: readonly Quote[]) => quotes.map(({ text }) => text);
  const language = checkLanguage(draft.text, textsOf(draft.quotes), textsOf(stretches));
  const nowhere = draft.missing.map((n) => `[${n}]`).join("");
  return [
    ...(language === null ? [] : [language]),
    ...(draft.dangling === true ? [finding("reference", "fail", null, "refers to a sentence that was left out")] : []),
    ...(strict && draft.missing.length > 0 ? [finding("sources", "fail", 0, `cites ${nowhere}, which no source has`)] : []),
  ];
}

/**
 * Returns a failure for a sentence in another language than its quotes, because no other check can compare them.
 * Returns `null` if the languages are equal or unknown.
 * @param cited texts of the cited quotes
 * @param offered texts of all quotes; used if the cited ones have no detectable language
 */
export function checkLanguage(text: string, cited: readonly string[], offered: readonly string[]): Finding | null {
  const spoken = detectLanguage(text);
  const quoted = spoken === null ? null : (detectLanguage(cited.join("\n")) ?? detectLanguage(offered.join("\n")));
  if (quoted === null || quoted === spoken) return null;
  return finding("language", "fail", null, `is ${spoken}, its sources are ${quoted}: its wording cannot be checked`);
}
