import { type Amount, sameAmount } from "../reading/amounts.ts";
import type { Comparison } from "./comparison.ts";
import type { Fact } from "./facts.ts";
import { sharedWeight } from "./same-subject.ts";

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

/**
 * What remains of findings when the whole corpus is looked at, most certain first. Gone is
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
      if (isBorneOut(finding, statementsOf)) return false;
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

function valuesIn({ difference, a, b }: Finding): [string, string] {
  const textOf = ({ fact }: Stated, { start, end }: { start: number; end: number }) => fact.piece.text.slice(start, end).toLowerCase();
  return [textOf(a, difference.a), textOf(b, difference.b)];
}

/** Does one of the documents also give the other's value, in a statement that shares as much with it? */
function isBorneOut(finding: Finding, statementsOf: (documentId: string) => readonly Fact[]): boolean {
  const { difference, a, b } = finding;
  if (!isValue(finding) || a.documentId === b.documentId) return false;
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
