import type { EvidenceText } from "../models/support.ts";
import type { GateSettings } from "../profiles/profile.ts";
import type { Conflict, Evidence, Passage } from "../shared/types.ts";
import { once } from "../text/memo.ts";
import { areTitledApart, type Comparison, compareFacts } from "./compare-facts.ts";
import { areEditions, type Edition, type FactSource, type Precedence, readEdition, toConflict, withoutYears } from "./conflicts.ts";
import {
  type Fact,
  type FactReader,
  type FactWords,
  isStatement,
  mayDeny,
  mayHoldValue,
  type PieceTokens,
  POINTS_BACK,
  type Segment,
} from "./facts.ts";

/** Result of comparing a passage with the other passages of a question. */
export interface PassageComparison {
  /** Relevance as judged by a model. If absent, the gate uses its own score. */
  readonly relevance?: Explained & { readonly score: number };
  readonly consistency: Explained;
  readonly agreement: Explained;
  /** Number of passages about the same thing that support this one, and that contradict it. */
  readonly votes: { readonly agree: number; readonly differ: number };
  /** True if at least two passages contradict this one, and more passages contradict it than support it. */
  readonly outlier: boolean;
  /** True if another passage contradicts this one and no precedence rule decides in its favour. */
  readonly contradicted: boolean;
}

export interface Compared {
  of(passage: Passage): PassageComparison;
  readonly conflicts: readonly Conflict[];
  /** Pairs for which the rules found neither agreement nor conflict. */
  readonly unstated: readonly UnstatedPair[];
}

/** A claim of passage `of`, with related sentences of another passage, for which rules found neither agreement nor conflict. */
interface UnstatedPair {
  readonly of: string;
  readonly claim: string;
  readonly evidence: readonly EvidenceText[];
}

const UNSCORED: Explained = { score: null, reason: "not scored" };
const NOTHING: PassageComparison = {
  consistency: UNSCORED,
  agreement: UNSCORED,
  votes: { agree: 0, differ: 0 },
  outlier: false,
  contradicted: false,
};
/** Result for profiles that do not compare passages. */
export const NOT_COMPARED: Compared = { of: () => NOTHING, conflicts: [], unstated: [] };

/** A sentence is compared only if it contains, with its headings, at least this weighted share of the question's words. */
const ABOUT_QUESTION = 0.35;
/** Maximum number of conflicts shown for one answer. */
const MOST_CONFLICTS = 5;
/** Minimum number of contradicting passages for a majority. */
export const MAJORITY = 2;
/** Maximum number of sentences of the other passage to pair with a claim in `UnstatedPair`. */
const MOST_BESIDE = 5;
/** Minimum certainty of a contradiction inside one passage. It is high, because sentences of a passage often concern different things. */
const CLASH_CERTAINTY = 0.6;

interface Spoken {
  readonly fact: Fact;
  /** True if the sentence may contain a value or a negation. */
  readonly says: boolean;
  readonly passage: Passage;
  /** Weight of the question's words that the sentence itself contains. */
  readonly held: number;
  /** Edition of the document; `null` if its title has no name, or if the question names the year of this edition. */
  readonly edition: Edition | null;
  /** Returns the fact without years in title and headings. */
  readonly undated: () => Fact;
}

/**
 * Compares the passages of a question with each other, value by value, and finds agreements and contradictions.
 * @param asked tokens of the question; sentences about something else are not compared
 */
