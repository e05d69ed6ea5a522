/** Returns a function that computes a value on the first call. Later calls return the same value. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * Returns a function that runs `make` on the first call. Later calls return the same result. After a failure, the next
 * call runs `make` again.
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
 * @param most maximum number of results (default: unlimited). A full cache is emptied; frequent keys are soon cached again
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
 * Returns a function that gives all callers the same object. It refers to the object weakly: once no caller uses the
 * object, the garbage collector may free it, and the next call creates a new one.
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
