/** Whether the run is exhaustive (`./run test --all`). Only this file checks it. */
export const TRIES_ALL: boolean = process.env.SOURCEBOUND_TEST === "all";

/** Returns the number of rounds or the size of a long test. */
export function rounds<T>({ all, usually }: { readonly all: T; readonly usually: T }): T {
  return TRIES_ALL ? all : usually;
}

/** Returns all cases of a long test with `--all`, otherwise `usually` of them at even intervals, including the first and the last. */
export function part<T>(all: readonly T[], usually: number): readonly T[] {
  if (TRIES_ALL || all.length <= usually) return all;
  return Array.from({ length: usually }, (_, i) => all[Math.round((i * (all.length - 1)) / (usually - 1))] as T);
}
