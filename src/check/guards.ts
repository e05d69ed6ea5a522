import type { Terminology } from "../guard/terminology.ts";
import type { GuardSettings } from "../profiles/profile.ts";
import type { Finding } from "./finding.ts";
import { checkInjection } from "./injection.ts";
import { checkPii } from "./pii.ts";
import { checkTerminology } from "./terminology.ts";

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

/** Checks of sentences that report only what they object to: where they ran, silence is a pass. */
export function sentenceGuards({ pii, terminology, injection }: GuardSettings): ReadonlySet<string> {
  return new Set(Object.entries({ pii, terminology, injection }).flatMap(([name, mode]) => (mode === "off" ? [] : [name])));
}
