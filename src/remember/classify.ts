import type { EntityNode, QuestionNodes, TopicNode } from "../store/graph.ts";

/** What a domain pack says of topics and entities. */
export interface ClassifierSettings {
  readonly topics: readonly TopicNode[];
  readonly entities: readonly { readonly type: string; readonly patterns: readonly string[]; readonly canonical: string }[];
}

/** Topics and entities of a question. */
export type Classify = (question: string) => QuestionNodes;

/**
 * Topics by keyword (`seven-layer` source, equation 5) and entities by pattern (its listing 6). Corrected: a keyword is a word of the question, not a part
 * of one ("form" is not in "inform"), and one spelling of an entity is one node.
 */
export function createClassifier({ topics, entities }: ClassifierSettings): Classify {
  const keywords = topics.map((topic) => ({ topic, pattern: wordsPattern(topic.keywords) }));
  const patterns = entities.flatMap(({ type, patterns, canonical }) =>
    patterns.map((source) => ({ type, canonical, pattern: new RegExp(source, "giu") })),
  );
  return (question) => {
    const found = new Map<string, EntityNode>();
    for (const { type, canonical, pattern } of patterns) {
      for (const match of question.matchAll(pattern)) {
        const value = canonical.replaceAll(/\$([&1-9])/g, (_, n: string) => spelling(n === "&" ? match[0] : (match[Number(n)] ?? "")));
        found.set(JSON.stringify([type, value]), { type, value });
      }
    }
    return {
      topics: keywords.filter(({ pattern }) => pattern.test(question)).map(({ topic }) => topic),
      entities: [...found.values()],
    };
  };
}

/** Is it a code, and not a name? */
export function isCode({ value }: EntityNode): boolean {
  return /\d/.test(value);
}

export function nameOf({ type, value }: EntityNode): string {
  return `${type}\0${value}`;
}

function spelling(text: string): string {
  return /\d/.test(text) ? text.toUpperCase() : text.toLowerCase().replaceAll(/\s+/g, " ");
}

/** A keyword as whole words, in the plural too. */
function wordsPattern(keywords: readonly string[]): RegExp {
  const words = keywords.map((keyword) => keyword.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(/\s+/g, "\\s+"));
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join("|")})(?:e?s)?(?![\\p{L}\\p{N}])`, "iu");
}
