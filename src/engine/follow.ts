import { messageOf } from "../errors.ts";
import type { Indexes } from "./indexes.ts";
import type { Opened } from "./open.ts";

/**
 * Lets every index in use take in what other processes commit, as soon as the database tells of it. Questions look for themselves all the same, so an
 * answer never rests on what is gone; what is told beforehand is the work that a question would wait for.
 */
export async function followChanges({ changes, closing, warn }: Pick<Opened, "changes" | "closing" | "warn">, indexes: Indexes) {
  if (changes === null) return { close: async () => {} };
  const { signal } = closing;
  await changes.listen((domain) => {
    for (const index of indexes.opened()) {
      if (domain !== null && index.domain !== domain) continue;
      index.sync({ signal, mayPrepare: false }).catch((error: unknown) => {
        if (!signal.aborted) warn(`the index of domain "${index.domain}" could not follow a change: ${messageOf(error)}`);
      });
    }
  });
  return { close: () => changes.close() };
}
