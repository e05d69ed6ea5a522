import { LRUCache } from "lru-cache";
import { sha256Hex } from "./hash.ts";

/** A value that is made when it is first asked for. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Returns a function that runs `make` on first use and keeps its result, but not a failure. */
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

/** Characters of the longest text whose result is kept: several questions long. */
const MOST_CHARACTERS = 2_000;

/**
 * A pure function of a text whose last results are kept. Texts themselves are not: only hashes of them.
 * @param most results kept; the one that was not asked for longest goes first
 */
export function recent<T extends NonNullable<unknown>>(most: number, make: (text: string) => T): (text: string) => T {
  const kept = new LRUCache<string, T, string>({ max: most, memoMethod: (_key, _stale, { context }) => make(context) });
  return (text) => (text.length > MOST_CHARACTERS ? make(text) : kept.memo(sha256Hex(text), { context: text }));
}

/**
 * A pure function that remembers its results.
 * @param most results kept: when there are more, all go at once, for what is asked often is soon there again
 */
export function memoised<Key, Value>(most: number, make: (key: Key) => Value): (key: Key) => Value {
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

/** A value that all of the process share for as long as anybody holds it: created on first use, and again after the last holder has released it. */
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
