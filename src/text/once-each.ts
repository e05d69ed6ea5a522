/** The first of those that share a key, in their order. */
export function onceEach<T>(all: readonly T[], keyOf: (one: T) => string): T[] {
  return [...Map.groupBy(all, keyOf).values()].flatMap(([first]) => (first === undefined ? [] : [first]));
}
