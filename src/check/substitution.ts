import type { ContentWord } from "../language/content-words.ts";
import type { Alignment } from "./alignment.ts";
import type { Reading } from "./statements.ts";

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
    if (at <= 0 || /ly$/.test(word.text)) return [];
    if (HAS_OBJECT.test(said[at + 1]?.text ?? "")) return [];
    const scores = alignment.near(word);
    for (const statement of statements.filter((_, i) => (scores[i] as number) >= SAME)) {
      const tokens = rawTokens(statement.text);
      for (const [i, token] of tokens.entries()) {
        const other = statement.words.find(({ start }) => start === token.start);
        if (other === undefined || claim.roots.has(other.root)) continue;
        const follows = sameBeside(said, at, claim, tokens, i, -1);
        const leads = sameBeside(said, at, claim, tokens, i, 1);
        if (follows || leads) return [{ word, instead: other.text }];
      }
    }
    return [];
  });
}

/** Are the two words beside both places the same, on one side? Three where none of the two carries meaning. */
function sameBeside(said: readonly RawToken[], at: number, claim: Reading, tokens: readonly RawToken[], i: number, step: 1 | -1): boolean {
  const same = (distance: number) => {
    const text = said[at + step * distance]?.text;
    return text !== undefined && text === tokens[i + step * distance]?.text;
  };
  if (!same(1) || !same(2)) return false;
  const starts = [1, 2].map((distance) => said[at + step * distance]?.start);
  return same(3) || claim.words.some(({ start }) => starts.includes(start));
}

function rawTokens(text: string): RawToken[] {
  return [...text.matchAll(/[\p{L}\p{M}\p{Nd}$%](?:[\p{L}\p{M}\p{Nd}%]|['’.,&-](?=[\p{L}\p{Nd}])){0,63}/gu)].map((match) => ({
    text: match[0].toLowerCase().replaceAll("’", "'"),
    start: match.index,
  }));
}
