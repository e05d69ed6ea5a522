import type { WriteSettings } from "../profiles/profile.ts";

export interface RouteFacts {
  /** Complex terms that the question holds, as `category: word`. */
  readonly complexTerms: readonly string[];
  readonly passages: number;
  /** Mean cosine of the passages on the scale of the rule; `null` without a dense ranking. */
  readonly meanSimilarity: number | null;
}

export interface Route {
  readonly size: "small" | "large";
  /** The rules that decided, for people. */
  readonly because: string;
}

/**
 * Large if complex terms ≥ 1, or more passages than 5, or mean similarity < .55 (`seven-layer` source, equation 11; numbers from the profile).
 * A similarity that is not known decides nothing.
 */
export function routeModel(route: WriteSettings["route"], { complexTerms, passages, meanSimilarity }: RouteFacts): Route {
  if (typeof route === "string") return { size: route, because: "the profile's choice" };
  const reasons = [
    ...(complexTerms.length >= route.complexTerms ? [`complex (${complexTerms.join(", ")})`] : []),
    ...(passages > route.passages ? [`${passages} passages > ${route.passages}`] : []),
    ...(meanSimilarity !== null && meanSimilarity < route.meanSimilarity
      ? [`mean similarity ${meanSimilarity.toFixed(3)} < ${route.meanSimilarity}`]
      : []),
  ];
  if (reasons.length > 0) return { size: "large", because: reasons.join("; ") };
  const unknown = meanSimilarity === null ? ", similarity not known" : "";
  return { size: "small", because: `no complex term, ${passages} passages${unknown}` };
}

/** Complex terms of a question by category, as whole words or the beginnings of words: "burn pit" stands in "burn pits", "retro" in "retroactive". */
export function findComplexTerms(question: string, terms: Readonly<Partial<Record<string, readonly string[]>>>): string[] {
  const plain = ` ${plainWords(question)} `;
  return Object.entries(terms).flatMap(([category, words = []]) =>
    words.filter((word) => plainWords(word) !== "" && plain.includes(` ${plainWords(word)}`)).map((word) => `${category}: ${word}`),
  );
}

function plainWords(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}&]+/gu, " ")
    .trim();
}
