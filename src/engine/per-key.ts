/** Makes a thing for each key once, when it is first asked for. */
export function perKey<Key, Thing>(make: (key: Key) => Thing): ((key: Key) => Thing) & { readonly made: ReadonlyMap<Key, Thing> } {
  const made = new Map<Key, Thing>();
  const get = (key: Key): Thing => {
    if (made.has(key)) return made.get(key) as Thing;
    const thing = make(key);
    made.set(key, thing);
    return thing;
  };
  return Object.assign(get, { made });
}
