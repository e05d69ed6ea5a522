import { splitSentences } from "../../text/sentences.ts";
import { isStopWord } from "../../text/tokens.ts";
import type { Block } from "../../types.ts";

/** Characters of a document that are looked at, and topics that are found at most. */
const LOOKED_AT = 20_000;
const TOPICS = 12;
/** A longer beginning is no name of a thing. */
const MOST_WORDS = 5;

/** What a sentence is about ends before its verb; other verbs are not told from nouns without reading it. */
const VERB = /\s(?:is|are|was|were|can|cannot|may|must|will|should|has|have|needs?|does|do)\s/;
/** Who stands for anybody names nothing. */
const ANYBODY = /^(?:any|every|no|some)(?:body|one)\b/i;
const MARKS = /[^\p{L}\p{N}\s'’-]/u;
const ARTICLE = /^(?:the|an?)\s+/i;
const EACH = /^(?:each|every|all|any)\s+/i;
/** "Guests who …", "swarms that …": the verb is not the sentence's. */
const RELATIVE = /\b(?:who|whom|whose|that|which|where|when)\b/i;

/**
 * Things of which sentences of plain paragraphs say something, as they are named there: names of several words first, then single words that stand
 * nowhere else.
 * "Life jackets are worn by everybody." → "life jackets".
 */
export function topicsOf(text: string, blocks: readonly Block[]): string[] {
  const paragraphs = blocks.filter(({ type, start }) => type === "paragraph" && start < LOOKED_AT);
  const found = paragraphs.flatMap(({ start, end }) => {
    const paragraph = text.slice(start, Math.min(end, LOOKED_AT)).replaceAll(/\s+/g, " ");
    return splitSentences(paragraph).flatMap((sentence) => topicOf(paragraph.slice(sentence.start, sentence.end)) ?? []);
  });
  const topics = [...new Set(found)];
  const alone = topics.filter((topic) => !isNamedWell(topic) && isOnce(topic.replace(ARTICLE, ""), text.slice(0, LOOKED_AT)));
  return [...topics.filter(isNamedWell), ...alone].slice(0, TOPICS);
}

function isNamedWell(topic: string): boolean {
  return topic.replace(ARTICLE, "").includes(" ");
}

/** What several sentences speak of by one word has no answer of its own. */
function isOnce(word: string, text: string): boolean {
  return text.toLowerCase().split(word.toLowerCase()).length === 2;
}

function topicOf(sentence: string): string | null {
  const verb = sentence.search(VERB);
  if (verb < 0) return null;
  const named = sentence.slice(0, verb);
  const topic = named.replace(EACH, "");
  const thing = topic.replace(ARTICLE, "");
  if (thing.length < 3 || thing.split(" ").length > MOST_WORDS || [ANYBODY, MARKS, RELATIVE].some((sign) => sign.test(named))) return null;
  // What joins, places or points elsewhere names no thing.
  if (isStopWord((thing.split(" ")[0] as string).toLowerCase())) return null;
  return topic === named ? withoutCapital(topic) : topic;
}

/** The capital of a sentence's first word; names keep theirs as far as one can see. */
function withoutCapital(topic: string): string {
  const [first = "", second = ""] = topic.split(" ");
  const isName = !ARTICLE.test(topic) && (/\p{Lu}.*\p{Lu}|\d/u.test(first) || /^\p{Lu}/u.test(second));
  return isName ? topic : topic.charAt(0).toLowerCase() + topic.slice(1);
}
