import { redactPersonalData } from "../guard/pii.ts";
import type { Passage } from "../types.ts";
import type { Fact, FactWords } from "./facts.ts";

/** Words of a query: services take fifty, and the hosts come on top. */
const MAX_WORDS = 24;
/** Telling words of the passage itself. */
const FROM_PASSAGE = 6;

/** A word with what holds it together inside; what search services read as an operator (`site:`, `-`, `!`, quotes) does not survive. */
const WORD = /[\p{L}\p{N}]+(?:[-.'’/&][\p{L}\p{N}]+)*/gu;

/**
 * What is searched for a passage: words of the question, its title, and what tells its statements from others, names and identifiers first. Its amounts, dates
 * and durations stay out, or pages that give other ones would not be found. Personal data is taken out: a query leaves the machine.
 * @param asked tokens of the question
 */
export function webQuery(question: string, asked: readonly string[], passage: Passage, facts: readonly Fact[], words: FactWords): string {
  const wanted = new Set(asked);
  const ofQuestion = wordsOf(question).filter((word) => words.tokens(word).some((token) => wanted.has(token)));
  const title = wordsOf([passage.document.title, passage.headingPath.at(-1) ?? ""].join(" "));
  const telling = facts
    .flatMap((fact) =>
      fact.words.map(({ start, end, root, name }) => ({
        text: fact.reading.text.slice(start, end),
        weight: (fact.own.get(root) ?? 0) + (name ? 1 : 0),
      })),
    )
    .sort((a, b) => b.weight - a.weight)
    .map(({ text }) => text);
  const identifiers = facts.flatMap(({ amounts, reading }) =>
    amounts.filter(({ kind }) => kind === "code" || kind === "form").map(({ start, end }) => reading.text.slice(start, end)),
  );
  const known = new Set<string>();
  const isNew = (word: string) => {
    const tokens = words.tokens(word);
    const fresh = tokens.length > 0 && !tokens.every((token) => known.has(token));
    for (const token of tokens) known.add(token);
    return fresh;
  };
  const first = [...ofQuestion, ...title].filter(isNew);
  const more = wordsOf([...identifiers, ...telling].join(" ")).filter(isNew);
  return [...first, ...more.slice(0, FROM_PASSAGE)].slice(0, MAX_WORDS).join(" ");
}

function wordsOf(text: string): string[] {
  return (
    redactPersonalData(text)
      .replaceAll(/\[[a-z-]+\]/g, " ")
      .match(WORD) ?? []
  );
}
