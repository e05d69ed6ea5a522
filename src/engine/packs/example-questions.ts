import type { Block, Heading, Scope } from "../../shared/types.ts";
import type { DocumentOutline } from "../../store/document-rows.ts";
import type { DocumentStore } from "../../store/documents.ts";
import { splitSentences } from "../../text/sentences.ts";
import { isStopWord } from "../../text/tokens.ts";

/** Questions to try of documents whose pack names none. */
export type FindExamples = (scope: Scope) => Promise<string[]>;

/** Documents whose headings are looked at. */
const MOST_OUTLINES = 200;
/** Documents whose topics are kept: a text is read once for each version. */
const MOST_TEXTS = 100;

/** Where headings give too few, sentences of the first documents without any are looked at. */
export function createExampleFinder(documents: Pick<DocumentStore, "outlines" | "load">): FindExamples {
  const known = new Map<string, readonly string[]>();
  const keyOf = ({ id, version }: Pick<DocumentOutline, "id" | "version">) => `${id} ${version}`;
  const learn = async (scope: Scope, outlines: readonly DocumentOutline[]) => {
    const unknown = outlines.filter((one) => !known.has(keyOf(one))).map(({ id }) => id);
    if (unknown.length === 0) return;
    if (known.size + unknown.length > MOST_TEXTS) known.clear();
    for (const document of (await documents.load(scope, unknown)).values())
      known.set(keyOf(document), topicsOf(document.text, document.blocks));
  };
  return async (scope) => {
    const outlines = await documents.outlines(scope, MOST_OUTLINES);
    const headed = outlines.filter(({ headings }) => headings.length > 0);
    if (exampleQuestions(headed).length >= EXAMPLES || headed.length === outlines.length) return exampleQuestions(outlines);
    const bare = outlines.filter(({ headings }) => headings.length === 0).slice(0, EXAMPLES);
    await learn(scope, bare);
    return exampleQuestions(outlines.map((one) => ({ ...one, topics: known.get(keyOf(one)) ?? [] })));
  };
}

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

/** A document as far as questions are made of it. */
export interface TitledDocument {
  readonly title: string;
  readonly headings: readonly Pick<Heading, "level" | "text">[];
  /** What its sentences speak of, where that is known. */
  readonly topics?: readonly string[];
}

/** Questions to try. */
export const EXAMPLES = 3;

/**
 * Questions to try: headings that are questions, else titles with a heading of theirs, of as many documents as there are: first those below the first level,
 * which is often the title in other words; then what sentences of documents without headings speak of; at last titles alone. Nothing stands around title and heading: "What does … say about …?" was answered for 35 of
 * 102 headings of six collections, this form for 89. A topic stands without its title, which would draw other sentences.
 */
export function exampleQuestions(documents: readonly TitledDocument[]): string[] {
  const headed = documents.map(({ title, headings, topics }) => ({
    ...{ title, topics },
    below: headingsOf(title, headings, (level) => level > 1),
    first: headingsOf(title, headings, (level) => level <= 1),
  }));
  const asked = headed.flatMap(({ below, first }) => [...below, ...first].find(isQuestion) ?? []);
  const plain = headed.filter(({ below, first }) => ![...below, ...first].some(isQuestion));
  const made = (["below", "first"] as const).flatMap((at) =>
    inTurn(plain.map((one) => one[at].map((heading) => `${one.title}: ${heading}?`))),
  );
  const bare = plain.filter(({ below, first }) => below.length + first.length === 0);
  const spoken = inTurn(bare.map(({ topics }) => topics ?? [])).map((topic) => `What about ${topic}?`);
  const titles = bare.filter(({ topics = [] }) => topics.length === 0).map(({ title }) => `What about ${title}?`);
  return [...new Set([...asked, ...made, ...spoken, ...titles])].slice(0, EXAMPLES);
}

function isQuestion(heading: string): boolean {
  return heading.endsWith("?");
}

/** What a document's headings say beyond its title. */
function headingsOf(title: string, headings: TitledDocument["headings"], isMeant: (level: number) => boolean): string[] {
  const same = title.trim().toLowerCase();
  const texts = headings.filter(({ level }) => isMeant(level)).map(({ text }) => text.trim());
  return texts.filter((text) => text !== "" && text.toLowerCase() !== same);
}

/** The first of each, then the others. */
function inTurn(groups: readonly (readonly string[])[]): string[] {
  return [...groups.flatMap((group) => group.slice(0, 1)), ...groups.flatMap((group) => group.slice(1))];
}
