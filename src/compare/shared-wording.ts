/** Longest common subsequence of two word lists, as a share of both. */
export function sharedWording(a: readonly string[], b: readonly string[]): number {
  if (a.length + b.length === 0) return 0;
  let before = new Uint16Array(b.length + 1);
  for (const word of a) {
    const row = new Uint16Array(b.length + 1);
    for (let j = 1; j <= b.length; j++) {
      row[j] = word === b[j - 1] ? (before[j - 1] as number) + 1 : Math.max(before[j] as number, row[j - 1] as number);
    }
    before = row;
  }
  return (2 * (before[b.length] as number)) / (a.length + b.length);
}
