import { documentOrders } from "../guard/injection.ts";
import { findPersonalData, type PersonalData, type PersonalKind } from "../guard/pii.ts";
import { findTermViolations, type Terminology } from "../guard/terminology.ts";
import type { GuardSettings } from "../profiles/profile.ts";
import type { TextRange } from "../shared/types.ts";
import { plainView } from "../text/normalise.ts";
import { type Finding, finding } from "./finding.ts";

/**
 * Checks whether a text uses the tenant's terminology. Another tenant's term is a violation unless the tenant's own
 * term is there too. Verbatim quotes are exempt, because a changed quote would no longer be in the document.
 * @param quotes texts of the cited quotes
 */
export function checkTerminology(text: string, quotes: readonly string[], terminology: Terminology, mode: "remove" | "warn"): Finding {
  const excepted = terminology.length === 0 ? [] : quotedRanges(text, quotes);
  const violations = findTermViolations(text, terminology, excepted);
  if (violations.length === 0) return finding("terminology", "pass", 1, "no other tenant's term");
  const named = violations.map(({ term, of, right }) => `"${term}" (${of}) instead of "${right}"`);
  const spans = violations.map(({ start, end }) => ({ start, end }));
  return finding("terminology", mode === "remove" ? "fail" : "warn", 0, [...new Set(named)].join("; "), spans);
}

const QUOTED = /"([^"]+)"|“([^”]+)”|«([^»]+)»|‘([^’]+)’/g;

/** Returns the ranges that a cited quote contains verbatim: the whole text, or its parts in quotation marks. */
function quotedRanges(text: string, quotes: readonly string[]): TextRange[] {
  if (quotes.some((quote) => quote.includes(text))) return [{ start: 0, end: text.length }];
  return [...text.matchAll(QUOTED)].flatMap((match) => {
    const inside = match.slice(1).find((group) => group !== undefined) ?? "";
    return quotes.some((quote) => quote.includes(inside)) ? [{ start: match.index, end: match.index + match[0].length }] : [];
  });
}

/** Kinds that may belong to an office. Every other kind identifies a person, whoever publishes it. */
const CONTACT_KINDS: ReadonlySet<PersonalKind> = new Set(["email", "phone", "address"]);

/**
 * Finds personal data in a sentence. Contacts in a cited quote or among the domain's contacts and hotlines are exempt,
 * because they were published for use. Identifying numbers (social security, file, card, account) are personal data
 * even there.
 * @param quotes texts of the quotes that the sentence cites
 * @param contacts texts of the domain's contacts and hotlines
 */
export function checkPii(text: string, quotes: readonly string[], contacts: readonly string[], mode: "remove" | "warn"): Finding {
  const found = findPersonalData(text);
  const published = found.length === 0 ? [] : [...quotes, ...contacts].map(bare);
  const personal = found.filter((one) => !(CONTACT_KINDS.has(one.kind) && isPublished(one, published)));
  if (personal.length === 0) return finding("pii", "pass", 1, "holds no personal data");
  const kinds = [...new Set(personal.map(({ kind }) => kind))].join(", ");
  const spans = personal.map(({ start, end }) => ({ start, end }));
  return finding("pii", mode === "remove" ? "fail" : "warn", 0, `holds what looks like personal data: ${kinds}`, spans);
}

/**
 * Checks whether a text contains the whole contact. A longer number or address with the same beginning is another
 * contact.
 */
function isPublished({ text }: PersonalData, published: readonly string[]): boolean {
  const sought = bare(text);
  return published.some((source) => {
    for (let at = source.indexOf(sought); at >= 0; at = source.indexOf(sought, at + 1)) {
      if (!/[\p{L}\p{N}]/u.test(source.charAt(at - 1)) && !/[\p{L}\p{N}]/u.test(source.charAt(at + sought.length))) return true;
    }
    return false;
  });
}

/** Normalises case, blanks and dashes, which do not distinguish contacts. */
function bare(text: string): string {
  return plainView(text).plain.toLowerCase().replaceAll(/\s+/g, " ");
}

/** Facts of the domain and tenant for the sentence guards. */
export interface GuardFacts {
  /** Texts of the domain's contacts and hotlines. */
  readonly contacts: readonly string[];
  readonly terminology: Terminology;
}

export const NO_FACTS: GuardFacts = { contacts: [], terminology: [] };

/**
 * Returns what the guards find in a sentence, quoted or not: personal data, another tenant's terms, instructions from
 * documents.
 * @param quotes texts of the quotes that the sentence cites
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

/** Returns the active guards that report only violations. No finding then means a pass. */
export function sentenceGuards({ pii, terminology, injection }: GuardSettings): ReadonlySet<string> {
  return new Set(Object.entries({ pii, terminology, injection }).flatMap(([name, mode]) => (mode === "off" ? [] : [name])));
}

/**
 * Checks whether a sentence repeats instructions from a document. They do not belong in an answer, not even in a quote.
 * Injected URLs and claims are left to the checks of URLs and citations.
 */
export function checkInjection(text: string, mode: "remove" | "warn"): Finding {
  const orders = documentOrders(plainView(text).plain);
  if (orders.length === 0) return finding("injection", "pass", 1, "gives no orders");
  return finding("injection", mode === "remove" ? "fail" : "warn", 0, `passes on what reads like an order: ${orders.join(", ")}`);
}
