/** Endings that make another form of a word; those that make another thing or its opposite (-er, -ee, -ful, -less, -able, -itis) are none. */
const SUFFIX = /^(?:i|e|y|s|ing|ion|at|ation|ment|anc|enc|ance|ence|li|ly)?$/;
const MIN_ROOT = 5;

/** Are two stems forms of one word: do they differ in an ending alone? */
export function isDerived(a: string, b: string): boolean {
  if (a.includes(" ") || b.includes(" ")) return false;
  let common = 0;
  while (common < a.length && common < b.length && a[common] === b[common]) common++;
  return common >= MIN_ROOT && SUFFIX.test(a.slice(common)) && SUFFIX.test(b.slice(common));
}
