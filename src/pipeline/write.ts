import { checkSentence } from "../checks/check.ts";
import { type Finding, finding } from "../checks/finding.ts";
import { detectLanguage } from "../guard/detect-language.ts";
import type { AnswerEvent } from "../shared/events.ts";
import type { CheckResult, Claim, DraftSentence, ModelCall, Question, Quote, Warning } from "../shared/types.ts";
import type { DraftFault } from "../writing/prompt.ts";
import { createAnswerBuilder } from "../writing/quotes.ts";
import { type OfferedDraft, writeDrafts } from "../writing/write-drafts.ts";
import { checking, flags, toCitedQuote } from "./check.ts";
import type { ChosenQuotes } from "./compress.ts";
import type { PipelineContext, Trace } from "./context.ts";

/** A drafted sentence with the quotes of other sources that it was compared with. */
export interface CheckedDraft extends OfferedDraft {
  readonly others: readonly (readonly Quote[])[];
}

/** Returns an empty result of writing. */
export function nothingWritten() {
  return {
    sheet: createAnswerBuilder(),
    claims: [] as Claim[],
    /** Results of sentence checks, including removed sentences. */
    checks: [] as CheckResult[],
    warnings: [] as Warning[],
    calls: [] as ModelCall[],
    /** Drafted sentences before their checks, without repeated or withheld ones. */
    drafts: [] as CheckedDraft[],
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
 * Drafts sentences, checks each, and yields those that pass. @param signals `modelSignal` also aborts when only the
 * model's time is over
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
    yield* tell(pending, written);
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
  yield* tell(pending, written);
  if (written.checks.some(({ name, verdict }) => verdict === "fail" && withhold.includes(name))) withholdAll(written);
  else if (waiting.length > 0) {
    trace.timings.first_sentence = trace.elapsed();
    yield* waiting;
  }
  // If the caller has left, throw even if the rest finished.
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

/** Returns the matching quotes of each source that the sentence does not cite. */
function othersOf({ text, quotes }: OfferedDraft, task: ChosenQuotes["task"]): readonly (readonly Quote[])[] {
  if (task === null) return [];
  return task.sources.filter(({ citable }) => !quotes.some((quote) => citable.includes(quote))).map((source) => task.bind(text, source));
}

/** Removes all sentences; the check results stay. */
function withholdAll(written: Written): void {
  const { sheet, claims, checks } = nothingWritten();
  checks.push(...written.checks.map((result) => ({ ...result, sentence: null, leftOut: true as const })));
  const warnings = written.warnings.filter(({ sentence }) => sentence === undefined);
  Object.assign(written, { sheet, claims, checks, warnings });
}

function* tell(pending: Warning[], { warnings }: Written): Generator<AnswerEvent, void> {
  for (const warning of pending.splice(0)) {
    warnings.push(warning);
    yield { type: "warning", warning };
  }
}

interface WritableRecord {
  readonly shown: DraftSentence[];
  readonly faults: DraftFault[];
}

/** The context of a sentence check. */
export interface SentenceCheckContext {
  /** Quotes offered to the model. */
  readonly stretches: readonly Quote[];
  /** Matching quotes of each source that the sentence does not cite. */
  readonly othersOf: (draft: OfferedDraft) => readonly (readonly Quote[])[];
  readonly written: Written;
  readonly record: WritableRecord;
  readonly context: ReturnType<typeof checking>;
  /** True if an unknown citation is a fault even next to a valid one. */
  readonly strict: boolean;
}

type SentenceEvent = Extract<AnswerEvent, { readonly type: "sentence" }>;

/** Checks one sentence, and cites a better source if there is one. Returns `null` if the sentence is removed or withheld. */
export async function showSentence(draft: OfferedDraft, checkContext: SentenceCheckContext): Promise<SentenceEvent | null> {
  const { stretches, othersOf, written, record, context, strict } = checkContext;
  const { sheet, checks, claims, drafts } = written;
  const repeated = sheet.sentences.some(({ text }) => text === draft.text) || record.shown.some(({ text }) => text === draft.text);
  if (repeated) return null;
  const others = othersOf(draft);
  const cited = draft.quotes.map(toCitedQuote);
  const { nowhere } = context.settings;
  const checked = await checkSentence(
    {
      text: draft.text,
      cited,
      missing: nowhere === "leave" ? [] : draft.missing,
      others: others.map((quotes) => quotes.map(toCitedQuote)),
    },
    context,
  );
  const results = [...checked.results, ...furtherFindings(draft, stretches, strict)];
  const fault = results.find(({ verdict }) => verdict === "fail");
  const kept = checked.kept && fault === undefined;
  if (kept && draft.held === true) return null;
  drafts.push({ ...draft, others });
  const place = kept ? { sentence: sheet.sentences.length } : { sentence: null, leftOut: true as const };
  checks.push(...results.map((result) => ({ ...result, ...place })));
  if (fault !== undefined) record.faults.push({ text: draft.text, check: fault.name, reason: fault.reason });
  if (!kept) return null;
  const instead = checked.recited === null ? undefined : others[checked.recited];
  const quotes = instead ?? draft.quotes;
  const text = nowhere === undefined ? checked.text : withMarkers(checked.text, draft.missing);
  const shown = sheet.add(text, quotes);
  record.shown.push({ ...draft, text: checked.text, quotes });
  const { citations } = shown.sentence;
  claims.push({ sentence: shown.index, text, status: checked.status, citations, reason: checked.reason });
  return { type: "sentence", ...shown };
}

/** Adds the removed citations of unknown sources again, because the check that removes them compares with this text. */
function withMarkers(text: string, missing: readonly number[]): string {
  return `${text}${missing.map((n) => ` [${n}]`).join("")}`;
}

/** Returns findings about a sentence that do not depend on the profile's claim settings. */
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
