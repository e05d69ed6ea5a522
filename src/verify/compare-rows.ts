import { compatible } from "../reading/amounts.ts";
import type { TextRange } from "../types.ts";
import type { Comparison } from "./comparison.ts";
import type { Fact } from "./facts.ts";
import { otherYears } from "./same-subject.ts";

/** Rows contradict each other when header and all cells but one are the same. */
export function compareRows(a: Fact, b: Fact): Comparison | null {
  if (a.piece.type !== b.piece.type || a.piece.above.at(-1) !== b.piece.above.at(-1)) return null;
  if (otherYears(a, b) || otherTables(a, b)) return null;
  const [cellsA, cellsB] = [a.piece.text.split("|"), b.piece.text.split("|")];
  if (cellsA.length !== cellsB.length || cellsA[0]?.trim() !== cellsB[0]?.trim()) return null;
  const at = cellsA.flatMap((cell, i) => (cell.trim() === cellsB[i]?.trim() ? [] : [i]));
  const column = at[0];
  if (column === undefined) return { type: "agree", certainty: 1 };
  if (at.length > 1) return null;
  const [rangeA, rangeB] = [cellRange(cellsA, column), cellRange(cellsB, column)];
  const inside = (fact: Fact, { start, end }: TextRange) => fact.amounts.filter((one) => one.start >= start && one.end <= end);
  const [ofA, ofB] = [inside(a, rangeA), inside(b, rangeB)];
  const [one, other] = [ofA[0], ofB[0]];
  if (one === undefined || other === undefined || ofA.length > 1 || ofB.length > 1 || one.kind !== other.kind || compatible(one, other))
    return null;
  return { type: "differ", kind: one.kind === "date" ? "date" : "value", certainty: 0.7, a: one, b: other };
}

/** What stands above each table holds a word that does not stand above the other, whatever the rows themselves say. */
function otherTables(a: Fact, b: Fact): boolean {
  const more = (one: Fact, other: Fact) => [...one.above.keys()].some((root) => !other.above.has(root));
  return (more(a, b) && more(b, a)) || (a.above.size > 0 && b.above.size > 0 && (titleMore(a, b) || titleMore(b, a)));
}

/** "Gold Plus Account" is another account than "Gold Account". */
function titleMore(one: Fact, other: Fact): boolean {
  return other.title.size > 0 && [...one.title.keys()].some((root) => !other.above.has(root));
}

function cellRange(cells: readonly string[], column: number): TextRange {
  const start = cells.slice(0, column).reduce((sum, cell) => sum + cell.length + 1, 0);
  return { start, end: start + (cells[column] ?? "").length };
}
