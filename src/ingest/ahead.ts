/**
 * What `prepare` makes of each item, in order, with up to `count` of them begun ahead of the one that is waited for.
 * When whoever asks stops, those that were begun are left to end.
 */
export async function* prepareAhead<Item, Prepared>(
  items: readonly Item[],
  prepare: (item: Item) => Promise<Prepared>,
  count: number,
): AsyncGenerator<Prepared, void> {
  const begun: Promise<Prepared>[] = [];
  let next = 0;
  const begin = () => {
    const prepared = prepare(items[next++] as Item);
    // Its failure is thrown where it is waited for; until then it is no unhandled rejection.
    prepared.catch(() => {});
    begun.push(prepared);
  };
  while (begun.length > 0 || next < items.length) {
    while (begun.length <= count && next < items.length) begin();
    yield await (begun.shift() as Promise<Prepared>);
  }
}
