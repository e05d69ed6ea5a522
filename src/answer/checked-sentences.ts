import { type CheckContext, checkAnswer, checkSentence } from "../check/check.ts";
import { type CitedQuote, type Finding, finding } from "../check/finding.ts";
import { guardAnswer } from "../check/guards.ts";
import { checkLanguage } from "../check/language.ts";
import { parseMarkers } from "../check/markers.ts";
import { messageOf } from "../errors.ts";
import type { AnswerEvent } from "../events.ts";
import { terminologyOf } from "../guard/terminology.ts";
import { createSimilarity } from "../models/similarity.ts";
import { GUARDS } from "../profiles/guards.ts";
import { unitAt } from "../text/units.ts";
import type { Answer, CheckResult, DraftSentence, Question, Quote, Warning } from "../types.ts";
import type { DraftFault } from "../write/prompt.ts";
import { type OfferedDraft, writeDrafts } from "../write/write.ts";
import { type Outcome, warn } from "./outcome.ts";
import type { AnswerParts, ChosenQuotes } from "./steps.ts";
import type { Trace } from "./trace.ts";

/** Draws sentence after sentence, checks each, and shows what stands. */
export async function* writeChecked(
  question: Question,
  { candidates, task }: ChosenQuotes,
  outcome: Outcome,
  parts: AnswerParts,
  trace: Trace,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent, void> {
  yield { type: "write-start" };
  const started = trace.elapsed();
  const { sheet, written } = outcome;
  const how = { task, settings: parts.profile.write, parseMarkers, describeError: messageOf };
  const record: WritableRecord = { shown: [], faults: [] };
  for await (const draft of writeDrafts(question, candidates, written, how, record, signal)) {
    yield* warn(outcome, written.warnings.splice(0));
    const event = await showSentence(
      draft,
      task?.quotes ?? [],
      outcome,
      record,
      checking(question, parts),
      parts.profile.write.onFault === "reject",
    );
    if (event === null) continue;
    trace.timings.first_sentence ??= trace.elapsed();
    yield event;
  }
  yield* warn(outcome, written.warnings.splice(0));
  // Whoever left while it was written has no answer, however soon the rest came.
  signal.throwIfAborted();
  trace.timings.write = trace.elapsed() - started;
  const facts = { sentences: sheet.sentences.length, left_out: record.faults.length, writer: written.writer, calls: written.calls.length };
  yield { type: "write-end", ms: trace.timings.write, facts };
}

interface WritableRecord {
  readonly shown: DraftSentence[];
  readonly faults: DraftFault[];
}

/**
 * Checks one sentence, cites a better source where there is one; `null` when it is left out or held back.
 * @param strict a citation to nowhere is a fault even beside a good one
 */
async function showSentence(
  draft: OfferedDraft,
  offered: readonly Quote[],
  { sheet, checks, claims }: Outcome,
  record: WritableRecord,
  context: CheckContext,
  strict: boolean,
): Promise<AnswerEvent | null> {
  const repeated = sheet.sentences.some(({ text }) => text === draft.text) || record.shown.some(({ text }) => text === draft.text);
  if (repeated) return null;
  const others = offered.filter((quote) => !draft.quotes.includes(quote));
  const cited = draft.quotes.map(toCitedQuote);
  const { nowhere } = context.settings;
  const checked = await checkSentence(
    { text: draft.text, cited, missing: nowhere === "leave" ? [] : draft.missing, others: others.map((quote) => [toCitedQuote(quote)]) },
    context,
  );
  const results = [...checked.results, ...furtherFindings(draft, offered, strict)];
  const fault = results.find(({ verdict }) => verdict === "fail");
  const kept = checked.kept && fault === undefined;
  if (kept && draft.held === true) return null;
  const place = kept ? { sentence: sheet.sentences.length } : { sentence: null, leftOut: true as const };
  checks.push(...results.map((result) => ({ ...result, ...place })));
  if (fault !== undefined) record.faults.push({ text: draft.text, check: fault.name, reason: fault.reason });
  if (!kept) return null;
  const instead = checked.recited === null ? undefined : others[checked.recited];
  const quotes = instead === undefined ? draft.quotes : [instead];
  const text = nowhere === undefined ? checked.text : withMarkers(checked.text, draft.missing);
  const shown = sheet.add(text, quotes);
  record.shown.push({ ...draft, text: checked.text, quotes });
  const { citations } = shown.sentence;
  claims.push({ sentence: shown.index, text, status: checked.status, citations, reason: checked.reason });
  return { type: "sentence", ...shown };
}

/** Citations that no source has, as they were written: a layer that takes them out can be measured only against what happens without it. */
function withMarkers(text: string, missing: readonly number[]): string {
  return `${text}${missing.map((n) => ` [${n}]`).join("")}`;
}

/** What is wrong with a sentence as part of this draft, whatever the profile does about claims: nobody has checked what it would then say. */
function furtherFindings(draft: OfferedDraft, offered: readonly Quote[], strict: boolean): Finding[] {
  const textsOf = (quotes: readonly Quote[]) => quotes.map(({ text }) => text);
  const language = checkLanguage(draft.text, textsOf(draft.quotes), textsOf(offered));
  const nowhere = draft.missing.map((n) => `[${n}]`).join("");
  return [
    ...(language === null ? [] : [language]),
    ...(draft.dangling === true ? [finding("reference", "fail", null, "refers to a sentence that was left out")] : []),
    ...(strict && draft.missing.length > 0 ? [finding("sources", "fail", 0, `cites ${nowhere}, which no source has`)] : []),
  ];
}

export async function checkWhole(
  question: Question,
  { sheet, claims, written, evidence }: Outcome,
  parts: AnswerParts,
): Promise<CheckResult[]> {
  const { profile, encoder, calibrations, loadTokenCounter } = parts;
  const whole = checkAnswer(sheet.sentences, claims, profile.check);
  if (sheet.sentences.length === 0) return whole;
  const settings = profile.check.guards ?? GUARDS;
  const { relevancy } = settings;
  const byModel = written.writer !== "" && written.writer !== "extractive";
  const given = { sentences: sheet.sentences.map(({ text }) => text), passages: evidence.map(({ passage }) => passage.text) };
  const guarded = await guardAnswer(question.resolved, given, settings, {
    support: parts.check.support,
    similarity: relevancy === null || encoder === null ? null : createSimilarity(encoder, relevancy.of, calibrations),
    countTokens: byModel ? await loadTokenCounter() : null,
  });
  return [...whole, ...guarded.map((result) => ({ ...result, sentence: null }))];
}

/** What the checks found in sentences that are shown all the same, for the reader. */
export function flags({ checks }: Outcome): Warning[] {
  return checks
    .filter(({ verdict, leftOut }) => verdict === "warn" && leftOut !== true)
    .map(({ name, reason, sentence }) => ({
      code: `check_${name}`,
      message: sentence === null ? reason : `Sentence ${sentence + 1}: ${reason}`,
    }));
}

/** What a sentence of this question is checked with. */
export function checking({ resolved, scope }: Question, { check, guards, profile, encoder, calibrations }: AnswerParts): CheckContext {
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
  return { text, url: passage.document.url, exact, above: above(passage.document.title, headingPath, unit?.caption?.text, header?.text) };
}

/** What stands above a quote and says what it is about. */
function above(title: string, headingPath: readonly string[], ...table: readonly (string | undefined)[]): string[] {
  return [title, ...headingPath, ...table.filter((one) => one !== undefined)];
}

/** A cached answer is served only if today's checks find nothing to change in it; its quotes have been compared before. */
export async function passesAgain({ sentences, citations }: Answer, context: CheckContext): Promise<boolean> {
  for (const { text, citations: numbers } of sentences) {
    const cited = citations
      .filter(({ n }) => numbers.includes(n))
      .map(({ quote, url, title, headingPath, row }) => ({
        text: quote,
        url,
        exact: true,
        above: above(title, headingPath, row?.caption?.text, row?.header.text),
      }));
    const checked = await checkSentence({ text, cited }, context);
    if (!checked.kept || checked.text !== text || checked.results.some(({ verdict }) => verdict !== "pass")) return false;
  }
  return true;
}
