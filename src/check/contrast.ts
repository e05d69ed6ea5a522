import type { PairReading, Reader, TextPair } from "../reader/reader.ts";
import { countNegators, verbOf } from "../reading/negation.ts";
import type { TextRange } from "../types.ts";
import type { Alignment } from "./alignment.ts";
import { type Finding, finding } from "./finding.ts";

/** Reads sentences, each beside evidence; `null`: nothing could be read. */
export type ReadClaims = (pairs: readonly TextPair[]) => Promise<readonly Pick<PairReading, "claim">[] | null>;

/** The reader that this was measured with: another one's odds may lie elsewhere. */
export const CONTRAST_WEIGHTS: { readonly reader: Reader["weights"] } = {
  reader: { name: "reader-6", hash: "5510bf4a583f695af910d06e52b30e5ccb6ed1997b5d0a622ec72a0ee836d943" },
};

/** A statement that holds less of the sentence's words speaks of something else. */
const FITS = 0.5;
/**
 * Least log odds of being borne out, rather than contradicted, that the turned form has more than what was written: twice the odds of a modal, ten times those of a
 * denial, whose odds differ more. Each lies amid the gap between faulty and faithful sentences of four golden sets; others were left to measure it
 * (`./run eval drafts`, `docs/checks.md`).
 */
const LEAST = { modal: Math.log(2), denial: Math.log(10) } as const;

/** What may be, said as what must be, and the other way round. */
const MODAL = /\b(?:may|might|can|could|must|should|will|would)\b(?!\s(?:not|never)\b|n['’]?t)/gu;
const MAY_BE = /^(?:may|might|can|could)$/u;
const DENIAL =
  /\b(?:cannot|(?:is|are|was|were|can|could|will|would|must|should|may|might|has|have|had|do|does|did)(?:\s(?:not|never)\b(?!\sonly)|n['’]t)|(?:ca|wo)n['’]t)/giu;

/** A sentence with one word turned into its opposite. */
interface Turned {
  readonly place: TextRange;
  readonly instead: string;
  readonly least: number;
}

/**
 * Is a sentence borne out worse than it would be with its modal or its denial turned? What a source says of that in other words no list holds; the reader, which is
 * unsure of either form by itself, tells which of the two its source rather bears out. What the nearest statement, or what stands above it, has in the same words is not read.
 *
 * @returns nothing where there is nothing to turn, or nothing could be read
 */
export async function checkContrast({ claim, statements, coverage }: Alignment, read: ReadClaims): Promise<Finding[]> {
  const fit = Math.max(0, ...coverage);
  const top = statements[coverage.indexOf(fit)];
  if (top === undefined || fit < FITS) return [];
  const said = [...top.textsAbove, top.text].join("\n");
  const turned = [...turnedModal(claim.text, said), ...turnedDenial(claim.text, said)];
  if (turned.length === 0) return [];
  const forms = turned.map(({ place, instead }) => claim.text.slice(0, place.start) + instead + claim.text.slice(place.end));
  const readings = await read([claim.text, ...forms].map((question) => ({ question, text: top.text })));
  if (readings === null) return [];
  const [written = 0, ...others] = readings.map(({ claim: { supported, contradicted } }) => supported - contradicted);
  const odds = others.map((one) => one - written);
  const score = 1 / (1 + Math.exp(Math.max(...odds)));
  const at = turned.findIndex(({ least }, i) => (odds[i] as number) >= least);
  const better = turned[at];
  if (better === undefined) return [finding("contrast", "pass", score, "borne out as well as with its sense turned")];
  const { place, instead } = better;
  const reason = `the cited quotes bear out "${instead}" better than "${claim.text.slice(place.start, place.end)}"`;
  return [finding("contrast", "warn", score, reason, [place])];
}

/** The first modal that the statement does not have. */
function turnedModal(claim: string, said: string): Turned[] {
  const found = [...claim.matchAll(MODAL)].find(([word]) => !new RegExp(String.raw`\b${word}\b`, "i").test(said));
  return found === undefined ? [] : [{ place: placeOf(found), instead: MAY_BE.test(found[0]) ? "must" : "may", least: LEAST.modal }];
}

/** The first denial, where the statement denies nothing. */
function turnedDenial(claim: string, said: string): Turned[] {
  const [found] = claim.matchAll(DENIAL);
  if (found === undefined || countNegators(said) > 0) return [];
  return [{ place: placeOf(found), instead: verbOf(found[0].replace(/\s\p{L}+$/u, "")), least: LEAST.denial }];
}

function placeOf({ 0: { length }, index }: RegExpExecArray): TextRange {
  return { start: index, end: index + length };
}
