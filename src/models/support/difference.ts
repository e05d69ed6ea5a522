import { NEGATIONS } from "./lexicon.ts";
import type { SupportEvidence, SupportSentence, SupportToken } from "./text.ts";

/**
 * Closed classes of English grammar whose exchange turns what a sentence commits to while every word that carries a topic stays: none of
 * them carries a topic, so that nothing else measures them. What an exchange is worth is learned.
 */
const CLASSES = {
  possible: list("may might can could cannot cant couldnt"),
  advised: list("should ought shouldnt recommended advised"),
  certain: list("will would shall wont wouldnt"),
  required: list("must mustnt required requires require need needs"),
  universal: list("all every each always everyone everything entire"),
  partial: list("some few several sometimes rarely seldom occasionally"),
  most: list("many most usually often generally typically mostly"),
  lower: list("least more over above exceeds exceed minimum"),
  upper: list("less fewer under below maximum within up"),
  only: list("only solely exclusively alone"),
  both: list("both and"),
  either: list("either or"),
  if: list("if provided when whenever"),
  unless: list("unless except"),
  before: list("before until till prior"),
  after: list("after since following once"),
  negation: NEGATIONS,
} as const satisfies Record<string, ReadonlySet<string>>;

export type WordClass = keyof typeof CLASSES;
export const WORD_CLASSES: readonly WordClass[] = Object.keys(CLASSES) as WordClass[];
/** Words behind which a sentence says when what it says holds. */
const CONDITIONS: readonly WordClass[] = ["if", "unless", "before", "after", "only"];

/** What a claim has that the sentence of the evidence which comes nearest to its wording lacks, and the other way round. */
export interface Difference {
  /** Share of the claim's tokens that stand there in the same order. */
  readonly kept: number;
  /** Tokens of the claim that do not. */
  readonly added: number;
  /** Tokens of the sentence between the first and the last that both have, and which the claim lacks; and those outside. */
  readonly lostInside: number;
  readonly lostOutside: number;
  /** Places where they differ, and tokens of the largest one on the claim's side. */
  readonly places: number;
  readonly largest: number;
  /** Per class: words of the claim alone less words of the sentence alone; `null` when neither has one. */
  readonly net: Readonly<Record<WordClass, number | null>>;
  /** Words that begin a condition: in the claim alone, and outside the common stretch of the sentence. */
  readonly conditionsAdded: number;
  readonly conditionsOutside: number;
  readonly names: Exchanged;
  readonly numbers: Exchanged;
  readonly content: Exchanged;
  /** Words of the classes that stand in the claim alone, and in the common stretch of the sentence alone. */
  readonly own: readonly SupportToken[];
  readonly other: readonly SupportToken[];
}

export interface Exchanged {
  /** In the claim, nowhere in the sentence. */
  readonly added: number;
  /** In the common stretch of the sentence, nowhere in the claim. */
  readonly lost: number;
  /** In both, in another place. */
  readonly moved: number;
}

/** Sentences that share most tokens with the claim are laid beside it, and of each so many tokens. */
const CANDIDATES = 4;
const MAX_TOKENS = 150;

/** Lays a claim beside the sentence of the evidence that comes nearest to its wording; `null` when none shares a word. */
export function readDifference(claim: SupportSentence, { sentences }: SupportEvidence): Difference | null {
  const own = claim.tokens.slice(0, MAX_TOKENS);
  const stems = new Set(own.map(({ stem }) => stem));
  const shared = sentences.map(({ tokens }) => new Set(tokens.flatMap(({ stem }) => (stems.has(stem) ? stem : []))).size);
  const candidates = [...shared.keys()]
    .filter((i) => (shared[i] as number) > 0)
    .sort((a, b) => (shared[b] as number) - (shared[a] as number) || a - b)
    .slice(0, CANDIDATES);
  let best: Difference | null = null;
  for (const i of candidates) {
    const other = (sentences[i] as SupportSentence).tokens.slice(0, MAX_TOKENS);
    const difference = differ(own, other);
    if (best === null || worth(difference, own.length) > worth(best, own.length)) best = difference;
  }
  return best;
}

function worth({ kept, lostInside }: Difference, length: number): number {
  return kept - (0.2 * lostInside) / length;
}

