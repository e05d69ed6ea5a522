/** Does this run try everything (`./run test --all`)? The one place that asks. */
export const TRIES_ALL: boolean = process.env.SOURCEBOUND_TEST === "all";

/** Rounds of a long trial, or the size of what it is tried on: all of it with `--all`, less otherwise. */
export function rounds<T>({ all, usually }: { readonly all: T; readonly usually: T }): T {
  return TRIES_ALL ? all : usually;
}
