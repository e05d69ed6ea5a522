import type { Reading } from "../language/content-words.ts";
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

/** Runs the checks of a claim that the profile asks for, in report order. All but that of values need a citation. */
export function checkClaim({ alignment, question, publishers, tables, settings: { values, claims } }: ClaimFacts): Finding[] {
  const ofValues = values === "off" ? [] : [checkValues(alignment, question, values)];
  if (claims === "off" || alignment.statements.length === 0) return ofValues;
  const found = [checkCells(alignment, tables), checkPairing(alignment), checkEntities(alignment, publishers, claims)];
  return [...ofValues, ...found.filter((one) => one !== null)];
}

/** Returns the labels of a URL's host: `www`, `va`, `gov`. */
function hostLabels(url: string): string[] {
  return URL.canParse(url) ? new URL(url).hostname.split(".") : [];
}
