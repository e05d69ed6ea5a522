/** Pairs items with their index, for lists in which the index is the only key, such as the columns of a table. */
export function numbered<T>(items: readonly T[]): { readonly place: number; readonly item: T }[] {
  return items.map((item, place) => ({ place, item }));
}
