import type { PairReading, Reader, TextPair } from "../reader/reader.ts";
import { countNegators, deniedVerbs } from "../reading/negation.ts";
import { equalQuantities, type Quantity } from "../reading/quantities.ts";
import type { TextRange } from "../types.ts";
import type { Alignment } from "./alignment.ts";
import type { ClaimFacts } from "./claim-checks.ts";
import { type Finding, finding } from "./finding.ts";
import type { Statement } from "./statements.ts";
import { bears, isAsked, isClaimed, statedValues } from "./values.ts";

/** Something else that could stand at a place of a sentence. */
interface Rival {
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
function rivalsOf(facts: ClaimFacts): Rival[] {
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

/** Reads sentences, each beside evidence; `null`: nothing could be read. */
export type ReadClaims = (pairs: readonly TextPair[]) => Promise<readonly Pick<PairReading, "claim">[] | null>;

/** The reader that this was measured with: another one's odds may lie elsewhere. */
export const CONTRAST_WEIGHTS: { readonly reader: Reader["weights"] } = {
  reader: { name: "reader-7", hash: "a9d19da75dfc1ee0e4ea3ec6fa8fa0121e2f74dd6d24041622e562e1f85d805b" },
};

/**
 * The other form is borne out, rather than contradicted, with ten times the odds of what was written. At twice, which parts the modals of four golden sets, two
 * of 30 faithful golden drafts were doubted; values were given the same (`docs/checks.md`).
 */
const LEAST = Math.log(10);

/**
 * Is a sentence borne out worse than it would be with its modal or its denial turned, or with another value of its sources in the place of one? What a
 * source says of that in other words no list holds; the reader, which is unsure of either form by itself, tells which of the two its source rather bears out. What
 * the source has in the same words is not read.
 *
 * @returns nothing where there is nothing else to say, or nothing could be read
 */
export async function checkContrast(facts: ClaimFacts, read: ReadClaims): Promise<Finding[]> {
  const { text } = facts.alignment.claim;
  const rivals = rivalsOf(facts);
  if (rivals.length === 0) return [];
  const pairs = rivals.map(({ place, instead, evidence, evidenceWritten }) => [
    { question: text.slice(0, place.start) + instead + text.slice(place.end), text: evidence },
    ...evidenceWritten.map((one) => ({ question: text, text: one })),
  ]);
  const readings = await read(pairs.flat());
  if (readings === null) return [];
  const borneOut = readings.map(({ claim: { supported, contradicted } }) => supported - contradicted);
  const odds = pairs.map((those) => {
    const [other = 0, ...written] = borneOut.splice(0, those.length);
    return other - Math.max(...written);
  });
  const most = Math.max(...odds);
  const score = 1 / (1 + Math.exp(most));
  if (most < LEAST) return [finding("contrast", "pass", score, "borne out as well as with anything else in its places")];
  const better = rivals.filter((_, i) => (odds[i] as number) >= LEAST);
  const reason = better.map(({ place, instead }) => `"${instead}" better than "${text.slice(place.start, place.end)}"`).join(", ");
  return [finding("contrast", "warn", score, `the cited quotes bear out ${reason}`, placesOf(better))];
}

/** Each place once, in order. */
function placesOf(rivals: readonly Rival[]): TextRange[] {
  const places = new Map(rivals.map(({ place: { start, end } }) => [start, { start, end }]));
  return [...places.values()].sort((a, b) => a.start - b.start);
}