export function comparePassages(
  asked: readonly string[],
  passages: readonly Passage[],
  { words, reader, precedence }: { readonly words: FactWords; readonly reader: FactReader; readonly precedence: Precedence },
): Compared {
  const weights = new Map(asked.map((token) => [token, words.idf(token)]));
  const segments = passages.map((passage) => reader.segmentsOf(passage, words));
  const editions = passages.map(({ document: { title } }) => askedEdition(title, asked));
  const spoken = passages.map((passage, i) =>
    (segments[i] as readonly PieceTokens[])
      .filter((one) => isStatement(one.segment.text) && isAbout(one, weights))
      .map(
        ({ segment, own }): Spoken => ({
          fact: reader.read(segment, words),
          says: mayHoldValue(segment.text) || mayDeny(segment.text),
          passage,
          held: heldBy(own, weights),
          edition: editions[i] ?? null,
          undated: once(() => {
            const [title, above] = [withoutYears(segment.title), segment.above.map(withoutYears)];
            return reader.read({ ...segment, title, above }, words);
          }),
        }),
      ),
  );
  const { tallies, conflicts, unstated } = tally(spoken, precedence);
  const results = new Map<string, PassageComparison>();
  for (const [i, passage] of passages.entries()) {
    const { agree, differ, lost, clash } = tallies[i] as Tally;
    const own = (segments[i] as readonly PieceTokens[]).map(({ segment }) => segment);
    results.set(passage.sid, {
      consistency: scoreConsistency(passage, own, clash),
      agreement: agreementOf(agree, differ, passages.length),
      votes: { agree, differ },
      outlier: differ >= MAJORITY && differ > agree,
      contradicted: lost,
    });
  }
  const mostCertain = conflicts.toSorted((a, b) => b.certainty - a.certainty).slice(0, MOST_CONFLICTS);
  return { of: ({ sid }) => results.get(sid) ?? NOTHING, conflicts: mostCertain, unstated };
}

/** Returns the edition of a document. Returns `null` if the question names its year, because years must then be compared too. */
function askedEdition(title: string, asked: readonly string[]): Edition | null {
  const edition = readEdition(title);
  return edition?.years.some((year) => asked.includes(year.toLowerCase())) ? null : edition;
}

/** Results of comparing one passage with all other passages. */
interface Tally {
  agree: number;
  differ: number;
  /** True if another passage contradicts this one and no precedence rule decides in its favour. */
  lost: boolean;
  /** True if the passage contradicts itself. */
  clash: boolean;
}

/** Compares every passage with itself and with every other passage. */
function tally(spoken: readonly (readonly Spoken[])[], precedence: Precedence) {
  const tallies = spoken.map((): Tally => ({ agree: 0, differ: 0, lost: false, clash: false }));
  const conflicts: Conflict[] = [];
  const unstated: UnstatedPair[] = [];
  for (const [i, mine] of spoken.entries()) {
    const one = tallies[i] as Tally;
    const clash = comparePair(mine, mine, true)?.comparison;
    one.clash = clash?.type === "differ" && clash.certainty >= CLASH_CERTAINTY;
    for (const [j, theirs] of spoken.entries()) {
      if (j <= i) continue;
      const other = tallies[j] as Tally;
      const found = comparePair(mine, theirs, false);
      if (found === null) unstated.push(...unstatedPairs(mine, theirs));
      else if (found.comparison.type === "agree") {
        one.agree++;
        other.agree++;
      } else {
        one.differ++;
        other.differ++;
        const conflict = toConflict(found.comparison, sideOf(found.a), sideOf(found.b), precedence);
        conflicts.push(conflict);
        if (conflict.resolvedBy?.holds !== found.a.passage.sid) one.lost = true;
        if (conflict.resolvedBy?.holds !== found.b.passage.sid) other.lost = true;
      }
    }
  }
  return { tallies, conflicts, unstated };
}

/**
 * Takes from each of two passages the sentence with the most question words, and pairs it with sentences of the other
 * passage. Skips sentences that both passages contain because the passages overlap.
 */
function unstatedPairs(one: readonly Spoken[], other: readonly Spoken[]): UnstatedPair[] {
  const apart = (a: readonly Spoken[], b: readonly Spoken[]) => a.filter((own) => !b.some((its) => isSamePlace(own, its)));
  const [a, b] = [apart(one, other), apart(other, one)].map((list) => list.toSorted((x, y) => y.held - x.held));
  const beside = (own: readonly Spoken[] = [], its: readonly Spoken[] = []): UnstatedPair[] => {
    const [first] = own;
    const evidence = its
      .slice(0, MOST_BESIDE)
      .map(({ fact: { segment } }) => ({ text: segment.text, above: [segment.title, ...segment.above] }));
    return first === undefined || evidence.length === 0 ? [] : [{ of: first.passage.sid, claim: first.fact.segment.text, evidence }];
  };
  return [...beside(a, b), ...beside(b, a)];
}

