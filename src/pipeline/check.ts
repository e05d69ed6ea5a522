import { type CheckContext, checkAnswer, checkSentence } from "../checks/check.ts";
import type { CitedQuote } from "../checks/finding.ts";
import { guardAnswer, type PassageTexts } from "../checks/guard-answer.ts";
import { detectLanguage } from "../guard/detect-language.ts";
import { terminologyOf } from "../guard/terminology.ts";
import { readQuestion } from "../language/question.ts";
import { createRelevancy, createSimilarity } from "../models/similarity.ts";
import { GUARDS } from "../profiles/guards.ts";
import type { Answer, CheckResult, Citation, Claim, Evidence, Question, Quote, Warning } from "../shared/types.ts";
import { tokenize } from "../text/tokens.ts";
import { unitAt } from "../text/units.ts";
import type { AnswerBuilder } from "../writing/quotes.ts";
import type { PipelineContext } from "./context.ts";

/** Returns the context in which the sentences of this answer are checked. */
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

/** Returns whether a stored answer passes the current checks unchanged. The caller has already compared its quotes. */
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

/** Returns warnings for faults in an answer that is shown all the same, each with the index of the sentence. */
export function flags(checks: readonly CheckResult[]): Warning[] {
  return checks
    .filter(({ verdict, leftOut }) => verdict === "warn" && leftOut !== true)
    .map(({ name, reason, sentence }) => ({ code: `check_${name}`, message: reason, ...(sentence === null ? {} : { sentence }) }));
}

/** Minimum share of the question's words that a sentence repeats, and maximum share of its own words that are new. */
const HALF = 0.5;

/**
 * Returns whether an answer to a "why" question only restates it, such as "Only one suitcase is allowed". A word-overlap heuristic that
 * only warns: it flags one of 23 answers to golden and test questions, which denies the premise (2026-11-27).
 */
export function onlySaysThatItIsSo(question: string, sentences: readonly string[]): boolean {
  const { type, content } = readQuestion(question);
  if (type !== "why") return false;
  const asked = new Set(tokenize(content));
  const speaking = sentences.map((text) => [...new Set(tokenize(text))]).filter((own) => shared(own, asked) >= HALF * asked.size);
  return asked.size > 0 && speaking.length > 0 && speaking.every((own) => own.length - shared(own, asked) < HALF * own.length);
}

function shared(own: readonly string[], asked: ReadonlySet<string>): number {
  return own.filter((token) => asked.has(token)).length;
}

interface WrittenAnswer {
  readonly question: Pick<Question, "resolved">;
  readonly written: {
    readonly sheet: Pick<AnswerBuilder, "sentences" | "citations">;
    readonly claims: readonly Claim[];
    readonly writer: string;
  };
  readonly evidence: readonly Pick<Evidence, "passage">[];
}

/** The part of the context that whole-answer checks need, so that proofs can run them without an engine. */
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

/** Warns about quotes that are not English: no check can judge whether they answer. */
function checkSpokenLanguage(citations: readonly Pick<Citation, "n" | "quote">[]): CheckResult[] {
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

/** Warns that the answer to a "why" question may give no reason. */
function checkReason(question: string, sentences: AnswerBuilder["sentences"]): CheckResult[] {
  const texts = sentences.map(({ text }) => text);
  if (!onlySaysThatItIsSo(question, texts)) return [];
  const reason = "You ask why: what is shown says hardly more than the question does, and may give no reason.";
  return [{ name: "reason", verdict: "warn", score: null, reason, spans: [], sentence: null }];
}

function textsOf({ text, document, headingPath }: Evidence["passage"]): PassageTexts {
  return [text, document.title, ...headingPath];
}
