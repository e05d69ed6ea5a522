import type { Atom, Boundary } from "./atoms.ts";

export interface PartitionOptions {
  /** All in tokens. */
  readonly target: number;
  readonly min: number;
  readonly max: number;
  /** How much of the preceding part a part may repeat. */
  readonly overlap: number;
  /** Cuts inside a unit, table or quotation, or after a heading, rather than leaving a part below `min`. */
  readonly mayCutUnits: boolean;
}

/** Atoms `first` to `last`; those before `own` also belong to the preceding part. */
export interface Part {
  readonly first: number;
  readonly own: number;
  readonly last: number;
}

/** Price of a cut. Missing the target by half costs 25, a part below the minimum from 1,000 on. */
const CUT_COST: Readonly<Record<Boundary, number>> = {
  section: 0,
  block: 4,
  list: 6,
  row: 6,
  sentence: 12,
  introduction: 20,
  word: 200,
  attached: 400,
  whole: 5_000,
  heading: 20_000,
};
const UNIT_CUT_COST = 1_000_000;
const BELOW_MIN_COST = 1_000;
/** Sums of atoms can differ from the count of their slice by a token at either end. */
const MARGIN = 2;

/**
 * Divides atoms into parts of `min` to `max` tokens near `target`, at the cheapest places: the best of all divisions by dynamic
 * programming, so that the last parts are balanced too. Ties go to the longer part.
 */
export function partition(atoms: readonly Atom[], options: PartitionOptions): Part[] {
  const count = atoms.length;
  if (count === 0) return [];
  const sums = new Float64Array(count + 1);
  for (const [i, atom] of atoms.entries()) sums[i + 1] = (sums[i] ?? 0) + atom.tokens;
  const limit = options.max - MARGIN;
  const overlapStarts = atoms.map((_, i) => overlapStart(atoms, sums, i, options.overlap));
  const best = new Float64Array(count + 1).fill(Number.POSITIVE_INFINITY);
  const from = new Int32Array(count + 1);
  best[0] = 0;
  for (let end = 1; end <= count; end++) {
    const cut = end === count ? 0 : cutCost(atoms[end]?.boundary ?? "block", options.mayCutUnits);
    for (let own = end - 1; own >= 0; own--) {
      const ownTokens = tokensBetween(sums, own, end);
      if (ownTokens > limit && own < end - 1) break;
      const tokens = Math.min(Math.max(limit, ownTokens), tokensBetween(sums, overlapStarts[own] ?? own, end));
      const cost = (best[own] ?? 0) + sizeCost(tokens, options) + cut;
      if (cost <= (best[end] ?? 0)) {
        best[end] = cost;
        from[end] = own;
      }
    }
  }
  const parts: Part[] = [];
  for (let end = count; end > 0; end = from[end] ?? 0) {
    const own = from[end] ?? 0;
    parts.push({ first: fittingOverlap(atoms, sums, overlapStarts[own] ?? own, own, end, limit), own, last: end - 1 });
  }
  return parts.reverse();
}

function sizeCost(tokens: number, { target, min }: PartitionOptions): number {
  const miss = (tokens - target) / target;
  const below = tokens < min ? BELOW_MIN_COST * (1 + (2 * (min - tokens)) / min) : tokens < min + MARGIN ? BELOW_MIN_COST / 20 : 0;
  return 100 * miss * miss + below;
}

function cutCost(boundary: Boundary, mayCutUnits: boolean): number {
  if (boundary === "word" && !mayCutUnits) return UNIT_CUT_COST;
  return mayCutUnits ? Math.min(CUT_COST[boundary], BELOW_MIN_COST / 4) : CUT_COST[boundary];
}

/** The earliest unit from which `overlap` tokens reach up to atom `own`. */
function overlapStart(atoms: readonly Atom[], sums: Float64Array, own: number, overlap: number): number {
  let start = own;
  for (let i = own - 1; i >= 0 && tokensBetween(sums, i, own) <= overlap; i--) {
    if (isRepeatable(atoms, i)) start = i;
  }
  return start;
}

/** Less of the overlap, if all of it would exceed the limit. */
function fittingOverlap(atoms: readonly Atom[], sums: Float64Array, first: number, own: number, end: number, limit: number): number {
  let start = first;
  while (start < own && (tokensBetween(sums, start, end) > limit || !isRepeatable(atoms, start))) start++;
  return start;
}

/** Whether an overlap may begin with this atom: with whole units, never in the middle of a table or quotation that is whole. */
function isRepeatable(atoms: readonly Atom[], index: number): boolean {
  const boundary = atoms[index]?.boundary;
  return boundary !== "word" && boundary !== "whole";
}

function tokensBetween(sums: Float64Array, start: number, end: number): number {
  return (sums[end] ?? 0) - (sums[start] ?? 0);
}
