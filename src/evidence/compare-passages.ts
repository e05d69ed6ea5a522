import type { EvidenceText } from "../models/support.ts";
import type { GateSettings } from "../profiles/profile.ts";
import type { Conflict, Evidence, Passage } from "../shared/types.ts";
import { once } from "../text/memo.ts";
import { type Comparison, compareFacts } from "./compare-facts.ts";
import { areEditions, type Edition, type FactSource, type Precedence, readEdition, toConflict, withoutYears } from "./conflicts.ts";
import { type Explained, scoreConsistency } from "./consistency.ts";
import { type Fact, type FactReader, type FactWords, isStatement, type PieceTokens, POINTS_BACK, saysSomething } from "./facts.ts";
import type { Piece } from "./pieces.ts";
import { otherTwins } from "./same-subject.ts";

/** What the other passages say of one. */
export interface PassageComparison {
  /** Whether it answers, where a model judged it; absent: the gate's own score counts. */
  readonly relevance?: Explained & { readonly score: number };
  readonly consistency: Explained;
  readonly agreement: Explained;
  /** Passages that speak of the same: how many support it, how many say otherwise. */
  readonly votes: { readonly agree: number; readonly differ: number };
  /** Most of the passages that speak of the same, two at least, say otherwise. */
  readonly outlier: boolean;
  /** Another passage contradicts it, and no declared rule lets it hold. */
  readonly contradicted: boolean;
}

export interface Compared {
  of(passage: Passage): PassageComparison;
  readonly conflicts: readonly Conflict[];
  /** What of passages the rules could not compare. */
  readonly unsaid: readonly Unsaid[];
}

