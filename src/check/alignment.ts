import type { ContentWord } from "../language/content-words.ts";
import type { TextRange } from "../types.ts";
import type { Reading, Statement } from "./statements.ts";

/** What a word counts where a statement itself holds it, what stands above it, or its neighbour. */
const OWN = 1;
const ABOVE = 0.8;
const BESIDE = 0.4;
/** What a word counts that the question brought: the reader said it, no source needs to. */
const GIVEN = 0.6;
/** A word under negation in only one of two texts says half of the same. */
const OTHER_POLARITY = 0.5;
/** Content words of distance at which a word counts half for what a value or a name is about. */
const HALF_DISTANCE = 4;

/** A claim laid beside every statement of some quotes. */
export interface Alignment {
  readonly claim: Reading;
  readonly statements: readonly Statement[];
  /** Does any statement hold the root, or what stands above it? */
  knows(root: string): boolean;
  /** Was the root brought by the question? */
  given(root: string): boolean;
  /** Share of the claim's words that each statement holds, with what surrounds it, 0–1. */
  readonly coverage: readonly number[];
  /** The same, words near a place of the claim counting more, those of the place itself not at all. */
  near(place: TextRange): readonly number[];
}

/** @param given roots of the question */
export function align(claim: Reading, statements: readonly Statement[], given: ReadonlySet<string>): Alignment {
  const places = placesOf(claim.words);
  const distinct = [...places.values()].map(([first]) => claim.words[first as number] as ContentWord);
  const documentFrequency = (root: string) => statements.reduce((sum, { roots }) => sum + (roots.has(root) ? 1 : 0), 0);
  const weights = distinct.map(({ root }) => rarity(documentFrequency(root)));
  const held = statements.map((statement) => distinct.map((word) => holds(statement, word, given)));
  const score = (shares: readonly number[]) =>
    held.map((row) => {
      let sum = 0;
      let total = 0;
      for (let i = 0; i < distinct.length; i++) {
        const weight = (weights[i] as number) * (shares[i] as number);
        total += weight;
        sum += weight * (row[i] as number);
      }
      return total === 0 ? 0 : sum / total;
    });
  return {
    claim,
    statements,
    knows: (root) => statements.some(({ roots, above }) => roots.has(root) || above.has(root)),
    given: (root) => given.has(root),
    coverage: score(distinct.map(() => 1)),
    near(place) {
      const before = claim.words.filter(({ end }) => end <= place.start).length;
      const after = claim.words.length - claim.words.filter(({ start }) => start >= place.end).length;
      return score(
        [...places.values()].map((indexes) =>
          Math.max(...indexes.map((i) => (i < before ? nearness(before - 1 - i) : i >= after ? nearness(i - after) : 0))),
        ),
      );
    },
  };
}

/** Root → indexes of the words with it, in order of their first. */
function placesOf(words: readonly ContentWord[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [i, { root }] of words.entries()) {
    const known = places.get(root);
    if (known === undefined) places.set(root, [i]);
    else known.push(i);
  }
  return places;
}

/** 1 beside the place, less with every content word between. */
function nearness(between: number): number {
  return 1 / (1 + between / HALF_DISTANCE);
}

/** Words of many statements tell little about which one is meant. */
function rarity(frequency: number): number {
  return frequency <= 2 ? 1 : 1 / (1 + Math.log(frequency / 2));
}

function holds({ roots, above, beside }: Statement, { root, negated }: ContentWord, given: ReadonlySet<string>): number {
  const [where, worth] = roots.has(root) ? [roots, OWN] : above.has(root) ? [above, ABOVE] : [beside, BESIDE];
  if (!where.has(root)) return given.has(root) ? GIVEN : 0;
  const same = negated === where.has(`¬${root}`);
  return Math.max(same ? worth : worth * OTHER_POLARITY, given.has(root) ? GIVEN : 0);
}
