import type { ContentWord } from "../language/content-words.ts";
import type { Alignment } from "./alignment.ts";

/** A word of the claim that no quote holds, and the word that a quote has in its place. */
export interface Substitution {
  readonly word: ContentWord;
  readonly instead: string;
}

/** A statement speaks of the same if it holds this share of the words around. */
const SAME = 0.5;
/** A word with one of these behind it is a verb, and verbs are said in many ways. */
const HAS_OBJECT = /^(?:a|an|the|his|her|its|our|your|their|my|it|them|him|you|us|all|any|out|up|off|away|that|whether)$/;

interface RawToken {
  readonly text: string;
  readonly start: number;
}

/**
 * Words that stand where a quote has another one: "conviction of a misdemeanor" against "conviction of a felony". The two words
 * beside the place must be the same in both texts, on one side, and the quote's word must be missing in the claim.
 */
export function substitutedWords(alignment: Alignment): Substitution[] {
  const { claim, statements } = alignment;
  const unknown = claim.words.filter(({ root }) => !alignment.knows(root) && !alignment.given(root));
  if (unknown.length === 0) return [];
  const said = rawTokens(claim.text);
  return unknown.flatMap((word) => {
    const at = said.findIndex(({ start }) => start >= word.start);
    const left = [said[at - 2]?.text, said[at - 1]?.text];
    const right = [said[at + 1]?.text, said[at + 2]?.text];
    if (HAS_OBJECT.test(said[at + 1]?.text ?? "")) return [];
    const scores = alignment.near(word);
    for (const statement of statements.filter((_, i) => (scores[i] as number) >= SAME)) {
      const tokens = rawTokens(statement.text);
      for (const [i, token] of tokens.entries()) {
        const other = statement.words.find(({ start }) => start === token.start);
        if (other === undefined || claim.roots.has(other.root)) continue;
        const follows = left[0] !== undefined && tokens[i - 2]?.text === left[0] && tokens[i - 1]?.text === left[1];
        const leads = right[1] !== undefined && tokens[i + 1]?.text === right[0] && tokens[i + 2]?.text === right[1];
        if (follows || leads) return [{ word, instead: other.text }];
      }
    }
    return [];
  });
}

function rawTokens(text: string): RawToken[] {
  return [...text.matchAll(/[\p{L}\p{M}\p{Nd}$%](?:[\p{L}\p{M}\p{Nd}%]|['’.,&-](?=[\p{L}\p{Nd}])){0,63}/gu)].map((match) => ({
    text: match[0].toLowerCase().replaceAll("’", "'"),
    start: match.index,
  }));
}
