/** What reading a question's words needs of the index. */
export interface AskedWordsIndex {
  tokens(text: string): string[];
  /** Tokens of what a question asks, its frame left out. */
  questionTokens(question: string): string[];
}

/** A content word of a question as it was written. */
export interface AskedWord {
  readonly word: string;
  readonly tokens: readonly string[];
}

/** The question's content words as the user wrote them, with their tokens; forms of one word count once. */
export function askedWords(question: string, index: AskedWordsIndex): AskedWord[] {
  const seen = new Set<string>();
  const asked = new Set(index.questionTokens(question));
  return question
    .split(/\s+/)
    .map((word) => ({
      word: word.replaceAll(/^[^\p{L}\p{N}$]+|[^\p{L}\p{N}%]+$/gu, ""),
      tokens: index.tokens(word).filter((token) => asked.has(token)),
    }))
    .filter(({ word, tokens }) => {
      const key = tokens.join(" ");
      if (word === "" || tokens.length === 0 || seen.has(key)) return false;
      seen.add(key);
      return true;
    });
}
