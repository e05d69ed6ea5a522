import type { TextRange } from "../shared/types.ts";
import { literally, plainView } from "../text/normalise.ts";

/** A tenant's vocabulary: canonical term → the tenant's term. */
export interface Vocabulary {
  readonly terms: Readonly<Record<string, string>>;
}

/** Rule for one canonical term in a tenant's answers. */
export interface TermRule {
  readonly canonical: string;
  /** The tenant's own term. */
  readonly right: string;
  /** Other tenants' terms for the same thing, and the canonical term if it is an internal name. */
  readonly rivals: readonly { readonly term: string; readonly of: string }[];
}

/** Rules for a tenant's answers; empty if there are none. */
export type Terminology = readonly TermRule[];

export interface TermViolation extends TextRange {
  readonly canonical: string;
  readonly right: string;
  readonly term: string;
  readonly of: string;
}

/** Matches an internal name such as `STOCK_CHECK`, which is not a tenant's term. "stock check" may be one. */
const INTERNAL_NAME = /_/;

/** Returns the rules for one tenant. A term that both this and another tenant use is not a violation. */
export function terminologyOf(tenants: Readonly<Record<string, Vocabulary>>, tenant: string | null): Terminology {
  const own = tenant === null ? undefined : tenants[tenant];
  if (own === undefined) return [];
  const used = new Set(Object.values(own.terms).map(spelling));
  return Object.entries(own.terms).flatMap(([canonical, right]) => {
    const rivals = Object.entries(tenants).flatMap(([name, { terms }]) => {
      const term = terms[canonical];
      return name === tenant || term === undefined || used.has(spelling(term)) ? [] : [{ term, of: name }];
    });
    if (INTERNAL_NAME.test(canonical) && !used.has(spelling(canonical))) rivals.push({ term: canonical, of: "internal name" });
    return rivals.length === 0 ? [] : [{ canonical, right, rivals }];
  });
}

/**
 * Finds other tenants' terms in a text without the right one. A term matches as a whole word or phrase, in singular and
 * plural, with blanks, hyphens or line breaks between its words, in any case unless it is an acronym. Text inside one
 * of the tenant's own terms does not count.
 * @param excepted ranges of the text where any term is allowed
 */
export function findTermViolations(text: string, terminology: Terminology, excepted: readonly TextRange[] = []): TermViolation[] {
  if (terminology.length === 0) return [];
  const { plain, at } = plainView(text);
  const find = (term: string) =>
    [...plain.matchAll(termPattern(term))].map((match) => ({ start: at(match.index), end: at(match.index + match[0].length) }));
  const own = terminology.flatMap(({ right }) => find(right).map((range) => ({ ...range, right })));
  const allowed: readonly TextRange[] = [...own, ...excepted];
  const found = terminology
    .filter(({ right }) => !own.some((one) => one.right === right))
    .flatMap(({ canonical, right, rivals }) =>
      rivals.flatMap(({ term, of }) => find(term).map((range) => ({ ...range, canonical, right, term, of }))),
    )
    .filter(({ start, end }) => !allowed.some((range) => range.start <= start && end <= range.end));
  const widest = found.filter(
    (one) =>
      !found.some(
        (other) => other !== one && other.start <= one.start && one.end <= other.end && other.end - other.start > one.end - one.start,
      ),
  );
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

/** Normalises a term for comparison. */
function spelling(term: string): string {
  return plainView(term)
    .plain.trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, " ");
}
