import type { ContentWord } from "../language/content-words.ts";
import type { Reading } from "../language/reading.ts";
import type { TextRange } from "../shared/types.ts";
import type { Statement } from "./statements.ts";

/** What a word counts where a statement itself holds it, what stands above it, or its neighbour. */
const OWN = 1;
const ABOVE = 0.8;
const BESIDE = 0.4;
/** What a word counts that the question brought, where statements are compared with each other; it grounds nothing. */
const GIVEN = 0.6;
/** A word under negation in only one of two texts says half of the same. */
const OTHER_POLARITY = 0.5;
/** What a word may count less in a statement that outdoes another, and what one word must count more. */
const SLACK = 0.1;
const CLEARLY_MORE = 0.39;
/** Content words of distance at which a word counts half for what a value or a name is about. */
const HALF_DISTANCE = 4;
/** The same for what a negation or an opposite acts on. */
const CLOSE_DISTANCE = 1.5;
/** What a heading's word counts for that. */
const BARELY = 0.3;

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
  /** The same as `coverage`, words near a place of the claim counting more, those of the place itself not at all. */
  near(place: TextRange): readonly number[];
  /** How far each statement's own words are those close around a place, whatever they deny. */
  close(place: TextRange): readonly number[];
  /** Does one statement hold all that the other holds of the claim, and clearly more? By their indexes. */
  outdoes(one: number, other: number): boolean;
}

/** Coverage by the best statement. */
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
function nearness(between: number, halfDistance: number): number {
  return 1 / (1 + between / halfDistance);
}

/** Words of many statements tell little about which one is meant. */
function rarity(frequency: number): number {
  return frequency <= 2 ? 1 : 1 / (1 + Math.log(frequency / 2));
}

function holds({ roots, above, beside }: Statement, { root, negated }: ContentWord, given: ReadonlySet<string>, asksBeside = true): number {
  const [where, worth] = roots.has(root) ? [roots, OWN] : above.has(root) ? [above, ABOVE] : [beside, asksBeside ? BESIDE : 0];
  if (!where.has(root)) return given.has(root) ? GIVEN : 0;
  const same = negated === where.has(`¬${root}`);
  return Math.max(same ? worth : worth * OTHER_POLARITY, given.has(root) ? GIVEN : 0);
}
