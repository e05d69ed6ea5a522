import type { Heading } from "../../types.ts";

/** A document as far as questions are made of it. */
export interface TitledDocument {
  readonly title: string;
  readonly headings: readonly Pick<Heading, "level" | "text">[];
}

const EXAMPLES = 3;

/** Questions to try: headings that are questions, else questions about headings, of different documents. */
export function exampleQuestions(documents: readonly TitledDocument[]): string[] {
  const headings = documents.flatMap(({ title, headings: all }) => {
    const own = all.filter(({ level }) => level > 1).map(({ text }) => text.trim());
    const asked = own.find((heading) => heading.endsWith("?"));
    const other = own.find((heading) => heading !== "" && heading !== title);
    return other === undefined ? [] : [{ asked: asked ?? null, title, heading: other }];
  });
  const asked = headings.flatMap((one) => one.asked ?? []);
  const made = headings
    .filter((one) => one.asked === null)
    .map(({ title, heading }) => `What does "${title}" say about ${heading.toLowerCase()}?`);
  return [...new Set([...asked, ...made])].slice(0, EXAMPLES);
}
