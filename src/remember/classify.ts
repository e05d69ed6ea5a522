import type { EntityNode, QuestionNodes, TopicNode } from "../store/graph.ts";
import { createTopicReader } from "./topics.ts";

/** What a domain pack says of topics and entities. */
export interface ClassifierSettings {
  readonly topics: readonly TopicNode[];
  readonly entities: readonly { readonly type: string; readonly patterns: readonly string[]; readonly canonical: string }[];
}

/** Topics and entities of a question. */
export type Classify = (question: string) => QuestionNodes;

/**
 * Topics by keyword (`seven-layer` source, equation 5) and entities by pattern (its listing 6). Corrected: one spelling of an entity is one node.
 */
export function createClassifier({ topics, entities }: ClassifierSettings): Classify {
  const readTopics = createTopicReader(topics);
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
    const slugs = new Set(readTopics(question));
    return { topics: topics.filter(({ slug }) => slugs.has(slug)), entities: [...found.values()] };
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
