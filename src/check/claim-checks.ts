import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PACKAGE_ROOT } from "../package.ts";
import type { CheckSettings } from "../profiles/profile.ts";
import type { Reading } from "../reading/reading.ts";
import { once } from "../text/once.ts";
import type { TextRange } from "../types.ts";
import { type Alignment, align } from "./alignment.ts";
import { type CitedTable, checkCells, tablesOf } from "./cells.ts";
import { checkEntities } from "./entities.ts";
import { type CitedQuote, type Finding, finding } from "./finding.ts";
import { checkNovelty } from "./novelty.ts";
import { checkPairing } from "./pairing.ts";
import { checkPolarity } from "./polarity.ts";
import type { Reader } from "./statements.ts";
import { checkValues } from "./values.ts";

/** Statements that fit nearly as well as the best are asked too: if one says as much as the claim, the claim says no more than its source. */
const NEARLY = 0.05;

interface StrengthPair {
  readonly strong: ReadonlySet<string>;
  readonly weak: ReadonlySet<string>;
}

const fileSchema = z.strictObject({
  /** Why the words stand there. */
  reason: z.string().min(1),
  pairs: z.array(z.strictObject({ strong: z.string().min(1), weak: z.string().min(1) })),
});

const readPairs = once((): readonly StrengthPair[] => {
  const { pairs } = fileSchema.parse(JSON.parse(readFileSync(join(PACKAGE_ROOT, "src", "check", "strength.json"), "utf8")));
  return pairs.map(({ strong, weak }) => ({ strong: new Set(strong.split(" ")), weak: new Set(weak.split(" ")) }));
});

/** Does a claim say "all", "always" or "will" where the statement that fits it best says "some", "usually", "may", or names an exception that the claim leaves out? */
export function checkStrength({ claim, statements, coverage }: Alignment, mode: "remove" | "warn"): Finding {
  const top = Math.max(0, ...coverage);
  const near = statements.filter((_, i) => top > 0 && (coverage[i] as number) >= top - NEARLY);
  const said = wordsOf(claim.text);
  for (const { strong, weak } of readPairs()) {
    const more = said.find(({ word }) => strong.has(word));
    if (more === undefined || near.length === 0 || said.some(({ word }) => weak.has(word))) continue;
    const limits = near.map(({ text }) => wordsOf(text).find(({ word }) => weak.has(word))?.word);
    if (limits.some((word) => word === undefined)) continue;
    const reason = `says "${more.word}" where the cited quotes say "${limits[0]}"`;
    return finding("strength", mode === "remove" ? "fail" : "warn", 0, reason, [{ start: more.start, end: more.end }]);
  }
  return finding("strength", "pass", 1, "says no more than the cited quotes do");
}

function wordsOf(text: string): (TextRange & { word: string })[] {
  return [...text.matchAll(/\p{L}+/gu)].map(({ 0: word, index }) => ({ word: word.toLowerCase(), start: index, end: index + word.length }));
}

/** Share of a claim's words that two cited statements together must hold; below, they speak of something else. */
const GROUNDED = 0.5;

/** Do the cited quotes speak of what the sentence says at all? By content words; two statements may share it. */
function checkGrounding({ claim, together, knows, given }: Alignment, mode: "remove" | "warn"): Finding {
  if (claim.words.length === 0) return finding("grounding", "pass", null, "no word to judge by");
  const share = `${Math.round(together * 100)} % of its words`;
  if (together >= GROUNDED) return finding("grounding", "pass", together, `two cited statements hold ${share}`);
  const unknown = claim.words.filter(({ root }) => !knows(root) && !given(root));
  const spans = unknown.map(({ start, end }) => ({ start, end }));
  const words = unknown.length === 0 ? "" : `; nowhere in them: ${[...new Set(unknown.map(({ text }) => text))].join(", ")}`;
  return finding(
    "grounding",
    mode === "remove" ? "fail" : "warn",
    together,
    `no two cited statements hold more than ${share}${words}`,
    spans,
  );
}

/** Where a clause may begin that says something of its own. */
const CLAUSE =
  /[,;]\s+(?:(?:and|but|so|or|which|who|while|whereas)\b|(?:unless|except|even (?:if|though|when)|as long as|provided|regardless)\b)/giu;
