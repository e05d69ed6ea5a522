import type { Passage } from "../types.ts";
import type { Piece } from "./pieces.ts";

/** A score with what it rests on, in one line; `null`: could not be scored. */
export interface Explained {
  readonly score: number | null;
  readonly reason: string;
}

/** What each fault takes off; our choice, uncalibrated. */
const FAULTS = { dangling: 0.25, stub: 0.6, boilerplate: 0.4, undated: 0.15, clash: 0.4 } as const;
type Fault = keyof typeof FAULTS;

const IN_WORDS: Readonly<Record<Fault, string>> = {
  dangling: "begins by pointing at what is not in it",
  stub: "holds no whole statement",
  boilerplate: "is mostly links and notes to other pages",
  undated: 'says "currently" or "this year" and states no date',
  clash: "gives two values for the same",
};

const DANGLES =
  /^(?:it|this|these|those|they|he|she|such|however|therefore|also|otherwise|instead|but|and|or|then|the (?:former|latter|above|following))\b/i;
const NOW = /\b(?:currently|at present|this (?:year|month)|nowadays|right now|recently|soon|from now on)\b/i;
const LINKS =
  /^(?:learn (?:more|about|how)|find out|read more|see (?:more|also|our)|view|go to|download|sign in|back to|share|print|contact us|call us|related|on this page|skip to)\b/i;
const VERB =
  /\b(?:is|are|was|were|be|been|can|may|must|will|shall|should|has|have|had|do|does|did|get|pay|need|apply|include|cover|mean|make|give|take|use)s?\b|\p{L}{3,}(?:ed|es|ing)\b|['’](?:ll|re|ve|s)\b/iu;
const STUB_WORDS = 5;
/** Ends as a sentence does, and is longer than a label. */
const SENTENCE = /(?:\S+\s+){3,}\S+[.!]["”’)]*$/;

/** Is a passage self-contained, dated and without contradiction in itself? 1 less what its faults take off. */
export function scoreConsistency({ text, document, headingPath }: Passage, pieces: readonly Piece[], clashes: boolean): Explained {
  const found: Fault[] = [];
  const first = pieces[0];
  if (first !== undefined && first.type === "paragraph" && headingPath.length === 0 && DANGLES.test(first.text)) found.push("dangling");
  const whole = pieces.some((piece) => piece.type === "table-row" || VERB.test(piece.text) || SENTENCE.test(piece.text));
  if (!whole || !holdsWords(text, STUB_WORDS)) found.push("stub");
  if (pieces.filter((piece) => LINKS.test(piece.text)).length * 2 > pieces.length) found.push("boilerplate");
  if (document.asOf === null && NOW.test(text) && !/\b(?:19|20)\d{2}\b/.test(text)) found.push("undated");
  if (clashes) found.push("clash");
  const score = Math.max(0, 1 - found.reduce((sum, fault) => sum + FAULTS[fault], 0));
  return { score, reason: found.length === 0 ? "self-contained" : found.map((fault) => IN_WORDS[fault]).join(", ") };
}

function holdsWords(text: string, least: number): boolean {
  let count = 0;
  for (const _ of text.matchAll(/\p{L}{2,}/gu)) if (++count === least) return true;
  return false;
}
