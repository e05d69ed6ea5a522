import { type CheckContext, checkSentence } from "../checks/check.ts";
import type { CitedQuote } from "../checks/finding.ts";
import { terminologyOf } from "../guard/terminology.ts";
import { createSimilarity } from "../models/similarity.ts";
import type { Answer, CheckResult, Question, Quote, Warning } from "../shared/types.ts";
import { unitAt } from "../text/units.ts";
import type { AnswerParts } from "./parts.ts";

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
  return {
    ...{ text, exact, url: passage.document.url, header: header?.text ?? null },
    above: above(passage.document.title, headingPath, unit?.caption?.text, header?.text),
  };
}

/** What stands above a quote and says what it is about. */
function above(title: string, headingPath: readonly string[], ...table: readonly (string | undefined)[]): string[] {
  return [title, ...headingPath, ...table.filter((one) => one !== undefined)];
}

/** A stored answer is served only if today's checks find nothing to change in it; its quotes have been compared before. */
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

/** What the checks found in an answer that is shown all the same, for the reader; of a sentence, where it stands. */
export function flags(checks: readonly CheckResult[]): Warning[] {
  return checks
    .filter(({ verdict, leftOut }) => verdict === "warn" && leftOut !== true)
    .map(({ name, reason, sentence }) => ({ code: `check_${name}`, message: reason, ...(sentence === null ? {} : { sentence }) }));
}