function heldBy(own: ReadonlySet<string>, weights: ReadonlyMap<string, number>): number {
  let held = 0;
  for (const [token, weight] of weights) if (own.has(token)) held += weight;
  return held;
}

/** Returns the share of passages on the same subject that support this one, from 0 to 1. */
export function agreementOf(agree: number, differ: number, passages: number): Explained {
  if (passages === 1) return { score: null, reason: "there is no other passage" };
  const n = agree + differ;
  if (n === 0) return { score: null, reason: "no other passage has the same subject" };
  return {
    score: agree / n,
    reason: differ === 0 ? `${agree} of ${n} passages support it` : `${differ} of ${n} passages on the same subject contradict it`,
  };
}

/** Returns the most certain difference between two passages. If there is none, returns their most certain agreement, or else `null`. */
function comparePair(one: readonly Spoken[], other: readonly Spoken[], inside: boolean) {
  let best: { readonly comparison: Comparison; readonly a: Spoken; readonly b: Spoken } | null = null;
  // A sentence that both passages contain cannot make them differ, so compare it only with itself.
  const [ofOne, ofOther] = [one, other].map((list) => new Set(list.map(({ fact }) => fact.segment.text)));
  for (const [i, a] of one.entries()) {
    for (const b of inside ? one.slice(i + 1) : other) {
      if (!a.says && !b.says) continue;
      const [textA, textB] = [a.fact.segment.text, b.fact.segment.text];
      if (!inside && textA !== textB && (ofOther?.has(textA) || ofOne?.has(textB))) continue;
      if (isSamePlace(a, b) || (a.passage.document.id === b.passage.document.id && !inside && sameHeading(a, b))) continue;
      // Editions of one document are about the same thing, although the years in their titles differ.
      const areOfEditions = a.edition !== null && b.edition !== null && areEditions(a.edition, b.edition);
      const [factA, factB] = areOfEditions ? [a.undated(), b.undated()] : [a.fact, b.fact];
      const comparison = areTitledApart(factA, factB) ? null : compareFacts(factA, factB);
      if (comparison === null) continue;
      const isBetter =
        best === null ||
        (comparison.type === best.comparison.type ? comparison.certainty > best.comparison.certainty : comparison.type === "differ");
      if (isBetter) best = { comparison, a, b };
    }
  }
  return best;
}

function isSamePlace(a: Spoken, b: Spoken): boolean {
  const [x, y] = [a.fact.segment, b.fact.segment];
  return a.passage.document.id === b.passage.document.id && x.start < y.end && y.start < x.end;
}

/** Checks whether two sentences are under the same headings. Such sentences are not independent sources, so they are not compared. */
function sameHeading(a: Spoken, b: Spoken): boolean {
  return a.fact.segment.above.length > 0 && a.fact.segment.above.join("\n") === b.fact.segment.above.join("\n");
}

function isAbout({ segment, own, around }: PieceTokens, weights: ReadonlyMap<string, number>): boolean {
  const all = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  let held = heldBy(own, weights);
  if (held >= ABOUT_QUESTION * all) return held > 0;
  if (held === 0 && !POINTS_BACK.test(segment.text)) return false;
  const over = around();
  for (const [token, weight] of weights) if (!own.has(token) && over.some((tokens) => tokens.has(token))) held += weight;
  return held >= ABOUT_QUESTION * all;
}

function sideOf({ fact, passage: { sid, document } }: Spoken): { readonly fact: Fact; readonly source: FactSource } {
  return { fact, source: { ...document, sid } };
}

/**
 * Adds consistency and agreement, with reasons, to the evidence. Under a `sufficiency` gate, a verified passage that
 * another passage contradicts becomes uncertain.
 */
