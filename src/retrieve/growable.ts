type NumberArray = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array;

/** The array itself when it has room for `needed` values, else a copy that is at least twice as long. */
export function withRoom<A extends NumberArray>(array: A, needed: number): A {
  if (needed <= array.length) return array;
  const larger = new (array.constructor as new (length: number) => A)(Math.max(needed, array.length * 2, 64));
  larger.set(array);
  return larger;
}
