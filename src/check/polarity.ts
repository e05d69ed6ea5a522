import type { ContentWord } from "../reading/content-words.ts";
import { countNegators } from "../reading/negation.ts";
import { deniedValues, type Marker, type Opposed, opposedIn } from "../reading/opposites.ts";
import { equalQuantities } from "../reading/quantities.ts";
import type { Reading } from "../reading/reading.ts";
import type { TextRange } from "../types.ts";
import type { Alignment } from "./alignment.ts";
import { type Finding, finding } from "./finding.ts";
import type { Statement } from "./statements.ts";

/** A statement speaks of the same place of the claim if it holds this share of the words around. */
const SAME = 0.35;
/** Statements that fit nearly as well as the best are asked too: if one agrees, nothing is contradicted. */
const NEARLY = 0.05;
/** How far it may fall behind statements that lack the word in question: if they fit far better, the claim is about them. */
const BEHIND = 0.2;
/** So many of the words behind two markers must be the same, if not the first. */
const SAME_OBJECT = 2;

/** What the claim denies and its best-fitting statement affirms, or the other way round; and words turned into their opposite. */
export function checkPolarity(alignment: Alignment, mode: "remove" | "warn"): Finding {
  const turned = [...deniedWords(alignment), ...valuesDenied(alignment), ...turnedMarkers(alignment), ...joinedOtherwise(alignment)];
  if (turned.length === 0) return finding("polarity", "pass", 1, "denies and affirms what the cited quotes do");
  const { text } = alignment.claim;
  const reason = `the cited quotes say the opposite at: ${[...new Set(turned.map(({ start, end }) => text.slice(start, end)))].join(", ")}`;
  return finding("polarity", mode === "remove" ? "fail" : "warn", 0, reason, turned);
}

/** Statements that speak of what stands around a place, best fit within `NEARLY`; only those that `holds` accepts. */
function speakingOf(place: TextRange, { close, statements }: Alignment, holds: (statement: Statement) => boolean): Statement[] {
  const scores = close(place);
  const fitting = statements.flatMap((statement, i) => (holds(statement) ? [{ statement, score: scores[i] as number }] : []));
  const top = Math.max(0, ...fitting.map(({ score }) => score));
  return top < SAME || top < Math.max(...scores) - BEHIND
    ? []
    : fitting.filter(({ score }) => score >= top - NEARLY).map(({ statement }) => statement);
}

function deniedWords(alignment: Alignment): TextRange[] {
  const { words } = alignment.claim;
  return words.filter((word, i) => {
    const before = words[i - 1];
    if (word.denied && deniedAbove(word, alignment)) return false;
    if (!word.denied && affirmedBelowDenial(word, alignment)) return true;
    const adverb = word.denied && before?.denied === true ? before.root : null;
    const own = word.denied ? opposedIn(alignment.claim.text).find(({ start }) => start === word.start) : undefined;
    const oppose = (statement: Statement) => (own === undefined ? [] : oppositesOf(own, statement));
    const speaks = (one: Statement) => (one.roots.has(word.root) && (adverb === null || one.roots.has(adverb))) || oppose(one).length > 0;
    const speaking = speakingOf(word, alignment, speaks);
    // What is denied is denied too by the opposite of it: "forbidden".
    return (
      speaking.length > 0 && speaking.every((one) => contradicts(word, one) && oppose(one).every(({ start }) => isDeniedAt(start, one)))
    );
  });
}

/** Does the lead-in of what fits best deny it: "You can't use it to:"? */
function deniedAbove(word: ContentWord, { close, statements }: Alignment): boolean {
  const scores = close(word);
  const top = Math.max(0, ...scores);
  return statements.some(({ above }, i) => above.has(`¬${word.root}`) && (scores[i] as number) >= top - NEARLY);
}

/**
 * "Glass bottles are allowed", of what stands below "Not allowed" and says no more of it itself. Words with an opposite alone, which allow or include: "the gate opens"
 * may be said of what helps where it does not.
 */
function affirmedBelowDenial({ root, supposed, ...place }: ContentWord, { claim, close, statements }: Alignment): boolean {
  if (supposed || !opposedIn(claim.text).some(({ start, side }) => side === 0 && start === place.start)) return false;
  const scores = close(place);
  const top = Math.max(0, ...scores);
  const nearest = statements.filter((_, i) => (scores[i] as number) >= top - NEARLY);
  return top >= SAME && nearest.every(({ above, roots }) => above.has(`¬${root}`) && !roots.has(root));
}

