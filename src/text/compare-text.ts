/** The order of two texts by their UTF-16 code units, for `sort`: the same on every machine, whatever its language is. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
