import { documentOrders } from "../guard/injection.ts";
import { findPersonalData, type PersonalData, type PersonalKind } from "../guard/pii.ts";
import type { GuardSettings } from "../profiles/profile.ts";
import type { TextRange } from "../shared/types.ts";
import { literally, plainView } from "../text/normalise.ts";
import { type Finding, finding } from "./finding.ts";
import { isWithin } from "./statements.ts";

/** A tenant's vocabulary: canonical term → the tenant's term. */
export interface Vocabulary {
  readonly terms: Readonly<Record<string, string>>;
}

/** Rules for a tenant's answers. An empty list allows every term. */
export type Terminology = ReturnType<typeof terminologyOf>;

/**
 * Returns the rules for one tenant: for each canonical term (the shared name of a thing) the tenant's own term (`right`)
 * and the wrong ones (`rivals`), which are those of other tenants and an internal canonical name. A term that both this
 * and another tenant use is not a violation.
 */
export function terminologyOf(tenants: Readonly<Record<string, Vocabulary>>, tenant: string | null) {
  const own = tenant === null ? undefined : tenants[tenant];
  if (own === undefined) return [];
  const used = new Set(Object.values(own.terms).map(spelling));
  return Object.entries(own.terms).flatMap(([canonical, right]) => {
    const rivals = Object.entries(tenants).flatMap(([name, { terms }]) => {
      const term = terms[canonical];
      return name === tenant || term === undefined || used.has(spelling(term)) ? [] : [{ term, of: name }];
    });
    // A name such as `STOCK_CHECK` is internal: no tenant uses it. Without `_`, as in "stock check", it may be a tenant's term.
    if (canonical.includes("_") && !used.has(spelling(canonical))) rivals.push({ term: canonical, of: "internal name" });
    return rivals.length === 0 ? [] : [{ canonical, right, rivals }];
  });
}

/**
 * Finds terms of other tenants, and internal names, unless the text also contains this tenant's term for the same thing.
 * A term matches as a whole word or phrase, in singular and plural, with blanks, hyphens or line breaks between its
 * words; an acronym matches only in capitals. Text inside a term of the tenant is skipped.
 * @param quotes texts of the cited quotes, in whose verbatim parts any term is allowed
 */
function findTermViolations(text: string, quotes: readonly string[], terminology: Terminology) {
  if (terminology.length === 0) return [];
  const { plain, at } = plainView(text);
  const find = (term: string) =>
    [...plain.matchAll(termPattern(term))].map((match) => ({ start: at(match.index), end: at(match.index + match[0].length) }));
  const own = terminology.flatMap(({ right }) => find(right).map((range) => ({ ...range, right })));
  const allowed: readonly TextRange[] = [...own, ...quotedRanges(text, quotes)];
  const found = terminology
    .filter(({ right }) => !own.some((one) => one.right === right))
    .flatMap(({ canonical, right, rivals }) =>
      rivals.flatMap(({ term, of }) => find(term).map((range) => ({ ...range, canonical, right, term, of }))),
    )
    .filter((one) => !allowed.some((range) => isWithin(one, range)));
  const widest = found.filter((one) => !found.some((other) => isWithin(one, other) && !isWithin(other, one)));
  return widest.sort((a, b) => a.start - b.start || a.term.localeCompare(b.term));
}

/** Matches an acronym: two to six capitals or digits. "IT" is not "it". */
const ACRONYM = /^[A-Z0-9]{2,6}$/;

function termPattern(term: string): RegExp {
  const words = plainView(term)
    .plain.trim()
    .split(/[\s-]+/)
    .map(literally);
  const last = words.pop() ?? "";
  const phrase = [...words, inflected(last)].join("(?:\\s+|\\s?-\\s?)");
  return new RegExp(`(?<![\\p{L}\\p{N}_])${phrase}(?![\\p{L}\\p{N}_])`, ACRONYM.test(term.trim()) ? "gu" : "giu");
}

