import type { ContentWord, Reading } from "../language/content-words.ts";
import type { TextRange } from "../shared/types.ts";
import type { Statement } from "./statements.ts";

/**
 * Weight of a claim's word, depending on where the source contains it: in the quoted sentence itself, above it (title,
 * headings), or in a neighbouring sentence.
 */
const OWN = 1;
const ABOVE = 0.8;
const BESIDE = 0.4;
/** Weight of a word from the question, used only to compare sentences with each other. It supports nothing. */
const GIVEN = 0.6;
/** Factor for a word that is negated in only one of the two texts. */
const OTHER_POLARITY = 0.5;
/** One sentence outdoes another if it covers no word worse by more than `SLACK`, and some word better by at least `CLEARLY_MORE`. */
const SLACK = 0.1;
const CLEARLY_MORE = 0.39;
/** Distance in content words at which a word's weight halves, used to find what a value or a name is about. */
const HALF_DISTANCE = 4;
/** Distance in content words at which a word's weight halves, for the scope of a negation or an opposite. */
const CLOSE_DISTANCE = 1.5;
/** Weight of a heading's word in `close`. */
const BARELY = 0.3;

/** A claim compared with every sentence of its quotes. */
export interface Alignment {
  readonly claim: Reading;
  readonly statements: readonly Statement[];
  /** Checks whether any quoted sentence, or the text above it, contains the root. */
  knows(root: string): boolean;
  /** Checks whether the question contains the root. */
  given(root: string): boolean;
  /** Weighted share of the claim's words that each quoted sentence covers with its context, from 0 to 1. */
  readonly coverage: readonly number[];
  /**
   * Returns the coverage with words near a place of the claim weighted more. Words of the place itself do not count.
   */
  near(place: TextRange): readonly number[];
  /**
   * Returns the share of the words close to a place that each quoted sentence itself contains, whatever their negation.
   */
  close(place: TextRange): readonly number[];
  /**
   * Checks whether one quoted sentence covers everything of the claim that the other covers, and clearly more. Takes
   * indexes.
   */
  outdoes(one: number, other: number): boolean;
}

/** Returns the coverage of the best quoted sentence. */
export function fitOf({ coverage }: Alignment): number {
  return Math.max(0, ...coverage);
}

/** @param given roots of the question */
export function align(claim: Reading, statements: readonly Statement[], given: ReadonlySet<string>): Alignment {
  const places = placesOf(claim.words);
  const distinct = [...places.values()].map(([first]) => claim.words[first as number] as ContentWord);
  const documentFrequency = (root: string) => statements.reduce((sum, { roots }) => sum + (roots.has(root) ? 1 : 0), 0);
  const weights = distinct.map(({ root }) => rarity(documentFrequency(root)));
  const held = statements.map((statement) => distinct.map((word) => holds(statement, word, given)));
  const own = statements.map(({ roots, above }) => distinct.map(({ root }) => (roots.has(root) ? 1 : above.has(root) ? BARELY : 0)));
  const score = (table: readonly (readonly number[])[], shares: readonly number[]) =>
    table.map((row) => {
      let sum = 0;
      let total = 0;
      for (let i = 0; i < distinct.length; i++) {
        const weight = (weights[i] as number) * (shares[i] as number);
        total += weight;
        sum += weight * (row[i] as number);
      }
      return total === 0 ? 0 : sum / total;
    });
  const sharesAround = (place: TextRange, halfDistance: number) => {
    const before = claim.words.filter(({ end }) => end <= place.start).length;
    const after = claim.words.length - claim.words.filter(({ start }) => start >= place.end).length;
    const share = (i: number) => (i < before ? nearness(before - 1 - i, halfDistance) : i >= after ? nearness(i - after, halfDistance) : 0);
    return [...places.values()].map((indexes) => Math.max(...indexes.map(share)));
  };
  const heldHere = (i: number) => distinct.map((word) => holds(statements[i] as Statement, word, given, false));
  return {
    claim,
    statements,
    knows: (root) => statements.some(({ roots, above }) => roots.has(root) || above.has(root)),
    given: (root) => given.has(root),
    coverage: score(
      held,
      distinct.map(() => 1),
    ),
    outdoes(one, other) {
      const [a, b] = [heldHere(one), heldHere(other)];
      return a.every((worth, i) => worth >= (b[i] as number) - SLACK) && a.some((worth, i) => worth >= (b[i] as number) + CLEARLY_MORE);
    },
    near: (place) => score(held, sharesAround(place, HALF_DISTANCE)),
    close: (place) => score(own, sharesAround(place, CLOSE_DISTANCE)),
  };
}

/** Maps each root to the indexes of its words, ordered by first occurrence. */
function placesOf(words: readonly ContentWord[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [i, { root }] of words.entries()) {
    const known = places.get(root);
    if (known === undefined) places.set(root, [i]);
    else known.push(i);
  }
  return places;
}

/** Returns 1 for an adjacent word, and less with every content word between. */
function nearness(between: number, halfDistance: number): number {
  return 1 / (1 + between / halfDistance);
}

/** Returns the weight of a word by its frequency. A word in many quoted sentences says little about which one is meant. */
function rarity(frequency: number): number {
  return frequency <= 2 ? 1 : 1 / (1 + Math.log(frequency / 2));
}

function holds({ roots, above, beside }: Statement, { root, negated }: ContentWord, given: ReadonlySet<string>, asksBeside = true): number {
  const [where, worth] = roots.has(root) ? [roots, OWN] : above.has(root) ? [above, ABOVE] : [beside, asksBeside ? BESIDE : 0];
  if (!where.has(root)) return given.has(root) ? GIVEN : 0;
  const same = negated === where.has(`¬${root}`);
  return Math.max(same ? worth : worth * OTHER_POLARITY, given.has(root) ? GIVEN : 0);
}
