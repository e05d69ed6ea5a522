/** Bytes of items that are prepared beside the one that is waited for: what was prepared early waits with its whole content. */
const AHEAD_BYTES = 4 * 1024 * 1024;

/**
 * What `prepare` makes of each item, in order, with up to `room` of them begun ahead of the one that is waited for: the next one always, the others as long as
 * they are small together. When whoever asks stops, those that were begun are left to end.
 */
export async function* prepareAhead<Item, Prepared>(
  items: readonly Item[],
  prepare: (item: Item) => Promise<Prepared>,
  { room, bytesOf }: { readonly room: number; readonly bytesOf: (item: Item) => number },
): AsyncGenerator<Prepared, void> {
  const begun: { readonly prepared: Promise<Prepared>; readonly bytes: number }[] = [];
  let next = 0;
  let ahead = 0;
  const begin = () => {
    const item = items[next++] as Item;
    const prepared = prepare(item);
    // Its failure is thrown where it is waited for; until then it is no unhandled rejection.
    prepared.catch(() => {});
    begun.push({ prepared, bytes: bytesOf(item) });
    ahead += bytesOf(item);
  };
  while (begun.length > 0 || next < items.length) {
    while (next < items.length && (begun.length <= 1 || (begun.length <= room && ahead + bytesOf(items[next] as Item) <= AHEAD_BYTES)))
      begin();
    const first = begun.shift();
    if (first === undefined) return;
    ahead -= first.bytes;
    yield await first.prepared;
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
