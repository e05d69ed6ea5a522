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

/**
 * What comes one by one, in groups and in order: a group ends when it is full, or when its first item has waited for `waitMs` milliseconds.
 * When whoever asks stops, what was begun is left to end.
 */
export async function* inGroups<Item>(
  items: AsyncIterable<Item>,
  { isFull, waitMs }: { readonly isFull: (group: readonly Item[]) => boolean; readonly waitMs: number },
): AsyncGenerator<Item[], void> {
  const iterator = items[Symbol.asyncIterator]();
  const ask = () => {
    const next = iterator.next();
    // Its failure is thrown where it is waited for; until then it is no unhandled rejection.
    next.catch(() => {});
    return next;
  };
  let next = ask();
  try {
    for (let first = await next; first.done !== true; first = await next) {
      const group = [first.value];
      next = ask();
      const deadline = after(waitMs);
      try {
        while (!isFull(group)) {
          const more = await Promise.race([next, deadline.passed]);
          if (more === null || more.done === true) break;
          group.push(more.value);
          next = ask();
        }
      } finally {
        deadline.cancel();
      }
      yield group;
    }
  } finally {
    void iterator.return?.();
  }
}

function after(ms: number): { readonly passed: Promise<null>; readonly cancel: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  return { passed, cancel: () => clearTimeout(timer) };
}
