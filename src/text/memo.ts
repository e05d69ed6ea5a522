/** Returns a function that computes a value on first use and keeps it. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * Returns a function that runs `make` on first use and keeps the result. After a failure, the next use runs `make`
 * again.
 */
export function onceDone<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make().catch((cause: unknown) => {
      made = null;
      throw cause;
    });
    return made;
  };
}

/**
 * Caches the results of a pure function.
 * @param most maximum number of results; a full cache is emptied, because frequent keys return to it soon. Default: unlimited
 */
export function memoised<Key, Value>(make: (key: Key) => Value, most = Number.POSITIVE_INFINITY): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const made = make(key);
    if (known.size >= most) known.clear();
    known.set(key, made);
    return made;
  };
}

/**
 * Shares one value across the process as long as some code references the value. It is created on first use, and again
 * after garbage collection.
 */
export function whileHeld<T extends object>(make: () => T): () => T {
  let held: WeakRef<T> | null = null;
  return () => {
    const known = held?.deref();
    if (known !== undefined) return known;
    const made = make();
    held = new WeakRef(made);
    return made;
  };
}
