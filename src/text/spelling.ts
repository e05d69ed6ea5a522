/** Shorter words are not repaired: too many others are one letter away. */
export const REPAIR_MIN_LETTERS = 4;
/** From this length on two edits are allowed, below it one. */
export const TWO_EDITS_FROM = 7;
/** Letters of a word that its deletes are made of (SymSpell's prefix length): bounds memory per word; what differs behind them still counts in the distance. */
const PREFIX = 7;
/** What an edit costs against a hundredfold frequency: e^4.6 ≈ 100. */
const EDIT_COST = 4.6;
/** Writers seldom miss the first letter. */
const FIRST_LETTER_COST = 2.3;

/** How many edits may lie between a misspelt word of this length and what was meant. */
export function allowedEdits(letters: number): number {
  return letters < REPAIR_MIN_LETTERS ? 0 : letters < TWO_EDITS_FROM ? 1 : 2;
}

/**
 * The word's prefix with up to `edits` letters left out, itself included (Garbe, SymSpell: symmetric deletes).
 * Two words within `edits` edits share at least one of these.
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

/** Damerau–Levenshtein distance with adjacent transpositions (optimal string alignment); `limit + 1` when it is greater than `limit`. */
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
 * The candidate that was most likely meant: ln(frequency) less a cost per edit, a small noisy channel. Ties: fewer edits, then the alphabet.
 * @param candidates words with the number of documents that hold them
 * @returns `null` when none is near enough
 */
export function bestRepair(word: string, candidates: ReadonlyMap<string, number>): string | null {
  const limit = allowedEdits(word.length);
  let best: { word: string; score: number; edits: number } | null = null;
  for (const [candidate, frequency] of candidates) {
    if (candidate.length < REPAIR_MIN_LETTERS) continue;
    const edits = editDistance(word, candidate, limit);
    if (edits === 0 || edits > limit || (edits > 1 && candidate.length < TWO_EDITS_FROM - 1)) continue;
    const score = Math.log(frequency) - edits * EDIT_COST - (candidate[0] === word[0] ? 0 : FIRST_LETTER_COST);
    const wins =
      best === null ||
      score > best.score ||
      (score === best.score && (edits < best.edits || (edits === best.edits && candidate < best.word)));
    if (wins) best = { word: candidate, score, edits };
  }
  return best?.word ?? null;
}
