import { createEntityReader, type EntityPatterns } from "../language/question-facts.ts";
import type { EntityNode, QuestionNodes, TopicNode } from "../store/graph.ts";
import { onceEach } from "../text/numbers.ts";
import { createStemmer } from "../text/tokens.ts";

/** Returns the topics and entities of a question. */
export type Classify = (question: string) => QuestionNodes;

/**
 * Returns a classifier that finds topics by keyword and entities by pattern, as in the published `seven-layer` design
 * (docs/profiles.md). Unlike in that design, all spellings of an entity give the same node.
 */
export function createClassifier({ topics, entities }: { topics: readonly TopicNode[]; entities: readonly EntityPatterns[] }): Classify {
  const readTopics = createTopicReader(topics);
  const readEntities = createEntityReader(entities, spelling);
  return (question) => {
    const slugs = new Set(readTopics(question));
    const found = onceEach(readEntities(question), nameOf).map(({ type, value }) => ({ type, value }));
    return { topics: topics.filter(({ slug }) => slugs.has(slug)), entities: found };
  };
}

/** Checks whether an entity is a code, such as a form number: its value contains a digit. */
export function isCode({ value }: EntityNode): boolean {
  return /\d/.test(value);
}

export function nameOf({ type, value }: EntityNode): string {
  return `${type}\0${value}`;
}

function spelling(text: string): string {
  return /\d/.test(text) ? text.toUpperCase() : text.toLowerCase().replaceAll(/\s+/g, " ");
}

/** Returns the slugs of a text's topics. Topics of which it contains most keywords come first, ties in the order of the pack. */
export type ReadTopics = (text: string) => string[];

/**
 * Returns a function that finds the topics of a text. A text has every topic of which it contains a keyword, as in the
 * published `seven-layer` design (docs/profiles.md). Keywords match whole words in any inflection: the keyword "appeal"
 * matches "appeals", but "form" does not match "information".
 */
export function createTopicReader(topics: readonly TopicNode[]): ReadTopics {
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

/** Maximum length in characters of a word that is stemmed. Longer words are noise. */
const MAX_WORD = 64;
