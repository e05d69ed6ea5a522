import { z } from "zod";

const numbers = z.array(z.number());

/** Boosted trees, their nodes in one list each. A child below 0 is leaf `-1 - child`. */
export const treesSchema = z.object({
  roots: numbers,
  feature: z.array(z.int().min(0)),
  threshold: numbers,
  left: numbers,
  right: numbers,
  /** 1: a value that is not there goes left. */
  missing: numbers,
  leaves: numbers,
});
export type Trees = z.infer<typeof treesSchema>;

/** Sum over all trees of the leaf that the values fall into: left where value ≤ threshold. */
export function scoreTrees({ roots, feature, threshold, left, right, missing, leaves }: Trees, values: readonly (number | null)[]): number {
  let sum = 0;
  for (const root of roots) {
    let at = root;
    while (at >= 0) {
      const value = values[feature[at] as number] ?? null;
      const goesLeft = value === null ? missing[at] === 1 : value <= (threshold[at] as number);
      at = (goesLeft ? left : right)[at] as number;
    }
    sum += leaves[-1 - at] as number;
  }
  return sum;
}

/** Why the nodes cannot be walked; `null` when they can: every child stands behind its parent, so that each walk ends. */
export function faultOfTrees({ roots, feature, threshold, left, right, missing, leaves }: Trees, features: number): string | null {
  const size = feature.length;
  if ([threshold, left, right, missing].some((list) => list.length !== size)) return "its lists differ in length";
  if (feature.some((one) => one >= features)) return "a node asks for a feature that is not there";
  const isPlace = (child: number) => Number.isInteger(child);
  const isLeaf = (child: number) => isPlace(child) && child < 0 && -child <= leaves.length;
  const ends = (child: number, parent: number) => isLeaf(child) || (isPlace(child) && child > parent && child < size);
  if (roots.some((root) => !ends(root, -1))) return "a root is not there";
  if (left.some((child, at) => !ends(child, at)) || right.some((child, at) => !ends(child, at))) return "a child is not there";
  return null;
}
