/** Does this run try everything (`./run test --all`)? The one place that asks. */
export const TRIES_ALL: boolean = process.env.SOURCEBOUND_TEST === "all";

/** Rounds of a long trial, or the size of what it is tried on: all of it with `--all`, less otherwise. */
export function rounds<T>({ all, usually }: { readonly all: T; readonly usually: T }): T {
  return TRIES_ALL ? all : usually;
}

/** What a trial is tried on: all of it with `--all`, otherwise so many of it, spread evenly from the first to the last. */
export function part<T>(all: readonly T[], usually: number): readonly T[] {
  if (TRIES_ALL || all.length <= usually) return all;
  return Array.from({ length: usually }, (_, i) => all[Math.round((i * (all.length - 1)) / (usually - 1))] as T);
}
