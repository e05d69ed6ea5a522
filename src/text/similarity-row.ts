/** What comparing words takes: words by number, their tokens, and how alike two of them are (1: forms of one word). */
export interface ComparedWords {
  tokensOf(id: number): readonly string[];
  similarity(one: number, other: number): number;
}

/** How alike a word is to each of the asked ones; `null`: to none. */
export function similarityRow(asked: readonly number[], id: number, words: ComparedWords): Float32Array | null {
  if (words.tokensOf(id).length === 0) return null;
  let row: Float32Array | null = null;
  for (let i = 0; i < asked.length; i++) {
    const similarity = words.similarity(asked[i] as number, id);
    if (similarity <= 0) continue;
    row ??= new Float32Array(asked.length);
    row[i] = similarity;
  }
  return row;
}
