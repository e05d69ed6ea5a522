import type { Terminology } from "../guard/terminology.ts";
import type { GuardSettings } from "../profiles/guard-settings.ts";
import { createBearsOut } from "./bears-out.ts";
import { checkFaithfulness, type PassageTexts } from "./faithfulness.ts";
import type { Finding } from "./finding.ts";
import { checkInjection } from "./injection.ts";
import { checkPii } from "./pii.ts";
import { checkRelevancy, type RelevancyScorer } from "./relevancy.ts";
import type { Reader } from "./statements.ts";
import type { SupportScorer } from "./support-scorer.ts";
import { checkTerminology } from "./terminology.ts";
import { checkTokenBudget } from "./token-budget.ts";

/** What the guards of a sentence know of its domain and tenant. */
export interface GuardFacts {
  /** Texts of the domain's contacts and hotlines. */
  readonly contacts: readonly string[];
  readonly terminology: Terminology;
}

export const NO_FACTS: GuardFacts = { contacts: [], terminology: [] };

/**
 * What the guards object to in a sentence, quoted or not: personal data, another tenant's terms, orders from documents.
 * @param quotes texts of the quotes that it cites
 */
export function guardSentence(text: string, quotes: readonly string[], settings: GuardSettings, facts: GuardFacts): Finding[] {
  const { pii, terminology, injection } = settings;
  const found = [
    ...(pii === "off" ? [] : [checkPii(text, quotes, facts.contacts, pii)]),
    ...(terminology === "off" ? [] : [checkTerminology(text, quotes, facts.terminology, terminology)]),
    ...(injection === "off" ? [] : [checkInjection(text, injection)]),
  ];
  return found.filter(({ verdict }) => verdict !== "pass");
}

/** What the guards of a whole answer are given; `null`: not asked, or not there. */
export interface AnswerGuards {
  readonly similarity: RelevancyScorer | null;
  readonly support: SupportScorer | null;
  /** Reads sentences exactly, beside the score. */
  readonly reader: Reader;
  /** Of a real tokenizer. */
  readonly countTokens: ((text: string) => number) | null;
}

/** Checks of sentences that report only what they object to: where they ran, silence is a pass. */
export function sentenceGuards({ pii, terminology, injection }: GuardSettings): ReadonlySet<string> {
  return new Set(Object.entries({ pii, terminology, injection }).flatMap(([name, mode]) => (mode === "off" ? [] : [name])));
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
