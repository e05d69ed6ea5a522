import type { CheckSettings } from "../profiles/profile.ts";
import { fitOf } from "./alignment.ts";
import { checkClaim, layBeside } from "./claim-checks.ts";
import type { CitedQuote, Finding } from "./finding.ts";
import type { Reader } from "./statements.ts";

/** The source that has a sentence as its own, but for marks and case: its index, or `null`. */
export function findStatedSource(text: string, sources: readonly (readonly CitedQuote[])[], reader: Reader): number | null {
  const said = lettersOf(text);
  const at = sources.findIndex((quotes) => quotes.some((quote) => reader.statements(quote).some((one) => lettersOf(one.text) === said)));
  return at < 0 || said === "" ? null : at;
}

function lettersOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** Another source must hold this share of the sentence's words, and pass every check, to be cited instead. */
const SURELY_FITS = 0.6;
/** How much better it must fit than a source in which nothing is wrong. */
const CLEARLY_BETTER = 0.15;

/**
 * A source of the answer's evidence that has the words of a sentence where the cited ones do not, or hardly: its index, or `null`.
 * @param cited what the checks said of the cited quotes, and how well their best statement fits
 * @param others quotes of every other source
 */
export function findBetterSource(
  text: string,
  question: string,
  cited: { readonly findings: readonly Finding[]; readonly fit: number },
  others: readonly (readonly CitedQuote[])[],
  settings: CheckSettings,
  reader: Reader,
): number | null {
  const faulty = cited.findings.some(({ verdict }) => verdict !== "pass");
  const least = Math.max(SURELY_FITS, cited.fit + (faulty ? 0 : CLEARLY_BETTER));
  if (least > 1) return null;
  let best: number | null = null;
  let top = 0;
  others.forEach((quotes, i) => {
    const facts = layBeside(text, quotes, question, settings, reader);
    const fit = fitOf(facts.alignment);
    if (fit < least || fit <= top || checkClaim(facts).some(({ verdict }) => verdict !== "pass")) return;
    best = i;
    top = fit;
  });
  return best;
}