function differ(own: readonly SupportToken[], other: readonly SupportToken[]): Difference {
  const pairs = commonTokens(own, other);
  const first = pairs[0]?.[1] ?? 0;
  const last = pairs.at(-1)?.[1] ?? -1;
  const mine = new Set(pairs.map(([i]) => i));
  const theirs = new Set(pairs.map(([, j]) => j));
  const added = own.filter((_, i) => !mine.has(i));
  // One token before and behind the common stretch belongs to it: "only" in front, "not" at the end.
  const isInside = (j: number) => j >= first - 1 && j <= last + 1;
  const inside = other.filter((_, j) => !theirs.has(j) && isInside(j));
  const outside = other.filter((_, j) => !theirs.has(j) && !isInside(j));
  const runs = runsOf(own, mine);
  return {
    kept: pairs.length / own.length,
    added: added.length,
    lostInside: inside.length,
    lostOutside: outside.length,
    places: runs.length,
    largest: Math.max(0, ...runs),
    net: Object.fromEntries(WORD_CLASSES.map((name) => [name, netOf(name, added, inside)])) as Difference["net"],
    conditionsAdded: conditions(added),
    conditionsOutside: conditions(outside),
    names: exchanged(added, inside, own, other, ({ name }) => name),
    numbers: exchanged(added, inside, own, other, ({ number }) => number),
    content: exchanged(added, inside, own, other, ({ content }) => content),
    own: added.filter(isClassed),
    other: inside.filter(isClassed),
  };
}

/** Index pairs of a longest common subsequence by stem. */
function commonTokens(own: readonly SupportToken[], other: readonly SupportToken[]): (readonly [number, number])[] {
  const width = other.length + 1;
  const lengths = new Uint16Array((own.length + 1) * width);
  for (let i = own.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      const isSame = (own[i] as SupportToken).stem === (other[j] as SupportToken).stem;
      lengths[i * width + j] = isSame
        ? (lengths[(i + 1) * width + j + 1] as number) + 1
        : Math.max(lengths[(i + 1) * width + j] as number, lengths[i * width + j + 1] as number);
    }
  }
  const pairs: (readonly [number, number])[] = [];
  for (let i = 0, j = 0; i < own.length && j < other.length; ) {
    if ((own[i] as SupportToken).stem === (other[j] as SupportToken).stem) pairs.push([i++, j++]);
    else if ((lengths[(i + 1) * width + j] as number) >= (lengths[i * width + j + 1] as number)) i++;
    else j++;
  }
  return pairs;
}

/** Lengths of the runs of tokens that are not among the common ones. */
function runsOf(tokens: readonly SupportToken[], common: ReadonlySet<number>): number[] {
  const runs: number[] = [];
  tokens.forEach((_, i) => {
    if (common.has(i)) return;
    if (i > 0 && !common.has(i - 1)) runs[runs.length - 1] = (runs.at(-1) as number) + 1;
    else runs.push(1);
  });
  return runs;
}

function isClassed({ text, name, number }: SupportToken): boolean {
  return name || number || WORD_CLASSES.some((one) => (CLASSES[one] as ReadonlySet<string>).has(text));
}

function netOf(name: WordClass, added: readonly SupportToken[], lost: readonly SupportToken[]): number | null {
  const words: ReadonlySet<string> = CLASSES[name];
  const here = added.filter(({ text }) => words.has(text)).length;
  const there = lost.filter(({ text }) => words.has(text)).length;
  return here + there === 0 ? null : here - there;
}

function conditions(tokens: readonly SupportToken[]): number {
  return tokens.filter(({ text }) => CONDITIONS.some((name) => (CLASSES[name] as ReadonlySet<string>).has(text))).length;
}

function exchanged(
  added: readonly SupportToken[],
  lost: readonly SupportToken[],
  own: readonly SupportToken[],
  other: readonly SupportToken[],
  isOfKind: (token: SupportToken) => boolean,
): Exchanged {
  const mine = new Set(own.map(({ stem }) => stem));
  const theirs = new Set(other.map(({ stem }) => stem));
  const ours = added.filter(isOfKind);
  return {
    added: ours.filter(({ stem }) => !theirs.has(stem)).length,
    lost: lost.filter((token) => isOfKind(token) && !mine.has(token.stem)).length,
    moved: ours.filter(({ stem }) => theirs.has(stem)).length,
  };
}

function list(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}
