import type { ContentWord } from "../reading/content-words.ts";
import type { Reading } from "../reading/reading.ts";
import type { Alignment } from "./alignment.ts";
import { type Finding, finding } from "./finding.ts";

/** A word of the claim that no quote holds, and the word that a quote has in its place. */
interface Substitution {
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
function substitutedWords(alignment: Alignment): Substitution[] {
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

/** A statement that holds this share of what stands around a word says the rest of the sentence without it. */
const SAID_WITHOUT = 0.7;
/** The thing or its attribute: an article or a possessive before it, with one word between at most. */
const THING = /(?:^|\s)(?:an?|the|your|his|her|their|its|my|our|this|that)\s(?:[\p{L}-]+\s)?$/iu;
/** Words with which people speak about what a text says; a source has no need of them. */
const ABOUT_TEXT =
  /^(?:rule|limit|situation|window|way|case|thing|option|exception|condition|requirement|difference|process|step|amount|kind|type|part|place|reason|result|answer|question|passage|number|level|list|example|fact|group|area)s?$/;
/** Verbs and adverbs are said in many ways. */
const VERBAL = /(?:ly|ing|ed)$/;

/**
 * A word that no cited quote has, in a sentence that one of them says otherwise: "a private hospital" where the quote has "a hospital",
 * or another word in its place. It may be a synonym, so the reader is warned and nothing is removed.
 */
export function checkNovelty(alignment: Alignment): Finding {
  const { claim } = alignment;
  const substituted = substitutedWords(alignment);
  const added = addedWords(alignment).filter((word) => substituted.every((one) => one.word !== word));
  if (substituted.length + added.length === 0) return finding("novelty", "pass", 1, "brings nothing of its own");
  const reasons = [
    ...substituted.map(({ word, instead }) => `"${word.text}" where the cited quote has "${instead}"`),
    ...added.map((word) => `no cited quote has "${word.text}"`),
  ];
  const words = [...substituted.map(({ word }) => word), ...added];
  const share = 1 - words.length / claim.words.length;
  return finding(
    "novelty",
    "warn",
    share,
    reasons.join("; "),
    words.map(({ start, end }) => ({ start, end })),
  );
}

function addedWords({ claim, knows, given, near }: Alignment): ContentWord[] {
  return claim.words.filter((word) => {
    if (knows(word.root) || given(word.root) || ABOUT_TEXT.test(word.text) || VERBAL.test(word.text)) return false;
    if (/^\p{Lu}/u.test(claim.text.slice(word.start, word.start + 2))) return false;
    if (!THING.test(claim.text.slice(Math.max(0, word.start - 40), word.start))) return false;
    return Math.max(0, ...near(word)) >= SAID_WITHOUT;
  });
}
