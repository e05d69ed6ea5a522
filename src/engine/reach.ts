import type { Store } from "../store/store.ts";
import type { Scope } from "../types.ts";
import type { ReachOptions, ScopeOptions } from "./service-types.ts";

export interface ReachParts {
  readonly store: Pick<Store, "documents">;
  readonly scope: (options?: ScopeOptions) => Scope;
}

/** What may be listed, looked at and deleted: what may be read, or, for whoever runs the installation, files of every label. */
export function createReach({ store, scope }: ReachParts): (options?: ReachOptions) => Promise<Scope> {
  return async ({ everyLabel = false, ...options } = {}) => {
    const reads = scope(options);
    if (!everyLabel) return reads;
    return { ...reads, access: [...new Set([...reads.access, ...(await store.documents.labels(reads.domain))])] };
  };
}
