import type { Store } from "../store/store.ts";
import type { Scope, Warning } from "../types.ts";

export interface UnfinishedParts {
  readonly store: Pick<Store, "unfinished">;
}

/** That documents may be missing, because a source was not, or is not yet, read to its end. */
export async function unfinishedWarnings(scope: Scope, { store }: UnfinishedParts): Promise<Warning[]> {
  const files = (await store.unfinished.list(scope)).reduce((sum, n) => sum + n, 0);
  if (files === 0) return [];
  const message = `Documents may be missing: ${files === 1 ? "a file was" : `${files} files were`} to be read, and the reading has not come to its end. Where it was cut off, run \`sourcebound ingest\` again: it goes on where it stopped.`;
  return [{ code: "ingest_unfinished", message }];
}
