import { LRUCache } from "lru-cache";
import type { Block, Heading, Scope, StoredDocument } from "../../shared/types.ts";
import type { DocumentOutline } from "../../store/document-rows.ts";
import type { DocumentStore } from "../../store/documents.ts";
import { splitSentences } from "../../text/sentences.ts";
import { isStopWord } from "../../text/tokens.ts";
import { cellsOf } from "../../text/units.ts";

/** Returns example questions for documents whose pack has none. */
export type FindExamples = (scope: Scope) => Promise<string[]>;

/** Maximum number of documents searched for headings. */
const MOST_OUTLINES = 200;
/** Maximum number of documents with cached topics, one entry per version. */
const MOST_TEXTS = 100;

/** Creates a finder of example questions. If headings yield too few, it uses sentences of the first documents without headings. */
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

/** Returns questions that the documents answer, in complete sentences. @param revision of the index; a new one asks again */
export type SuggestQuestions = (scope: Scope, revision: number, examples: readonly string[]) => Promise<readonly string[]>;

/** Maximum number of questions that are tried for one list of suggestions. */
const MOST_TRIED = 12;
/** Maximum number of remembered lists, one per scope and revision. */
const MOST_LISTS = 100;

/** Creates a finder of suggestions: each was asked before, and answered. Those of the pack come first. */
export function createSuggester(
  documents: Pick<DocumentStore, "outlines" | "load">,
  isAnswered: (question: string, scope: Scope) => Promise<boolean>,
): SuggestQuestions {
  const known = new LRUCache<string, Promise<readonly string[]>>({ max: MOST_LISTS });
  const find = async (scope: Scope, examples: readonly string[]) => {
    const outlines = await documents.outlines(scope, MOST_OUTLINES);
    const answered: string[] = [];
    for (const question of [...examples, ...(await sentencesAbout(outlines, scope, documents))].slice(0, MOST_TRIED)) {
      if (answered.length === EXAMPLES) break;
      if (await isAnswered(question, scope)) answered.push(question);
    }
    return answered;
  };
  return (scope, revision, examples) => {
    const key = JSON.stringify([scope, revision]);
    const found = known.get(key) ?? find(scope, examples);
    known.set(key, found);
    found.catch(() => known.delete(key));
    return found;
  };
}

/** Maximum number of documents whose tables are read for suggestions. */
const MOST_TABLES = 6;

/** Makes questions of headings and of the first table row of some documents, those without headings first. */
async function sentencesAbout(
  outlines: readonly DocumentOutline[],
  scope: Scope,
  documents: Pick<DocumentStore, "load">,
): Promise<string[]> {
  const read = outlines.toSorted((a, b) => Number(a.headings.length > 0) - Number(b.headings.length > 0)).slice(0, MOST_TABLES);
  const loaded = await documents.load(
    scope,
    read.map(({ id }) => id),
  );
  const ofRows = [...loaded.values()].flatMap((document) => {
    const label = rowLabel(document);
    return label === null ? [] : [questionAbout(document.title, label)];
  });
  const ofHeadings = outlines.map(({ title, headings }) =>
    headingsOf(title, headings, () => true).map((heading) =>
      isQuestion(heading) ? heading : questionAbout(title, withoutCapital(heading)),
    ),
  );
  return inTurn([ofRows, ...ofHeadings]);
}

/** Returns the label of a document's first table row, its first cell; `null`: there is no table with a header. */
function rowLabel({ text, blocks }: Pick<StoredDocument, "text" | "blocks">): string | null {
  const row = blocks.find(({ type, header }, i) => type === "table-row" && header >= 0 && header !== i);
  const [label = ""] = row === undefined ? [] : cellsOf(text.slice(row.start, row.end));
  return label === "" ? null : label;
}

function questionAbout(title: string, topic: string): string {
  return `What does “${title}” say about ${topic}?`;
}

/** Maximum characters searched per document, and maximum number of topics. */
const LOOKED_AT = 20_000;
const TOPICS = 12;
/** Maximum words of a topic; longer sentence openings are rarely noun phrases. */
const MOST_WORDS = 5;

/** A sentence's topic ends before its verb. Other verbs cannot be told from nouns without parsing. */
const VERB = /\s(?:is|are|was|were|can|cannot|may|must|will|should|has|have|needs?|does|do)\s/;
/** Indefinite pronouns name no topic. */
const ANYBODY = /^(?:any|every|no|some)(?:body|one)\b/i;
const MARKS = /[^\p{L}\p{N}\s'’-]/u;
const ARTICLE = /^(?:the|an?)\s+/i;
const EACH = /^(?:each|every|all|any)\s+/i;
/** "Guests who …", "swarms that …": the first verb belongs to a relative clause. */
const RELATIVE = /\b(?:who|whom|whose|that|which|where|when)\b/i;

/**
 * Extracts topics from the opening words of sentences in plain paragraphs: phrases first, then single words that occur only once.
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

/** A single word that occurs repeatedly is too broad to have an answer of its own. */
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
  // A phrase that begins with a stop word, such as a preposition, names no topic.
  if (isStopWord((thing.split(" ")[0] as string).toLowerCase())) return null;
  return topic === named ? withoutCapital(topic) : topic;
}

/** Lowers the initial capital of a sentence, except where it seems to be a name. */
function withoutCapital(topic: string): string {
  const [first = "", second = ""] = topic.split(" ");
  const isName = !ARTICLE.test(topic) && (/\p{Lu}.*\p{Lu}|\d/u.test(first) || /^\p{Lu}/u.test(second));
  return isName ? topic : topic.charAt(0).toLowerCase() + topic.slice(1);
}

/** The parts of a document from which questions are made. */
export interface TitledDocument {
  readonly title: string;
  readonly headings: readonly Pick<Heading, "level" | "text">[];
  /** Topics of its sentences, if known. */
  readonly topics?: readonly string[];
}

export const EXAMPLES = 3;

/**
 * Makes example questions, in order of preference: headings that are questions; "TITLE: HEADING?", with headings below the first level
 * before those at it, which often repeat the title; topics of documents without headings; titles. Spreads them over as many documents as
 * possible.
 * "TITLE: HEADING?" has no other words: "What does … say about …?" was answered for 35 of 102 headings of six collections, this form for
 * 89. Topics stand without the title, which would retrieve other sentences.
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

/** Returns headings that differ from the title. */
function headingsOf(title: string, headings: TitledDocument["headings"], isMeant: (level: number) => boolean): string[] {
  const same = title.trim().toLowerCase();
  const texts = headings.filter(({ level }) => isMeant(level)).map(({ text }) => text.trim());
  return texts.filter((text) => text !== "" && text.toLowerCase() !== same);
}

/** Orders the first item of each group before all others. */
function inTurn(groups: readonly (readonly string[])[]): string[] {
  return [...groups.flatMap((group) => group.slice(0, 1)), ...groups.flatMap((group) => group.slice(1))];
}
