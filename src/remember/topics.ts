import { createStemmer } from "../text/tokens.ts";

/** A topic of a domain pack. */
export interface Topic {
  readonly slug: string;
  readonly name: string;
  readonly keywords: readonly string[];
}

/** Slugs of a text's topics, the one with most keywords first, then in the order of the pack. */
export type ReadTopics = (text: string) => string[];

/**
 * A text has every topic of which it contains a keyword (`seven-layer` source, equation 5). Keywords are whole words in any inflection: "appeals" has
 * "appeal", and "information" does not have "form".
 */
export function createTopicReader(topics: readonly Topic[]): ReadTopics {
  const stem = createStemmer();
  const spelled = (text: string) =>
    ` ${text
      .normalize("NFKC")
      .toLowerCase()
      .split(/[^\p{L}\p{M}\p{N}]+/u)
      .filter((word) => word !== "")
      .map((word) => (word.length > MAX_WORD ? word : stem(word)))
      .join(" ")} `;
  const known = topics.map(({ slug, keywords }) => ({ slug, phrases: [...new Set(keywords.map(spelled))].filter((one) => one !== "  ") }));
  return (text) => {
    const words = spelled(text);
    return known
      .map(({ slug, phrases }) => ({ slug, held: phrases.filter((phrase) => words.includes(phrase)).length }))
      .filter(({ held }) => held > 0)
      .sort((a, b) => b.held - a.held)
      .map(({ slug }) => slug);
  };
}

/** A longer word is noise and has no stem. */
const MAX_WORD = 64;
