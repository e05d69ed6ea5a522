import type { PairReading, Reader, TextPair } from "../reader/reader.ts";
import type { TextRange } from "../types.ts";
import type { ClaimFacts } from "./claim-checks.ts";
import { type Finding, finding } from "./finding.ts";
import { type Rival, rivalsOf } from "./rivals.ts";

/** Reads sentences, each beside evidence; `null`: nothing could be read. */
export type ReadClaims = (pairs: readonly TextPair[]) => Promise<readonly Pick<PairReading, "claim">[] | null>;

/** The reader that this was measured with: another one's odds may lie elsewhere. */
export const CONTRAST_WEIGHTS: { readonly reader: Reader["weights"] } = {
  reader: { name: "reader-6", hash: "5510bf4a583f695af910d06e52b30e5ccb6ed1997b5d0a622ec72a0ee836d943" },
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
