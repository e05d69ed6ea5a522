/** Pairs items with their index. For lists whose items are identified by their index: columns of a table, lines of a text. */
export function numbered<T>(items: readonly T[]): { readonly place: number; readonly item: T }[] {
  return items.map((item, place) => ({ place, item }));
}
