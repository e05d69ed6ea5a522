import type { ContentWord } from "../reading/content-words.ts";
import type { Alignment } from "./alignment.ts";
import { type Finding, finding } from "./finding.ts";
import { substitutedWords } from "./substitution.ts";

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
