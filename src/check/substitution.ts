import type { ContentWord } from "../reading/content-words.ts";
import type { Reading } from "../reading/reading.ts";
import type { Alignment } from "./alignment.ts";

/** A word of the claim that no quote holds, and the word that a quote has in its place. */
export interface Substitution {
  readonly word: ContentWord;
  readonly instead: string;
}

/** A statement speaks of the same if it holds this share of the words around. */
const SAME = 0.5;
/** Words looked at on each side of the place. */
const SIDE = 5;
/** Equal words beside the place that are enough; an everyday word has many others that say the same, and needs more. */
const ENOUGH = 3;
const ENOUGH_FOR_COMMON = 4;
/** Letters at the start that make two words forms of one: "worse", "worsen". */
const SAME_START = 4;
/** Verbs are said in many ways: a word with an object behind it, or with a pronoun or a modal before it, is one. */
const HAS_OBJECT = /^(?:a|an|the|his|her|its|our|your|their|my|it|them|him|you|us|all|any|out|up|off|away|that|whether)$/;
const HAS_SUBJECT =
  /^(?:to|can|will|may|must|should|would|could|might|not|i|you|we|they|he|she|it|who|that|which|does|do|did|is|are|was|were|been)$/;

interface Token {
  readonly text: string;
  readonly start: number;
}

/**
 * Words that stand where a quote has another one: "conviction of a misdemeanor" against "conviction of a felony". The words beside
 * the place must be the same in both texts, and the quote's word must be missing in the claim.
 */
export function substitutedWords(alignment: Alignment): Substitution[] {
  const { claim, statements } = alignment;
  const unknown = claim.words.filter(({ root }) => !alignment.knows(root) && !alignment.given(root));
  if (unknown.length === 0) return [];
  const said = tokensOf(claim.text);
  return unknown.flatMap((word) => {
    const at = said.findIndex(({ start }) => start >= word.start);
    if (at <= 0 || isVerbOrAdverb(word, said, at)) return [];
    const scores = alignment.near(word);
    for (const statement of statements.filter((_, i) => (scores[i] as number) >= SAME)) {
      const other = standsInItsPlace(word, said, at, claim, statement);
      if (other !== null) return [{ word, instead: other.text }];
    }
    return [];
  });
}

function isVerbOrAdverb({ text }: ContentWord, said: readonly Token[], at: number): boolean {
  return text.endsWith("ly") || HAS_OBJECT.test(said[at + 1]?.text ?? "") || HAS_SUBJECT.test(said[at - 1]?.text ?? "");
}

function standsInItsPlace(word: ContentWord, said: readonly Token[], at: number, claim: Reading, statement: Reading): ContentWord | null {
  const tokens = tokensOf(statement.text);
  for (const [i, token] of tokens.entries()) {
    const left = equalBeside(said, at, tokens, i, -1);
    const right = equalBeside(said, at, tokens, i, 1);
    if (!isEnough(word, said, at, left, right, claim)) continue;
    const other = statement.words.find(({ start }) => start === token.start);
    if (other === undefined || claim.roots.has(other.root)) continue;
    if (other.text.slice(0, SAME_START) !== word.text.slice(0, SAME_START)) return other;
  }
  return null;
}

function isEnough({ common }: ContentWord, said: readonly Token[], at: number, left: number, right: number, claim: Reading): boolean {
  const total = left + right;
  if (common) return total >= ENOUGH_FOR_COMMON || (left > 0 && right > 0 && total >= ENOUGH);
  if (total >= ENOUGH) return true;
  // Two are enough if one of them carries meaning.
  const beside = said.filter((_, i) => i !== at && i >= at - left && i <= at + right);
  return total === 2 && beside.some(({ start }) => claim.words.some((one) => one.start === start));
}

/** How many words next to both places are the same, on one side. */
function equalBeside(a: readonly Token[], at: number, b: readonly Token[], i: number, step: 1 | -1): number {
  let count = 0;
  while (count < SIDE && a[at + step * (count + 1)] !== undefined && a[at + step * (count + 1)]?.text === b[i + step * (count + 1)]?.text)
    count++;
  return count;
}

function tokensOf(text: string): Token[] {
  return [...text.matchAll(/[\p{L}\p{M}\p{Nd}$%](?:[\p{L}\p{M}\p{Nd}%]|['’.,&-](?=[\p{L}\p{Nd}])){0,63}/gu)].map((match) => ({
    text: match[0].toLowerCase().replaceAll("’", "'"),
    start: match.index,
  }));
}
