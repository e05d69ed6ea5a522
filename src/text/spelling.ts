import { distance } from "fastest-levenshtein";
import { compareText } from "./normalise.ts";

/** Minimum length of a word to correct. A shorter word is one edit away from too many other words. */
export const REPAIR_MIN_LETTERS = 5;
/** Minimum length of a word for which two edits are allowed. Shorter words may differ by one edit. */
export const TWO_EDITS_FROM = 7;
/**
 * Number of leading letters from which deletions are generated (the prefix length of SymSpell). This bounds the memory
 * per word. The edit distance still includes later letters.
 */
const PREFIX = 7;
/** Cost of one edit, subtracted from ln(frequency). One more edit wins only if the word is 100 times as frequent (e^4.6 ≈ 100). */
const EDIT_COST = 4.6;

/** Returns the maximum number of edits for a word of this length. */
export function allowedEdits(letters: number): number {
  return letters < REPAIR_MIN_LETTERS ? 0 : letters < TWO_EDITS_FROM ? 1 : 2;
}

/**
 * Returns the prefix of the word, and all strings that result from deleting up to `edits` letters of it (Garbe,
 * SymSpell: symmetric deletes). Two words within `edits` edits of each other share at least one of these strings.
 */
export function deletesOf(word: string, edits: number): Set<string> {
  let latest = new Set([word.slice(0, PREFIX)]);
  const all = new Set(latest);
  for (let edit = 0; edit < edits; edit++) {
    const next = new Set<string>();
    for (const one of latest) for (let at = 0; at < one.length; at++) next.add(one.slice(0, at) + one.slice(at + 1));
    for (const one of next) all.add(one);
    latest = next;
  }
  return all;
}

/**
 * Returns the Damerau–Levenshtein distance with adjacent transpositions (optimal string alignment), or `limit + 1` if
 * it is greater than `limit`.
 */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((last[j] as number) + 1, (row[j - 1] as number) + 1, (last[j - 1] as number) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, (beforeLast[j - 2] as number) + 1);
      row.push(cost);
      least = Math.min(least, cost);
    }
    if (least > limit) return limit + 1;
    beforeLast = last;
    last = row;
  }
  return Math.min(last[b.length] as number, limit + 1);
}

/**
 * Returns the most likely correction: the candidate with the highest ln(frequency) minus a cost per edit (a simple
 * noisy channel). On equal scores, fewer edits win, then alphabetical order.
 * @param candidates words with the number of documents that contain them
 * @returns `null` if no candidate is close enough
 */
export function bestRepair(word: string, candidates: ReadonlyMap<string, number>): string | null {
  const limit = allowedEdits(word.length);
  let best: { word: string; score: number; edits: number } | null = null;
  for (const [candidate, frequency] of candidates) {
    if (candidate.length < REPAIR_MIN_LETTERS) continue;
    const edits = editDistance(word, candidate, limit);
    if (edits === 0 || edits > limit || (edits > 1 && candidate.length < TWO_EDITS_FROM - 1) || !isSlip(word, candidate)) continue;
    const score = Math.log(frequency) - edits * EDIT_COST;
    const ahead = best === null ? 1 : score - best.score || best.edits - edits || compareText(best.word, candidate);
    if (ahead > 0) best = { word: candidate, score, edits };
  }
  return best?.word ?? null;
}

/** Minimum length of a word in which letters of one group of `ALIKE` may be exchanged. In shorter words this usually gives another word. */
const SOUNDS_FROM = 6;
/** Groups of letters that writers confuse because they sound alike. */
const ALIKE = ["aeiouy", "cksz", "st", "gj"];
/**
 * Costs of a spelling mistake. `LIGHT_SLIP`: two letters swapped, a letter doubled or undoubled, or a letter exchanged
 * for one of its group in `ALIKE`. `HEAVY_SLIP`: any other letter dropped or added. `MAX_SLIP`: maximum total for a word.
 */
const LIGHT_SLIP = 1;
const HEAVY_SLIP = 2;
const MAX_SLIP = 2;

/**
 * Checks whether `written` may be a misspelling of `meant`: the first letter is equal, and the mistakes cost at most
 * `MAX_SLIP` (one dropped or added letter, or two lighter mistakes). Larger differences mostly make another word, such
 * as hyper- and hypo-, or abduction and adduction.
 */
export function isSlip(written: string, meant: string): boolean {
  if (written[0] !== meant[0] || editDistance(written, meant, MAX_SLIP) > MAX_SLIP) return false;
  const soundsMayDiffer = written.length >= SOUNDS_FROM;
  const rows: number[][] = [];
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 0; i <= written.length; i++) {
    rows.push([]);
    for (let j = 0; j <= meant.length; j++) {
      const [w, m] = [written[i - 1], meant[j - 1]];
      const stands = w === m ? 0 : soundsMayDiffer && areAlike(w, m) ? LIGHT_SLIP : Number.POSITIVE_INFINITY;
      const added = at(i - 1, j) + (w === written[i - 2] ? LIGHT_SLIP : HEAVY_SLIP);
      const dropped = at(i, j - 1) + (m === meant[j - 2] ? LIGHT_SLIP : HEAVY_SLIP);
      const isSwap = w !== m && w === meant[j - 2] && m === written[i - 2];
      const cost = Math.min(at(i - 1, j - 1) + stands, added, dropped, isSwap ? at(i - 2, j - 2) + LIGHT_SLIP : Number.POSITIVE_INFINITY);
      rows[i]?.push(i === 0 && j === 0 ? 0 : cost);
    }
  }
  return at(written.length, meant.length) <= MAX_SLIP;
}

