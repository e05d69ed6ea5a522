/** "isn't", "isn’t", "isnt": a verb with its denial; hasty writers leave the apostrophe out. */
const CONTRACTION = "(?:are|ca|could|did|does|do|had|has|have|is|must|need|should|was|were|would|wo|ai)n['’]?t";
const DENIES_CLAUSE = `not|never|cannot|neither|nor|unable|${CONTRACTION}`;
const DENIES_NOUN = "no|nobody|none|nothing|nowhere|without";
const SETS_APART = "except|unless";
const wholly = (source: string) => new RegExp(`^(?:${source})$`, "iu");

/** Every word that denies, as the source of a larger pattern; it catches no group. */
export const NEGATOR = `(?:\\b(?:${DENIES_CLAUSE}|${DENIES_NOUN}|ineligible|non(?=-))\\b)`;
/** Every word that takes something out of what is said: "except", "unless". */
export const EXCEPTION = `(?:\\b(?:${SETS_APART})\\b)`;

const EVERY_NEGATOR = new RegExp(NEGATOR, "giu");
/** "At least as likely as not", "whether or not" deny nothing. */
const NO_DENIAL = /\b(?:as likely as|whether or|or) not\b/giu;

const IS_CLAUSE = wholly(DENIES_CLAUSE);
const IS_NOUN = wholly(DENIES_NOUN);
const IS_VERB = wholly(`cannot|${CONTRACTION}`);
const IS_ANY = wholly(`${DENIES_CLAUSE}|${DENIES_NOUN}|ineligible|${SETS_APART}`);

/** How often a text denies. Two denials may cancel out: "an illness that's not on the list, … you need not". */
export function countNegators(text: string): number {
  return text.replaceAll(NO_DENIAL, "").match(EVERY_NEGATOR)?.length ?? 0;
}

/** Does the word deny what its clause says: "not", "can't"? */
export function deniesClause(word: string): boolean {
  return IS_CLAUSE.test(word);
}

/** Does the word take one thing away: "no", "without"? */
export function deniesNoun(word: string): boolean {
  return IS_NOUN.test(word);
}

/** Is the word a verb with its denial: "cannot", "don't"? */
export function deniesAsVerb(word: string): boolean {
  return IS_VERB.test(word);
}

/** A verb without the denial that it holds: "can't" and "cannot" are "can"; other words as they are. */
export function verbOf(word: string): string {
  if (!deniesAsVerb(word)) return word;
  const verb = word.replace(/(?:not|n['’]?t)$/iu, "");
  return verb === "ca" ? "can" : verb === "wo" ? "will" : verb;
}

/** Does the word deny or except, in whatever way? */
export function turnsSense(word: string): boolean {
  return IS_ANY.test(word);
}