/** What one passage says of the question beside what another says of it, where rules neither found that they agree nor that they differ. */
export interface Unsaid {
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
/** For profiles whose source compares no passages. */
export const NOT_COMPARED: Compared = { of: () => NOTHING, conflicts: [], unsaid: [] };

export interface CompareParts {
  readonly words: FactWords;
  readonly reader: FactReader;
  readonly precedence: Precedence;
}

/** A statement is compared if it and what stands above it hold this share of the question's words, by weight. */
const ABOUT_QUESTION = 0.35;
/** Conflicts of one answer. */
const MOST_CONFLICTS = 5;
/** Passages that say otherwise before a majority is spoken of. */
export const MAJORITY = 2;
/** Statements of a passage on the question that another one's are laid beside. */
const MOST_BESIDE = 5;
/** Inside one passage only what is surely the same thing clashes. */
const CLASH_CERTAINTY = 0.6;

interface Spoken {
  readonly fact: Fact;
  /** Can it hold a value, denial or opposite? */
  readonly says: boolean;
  readonly passage: Passage;
  /** Weight of the question's words that it holds itself. */
  readonly held: number;
  /** What its document is an edition of, dated or not; `null`: of nothing, or the question names its year. */
  readonly edition: Edition | null;
  /** The fact as if its document named no year. */
  readonly undated: () => Fact;
}

/**
 * Lays the passages of a question beside each other, value by value: what of the question they agree on, and where they contradict each other.
 * @param asked tokens of the question; what is not about it is not compared
 */
export function comparePassages(
  asked: readonly string[],
  passages: readonly Passage[],
  { words, reader, precedence }: CompareParts,
): Compared {
  const weights = new Map(asked.map((token) => [token, words.idf(token)]));
  const pieces = passages.map((passage) => reader.piecesOf(passage, words));
  const editions = passages.map(({ document: { title } }) => askedEdition(title, asked));
  const spoken = passages.map((passage, i) =>
    (pieces[i] as readonly PieceTokens[])
      .filter((one) => isStatement(one.piece.text) && isAbout(one, weights))
      .map(
        ({ piece, own }): Spoken => ({
          fact: reader.read(piece, words),
          says: saysSomething(piece.text),
          passage,
          held: heldBy(own, weights),
          edition: editions[i] ?? null,
          undated: once(() => reader.read(withoutEdition(piece), words)),
        }),
      ),
  );
  const { tallies, conflicts, unsaid } = tally(spoken, precedence);
  const results = new Map<string, PassageComparison>();
  for (const [i, passage] of passages.entries()) {
    const { agree, differ, lost, clash } = tallies[i] as Tally;
    const own = (pieces[i] as readonly PieceTokens[]).map(({ piece }) => piece);
    results.set(passage.sid, {
      consistency: scoreConsistency(passage, own, clash),
      agreement: agreementOf(agree, differ, passages.length),
      votes: { agree, differ },
      outlier: differ >= MAJORITY && differ > agree,
      contradicted: lost,
    });
  }
  const mostCertain = conflicts.toSorted((a, b) => b.certainty - a.certainty).slice(0, MOST_CONFLICTS);
  return { of: ({ sid }) => results.get(sid) ?? NOTHING, conflicts: mostCertain, unsaid };
}

/** Whoever names a year asks for that edition: what others say is no other answer. */
function askedEdition(title: string, asked: readonly string[]): Edition | null {
  const edition = readEdition(title);
  return edition?.years.some((year) => asked.includes(year.toLowerCase())) ? null : edition;
}

/** The headings of an edition may name its year again. */
function withoutEdition(piece: Piece): Piece {
  return { ...piece, title: withoutYears(piece.title), above: piece.above.map(withoutYears) };
}

/** What the others say of one passage, counted. */
interface Tally {
  agree: number;
  differ: number;
  /** Another passage says otherwise, and no declared rule lets this one hold. */
  lost: boolean;
  /** It contradicts itself. */
  clash: boolean;
}

/** Every passage beside itself and every other. */
function tally(
  spoken: readonly (readonly Spoken[])[],
  precedence: Precedence,
): { readonly tallies: readonly Tally[]; readonly conflicts: readonly Conflict[]; readonly unsaid: readonly Unsaid[] } {
  const tallies = spoken.map((): Tally => ({ agree: 0, differ: 0, lost: false, clash: false }));
  const conflicts: Conflict[] = [];
  const unsaid: Unsaid[] = [];
  for (const [i, mine] of spoken.entries()) {
    const one = tallies[i] as Tally;
    const clash = comparePair(mine, mine, true)?.comparison;
    one.clash = clash?.type === "differ" && clash.certainty >= CLASH_CERTAINTY;
    for (const [j, theirs] of spoken.entries()) {
      if (j <= i) continue;
      const other = tallies[j] as Tally;
      const found = comparePair(mine, theirs, false);
      if (found === null) unsaid.push(...laidBeside(mine, theirs));
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
  return { tallies, conflicts, unsaid };
}

/** The statement of each of two passages that holds most of the question, beside what the other says of it; parts of one place are not two passages. */
function laidBeside(one: readonly Spoken[], other: readonly Spoken[]): Unsaid[] {
  const apart = (a: readonly Spoken[], b: readonly Spoken[]) => a.filter((own) => !b.some((its) => isSamePlace(own, its)));
  const [a, b] = [apart(one, other), apart(other, one)].map((list) => [...list].sort((x, y) => y.held - x.held));
  const beside = (own: readonly Spoken[] = [], its: readonly Spoken[] = []): Unsaid[] => {
    const [first] = own;
    const evidence = its.slice(0, MOST_BESIDE).map(({ fact: { piece } }) => ({ text: piece.text, above: [piece.title, ...piece.above] }));
    return first === undefined || evidence.length === 0 ? [] : [{ of: first.passage.sid, claim: first.fact.piece.text, evidence }];
  };
  return [...beside(a, b), ...beside(b, a)];
}

function heldBy(own: ReadonlySet<string>, weights: ReadonlyMap<string, number>): number {
  let held = 0;
  for (const [token, weight] of weights) if (own.has(token)) held += weight;
  return held;
}

/** Share of the passages that speak of the same and say the same. */
export function agreementOf(agree: number, differ: number, passages: number): Explained {
  if (passages === 1) return { score: null, reason: "there is no other passage" };
  const n = agree + differ;
  if (n === 0) return { score: null, reason: "no other passage speaks of the same" };
  return {
    score: agree / n,
    reason: differ === 0 ? `${agree} of ${n} passages support it` : `${differ} of ${n} passages on the same say otherwise`,
  };
}

/** Statements of two passages, and how they compare. */
interface ComparedPair {
  readonly comparison: Comparison;
  readonly a: Spoken;
  readonly b: Spoken;
}

/** The most certain difference of two passages; without one, whether they agree. */
function comparePair(one: readonly Spoken[], other: readonly Spoken[], inside: boolean): ComparedPair | null {
  let best: ComparedPair | null = null;
  // What both passages say alike is no difference of the two.
  const [ofOne, ofOther] = [one, other].map((list) => new Set(list.map(({ fact }) => fact.piece.text)));
  for (const [i, a] of one.entries()) {
    for (const b of inside ? one.slice(i + 1) : other) {
      if (!a.says && !b.says) continue;
      const [textA, textB] = [a.fact.piece.text, b.fact.piece.text];
      if (!inside && textA !== textB && (ofOther?.has(textA) || ofOne?.has(textB))) continue;
      if (isSamePlace(a, b) || (a.passage.document.id === b.passage.document.id && !inside && sameHeading(a, b))) continue;
      const [factA, factB] = ofEditions(a, b) ? [a.undated(), b.undated()] : [a.fact, b.fact];
      const comparison = otherTwins(factA, factB) ? null : compareFacts(factA, factB);
      if (comparison === null) continue;
      const isBetter =
        best === null ||
        (comparison.type === best.comparison.type ? comparison.certainty > best.comparison.certainty : comparison.type === "differ");
      if (isBetter) best = { comparison, a, b };
    }
  }
  return best;
}

/** Years in titles that tell two editions of one document apart, or a dated one from one without, do not tell two things apart. */
function ofEditions({ edition: one }: Spoken, { edition: other }: Spoken): boolean {
  return one !== null && other !== null && areEditions(one, other);
}

function isSamePlace(a: Spoken, b: Spoken): boolean {
  const [x, y] = [a.fact.piece, b.fact.piece];
  return a.passage.document.id === b.passage.document.id && x.start < y.end && y.start < x.end;
}

/** Parts of one section belong together and are no two sources. */
function sameHeading(a: Spoken, b: Spoken): boolean {
  return a.fact.piece.above.length > 0 && a.fact.piece.above.join("\n") === b.fact.piece.above.join("\n");
}

function isAbout({ piece, own, around }: PieceTokens, weights: ReadonlyMap<string, number>): boolean {
  const all = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  let held = heldBy(own, weights);
  if (held >= ABOUT_QUESTION * all) return held > 0;
  if (held === 0 && !POINTS_BACK.test(piece.text)) return false;
  const over = around();
  for (const [token, weight] of weights) if (!own.has(token) && over.some((tokens) => tokens.has(token))) held += weight;
  return held >= ABOUT_QUESTION * all;
}

function sideOf({ fact, passage: { sid, document } }: Spoken): { readonly fact: Fact; readonly source: FactSource } {
  return { fact, source: { ...document, sid } };
}

/** Evidence with both scores and their reasons; in our own gate a contradicted passage is uncertain, and never less. */
export function withComparison(evidence: Evidence, compared: PassageComparison, gate: GateSettings): Evidence {
  const { consistency, agreement, contradicted } = compared;
  const reasons = [
    consistency.score === null ? null : `consistency ${consistency.score.toFixed(2)}: ${consistency.reason}`,
    agreement === UNSCORED
      ? null
      : `agreement ${agreement.score === null ? "not scored" : agreement.score.toFixed(2)}: ${agreement.reason}`,
  ].filter((reason) => reason !== null);
  const isLowered = contradicted && evidence.verdict === "verified" && gate.type === "sufficiency";
  return {
    ...evidence,
    verdict: isLowered ? "uncertain" : evidence.verdict,
    consistency: consistency.score,
    agreement: agreement.score,
    reason: [evidence.reason, ...reasons].join("; "),
  };
}
