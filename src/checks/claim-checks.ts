import type { ContentWord, Reading } from "../language/content-words.ts";
import type { CheckSettings } from "../profiles/profile.ts";
import { type Alignment, align } from "./alignment.ts";
import { type CitedTable, checkCells, tablesOf } from "./cells.ts";
import { type CitedQuote, type Finding, finding } from "./finding.ts";
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

const FITS = 0.5;
/** Minimum advantage of quoted sentences without the name over those with it, for the rest of the claim. */
const MARGIN = 0.3;
/** Coverage of a name's surroundings by its own sentence from which the name is correct, whatever else matches. */
const UNFIT = 0.45;
/** Minimum number of words that show what a name is about. */
const FEWEST_WORDS = 3;

/**
 * Finds names that no cited quote contains, and names that the quotes connect with something else.
 * @param publishers names of the cited sites, in lower case, which call themselves "we"
 */
function checkEntities(alignment: Alignment, publishers: ReadonlySet<string>, mode: "remove" | "warn"): Finding {
  const { claim } = alignment;
  const names = claim.words.filter(({ name, root, text }) => name && !alignment.given(root) && !publishers.has(text));
  const enough = new Set(claim.words.map(({ root }) => root)).size > FEWEST_WORDS;
  const absent = names.filter((word) => !alignment.knows(word.root) && !isShortOrLong(word, alignment));
  const displaced = enough ? names.filter((word) => alignment.knows(word.root) && isDisplaced(word, alignment, publishers)) : [];
  const all = [...absent, ...displaced];
  if (all.length === 0) return finding("entities", "pass", 1, "names what the cited quotes name");
  const reasons = [
    absent.length === 0 ? null : `not in the cited quotes: ${listed(absent)}`,
    displaced.length === 0 ? null : `the cited quotes say this of something other than ${listed(displaced)}`,
  ].filter((reason) => reason !== null);
  const spans = all.map(({ start, end }) => ({ start, end }));
  return finding("entities", mode === "remove" ? "fail" : "warn", 0, reasons.join("; "), spans);
}

function listed(words: readonly ContentWord[]): string {
  return [...new Set(words.map(({ text }) => text))].join(", ");
}

/**
 * True if a quoted sentence makes the rest of the claim about another name, and those with this name hardly cover it.
 */
function isDisplaced(word: ContentWord, alignment: Alignment, publishers: ReadonlySet<string>): boolean {
  const { near, close, statements, claim } = alignment;
  const scores = near(word);
  const closeScores = close(word);
  const holding = statements.flatMap(({ roots, above, beside }, i) =>
    [roots, above, beside].some((where) => where.has(word.root)) ? [i] : [],
  );
  const fit = Math.max(0, ...holding.map((i) => scores[i] as number));
  const closeFit = Math.max(0, ...holding.map((i) => closeScores[i] as number));
  if (fit >= UNFIT) return false;
  return statements.some((statement, i) => {
    const score = scores[i] as number;
    if (holding.includes(i) || score < FITS || score - fit < MARGIN || (closeScores[i] as number) < closeFit) return false;
    return statement.words.some(({ name, root }) => name && !claim.roots.has(root)) || (publishers.size > 0 && WE.test(statement.text));
  });
}

/** Words by which a site refers to itself. */
const WE = /\b(?:we|us|our)\b/i;

/** True for an acronym that the quotes spell out ("PMC"), or for a spelled-out name of which they have the initials. */
function isShortOrLong(word: ContentWord, { claim, statements }: Alignment): boolean {
  const written = claim.text.slice(word.start, word.end);
  if (/^\p{Lu}{2,8}s?$/u.test(written)) {
    const letters = written.replace(/s$/, "").toLowerCase();
    return statements.some((statement) => initialsOf(statement.words).includes(letters));
  }
  const run = nameRun(word, claim.words, claim.text);
  const initials = run.map(({ text }) => text.charAt(0)).join("");
  return run.length >= 2 && statements.some(({ words }) => words.some(({ text }) => text === initials));
}

function initialsOf(words: readonly ContentWord[]): string {
  return words.map(({ text }) => text.charAt(0)).join("");
}

/** Returns the whole name that a word belongs to: adjacent name words, joined by blanks or small words only. */
function nameRun(word: ContentWord, words: readonly ContentWord[], text: string): ContentWord[] {
  const at = words.indexOf(word);
  let from = at;
  let to = at;
  const joined = (a: number, b: number) => /^(?:\s|of|for|and|the|'s|’s)*$/.test(text.slice(words[a]?.end, words[b]?.start));
  while (words[from - 1]?.name === true && joined(from - 1, from)) from--;
  while (words[to + 1]?.name === true && joined(to, to + 1)) to++;
  return words.slice(from, to + 1);
}
