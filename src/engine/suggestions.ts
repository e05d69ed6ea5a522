import { LRUCache } from "lru-cache";
import { unitOf } from "../language/units.ts";
import type { PlacedUnit, Scope, StoredDocument } from "../shared/types.ts";
import type { DocumentStore } from "../store/documents.ts";
import { isStopWord, tokenize, words } from "../text/tokens.ts";
import { nameCells, unitsIn } from "../text/units.ts";

type Documents = Pick<DocumentStore, "outlines" | "load">;
type Read = Pick<StoredDocument, "title" | "text" | "blocks" | "units">;

const SUGGESTIONS = 3;
/** Maximum number of questions to try for one list of suggestions. */
const MOST_TRIED = 15;
/** Maximum number of documents from which questions are taken. The two limits below apply to each document: questions, characters read. */
const MOST_DOCUMENTS = 40;
const MOST_OF_DOCUMENT = 4;
const MOST_CHARACTERS = 30_000;
/** Maximum number of remembered lists, one per scope and revision. */
const MOST_LISTS = 100;

/**
 * Creates a function that suggests questions which the documents answer. Each question is tried, and suggested only if
 * it is answered. The examples of the pack are tried first.
 * @returns a function of the scope, the revision of the index (the result is cached per revision) and the pack's examples
 */
export function createSuggester(documents: Documents, isAnswered: (question: string, scope: Scope) => Promise<boolean>) {
  const known = new LRUCache<string, Promise<readonly string[]>>({ max: MOST_LISTS });
  const find = async (scope: Scope, examples: readonly string[]) => {
    const ids = (await documents.outlines(scope, MOST_DOCUMENTS)).map(({ id }) => id);
    const loaded = await documents.load(scope, ids);
    const ofDocuments = [...loaded.values()].map(questionsOf);
    const inTurn = Array.from({ length: MOST_OF_DOCUMENT }, (_, i) => ofDocuments.flatMap((questions) => questions.slice(i, i + 1)));
    const answered: string[] = [];
    for (const question of [...new Set([...examples, ...inTurn.flat()])].slice(0, MOST_TRIED)) {
      if (answered.length === SUGGESTIONS) break;
      if (await isAnswered(question, scope)) answered.push(question);
    }
    return answered;
  };
  return (scope: Scope, revision: number, examples: readonly string[]): Promise<readonly string[]> => {
    const key = JSON.stringify([scope, revision]);
    const found = known.get(key) ?? find(scope, examples);
    known.set(key, found);
    found.catch(() => known.delete(key));
    return found;
  };
}

/** Returns complete questions about a document: at most one for each section and table. */
function questionsOf(document: Read): string[] {
  const units = unitsIn(document, { start: 0, end: Math.min(document.text.length, MOST_CHARACTERS) });
  const seen = new Set<string>();
  const found = units.flatMap((unit) => {
    const place = unit.header === null ? unit.headingPath.join("\n") : `table ${unit.header.start}`;
    const question = seen.has(place) ? null : questionOf(document, unit);
    if (question === null) return [];
    seen.add(place);
    return [question];
  });
  return found.slice(0, MOST_OF_DOCUMENT);
}

/** Matches a heading that is a question and does not begin with a list number or letter, such as `1.` or `a)`. */
const ASKS = /^\p{L}[\p{L}'’]+ .*\?$/u;

function questionOf(document: Read, unit: PlacedUnit): string | null {
  const text = document.text.slice(unit.start, unit.end).trim();
  if (unit.type === "heading") return ASKS.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : null;
  if (unit.type === "table-row") return unit.header === null ? null : askMeasure(unit.header.text, text);
  return unit.type === "paragraph" ? askWhat(document, text, unit.headingPath) : null;
}

/** Matches the name of a column with its unit in brackets: "Height (m)". */
const MEASURE = /^(\p{L}[\p{L} ]*\p{L}) \(([^()]+)\)$/u;

/** Asks for a quantity of a table row: "What is the height of Old Tarn Head?" */
function askMeasure(header: string, row: string): string | null {
  const [first, ...others] = nameCells(header, row) ?? [];
  const [measure] = others.flatMap(({ name }) => {
    const [, quantity = "", unit = ""] = MEASURE.exec(name) ?? [];
    return unitOf(unit) === null ? [] : [quantity];
  });
  if (first === undefined || measure === undefined || !isName(first.text)) return null;
  return `What is the ${lowered(measure)} of ${first.text}?`;
}

const MOST_NAME_WORDS = 5;

/** Returns whether a text consists of 1 to `MOST_NAME_WORDS` words, none of which is a function word. */
function isName(text: string): boolean {
  const named = words(text);
  return named.length > 0 && named.length <= MOST_NAME_WORDS && named.every((word) => !isStopWord(word.text));
}

/** Matches the subject and verb of a definition, such as "A hold is ". */
const SAYS_WHAT = /^(\p{Lu}[^\n,;:.()"“”|]*?) (is|are) /u;
const ARTICLE = /^(?:the|an?) /i;

/** Asks what the topic of a heading is, if a sentence below the heading defines it: "A hold is a request." → "What is a hold?" */
function askWhat(document: Read, sentence: string, headings: readonly string[]): string | null {
  const [, subject = "", verb = ""] = SAYS_WHAT.exec(sentence) ?? [];
  const heading = new Set(tokenize(headings.at(-1) ?? document.title));
  const isTopic = isName(subject.replace(ARTICLE, "")) && tokenize(subject).every((word) => heading.has(word));
  return isTopic ? `What ${verb} ${inSentence(document, subject)}?` : null;
}

/** Writes a phrase with a small initial letter, if its first word is a function word or occurs in lower case in the document. */
function inSentence({ text }: Read, phrase: string): string {
  const low = lowered(phrase);
  const [first = ""] = low.split(" ");
  return isStopWord(first) || text.includes(` ${first}`) ? low : phrase;
}

/** Writes the first letter in lower case, unless the second is a capital too, as in "PDF". */
function lowered(phrase: string): string {
  return /^\p{Lu}\p{Lu}/u.test(phrase) ? phrase : phrase.charAt(0).toLowerCase() + phrase.slice(1);
}
