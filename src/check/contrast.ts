import type { PairReading, Reader, TextPair } from "../reader/reader.ts";
import { countNegators, deniedVerbs } from "../reading/negation.ts";
import type { TextRange } from "../types.ts";
import type { Alignment } from "./alignment.ts";
import { type Finding, finding } from "./finding.ts";
import type { Statement } from "./statements.ts";

/** Reads sentences, each beside evidence; `null`: nothing could be read. */
export type ReadClaims = (pairs: readonly TextPair[]) => Promise<readonly Pick<PairReading, "claim">[] | null>;

/** The reader that this was measured with: another one's odds may lie elsewhere. */
export const CONTRAST_WEIGHTS: { readonly reader: Reader["weights"] } = {
  reader: { name: "reader-6", hash: "5510bf4a583f695af910d06e52b30e5ccb6ed1997b5d0a622ec72a0ee836d943" },
};

/** A statement that fits the surroundings of a word less speaks of something else. */
const FITS = 0.5;
/**
 * The turned form is borne out, rather than contradicted, with ten times the odds of what was written. At twice, which parts the modals of four golden sets, two
 * of 30 faithful golden drafts were doubted (`docs/checks.md`).
 */
const LEAST = Math.log(10);

/** What may be, said as what must be, and the other way round. */
const MODAL = /\b(?:may|might|can|could|must|should|will|would)\b(?!\s(?:not|never)\b|n['’]?t)/gu;
const MAY_BE = /^(?:may|might|can|could)$/u;

/** One word of a sentence turned into its opposite, beside the statement that speaks of what stands around it. */
interface Turned {
  readonly place: TextRange;
  readonly instead: string;
  readonly statement: Statement;
}

/**
 * Is a sentence borne out worse than it would be with its modal or its denial turned? What a source says of that in other words no list holds; the reader, which is
 * unsure of either form by itself, tells which of the two its source rather bears out. What the source has in the same words is not read.
 *
 * @returns nothing where there is nothing to turn, or nothing could be read
 */
export async function checkContrast(alignment: Alignment, read: ReadClaims): Promise<Finding[]> {
  const turned = turnedModal(alignment) ?? turnedDenial(alignment);
  if (turned === null) return [];
  const { text } = alignment.claim;
  const { place, instead, statement } = turned;
  const other = text.slice(0, place.start) + instead + text.slice(place.end);
  const readings = await read([text, other].map((question) => ({ question, text: statement.text })));
  if (readings === null) return [];
  const [written = 0, better = 0] = readings.map(({ claim: { supported, contradicted } }) => supported - contradicted);
  const odds = better - written;
  const score = 1 / (1 + Math.exp(odds));
  if (odds < LEAST) return [finding("contrast", "pass", score, "borne out as well as with its sense turned")];
  const reason = `the cited quotes bear out "${instead}" better than "${text.slice(place.start, place.end)}"`;
  return [finding("contrast", "warn", score, reason, [place])];
}

/** The first modal that no fitting statement has. */
function turnedModal(alignment: Alignment): Turned | null {
  for (const found of alignment.claim.text.matchAll(MODAL)) {
    const place = placeOf(found);
    const [best, ...others] = fitting(place, alignment);
    const isSame = new RegExp(String.raw`\b${found[0]}\b`, "i");
    if (best === undefined || [best, ...others].some((one) => isSame.test(saidBy(one)))) continue;
    return { place, instead: MAY_BE.test(found[0]) ? "must" : "may", statement: best };
  }
  return null;
}

/** The first denial, where no fitting statement denies anything. */
function turnedDenial(alignment: Alignment): Turned | null {
  const [found] = deniedVerbs(alignment.claim.text);
  if (found === undefined) return null;
  const { start, end, affirmed } = found;
  const [best, ...others] = fitting({ start, end }, alignment);
  if (best === undefined || [best, ...others].some((one) => countNegators(saidBy(one)) > 0)) return null;
  return { place: { start, end }, instead: affirmed, statement: best };
}

/** Statements that fit a place's surroundings, the best first. */
function fitting(place: TextRange, { near, statements }: Alignment): Statement[] {
  const fits = near(place);
  const order = [...fits.keys()].filter((i) => (fits[i] as number) >= FITS).sort((a, b) => (fits[b] as number) - (fits[a] as number));
  return order.map((i) => statements[i] as Statement);
}

/** With what stands above it. */
function saidBy({ text, textsAbove }: Statement): string {
  return [...textsAbove, text].join("\n");
}

function placeOf({ 0: { length }, index }: RegExpExecArray): TextRange {
  return { start: index, end: index + length };
}
