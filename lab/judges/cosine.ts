/** Returns the cosine of two unit vectors; 0 if one is absent. */
export function cosineOf(a: Float32Array | undefined, b: Float32Array | undefined): number {
  let sum = 0;
  if (a !== undefined && b !== undefined) for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}
