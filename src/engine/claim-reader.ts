import { CONTRAST_WEIGHTS, type ReadClaims } from "../check/contrast.ts";
import { once } from "../text/once.ts";
import type { ReaderKeeper } from "./reader-keeper.ts";

/** Nobody waits for a single sentence long enough to cancel its reading. */
const NEVER = new AbortController().signal;

/** Reads claims by the reader that ships, opened with the first of them. */
export function createClaimReader({ of }: Pick<ReaderKeeper, "of">): ReadClaims {
  const reader = once(() => of(CONTRAST_WEIGHTS));
  return async (pairs) => (await reader()?.(pairs, NEVER)) ?? null;
}
