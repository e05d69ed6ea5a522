import type { WriteSettings } from "../profiles/profile.ts";

export interface RouteFacts {
  readonly complexTerms: number;
  readonly passages: number;
  /** Mean cosine of the passages; `null` without a dense ranking. */
  readonly meanSimilarity: number | null;
}

/**
 * Large if complex terms ≥ 1, or more passages than 5, or mean similarity < .55 (`seven-layer` source, equation 11; numbers from the profile).
 * A similarity that is not known decides nothing.
 */
export function routeModel(route: WriteSettings["route"], { complexTerms, passages, meanSimilarity }: RouteFacts): "small" | "large" {
  if (route === null) return "small";
  const weak = meanSimilarity !== null && meanSimilarity < route.meanSimilarity;
  return complexTerms >= route.complexTerms || passages > route.passages || weak ? "large" : "small";
}
