/** A value that all of the process share for as long as anybody holds it: made when it is first asked for, and anew once nobody had it any more. */
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
