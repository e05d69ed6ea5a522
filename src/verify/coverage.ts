/**
 * Share of a question's words that a text holds, each word weighted by its inverse document frequency: Σ idf(q ∩ d) / Σ idf(q).
 * A heuristic for relevance, 0–1. Words that no document holds count fully against it: what the corpus never mentions it cannot answer.
 * @returns `null` when the question has no content words
 */
export function weightedCoverage(question: readonly string[], text: ReadonlySet<string>, idf: (token: string) => number): number | null {
  const asked = [...new Set(question)];
  let all = 0;
  let found = 0;
  for (const token of asked) {
    const weight = idf(token);
    all += weight;
    if (text.has(token)) found += weight;
  }
  return all === 0 ? null : found / all;
}
