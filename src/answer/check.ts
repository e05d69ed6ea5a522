import { checkAnswer } from "../check/check.ts";
import type { PassageTexts } from "../check/faithfulness.ts";
import { guardAnswer } from "../check/guards.ts";
import { createRelevancy } from "../models/similarity.ts";
import { GUARDS } from "../profiles/guards.ts";
import type { CheckResult, Evidence, Question } from "../types.ts";
import type { CheckingParts } from "./checking.ts";
import type { Written } from "./write.ts";

export interface CheckParts extends CheckingParts {
  /** Tokens of a text; only asked when a model writes. */
  readonly loadTokenCounter: () => Promise<(text: string) => number>;
}

/** What was written for a question, and from what. */
export interface WrittenAnswer {
  readonly question: Pick<Question, "resolved">;
  readonly written: Pick<Written, "sheet" | "claims" | "writer">;
  readonly evidence: readonly Pick<Evidence, "passage">[];
}

/** What the checks of the whole need. */
export interface WholeParts extends Pick<CheckParts, "encoder" | "calibrations" | "loadTokenCounter"> {
  readonly profile: Pick<CheckParts["profile"], "check">;
  readonly check: Pick<CheckParts["check"], "support">;
}

/** The answer as a whole; its sentences were checked before they were shown. */
export async function checkWhole({ question, written, evidence }: WrittenAnswer, parts: WholeParts): Promise<CheckResult[]> {
  const { profile, encoder, calibrations, loadTokenCounter } = parts;
  const { sheet, claims, writer } = written;
  const whole = checkAnswer(sheet.sentences, claims, profile.check);
  if (sheet.sentences.length === 0) return whole;
  const settings = profile.check.guards ?? GUARDS;
  const { relevancy } = settings;
  const byModel = writer !== "" && writer !== "extractive";
  const given = { sentences: sheet.sentences.map(({ text }) => text), passages: evidence.map(({ passage }) => textsOf(passage)) };
  const guarded = await guardAnswer(question.resolved, given, settings, {
    support: parts.check.support,
    similarity: relevancy === null || encoder === null ? null : createRelevancy(relevancy, encoder, calibrations),
    countTokens: byModel ? await loadTokenCounter() : null,
  });
  return [...whole, ...guarded.map((result) => ({ ...result, sentence: null }))];
}

function textsOf({ text, document, headingPath }: Evidence["passage"]): PassageTexts {
  return [text, document.title, ...headingPath];
}
