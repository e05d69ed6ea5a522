/** Items with their places, for lists in which an item is its place: columns of a table, lines of a text. */
export function numbered<T>(items: readonly T[]): { readonly place: number; readonly item: T }[] {
  return items.map((item, place) => ({ place, item }));
}