function oppositesOf({ pair, side }: Opposed, { text }: Reading): Opposed[] {
  return opposedIn(text).filter((other) => other.pair === pair && other.side !== side);
}

function isDeniedAt(place: number, { words }: Reading): boolean {
  return words.some(({ start, denied }) => denied && start === place);
}

function contradicts(word: ContentWord, statement: Statement): boolean {
  return sameWords(word, statement).every((other) => differs(word, other));
}

function sameWords(word: ContentWord, { words }: Reading): ContentWord[] {
  return words.filter(({ root }) => root === word.root);
}

/** What one text only supposes and the other denies is no contradiction: "if you have evidence" against "you can't send evidence". */
function differs(claimed: ContentWord, stated: ContentWord): boolean {
  if (claimed.denied && !stated.negated) return claimed.supposed === stated.supposed;
  return stated.denied && !claimed.negated && (claimed.supposed || !stated.supposed);
}

/** "is not rated 30 percent" where what speaks of the same gives 30 and denies nothing, as a table's row; or the other way round. */
function valuesDenied(alignment: Alignment): TextRange[] {
  const { claim } = alignment;
  const denied = deniedValues(claim.text, claim.quantities);
  const deniesNothing = ({ text }: Reading) => countNegators(text) === 0;
  return claim.quantities.filter((quantity) => {
    const holds = ({ quantities }: Reading) => quantities.some((one) => equalQuantities(quantity, one));
    const denies = (one: Reading) => deniedValues(one.text, one.quantities).some((value) => equalQuantities(quantity, value));
    const isDenied = denied.includes(quantity);
    if (!isDenied && !deniesNothing(claim)) return false;
    const speaking = speakingOf(quantity, alignment, holds);
    return speaking.length > 0 && speaking.every(isDenied ? deniesNothing : denies);
  });
}

/** "before" where the statement has "after", with the same word or value behind it. */
function turnedMarkers(alignment: Alignment): TextRange[] {
  return alignment.claim.markers.filter((marker) => {
    const speaking = speakingOf(marker.anchor, alignment, (statement) => anchored(marker, statement).length > 0);
    const isDenied = isDeniedAt(marker.start, alignment.claim);
    // One of two opposites denied is the other: "forbidden", "not allowed".
    const isTurned = (statement: Statement) =>
      anchored(marker, statement).every(({ side, start }) => side !== marker.side && isDeniedAt(start, statement) === isDenied);
    return speaking.length > 0 && speaking.every(isTurned);
  });
}

function anchored(marker: Marker, statement: Statement): Marker[] {
  return statement.markers.filter((other) => {
    if (other.pair !== marker.pair) return false;
    if (marker.quantity !== null && other.quantity !== null) return equalQuantities(marker.quantity, other.quantity);
    if (marker.quantity !== null || other.quantity !== null) return false;
    return marker.roots[0] === other.roots[0] || marker.roots.filter((root) => other.roots.includes(root)).length >= SAME_OBJECT;
  });
}

const LINK =
  /\b(and|or)\b(?!\s(?:more|less|fewer|older|over|younger|under|higher|lower|greater|above|below|longer|later|after|before)\b)/gi;

/** Two values joined by "or" that the statement joins by "and". */
function joinedOtherwise(alignment: Alignment): TextRange[] {
  const { claim } = alignment;
  return claim.quantities.slice(0, -1).flatMap((first, i) => {
    const second = claim.quantities[i + 1] as (typeof claim.quantities)[number];
    const link = linkBetween(claim, first, second);
    if (link === null) return [];
    const joins = (statement: Statement) => {
      const from = statement.quantities.findIndex((one) => equalQuantities(first, one));
      const a = statement.quantities[from];
      const b = statement.quantities[from + 1];
      return a !== undefined && b !== undefined && equalQuantities(second, b) ? linkBetween(statement, a, b) : null;
    };
    const speaking = speakingOf(first, alignment, (statement) => joins(statement) !== null);
    const other = speaking.length > 0 && speaking.every((statement) => joins(statement)?.word !== link.word);
    return other ? [{ start: link.start, end: link.end }] : [];
  });
}

/** The one word of "and" and "or" between two values; `null` when there is none or both. */
function linkBetween({ text }: Reading, first: TextRange, second: TextRange): (TextRange & { word: string }) | null {
  const found = [...text.slice(first.end, second.start).matchAll(LINK)];
  const [only] = found;
  if (only === undefined || new Set(found.map(([word]) => word.toLowerCase())).size > 1) return null;
  const start = first.end + only.index;
  return { word: only[0].toLowerCase(), start, end: start + only[0].length };
}