/** Returns a pattern for the singular and plural of a term's last word. */
function inflected(word: string): string {
  if (/[^aeiou]y$/i.test(word)) return `${word.slice(0, -1)}(?:y|ies)`;
  if (/[^aeiou]ies$/i.test(word)) return `${word.slice(0, -3)}(?:y|ies)`;
  if (/(?:s|x|z|ch|sh)es$/i.test(word)) return `${word.slice(0, -2)}(?:es)?`;
  if (/(?:ss|x|z|ch|sh)$/i.test(word)) return `${word}(?:es)?`;
  if (/[^s]s$/i.test(word)) return `${word}?`;
  return `${word}s?`;
}

function spelling(term: string): string {
  return bare(term, /[\s-]+/g);
}

/**
 * Checks whether a text uses the tenant's terminology. A term of another tenant is a violation unless the tenant's own
 * term is there too. Verbatim quotes are exempt, because a changed quote would not be in the document.
 * @param quotes texts of the cited quotes
 */
export function checkTerminology(text: string, quotes: readonly string[], terminology: Terminology, mode: "remove" | "warn"): Finding {
  const violations = findTermViolations(text, quotes, terminology);
  if (violations.length === 0) return finding("terminology", "pass", 1, "no other tenant's term");
  const named = violations.map(({ term, of, right }) => `"${term}" (${of}) instead of "${right}"`);
  return finding("terminology", mode === "remove" ? "fail" : "warn", 0, [...new Set(named)].join("; "), violations);
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

/** Kinds of personal data that may belong to an office. Every other kind identifies a person, even if published. */
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
  const published = found.length === 0 ? [] : [...quotes, ...contacts].map((source) => bare(source));
  const personal = found.filter((one) => !(CONTACT_KINDS.has(one.kind) && isPublished(one, published)));
  if (personal.length === 0) return finding("pii", "pass", 1, "holds no personal data");
  const kinds = [...new Set(personal.map(({ kind }) => kind))].join(", ");
  return finding("pii", mode === "remove" ? "fail" : "warn", 0, `holds what looks like personal data: ${kinds}`, personal);
}

/**
 * Checks whether one of the published texts contains the whole contact. A longer number or address with the same
 * beginning is a different contact.
 */
function isPublished({ text }: PersonalData, published: readonly string[]): boolean {
  const whole = new RegExp(`(?<![\\p{L}\\p{N}])${literally(bare(text))}(?![\\p{L}\\p{N}])`, "u");
  return published.some((source) => whole.test(source));
}

/** Normalises case, blanks and dashes, which do not distinguish contacts. */
function bare(text: string, blanks = /\s+/g): string {
  return plainView(text).plain.trim().toLowerCase().replaceAll(blanks, " ");
}

/** Facts about the domain and tenant for the guards of sentences. */
export interface GuardFacts {
  /** Texts of the domain's contacts and hotlines. */
  readonly contacts: readonly string[];
  readonly terminology: Terminology;
}

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

/** Returns the names of the active guards that report only violations. An answer without a finding of such a guard passed it. */
export function sentenceGuards({ pii, terminology, injection }: GuardSettings): ReadonlySet<string> {
  return new Set(Object.entries({ pii, terminology, injection }).flatMap(([name, mode]) => (mode === "off" ? [] : [name])));
}

/**
 * Checks whether a sentence repeats instructions from a document. These do not belong in an answer, not even as a quote.
 * URLs and claims that a document injects are left to the checks of URLs and citations.
 */
export function checkInjection(text: string, mode: "remove" | "warn"): Finding {
  const orders = documentOrders(plainView(text).plain);
  if (orders.length === 0) return finding("injection", "pass", 1, "gives no orders");
  return finding("injection", mode === "remove" ? "fail" : "warn", 0, `passes on what reads like an order: ${orders.join(", ")}`);
}
