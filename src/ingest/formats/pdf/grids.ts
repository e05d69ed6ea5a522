import { fragmentsOf, linesOf } from "./lines.ts";
import type { TableRegion } from "./regions.ts";
import { bottomOf, type PdfRule, type PdfWord, rightOf } from "./words.ts";

/** A table whose cells are drawn, and the words in it. */
export interface Grid {
  readonly region: TableRegion;
  readonly words: ReadonlySet<PdfWord>;
  readonly x: number;
  readonly y: number;
  readonly right: number;
  readonly bottom: number;
}

/** Lines that are drawn twice, or as thin boxes, are one, in points. */
const SAME = 2.5;
/** Shorter rules are no edges of cells, in points. */
const SHORTEST = 6;
/** Rules on a page: a chart has more, and is no table. */
const MAX_RULES = 5_000;
/** At least so many of a table's cells hold words. */
const FILLED_SHARE = 0.3;

/** Tables that are drawn: rules that cross and make at least two by two cells. */
export function gridsOf(words: readonly PdfWord[], rules: readonly PdfRule[]): Grid[] {
  if (rules.length > MAX_RULES) return [];
  const flat = rules.filter(({ x1, x2, y1, y2 }) => y2 - y1 < SAME && x2 - x1 > SHORTEST);
  const upright = rules.filter(({ x1, x2, y1, y2 }) => x2 - x1 < SAME && y2 - y1 > SHORTEST);
  if (flat.length < 3 || upright.length < 3) return [];
  return componentsOf([...flat, ...upright]).flatMap((part) => gridOf(words, part) ?? []);
}

/** Rules that touch, directly or by others. */
function componentsOf(rules: readonly PdfRule[]): PdfRule[][] {
  const parent = rules.map((_, i) => i);
  const find = (i: number): number => {
    let root = i;
    while (parent[root] !== root) root = parent[root] as number;
    parent[i] = root;
    return root;
  };
  const sorted = rules.map((rule, i) => ({ rule, i })).sort((a, b) => a.rule.x1 - b.rule.x1);
  for (const [at, { rule, i }] of sorted.entries()) {
    for (let j = at + 1; j < sorted.length; j++) {
      const other = sorted[j] as { rule: PdfRule; i: number };
      if (other.rule.x1 > rule.x2 + SAME) break;
      if (other.rule.y1 <= rule.y2 + SAME && other.rule.y2 >= rule.y1 - SAME) parent[find(i)] = find(other.i);
    }
  }
  const parts = new Map<number, PdfRule[]>();
  for (const [i, rule] of rules.entries()) {
    const root = find(i);
    const part = parts.get(root);
    if (part === undefined) parts.set(root, [rule]);
    else part.push(rule);
  }
  return [...parts.values()];
}

function gridOf(words: readonly PdfWord[], rules: readonly PdfRule[]): Grid | null {
  const xs = distinct(rules.filter(({ x1, x2 }) => x2 - x1 < SAME).map(({ x1 }) => x1));
  const ys = distinct(rules.filter(({ y1, y2 }) => y2 - y1 < SAME).map(({ y1 }) => y1));
  if (xs.length < 3 || ys.length < 3) return null;
  const [x, right, y, bottom] = [xs[0] ?? 0, xs.at(-1) ?? 0, ys[0] ?? 0, ys.at(-1) ?? 0];
  const columns = xs.length - 1;
  const cells = Array.from({ length: ys.length - 1 }, () => Array.from({ length: columns }, (): PdfWord[] => []));
  const inside = new Set<PdfWord>();
  for (const word of words) {
    const column = slotOf(xs, (word.x + rightOf(word)) / 2);
    const row = slotOf(ys, (word.y + bottomOf(word)) / 2);
    if (column === null || row === null) continue;
    cells[row]?.[column]?.push(word);
    inside.add(word);
  }
  const filled = cells.flat().filter((cell) => cell.length > 0).length;
  if (filled < cells.length * columns * FILLED_SHARE || filled < 3) return null;
  const kept = cells.filter((row) => row.some((cell) => cell.length > 0));
  const used = Array.from({ length: columns }, (_, c) => kept.some((row) => (row[c]?.length ?? 0) > 0));
  const rows = kept.map((row) => row.filter((_, c) => used[c]).map((cell) => linesOf(fragmentsOf(cell))));
  if (used.filter(Boolean).length < 2) return null;
  return { region: { type: "table", rows }, words: inside, x, y, right, bottom };
}

/** Values in order, those that are nearly the same once. */
function distinct(values: readonly number[]): number[] {
  const kept: number[] = [];
  for (const value of [...values].sort((a, b) => a - b)) if (value - (kept.at(-1) ?? Number.NEGATIVE_INFINITY) > SAME) kept.push(value);
  return kept;
}

function slotOf(edges: readonly number[], value: number): number | null {
  const at = edges.findLastIndex((edge) => edge <= value);
  return at < 0 || at >= edges.length - 1 ? null : at;
}
