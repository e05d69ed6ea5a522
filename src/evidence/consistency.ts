import type { Passage } from "../shared/types.ts";
import type { Piece } from "./facts.ts";

/** A score with its reason in one line. `null`: could not be scored. */
export interface Explained {
  readonly score: number | null;
  readonly reason: string;
}

/**
 * Penalty of each fault; chosen by hand, not calibrated. `unclear` is multiplied by the share of text that is no full
 * sentence.
 */
const FAULTS = { unclear: 0.6, dangling: 0.25, undated: 0.15, clash: 0.4 } as const;
type Fault = keyof typeof FAULTS;

const IN_WORDS: Readonly<Record<Fault, string>> = {
  unclear: "contains an incomplete statement",
  dangling: "begins with a reference to something outside it",
  undated: 'says "currently" or "this year" without a date',
  clash: "gives two values for the same thing",
};
/** Minimum share of unclear text that the reason mentions. */
const NAMED_FROM = 0.1;

const DANGLES =
  /^(?:it|this|these|those|they|he|she|such|however|therefore|also|otherwise|instead|but|and|or|then|the (?:former|latter|above|following))\b/i;
const NOW = /\b(?:currently|at present|this (?:year|month)|nowadays|right now|recently|soon|from now on)\b/i;
const LINKS =
  /^(?:learn (?:more|about|how)|find out|read more|see (?:more|also|our)|view|go to|download|sign in|back to|share|print|contact us|call us|related|on this page|skip to)\b/i;
const VERB =
  /\b(?:is|are|was|were|be|been|can|may|must|will|shall|should|has|have|had|do|does|did|get|pay|need|apply|include|cover|mean|make|give|take|use)s?\b|\p{L}{3,}(?:ed|es|ing)\b|['’](?:ll|re|ve|s)\b/iu;
const STUB_WORDS = 5;
/** A text that ends like a sentence and is longer than a label. */
const SENTENCE = /(?:\S+\s+){3,}\S+[.!]["”’)]*$/;

/** `Monthly fee: $20` is as complete as a sentence. */
const NAMED_VALUE = /^\p{L}[^:]{1,80}: \S/u;

/**
 * Scores whether a passage is self-contained, clear and unambiguous (`vg-rag` source, phase 2), from 0 to 1. The score
 * is 1 minus the penalties for unclear text such as labels and links, a beginning that refers to earlier text,
 * "currently" without a date, and two values for one thing.
 */
export function scoreConsistency({ text, document, headingPath }: Passage, pieces: readonly Piece[], clashes: boolean): Explained {
  const first = pieces[0];
  const isDangling = first !== undefined && first.type === "paragraph" && headingPath.length === 0 && DANGLES.test(first.text);
  const isUndated = document.asOf === null && NOW.test(text) && !/\b(?:19|20)\d{2}\b/.test(text);
  const unclear = (text.match(/\p{L}{2,}/gu)?.length ?? 0) >= STUB_WORDS ? shareUnclear(pieces) : 1;
  const found: [Fault, number][] = [
    ["unclear", unclear],
    ["dangling", Number(isDangling)],
    ["undated", Number(isUndated)],
    ["clash", Number(clashes)],
  ];
  const score = Math.max(0, 1 - found.reduce((sum, [fault, share]) => sum + share * FAULTS[fault], 0));
  const named = found.filter(([, share]) => share >= NAMED_FROM).map(([fault]) => IN_WORDS[fault]);
  return { score, reason: named.length === 0 ? "self-contained" : named.join(", ") };
}

/** Returns the share of a passage's characters that are no full sentence. */
function shareUnclear(pieces: readonly Piece[]): number {
  const isWhole = ({ type, text }: Piece) =>
    type === "table-row" || (!LINKS.test(text) && (VERB.test(text) || SENTENCE.test(text) || NAMED_VALUE.test(text)));
  const length = (some: readonly Piece[]) => some.reduce((sum, { text }) => sum + text.length, 0);
  const all = length(pieces);
  return all === 0 ? 1 : length(pieces.filter((piece) => !isWhole(piece))) / all;
}
