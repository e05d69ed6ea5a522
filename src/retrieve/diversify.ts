/**
 * At most `perDocument` items of one document come before those of others; what is left over follows in its order, so nothing is lost
 * when only one document answers.
 * @param perDocument `null`: the order stays
 */
export function diversify<T>(ranked: readonly T[], documentOf: (item: T) => string, perDocument: number | null): T[] {
  if (perDocument === null) return [...ranked];
  const counts = new Map<string, number>();
  const first: T[] = [];
  const rest: T[] = [];
  for (const item of ranked) {
    const count = counts.get(documentOf(item)) ?? 0;
    counts.set(documentOf(item), count + 1);
    (count < perDocument ? first : rest).push(item);
  }
  return [...first, ...rest];
}
