import type { CitedQuote } from "./finding.ts";
import type { SimilarityScorer } from "./relevancy.ts";

/**
 * The source to which an uncited sentence is nearest, when it is near enough (`book` source, validation steps 3 and 4): its index, or `null`
 * when none is, or nothing could be compared. The source asks for similarity to a chunk; the sentence is then cited and checked like any other.
 */
export async function findNearestSource(
  text: string,
  sources: readonly (readonly CitedQuote[])[],
  scorer: SimilarityScorer,
  minimum: number,
): Promise<number | null> {
  let best: number | null = null;
  let top = minimum;
  for (const [i, quotes] of sources.entries()) {
    const similarity = await scorer.similarity(text, quotes.map((quote) => quote.text).join(" "));
    if (similarity === null || similarity < top || (best !== null && similarity === top)) continue;
    best = i;
    top = similarity;
  }
  return best;
}
