import { checkSentence } from "../checks/check.ts";
import { type Finding, finding } from "../checks/finding.ts";
import { tongueOf } from "../guard/tongue.ts";
import type { AnswerEvent } from "../shared/events.ts";
import type { CheckResult, Claim, DraftSentence, ModelCall, Question, Quote, Warning } from "../shared/types.ts";
import type { DraftFault } from "../writing/prompt.ts";
import { createAnswerSheet } from "../writing/sheet.ts";
import { type OfferedDraft, writeDrafts } from "../writing/write-drafts.ts";
import { checking, flags, toCitedQuote } from "./check.ts";
import type { ChosenQuotes } from "./compress.ts";
import type { PipelineContext } from "./context.ts";
import type { Trace } from "./trace.ts";

/** A sentence as it was drawn, with what it was laid beside besides its own quotes. */
export interface CheckedDraft extends OfferedDraft {
  readonly others: readonly (readonly Quote[])[];
}

/** What has been written and shown. */
export function nothingWritten() {
  return {
    sheet: createAnswerSheet(),
    claims: [] as Claim[],
    /** Of sentences; those that were left out too. */
    checks: [] as CheckResult[],
    warnings: [] as Warning[],
    /** Every call of a model in order. */
    calls: [] as ModelCall[],
    /** Sentences as they were drawn, before their checks; without those that left no trace, since they were repeated or held back. */
    drafts: [] as CheckedDraft[],
    /** Quotes that a model was given; empty where quotes alone answer. */
    offered: [] as readonly Quote[],
    /** Quotes that an answer of quotes is chosen from. */
    candidates: [] as readonly Quote[],
    /** Name of the model that wrote, or `extractive`; empty: nothing was written. */
    writer: "",
    /** The model said that the quotes do not answer. */
    insufficient: false,
  };
}
export type Written = ReturnType<typeof nothingWritten>;

/** Draws sentence after sentence, checks each, and shows what stands. */
export async function* writeChecked(
  { question, quotes: { candidates, task } }: { readonly question: Question; readonly quotes: ChosenQuotes },
  context: PipelineContext,
  trace: Trace,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent, Written> {
  yield { type: "write-start" };
  const started = trace.elapsed();
  const written = nothingWritten();
  const told: Warning[] = [];
  const drawing = { writer: "", insufficient: false, calls: written.calls, warnings: told };
  const settings = context.profile.write;
  const record: WritableRecord = { shown: [], faults: [] };
  written.offered = (task?.sources ?? []).flatMap(({ stretches }) => stretches);
  written.candidates = candidates.flatMap((one) => [...one.context, one.quote, ...(one.conditions ?? [])]);
  const bench: Bench = {
    stretches: written.offered,
    othersOf: (draft) => othersOf(draft, task),
    written,
    record,
    context: checking(question, context),
    strict: settings.onFault === "reject",
  };
  const drafts = writeDrafts(question, candidates, drawing, { task, settings }, record, signal);
  const { withhold = [] } = context.profile.check;
  const waiting: AnswerEvent[] = [];
  for await (const draft of drafts) {
    yield* tell(told, written);
    const shown = await showSentence(draft, bench);
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
  yield* tell(told, written);
  if (written.checks.some(({ name, verdict }) => verdict === "fail" && withhold.includes(name))) withholdAll(written);
  else if (waiting.length > 0) {
    trace.timings.first_sentence = trace.elapsed();
    yield* waiting;
  }
  // Whoever left while it was written has no answer, however soon the rest came.
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

/** What each source that a sentence does not cite has of its words. */
function othersOf({ text, quotes }: OfferedDraft, task: ChosenQuotes["task"]): readonly (readonly Quote[])[] {
  if (task === null) return [];
  return task.sources.filter(({ citable }) => !quotes.some((quote) => citable.includes(quote))).map((source) => task.bind(text, source));
}

/** Nothing of it was shown, and nothing of it will be; what the checks found stays. */
function withholdAll(written: Written): void {
  const { sheet, claims, checks } = nothingWritten();
  checks.push(...written.checks.map((result) => ({ ...result, sentence: null, leftOut: true as const })));
  const warnings = written.warnings.filter(({ sentence }) => sentence === undefined);
  Object.assign(written, { sheet, claims, checks, warnings });
}

function* tell(told: Warning[], { warnings }: Written): Generator<AnswerEvent, void> {
  for (const warning of told.splice(0)) {
    warnings.push(warning);
    yield { type: "warning", warning };
  }
}

interface WritableRecord {
  readonly shown: DraftSentence[];
  readonly faults: DraftFault[];
}

/** What a drawn sentence is laid beside. */
export interface Bench {
  /** What the model was given. */
  readonly stretches: readonly Quote[];
  /** Quotes of each other source that has the sentence's words. */
  readonly othersOf: (draft: OfferedDraft) => readonly (readonly Quote[])[];
  readonly written: Written;
  readonly record: WritableRecord;
  readonly context: ReturnType<typeof checking>;
  /** A citation to nowhere is a fault even beside a good one. */
  readonly strict: boolean;
}

type SentenceEvent = Extract<AnswerEvent, { readonly type: "sentence" }>;

/** Checks one sentence, cites a better source where there is one; `null` when it is left out or held back. */
export async function showSentence(draft: OfferedDraft, bench: Bench): Promise<SentenceEvent | null> {
  const { stretches, othersOf, written, record, context, strict } = bench;
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

/** Citations that no source has, as they were written: a layer that takes them out can be measured only against what happens without it. */
function withMarkers(text: string, missing: readonly number[]): string {
  return `${text}${missing.map((n) => ` [${n}]`).join("")}`;
}

/** What is wrong with a sentence as part of this draft, whatever the profile does about claims: nobody has checked what it would then say. */
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
 * A sentence in another language than the quotes that it cites cannot be held against them: no other check reads it. `null`: nothing to say, because the
 * languages are the same or one of them is not told.
 * @param cited texts of the quotes that it cites
 * @param offered texts of all quotes that it could cite; they decide where the cited ones show no language
 */
export function checkLanguage(text: string, cited: readonly string[], offered: readonly string[]): Finding | null {
  const spoken = tongueOf(text);
  const quoted = spoken === null ? null : (tongueOf(cited.join("\n")) ?? tongueOf(offered.join("\n")));
  if (quoted === null || quoted === spoken) return null;
  return finding("language", "fail", null, `is ${spoken}, its sources are ${quoted}: its wording cannot be checked`);
}
