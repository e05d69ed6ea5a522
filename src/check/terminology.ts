import { findTermViolations, type Terminology } from "../guard/terminology.ts";
import type { TextRange } from "../types.ts";
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
