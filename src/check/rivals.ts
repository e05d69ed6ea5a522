import { equalQuantities } from "../compare/compare-quantities.ts";
import { countNegators, deniedVerbs } from "../reading/negation.ts";
import type { Quantity } from "../reading/quantities.ts";
import type { TextRange } from "../types.ts";
import type { Alignment } from "./alignment.ts";
import type { ClaimFacts } from "./claim-checks.ts";
import type { Statement } from "./statements.ts";
import { bears, isAsked, isClaimed, statedValues } from "./values.ts";

/** Something else that could stand at a place of a sentence. */
export interface Rival {
  readonly place: TextRange;
  readonly instead: string;
  /** What the sentence is read beside with the other in that place, and as written. */
  readonly evidence: string;
  readonly evidenceWritten: readonly string[];
}

/** A statement that fits the surroundings of a place less speaks of something else. */
const FITS = 0.5;
/** Others that are tried in one place, and in one sentence; statements that hold what stands there. */
const MOST_IN_PLACE = 3;
const MOST = 9;
const OWN = 2;
/** Lines above a statement that are read with it: a table's caption and header. */
const LINES_ABOVE = 2;

/** What may be, said as what must be, and the other way round. */
const MODAL = /\b(?:may|might|can|could|must|should|will|would)\b(?!\s(?:not|never)\b|n['’]?t)/gu;
const MAY_BE = /^(?:may|might|can|could)$/u;

/**
 * What else a sentence could say by its sources: one modal or denial of it turned, where they do not have it in the same words; and in the place of each value
 * what stands in a statement that fits its surroundings at least as well as every one that holds it.
 */
export function rivalsOf(facts: ClaimFacts): Rival[] {
  const { alignment } = facts;
  const turned = turnedModal(alignment) ?? turnedDenial(alignment);
  return [...(turned === null ? [] : [turned]), ...otherValues(facts)].slice(0, MOST);
}

/** The first modal that no fitting statement has. */
function turnedModal(alignment: Alignment): Rival | null {
  for (const found of alignment.claim.text.matchAll(MODAL)) {
    const place = placeOf(found);
    const [best, ...others] = fitting(place, alignment).map(({ statement }) => statement);
    const isSame = new RegExp(String.raw`\b${found[0]}\b`, "i");
    if (best === undefined || [best, ...others].some((one) => isSame.test(saidBy(one)))) continue;
    return { place, instead: MAY_BE.test(found[0]) ? "must" : "may", evidence: best.text, evidenceWritten: [best.text] };
  }
  return null;
}

/** The first denial, where no fitting statement denies anything. */
function turnedDenial(alignment: Alignment): Rival | null {
  const [found] = deniedVerbs(alignment.claim.text);
  if (found === undefined) return null;
  const { start, end, affirmed } = found;
  const [best, ...others] = fitting({ start, end }, alignment).map(({ statement }) => statement);
  if (best === undefined || [best, ...others].some((one) => countNegators(saidBy(one)) > 0)) return null;
  return { place: { start, end }, instead: affirmed, evidence: best.text, evidenceWritten: [best.text] };
}

/** Other values of the same measure that the sentence does not say itself; what the question brought stays. */
function otherValues({ alignment, question, settings }: ClaimFacts): Rival[] {
  if (settings.values === "off") return [];
  const { claim } = alignment;
  return statedValues(claim).flatMap((quantity) => (isAsked(quantity, claim, question) ? [] : othersFor(quantity, alignment)));
}

function othersFor(quantity: Quantity, alignment: Alignment): Rival[] {
  const { claim } = alignment;
  const holds = (one: Statement) =>
    one.quantities.some((stated) => bears(stated, quantity, claim, one)) ||
    one.quantitiesAbove.some((stated) => bears(stated, quantity, claim, null));
  const inOrder = fitting(quantity, alignment, 0);
  const own = inOrder.filter(({ statement }) => holds(statement)).slice(0, OWN);
  const least = Math.max(FITS, own[0]?.fit ?? Number.POSITIVE_INFINITY);
  const found: { readonly value: Quantity; readonly rival: Rival }[] = [];
  const isNew = (value: Quantity) =>
    value.measure === quantity.measure && !isClaimed(value, claim) && !found.some((one) => equalQuantities(one.value, value));
  for (const { statement } of inOrder.filter(({ fit }) => fit >= least)) {
    if (holds(statement)) continue;
    const evidenceWritten = [statement, ...own.map((one) => one.statement)].map(withAbove);
    for (const value of statedValues(statement).filter(isNew)) {
      const instead = statement.text.slice(value.start, value.end);
      const place = { start: quantity.start, end: quantity.end };
      found.push({ value, rival: { place, instead, evidence: withAbove(statement), evidenceWritten } });
    }
  }
  return found.slice(0, MOST_IN_PLACE).map(({ rival }) => rival);
}

/** Statements that fit a place's surroundings, the best first. */
function fitting(
  place: TextRange,
  { near, statements }: Alignment,
  least = FITS,
): { readonly statement: Statement; readonly fit: number }[] {
  const fits = near(place);
  return statements
    .map((statement, i) => ({ statement, fit: fits[i] as number }))
    .filter(({ fit }) => fit >= least)
    .sort((a, b) => b.fit - a.fit);
}

/** With what stands above it. */
function saidBy({ text, textsAbove }: Statement): string {
  return [...textsAbove, text].join("\n");
}

function withAbove({ textsAbove, text }: Statement): string {
  return [...textsAbove.slice(-LINES_ABOVE), text].join(" ");
}

function placeOf({ 0: { length }, index }: RegExpExecArray): TextRange {
  return { start: index, end: index + length };
}