function areAlike(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && ALIKE.some((group) => group.includes(a) && group.includes(b));
}

/** Minimum length of a prefix or suffix. Also the minimum length of the rest of the word. Shorter affixes occur in too many words. */
const AFFIX_MIN_LETTERS = 3;
const AFFIX_MAX_LETTERS = 7;

/**
 * Number of pairs of real words from which two affixes count as different in meaning. A pair is two words that differ
 * only in these affixes, such as "microscopic" and "macroscopic".
 */
const TELLS_APART = 3;

/**
 * Checks whether two words differ in a prefix or suffix that also distinguishes other real words (micro- and macro-,
 * -itis and -osis). Then neither is a misspelling of the other. Returns `false` for spelling variants (dependant,
 * dependent), swapped letters, and a missing or extra letter (disabilty).
 * @param stem returns the same stem for all forms and spellings of a word
 */
export function differInAffix(a: string, b: string, real: ReadonlySet<string>, stem: (word: string) => string): boolean {
  let head = 0;
  while (a[head] === b[head] && head < a.length) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  if (a.length === b.length && a.length - head - tail === 2 && a[head] === b[head + 1] && a[head + 1] === b[head]) return false;
  const lengths = (kept: number) => Array.from({ length: Math.max(0, kept - AFFIX_MIN_LETTERS + 1) }, (_, i) => AFFIX_MIN_LETTERS + i);
  const starts = lengths(tail).map((kept) => [a.slice(0, a.length - kept), b.slice(0, b.length - kept)] as const);
  const ends = lengths(head).map((kept) => [a.slice(kept), b.slice(kept)] as const);
  return (
    tellsApart(starts.filter(areAffixes), "start", [a, b], real, stem) || tellsApart(ends.filter(areAffixes), "end", [a, b], real, stem)
  );
}

function tellsApart(
  affixes: readonly (readonly [string, string])[],
  at: "start" | "end",
  own: readonly [string, string],
  real: ReadonlySet<string>,
  stem: (word: string) => string,
): boolean {
  const apart = new Set<string>();
  if (affixes.length === 0) return false;
  for (const word of real) {
    for (const [one, other] of affixes) {
      const hasAffix = at === "start" ? word.startsWith(one) : word.endsWith(one);
      if (!hasAffix || word.length - one.length < AFFIX_MIN_LETTERS || own.includes(word)) continue;
      const partner = at === "start" ? other + word.slice(one.length) : word.slice(0, word.length - one.length) + other;
      if (!real.has(partner) || own.includes(partner)) continue;
      if (stem(word) === stem(partner)) return false;
      apart.add(stem(word));
    }
  }
  return apart.size >= TELLS_APART;
}

function areAffixes([one, other]: readonly [string, string]): boolean {
  return one.length === other.length && one.length >= AFFIX_MIN_LETTERS && one.length <= AFFIX_MAX_LETTERS;
}

/**
 * Checks whether `word` may be a misspelling of a word in `real`, or a contraction without its apostrophe (`hasnt`).
 * Takes some milliseconds, because it may compare `word` with all of `real`.
 */
export function isSlipOfAny(word: string, real: ReadonlySet<string>): boolean {
  if (word.endsWith("nt") && real.has(word.slice(0, -2))) return true;
  return wordsMeant(word, real).next().done !== true;
}

/** Yields the given words that `word` may be a misspelling of. */
export function* wordsMeant(word: string, words: Iterable<string>): Generator<string, void> {
  for (const one of words) if (one[0] === word[0] && Math.abs(one.length - word.length) <= MAX_SLIP && isSlip(word, one)) yield one;
}

/**
 * Returns the candidate with the fewest edits; the first such candidate on ties. Swapping two letters is one edit.
 * Returns `null` if every candidate needs more edits than a third of the letters of the shorter word.
 */
export function nearestName(word: string, candidates: readonly string[]): string | null {
  let best: { name: string; away: number } | null = null;
  for (const name of candidates) {
    const limit = Math.floor(Math.min(word.length, name.length) / 3);
    const away = editDistance(word.toLowerCase(), name.toLowerCase(), limit);
    if (away <= limit && (best === null || away < best.away)) best = { name, away };
  }
  return best?.name ?? null;
}

/** Returns ` Did you mean "x"?` or an empty string, to append to a message about an unknown name. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const best = nearestName(word, candidates);
  return best === null ? "" : ` Did you mean "${best}"?`;
}

/** Returns the names nearest to `word` by edit distance, ignoring case, nearest first. Ties keep their order. */
export function nearestNames(word: string, names: readonly string[], limit: number): string[] {
  const asked = word.toLowerCase();
  return names
    .map((name) => ({ name, away: distance(asked, name.toLowerCase()) }))
    .sort((a, b) => a.away - b.away)
    .slice(0, limit)
    .map(({ name }) => name);
}