export function withComparison(evidence: Evidence, compared: PassageComparison, gate: GateSettings): Evidence {
  const { consistency, agreement, contradicted } = compared;
  const reasons = [
    ...(consistency.score === null ? [] : [`consistency ${consistency.score.toFixed(2)}: ${consistency.reason}`]),
    ...(agreement === UNSCORED ? [] : [`agreement ${agreement.score?.toFixed(2) ?? "not scored"}: ${agreement.reason}`]),
  ];
  const isLowered = contradicted && evidence.verdict === "verified" && gate.type === "sufficiency";
  return {
    ...evidence,
    verdict: isLowered ? "uncertain" : evidence.verdict,
    consistency: consistency.score,
    agreement: agreement.score,
    reason: [evidence.reason, ...reasons].join("; "),
  };
}

/** A score with its reason in one line. `null`: could not be scored. */
export interface Explained {
  readonly score: number | null;
  readonly reason: string;
}

/** Minimum share of unclear text at which the reason mentions it. */
const NAMED_FROM = 0.1;

const DANGLES =
  /^(?:it|this|these|those|they|he|she|such|however|therefore|also|otherwise|instead|but|and|or|then|the (?:former|latter|above|following))\b/i;
const NOW = /\b(?:currently|at present|this (?:year|month)|nowadays|right now|recently|soon|from now on)\b/i;
const LINKS =
  /^(?:learn (?:more|about|how)|find out|read more|see (?:more|also|our)|view|go to|download|sign in|back to|share|print|contact us|call us|related|on this page|skip to)\b/i;
const VERB =
  /\b(?:is|are|was|were|be|been|can|may|must|will|shall|should|has|have|had|do|does|did|get|pay|need|apply|include|cover|mean|make|give|take|use)s?\b|\p{L}{3,}(?:ed|es|ing)\b|['’](?:ll|re|ve|s)\b/iu;
const STUB_WORDS = 5;
/** Matches a text that ends like a sentence and is longer than a label. */
const SENTENCE = /(?:\S+\s+){3,}\S+[.!]["”’)]*$/;

/** Matches a value with its label, which is as complete as a sentence: `Monthly fee: $20`. */
const NAMED_VALUE = /^\p{L}[^:]{1,80}: \S/u;

/**
 * Scores from 0 to 1 whether a passage is self-contained, clear and unambiguous, as the published `vg-rag` design
 * (docs/profiles.md) asks. The score is 1 minus the penalties for unclear text such as labels and links, a beginning
 * that refers to earlier text, "currently" without a date, and two values for one thing.
 */
export function scoreConsistency({ text, document, headingPath }: Passage, segments: readonly Segment[], clashes: boolean): Explained {
  const first = segments[0];
  const isDangling = first !== undefined && first.type === "paragraph" && headingPath.length === 0 && DANGLES.test(first.text);
  const isUndated = document.asOf === null && NOW.test(text) && !/\b(?:19|20)\d{2}\b/.test(text);
  const unclear = (text.match(/\p{L}{2,}/gu)?.length ?? 0) >= STUB_WORDS ? shareUnclear(segments) : 1;
  // The penalties were chosen by hand.
  const faults: [share: number, penalty: number, words: string][] = [
    [unclear, 0.6, "contains an incomplete statement"],
    [Number(isDangling), 0.25, "begins with a reference to something outside it"],
    [Number(isUndated), 0.15, 'says "currently" or "this year" without a date'],
    [Number(clashes), 0.4, "gives two values for the same thing"],
  ];
  const score = Math.max(0, 1 - faults.reduce((sum, [share, penalty]) => sum + share * penalty, 0));
  const named = faults.filter(([share]) => share >= NAMED_FROM).map(([, , words]) => words);
  return { score, reason: named.length === 0 ? "self-contained" : named.join(", ") };
}

/** Returns the share of a passage's characters that are not part of a full sentence. */
function shareUnclear(segments: readonly Segment[]): number {
  const isWhole = ({ type, text }: Segment) =>
    type === "table-row" || (!LINKS.test(text) && (VERB.test(text) || SENTENCE.test(text) || NAMED_VALUE.test(text)));
  const length = (some: readonly Segment[]) => some.reduce((sum, { text }) => sum + text.length, 0);
  const all = length(segments);
  return all === 0 ? 1 : length(segments.filter((segment) => !isWhole(segment))) / all;
}