/** A clause of fewer content words cannot be judged by them. */
const FEWEST_WORDS = 2;
/** Share of a clause's words that one cited statement must hold. */
const HELD = 0.4;

/**
 * Does a clause at the end say what no cited statement says, in a sentence whose rest is grounded? Such an addition hides from a count over
 * all words.
 */
function checkAddition({ claim, statements }: Alignment, mode: "remove" | "warn"): Finding {
  const starts = [...claim.text.matchAll(CLAUSE)].map(({ index }) => index);
  for (const [i, start] of starts.entries()) {
    const end = starts[i + 1] ?? claim.text.length;
    const roots = [...new Set(claim.words.filter((word) => word.start >= start && word.end <= end).map(({ root }) => root))];
    if (roots.length < FEWEST_WORDS) continue;
    const shares = statements.map((one) => roots.filter((root) => one.roots.has(root) || one.above.has(root)).length);
    const share = Math.max(0, ...shares) / roots.length;
    if (share >= HELD) continue;
    const clause = claim.text.slice(start, end).replace(/^[,;]\s+/, "");
    const span = { start: end - clause.length, end };
    return finding("addition", mode === "remove" ? "fail" : "warn", share, `no cited statement says "${clause}"`, [span]);
  }
  return finding("addition", "pass", 1, "no clause says something of its own");
}

/** A sentence beside the quotes that it cites. */
export interface ClaimFacts {
  readonly alignment: Alignment;
  readonly question: Reading;
  /** Names of the sites that are cited, in lower case. */
  readonly publishers: ReadonlySet<string>;
  /** The tables of which rows are cited. */
  readonly tables: readonly CitedTable[];
  readonly settings: CheckSettings;
}

/** One check of what a sentence says against what it cites; `null` where the profile leaves it out. */
export type ClaimCheck = (facts: ClaimFacts) => Finding | null;

/** In the order in which they are reported. A further check is one more line. */
const CLAIM_CHECKS: readonly ClaimCheck[] = [
  ({ alignment, question, settings }) => (settings.values === "off" ? null : checkValues(alignment, question, settings.values)),
  wording(({ alignment, tables }) => checkCells(alignment, tables)),
  wording(({ alignment }) => checkPairing(alignment)),
  wording(({ alignment, publishers }, mode) => checkEntities(alignment, publishers, mode)),
  wording(({ alignment }) => checkNovelty(alignment)),
  wording(({ alignment }, mode) => checkPolarity(alignment, mode)),
  wording(({ alignment }, mode) => checkGrounding(alignment, mode)),
  wording(({ alignment }, mode) => checkAddition(alignment, mode)),
  wording(({ alignment }, mode) => checkStrength(alignment, mode)),
];

/** A check of the wording; where nothing is cited there is none to compare. */
function wording(check: (facts: ClaimFacts, mode: "remove" | "warn") => Finding | null): ClaimCheck {
  return (facts) => {
    const { claims } = facts.settings;
    return claims === "off" || facts.alignment.statements.length === 0 ? null : check(facts, claims);
  };
}

/** A sentence laid beside quotes. */
export function layBeside(
  text: string,
  quotes: readonly CitedQuote[],
  question: string,
  settings: CheckSettings,
  reader: Reader,
): ClaimFacts {
  const asked = reader.read(question);
  const statements = quotes.flatMap((quote) => reader.statements(quote));
  return {
    alignment: align(reader.read(text), statements, asked.roots),
    question: asked,
    publishers: new Set(quotes.flatMap(({ url }) => (url === null ? [] : hostLabels(url)))),
    tables: tablesOf(quotes, reader),
    settings,
  };
}

/** Every check of what a sentence says. */
export function checkClaim(facts: ClaimFacts): Finding[] {
  return CLAIM_CHECKS.flatMap((check) => check(facts) ?? []);
}

/** The labels of an address's host: `www`, `va`, `gov`. */
function hostLabels(url: string): string[] {
  return URL.canParse(url) ? new URL(url).hostname.split(".") : [];
}
