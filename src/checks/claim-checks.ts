import type { Reading } from "../language/reading.ts";
import type { CheckSettings } from "../profiles/profile.ts";
import { type Alignment, align } from "./alignment.ts";
import { type CitedTable, checkCells, tablesOf } from "./cells.ts";
import { checkEntities } from "./entities.ts";
import type { CitedQuote, Finding } from "./finding.ts";
import { checkPairing } from "./pairing.ts";
import type { Reader } from "./statements.ts";
import { checkValues } from "./values.ts";

/** A claim aligned with its cited quotes. */
export interface ClaimFacts {
  readonly alignment: Alignment;
  readonly question: Reading;
  /** Names of the cited sites, in lower case. */
  readonly publishers: ReadonlySet<string>;
  /** Tables with cited rows. */
  readonly tables: readonly CitedTable[];
  readonly settings: CheckSettings;
}

/** Compares a claim with its quotes. Returns `null` if the profile skips the check. */
export type ClaimCheck = (facts: ClaimFacts) => Finding | null;

/** Checks in report order. Add a check as one more line. */
const CLAIM_CHECKS: readonly ClaimCheck[] = [
  ({ alignment, question, settings }) => (settings.values === "off" ? null : checkValues(alignment, question, settings.values)),
  ofClaim(({ alignment, tables }) => checkCells(alignment, tables)),
  ofClaim(({ alignment }) => checkPairing(alignment)),
  ofClaim(({ alignment, publishers }, mode) => checkEntities(alignment, publishers, mode)),
];

/** Wraps a check that the profile may switch off. It needs at least one citation. */
function ofClaim(check: (facts: ClaimFacts, mode: "remove" | "warn") => Finding | null): ClaimCheck {
  return (facts) => {
    const { claims } = facts.settings;
    return claims === "off" || facts.alignment.statements.length === 0 ? null : check(facts, claims);
  };
}

/** Aligns a sentence with its quotes. */
export function alignClaim(
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

/** Runs every check of a claim. */
export function checkClaim(facts: ClaimFacts): Finding[] {
  return CLAIM_CHECKS.flatMap((check) => check(facts) ?? []);
}

/** Returns the labels of a URL's host: `www`, `va`, `gov`. */
function hostLabels(url: string): string[] {
  return URL.canParse(url) ? new URL(url).hostname.split(".") : [];
}
