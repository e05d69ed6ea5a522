/** Does this run try everything (`./run test --all`)? The one place that asks. */
export const TRIES_ALL: boolean = process.env.SOURCEBOUND_TEST === "all";

/** Rounds of a long trial: all of them with `--all`, fewer otherwise. */
export function rounds({ all, usually }: { readonly all: number; readonly usually: number }): number {
  return TRIES_ALL ? all : usually;
}
