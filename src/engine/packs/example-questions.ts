import type { Heading } from "../../types.ts";

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
