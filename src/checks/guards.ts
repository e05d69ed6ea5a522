import { documentOrders } from "../guard/injection.ts";
import { findPersonalData, type PersonalData, type PersonalKind } from "../guard/pii.ts";
import { findTermViolations, type Terminology } from "../guard/terminology.ts";
import type { GuardSettings } from "../profiles/profile.ts";
import type { TextRange } from "../shared/types.ts";
import { plainView } from "../text/normalise.ts";
import { type Finding, finding } from "./finding.ts";

/**
 * Does a text speak the tenant's language? A rival tenant's term without the tenant's own is a violation, except inside a verbatim quote:
 * those words are the document's, and other words in their place would be a quote that no document holds.
 * @param quotes texts of the quotes that are cited
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

/** What stands verbatim in a cited quote: the whole text, or what it puts in quotation marks. */
function quotedRanges(text: string, quotes: readonly string[]): TextRange[] {
  if (quotes.some((quote) => quote.includes(text))) return [{ start: 0, end: text.length }];
  return [...text.matchAll(QUOTED)].flatMap((match) => {
    const inside = match.slice(1).find((group) => group !== undefined) ?? "";
    return quotes.some((quote) => quote.includes(inside)) ? [{ start: match.index, end: match.index + match[0].length }] : [];
  });
}

/** By these one reaches an office as well as a person. Every other kind identifies somebody, whoever publishes it. */
const CONTACT_KINDS: ReadonlySet<PersonalKind> = new Set(["email", "phone", "address"]);

/**
 * Personal data in a sentence. A contact that stands verbatim in a cited quote, or among the domain's contacts and hotlines, is none:
 * it was published to be used. A number that identifies somebody (social security, file, card, account) is personal data even there.
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

/** The contact stands as a whole in one of the texts: a longer number or address that only begins with it is another. */
function isPublished({ text }: PersonalData, published: readonly string[]): boolean {
  const sought = bare(text);
  return published.some((source) => {
    for (let at = source.indexOf(sought); at >= 0; at = source.indexOf(sought, at + 1)) {
      if (!/[\p{L}\p{N}]/u.test(source.charAt(at - 1)) && !/[\p{L}\p{N}]/u.test(source.charAt(at + sought.length))) return true;
    }
    return false;
  });
}

/** Letter case, and how blanks and dashes are typed, make no other contact. */
function bare(text: string): string {
  return plainView(text).plain.toLowerCase().replaceAll(/\s+/g, " ");
}

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

/**
 * Does a sentence pass on orders that a document gave? They are none of an answer's business, in a quote as little as in a model's words;
 * addresses and claims that a document smuggles in are the matter of the checks of addresses and citations.
 */
export function checkInjection(text: string, mode: "remove" | "warn"): Finding {
  const orders = documentOrders(plainView(text).plain);
  if (orders.length === 0) return finding("injection", "pass", 1, "gives no orders");
  return finding("injection", mode === "remove" ? "fail" : "warn", 0, `passes on what reads like an order: ${orders.join(", ")}`);
}
