/**
 * Verb with a contracted "not". The apostrophe is optional, because users often leave it out: "isn't", "isn’t", "isnt".
 */
const CONTRACTION = "(?:are|ca|could|did|does|do|had|has|have|is|must|need|should|was|were|would|wo|ai)n['’]?t";
const DENIES_CLAUSE = `not|never|cannot|neither|nor|unable|${CONTRACTION}`;
const DENIES_NOUN = "no|nobody|none|nothing|nowhere|without";
const SETS_APART = "except|unless";
const wholly = (source: string) => new RegExp(`^(?:${source})$`, "iu");

/** Regular expression source for every negator, without a capturing group. */
export const NEGATOR = `(?:\\b(?:${DENIES_CLAUSE}|${DENIES_NOUN}|ineligible|non(?=-))\\b)`;
/** Regular expression source for words that make an exception: "except", "unless". */
export const EXCEPTION = `(?:\\b(?:${SETS_APART})\\b)`;

const EVERY_NEGATOR = new RegExp(NEGATOR, "giu");
/** These phrases negate nothing. */
const NO_DENIAL = /\b(?:as likely as|whether or|or) not\b/giu;

const IS_CLAUSE = wholly(DENIES_CLAUSE);
const IS_NOUN = wholly(DENIES_NOUN);
const IS_VERB = wholly(`cannot|${CONTRACTION}`);
const IS_ANY = wholly(`${DENIES_CLAUSE}|${DENIES_NOUN}|ineligible|${SETS_APART}`);

/** Counts the negators of a text. Two of them may cancel out: "an illness that's not on the list, … you need not". */
export function countNegators(text: string): number {
  return text.replaceAll(NO_DENIAL, "").match(EVERY_NEGATOR)?.length ?? 0;
}

/** Checks whether a word negates its clause: "not", "can't". */
export function deniesClause(word: string): boolean {
  return IS_CLAUSE.test(word);
}

/** Checks whether a word negates a noun: "no", "without". */
export function deniesNoun(word: string): boolean {
  return IS_NOUN.test(word);
}

/** Checks whether a word is a negated verb: "cannot", "don't". */
export function deniesAsVerb(word: string): boolean {
  return IS_VERB.test(word);
}

/** Returns a verb without its negation ("can't" and "cannot" become "can"); other words unchanged. */
export function verbOf(word: string): string {
  if (!deniesAsVerb(word)) return word;
  const verb = word.replace(/(?:not|n['’]?t)$/iu, "");
  return verb === "ca" ? "can" : verb === "wo" ? "will" : verb;
}

/** Checks whether a word negates or makes an exception. */
export function turnsSense(word: string): boolean {
  return IS_ANY.test(word);
}
