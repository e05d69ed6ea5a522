import type { GuardSettings } from "../profiles/profile.ts";
import { createBearsOut } from "./bears-out.ts";
import { checkFaithfulness, type PassageTexts } from "./faithfulness.ts";
import type { Finding } from "./finding.ts";
import { checkRelevancy, type RelevancyScorer } from "./relevancy.ts";
import type { Reader } from "./statements.ts";
import type { SupportScorer } from "./support-scorer.ts";
import { checkTokenBudget } from "./token-budget.ts";

/** What the guards of a whole answer are given; `null`: not asked, or not there. */
export interface AnswerGuards {
  readonly similarity: RelevancyScorer | null;
  readonly support: SupportScorer | null;
  /** Reads sentences exactly, beside the score. */
  readonly reader: Reader;
  /** Of a real tokenizer. */
  readonly countTokens: ((text: string) => number) | null;
}

/** Relevancy, faithfulness and length of an answer, as the profile asks. */
export async function guardAnswer(
  question: string,
  { sentences, passages }: { readonly sentences: readonly string[]; readonly passages: readonly PassageTexts[] },
  { relevancy, faithfulness, tokens }: GuardSettings,
  { similarity, support, reader, countTokens }: AnswerGuards,
): Promise<Finding[]> {
  const text = sentences.join(" ");
  const found: Finding[] = [];
  if (relevancy !== null) found.push(await checkRelevancy(question, text, similarity));
  if (faithfulness !== null) {
    const judges = { support, bearsOut: createBearsOut(reader, support), question };
    found.push(await checkFaithfulness(sentences, passages, judges, faithfulness));
  }
  if (tokens !== null && (tokens.count !== "tokens" || countTokens !== null)) {
    found.push(checkTokenBudget(text, tokens, countTokens ?? (() => 0)));
  }
  return found;
}
