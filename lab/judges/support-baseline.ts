import { splitSentences } from "../../src/text/sentences.ts";
import { words, wordTokens } from "../../src/text/tokens.ts";

/**
 * Ten plain lexical figures of an answer beside its evidence, for the baseline that a learned support score has to beat: shares of words,
 * content words, pairs and triples of words, numbers and capitalised words that the evidence has; the same share of content words in the
 * worst sentence; new content words; lengths of both.
 */
export function lexicalFeatures(answer: string, evidence: readonly string[], stem: (word: string) => string): number[] {
  const text = evidence.join("\n");
  const source = readText(text, stem);
  const own = readText(answer, stem);
  const sentences = splitSentences(answer).map(({ start, end }) =>
    share(readText(answer.slice(start, end), stem).content, source.contentSet),
  );
  const fresh = own.content.filter((token) => !source.contentSet.has(token)).length;
  return [
    share(own.all, source.allSet),
    share(own.content, source.contentSet),
    share(grams(own.all, 2), new Set(grams(source.all, 2))),
    share(grams(own.all, 3), new Set(grams(source.all, 3))),
    share(numbersOf(answer), new Set(numbersOf(text))),
    share(capitalsOf(answer), new Set(capitalsOf(text))),
    Math.min(1, ...sentences),
    Math.log1p(fresh),
    Math.log1p(own.all.length),
    Math.log1p(source.all.length),
  ];
}

function readText(text: string, stem: (word: string) => string) {
  const found = words(text);
  const all = found.map((word) => word.text);
  const content = found.flatMap((word) => wordTokens(word, stem));
  return { all, content, allSet: new Set(all), contentSet: new Set(content) };
}

function grams(tokens: readonly string[], size: number): string[] {
  return tokens.slice(size - 1).map((_, i) => tokens.slice(i, i + size).join(" "));
}

function numbersOf(text: string): string[] {
  return [...text.matchAll(/\d+(?:[.,]\d+)*/g)].map(([number]) => number.replaceAll(",", ""));
}

function capitalsOf(text: string): string[] {
  return [...text.matchAll(/(?<=[\p{L}\p{N},;] )\p{Lu}[\p{L}\p{N}]+/gu)].map(([word]) => word.toLowerCase());
}

/** 1 when there is nothing to hold. */
function share(tokens: readonly string[], held: ReadonlySet<string>): number {
  return tokens.length === 0 ? 1 : tokens.filter((token) => held.has(token)).length / tokens.length;
}
