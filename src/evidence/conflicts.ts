import type { Conflict, ConflictKind, ConflictResolution, ConflictSide, PassageDocument, TextRange, Warning } from "../shared/types.ts";
import type { Comparison } from "./compare-facts.ts";
import type { Fact } from "./facts.ts";

/** A title split into its name (words only, in lower case) and its years (as written; none for an undated title). */
export type Edition = NonNullable<ReturnType<typeof readEdition>>;

/** Matches years: "2024", "2024-25", "2024/2025". */
const YEARS = /(?<![\p{L}\p{N}.,$€£])(?:19|20)\d\d(?:[-–/](?:(?:19|20)\d\d|\d\d))?(?![\p{L}\p{N}]|[.,]\d)/gu;

/** Splits a title into name and years. Returns `null` if the title consists only of years. */
export function readEdition(title: string) {
  const plain = withoutYears(title).toLowerCase();
  const name = plain.replaceAll(/[^\p{L}\p{N}]+/gu, " ").trim();
  return name === "" ? null : { name, years: [...(title.match(YEARS) ?? [])] };
}

/** Checks whether two titles are editions of one document: "Fees 2024" and "Fees 2025", or "Fees 2024" and "Fees". */
export function areEditions(one: Edition, other: Edition): boolean {
  return one.name === other.name && one.years.join(" ") !== other.years.join(" ");
}

/** Returns a title or heading without its years. */
export function withoutYears(text: string): string {
  return text.replaceAll(YEARS, " ").replaceAll(/\s+/g, " ").trim();
}

/** Rules of a domain pack that decide conflicts, strongest first. */
export type Precedence = readonly ConflictResolution["rule"][];

export interface FactSource extends Pick<PassageDocument, "id" | "version" | "title" | "url" | "asOf" | "authority"> {
  readonly sid: string;
}

/** Maximum number of words that describe the subject of a conflict. */
const ABOUT_WORDS = 5;
/** Number of characters shown before and after the conflicting words, if the conflict is not about a value. */
const BEFORE = 16;
const AFTER = 40;

/**
 * Builds a conflict from a difference between two facts. Quotes both sides, the newer one first if the dates are known.
 * If a precedence rule decides, the conflict names the preferred side.
 */
export function toConflict(
  difference: Extract<Comparison, { type: "differ" }>,
  a: { fact: Fact; source: FactSource },
  b: { fact: Fact; source: FactSource },
  precedence: Precedence,
): Conflict {
  const { kind, certainty } = difference;
  const [one, other] = [sideOf(a.fact, a.source, difference.a, kind), sideOf(b.fact, b.source, difference.b, kind)];
  return {
    about: subjectOf(a.fact, b.fact),
    kind,
    certainty,
    sides: isNewer(b.source, a.source) ? [other, one] : [one, other],
    resolvedBy: resolve(a.source, b.source, precedence),
  };
}

/** Applies the first rule that decides between the sides. A rule cannot decide if a date or authority is missing. */
function resolve(a: FactSource, b: FactSource, precedence: Precedence): ConflictResolution | null {
  for (const rule of precedence) {
    const winner = winnerBy(rule, a, b);
    if (winner !== null) return { rule, holds: winner.sid };
  }
  return null;
}

/** Returns whether the first source is newer, by date; if dates do not decide, by the years in the titles of two editions. */
function isNewer(a: FactSource, b: FactSource): boolean {
  const newer = winnerBy("newer", a, b);
  if (newer !== null) return newer === a;
  const [one, other] = [readEdition(a.title), readEdition(b.title)];
  if (one === null || other === null || !areEditions(one, other) || other.years.length === 0) return false;
  return one.years.join(" ") > other.years.join(" ");
}

function winnerBy(rule: ConflictResolution["rule"], a: FactSource, b: FactSource): FactSource | null {
  if (rule === "newer") {
    if (a.asOf === null || b.asOf === null || a.asOf === b.asOf) return null;
    return a.asOf > b.asOf ? a : b;
  }
  if (a.authority === null || b.authority === null || (a.authority === rule) === (b.authority === rule)) return null;
  return a.authority === rule ? a : b;
}

function sideOf(fact: Fact, source: FactSource, range: TextRange, kind: ConflictKind): ConflictSide {
  const { text: quote, start, end } = fact.segment;
  const value = kind === "value" || kind === "date" ? quote.slice(range.start, range.end) : aroundWords(quote, range);
  const { sid, id: documentId, version: documentVersion, title, url, asOf } = source;
  return { sid, value, quote, start, end, documentId, documentVersion, title, url, asOf };
}

/** Returns the text of a range with a few whole words before and after it. */
function aroundWords(text: string, { start, end }: TextRange): string {
  const from = start <= BEFORE ? 0 : start - BEFORE + text.slice(start - BEFORE, start).indexOf(" ") + 1;
  const behind = text.slice(end, end + AFTER);
  const to = end + AFTER >= text.length ? text.length : end + Math.max(0, behind.lastIndexOf(" "));
  return `${from > 0 ? "… " : ""}${text.slice(from, to).trim()}${to < text.length ? " …" : ""}`;
}

/** Describes the subject of a conflict by the words of highest weight that both facts share, in the order of the first fact. */
function subjectOf(a: Fact, b: Fact): string {
  const shared = a.words.filter(({ root }, i) => b.own.has(root) && a.words.findIndex((other) => other.root === root) === i);
  const telling = new Set([...shared].sort((x, y) => (a.own.get(y.root) ?? 0) - (a.own.get(x.root) ?? 0)).slice(0, ABOUT_WORDS));
  const about = shared.filter((word) => telling.has(word)).map(({ start, end }) => a.segment.text.slice(start, end));
  return about.length === 0 ? a.segment.title : about.join(" ");
}

/**
 * Returns the warning for a conflict. It shows both values, or both sentences if the conflict is not about a value, with
 * their dates, and the precedence rule if one decided.
 */
export function conflictWarning({ kind, sides, resolvedBy }: Conflict): Warning {
  const hasValue = kind === "value" || kind === "date";
  const shown = sides.map(
    ({ value, quote, title, asOf }) => `"${hasValue ? value : quote}" (${title}, ${asOf === null ? "no date stated" : `as of ${asOf}`})`,
  );
  if (resolvedBy === null) return { code: "conflict", message: `Sources disagree: ${shown.join(" versus ")}. Check both.` };
  const [first, second] = sides[0].sid === resolvedBy.holds ? shown : shown.toReversed();
  return {
    code: "conflict_resolved",
    message: `Sources differ: ${first} takes precedence over ${second} by the declared rule "${labelRule(resolvedBy.rule)}".`,
  };
}

export function labelRule(rule: ConflictResolution["rule"]): string {
  return rule === "newer" ? "the newer source" : `${rule} before other sources`;
}
