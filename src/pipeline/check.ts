import { checkAnswer } from "../checks/check.ts";
import { guardAnswer, type PassageTexts } from "../checks/guard-answer.ts";
import { tongueOf } from "../guard/tongue.ts";
import { readQuestion } from "../language/question.ts";
import { createRelevancy } from "../models/similarity.ts";
import { GUARDS } from "../profiles/guards.ts";
import type { CheckResult, Citation, Evidence, Question } from "../shared/types.ts";
import { tokenize } from "../text/tokens.ts";
import type { AnswerParts } from "./parts.ts";
import type { Written } from "./write.ts";

/** A sentence speaks of the question from this share of its words on, and says hardly more than it with fewer others than this share of its own. */
const HALF = 0.5;

/**
 * Does an answer to "why" only say again what the question takes for granted? "Only one suitcase is allowed" tells nobody why. A heuristic by words: what it finds is
 * said, and nothing is removed. Of 23 answers to golden and strangers' questions that ask why it
 * speaks at one, which denies what was asked (2026-11-27).
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

/** What was written for a question, and from what. */
export interface WrittenAnswer {
  readonly question: Pick<Question, "resolved">;
  readonly written: Pick<Written, "sheet" | "claims" | "writer">;
  readonly evidence: readonly Pick<Evidence, "passage">[];
}

/** What the checks of the whole need. */
export interface WholeParts extends Pick<AnswerParts, "encoder" | "calibrations" | "loadTokenCounter"> {
  readonly profile: Pick<AnswerParts["profile"], "check">;
  readonly check: Pick<AnswerParts["check"], "support" | "reader">;
}

/** The answer as a whole; its sentences were checked before they were shown. */
export async function checkWhole({ question, written, evidence }: WrittenAnswer, parts: WholeParts): Promise<CheckResult[]> {
  const { profile, encoder, calibrations, loadTokenCounter } = parts;
  const { sheet, claims, writer } = written;
  const whole = checkAnswer(sheet.sentences, claims, profile.check);
  if (sheet.sentences.length === 0) return whole;
  whole.push(...checkTongue(sheet.citations), ...checkReason(question.resolved, sheet.sentences));
  const settings = profile.check.guards ?? GUARDS;
  const { relevancy } = settings;
  const byModel = writer !== "" && writer !== "extractive";
  const given = { sentences: sheet.sentences.map(({ text }) => text), passages: evidence.map(({ passage }) => textsOf(passage)) };
  const guarded = await guardAnswer(question.resolved, given, settings, {
    ...{ support: parts.check.support, reader: parts.check.reader },
    similarity: relevancy === null || encoder === null ? null : createRelevancy(relevancy, encoder, calibrations),
    countTokens: byModel ? await loadTokenCounter() : null,
  });
  return [...whole, ...guarded.map((result) => ({ ...result, sentence: null }))];
}

/** Quotes that are not English, where any is: nothing here can judge whether they answer. */
function checkTongue(citations: readonly Pick<Citation, "n" | "quote">[]): CheckResult[] {
  const foreign = citations.flatMap(({ n, quote }) => {
    const tongue = tongueOf(quote);
    return tongue === null || tongue === "English" ? [] : [{ n, tongue }];
  });
  const [first] = foreign;
  if (first === undefined) return [];
  const numbers = foreign.map(({ n }) => `[${n}]`).join("");
  const reason = `${numbers} seems to be in another language (${first.tongue}): this version reads English, so nobody judged whether it answers`;
  return [{ name: "tongue", verdict: "warn", score: null, reason, spans: [], sentence: null }];
}

/** Whoever asks why is told where what is shown may give no reason. */
function checkReason(question: string, sentences: Written["sheet"]["sentences"]): CheckResult[] {
  const texts = sentences.map(({ text }) => text);
  if (!onlySaysThatItIsSo(question, texts)) return [];
  const reason = "You ask why: what is shown says hardly more than the question does, and may give no reason.";
  return [{ name: "reason", verdict: "warn", score: null, reason, spans: [], sentence: null }];
}

function textsOf({ text, document, headingPath }: Evidence["passage"]): PassageTexts {
  return [text, document.title, ...headingPath];
}
