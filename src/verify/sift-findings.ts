import { type Amount, sameAmount } from "../reading/amounts.ts";
import type { Comparison } from "./comparison.ts";
import type { Fact } from "./facts.ts";
import { holds, sharedWeight, shareSaid, strangeName, TELLING_TITLE } from "./same-subject.ts";

/** Two statements of a corpus that differ. */
export interface Finding {
  readonly difference: Extract<Comparison, { type: "differ" }>;
  readonly a: Stated;
  readonly b: Stated;
}

export interface Stated {
  /** Place among the statements of the corpus. */
  readonly at: number;
  readonly documentId: string;
  readonly fact: Fact;
}

/** Findings that one statement stands in: when it is corrected the others go with it. */
const LISTED = 2;
/** How much of what both sides share another statement must share to stand for one of them. */
const AS_MUCH = 0.8;

/** Least share of the words of each side that the other says too, where one of them is denied or turned: nobody asked what both would answer. */
const SAID_ALIKE = 0.8;

/** Statements of a page that say a word of its title, from which the word is what the page is about: "Leaflet" is not, "Barth syndrome" is. */
const ABOUT = 2;
/** Share of what each page is about, by weight, below which the other side does not speak of it. */
const SAME_PAGE = 0.5;

/**
 * What remains of findings when the whole corpus is looked at, most certain first. Gone is
 * - what pages say below titles of two things, neither of which the other side speaks of, however alike: "20 cases are known";
 * - a denial or opposite of what is said in other words: that both speak of the same is a guess there;
 * - a value that the other document gives too, for what is just as much the same;
 * - a difference that was listed before, between two other pages, and a statement that is listed already.
 * @param statementsOf every statement of a document
 */
export function siftFindings(findings: readonly Finding[], statementsOf: (documentId: string) => readonly Fact[]): Finding[] {
  const listed = new Set<string>();
  const times = new Map<number, number>();
  return [...findings]
    .sort((x, y) => y.difference.certainty - x.difference.certainty || x.a.at - y.a.at || x.b.at - y.b.at)
    .filter((finding) => {
      if (areOfTwoThings(finding, statementsOf)) return false;
      if (isValue(finding) ? isBorneOut(finding, statementsOf) : !isSaidAlike(finding)) return false;
      const key = [...valuesIn(finding)].sort().join("\n");
      const sides = [finding.a.at, finding.b.at];
      // A word that is denied here and affirmed there is no value: there the sentences tell.
      if ((listed.has(key) && isValue(finding)) || sides.some((at) => (times.get(at) ?? 0) >= LISTED)) return false;
      listed.add(key);
      for (const at of sides) times.set(at, (times.get(at) ?? 0) + 1);
      return true;
    });
}

function isValue({ difference: { kind } }: Finding): boolean {
  return kind === "value" || kind === "date";
}

function areOfTwoThings({ a, b }: Finding, statementsOf: (documentId: string) => readonly Fact[]): boolean {
  if (namesSame(a.fact, b.fact) || namesSame(b.fact, a.fact)) return false;
  return isStrangeTo(a, b.fact, statementsOf) && isStrangeTo(b, a.fact, statementsOf);
}

/** Who names what is spoken of says so whatever the page is about: "the Harbour Strike lasted from …". */
function namesSame({ words }: Fact, { own }: Fact): boolean {
  return words.some(({ name, root }) => name && own.has(root));
}

/** Is a page about something that a fact of another page does not speak of: a name in its title, or most of what its title and statements say? */
function isStrangeTo({ documentId, fact }: Stated, other: Fact, statementsOf: (documentId: string) => readonly Fact[]): boolean {
  if (strangeName(fact, other)) return true;
  let all = 0;
  let held = 0;
  for (const [root, weight] of fact.title) {
    if (weight < TELLING_TITLE || statementsOf(documentId).filter(({ own }) => own.has(root)).length < ABOUT) continue;
    all += weight;
    if (holds(other, root) > 0) held += weight;
  }
  return all > 0 && held / all < SAME_PAGE;
}

function isSaidAlike({ difference, a, b }: Finding): boolean {
  return Math.min(shareSaid(a.fact, b.fact, difference.a), shareSaid(b.fact, a.fact, difference.b)) >= SAID_ALIKE;
}

function valuesIn({ difference, a, b }: Finding): [string, string] {
  const textOf = ({ fact }: Stated, { start, end }: { start: number; end: number }) => fact.piece.text.slice(start, end).toLowerCase();
  return [textOf(a, difference.a), textOf(b, difference.b)];
}

/** Does one of the documents also give the other's value, in a statement that shares as much with it? */
function isBorneOut(finding: Finding, statementsOf: (documentId: string) => readonly Fact[]): boolean {
  const { difference, a, b } = finding;
  if (a.documentId === b.documentId) return false;
  const least = AS_MUCH * sharedWeight(a.fact, b.fact);
  const givesToo = ({ fact }: Stated, start: number, other: Stated) => {
    const amount = fact.amounts.find((one) => one.start === start);
    return (
      amount !== undefined &&
      statementsOf(other.documentId).some((statement) => gives(statement, amount) && sharedWeight(fact, statement) >= least)
    );
  };
  return givesToo(a, difference.a.start, b) || givesToo(b, difference.b.start, a);
}

function gives(fact: Fact, amount: Amount): boolean {
  return fact.amounts.some((one) => sameAmount(one, amount));
}
