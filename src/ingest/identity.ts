import type { KnownDocument } from "../store/document-records.ts";
import { renamedPath } from "../text/document-path.ts";
import { sha256Hex } from "../text/hash.ts";

/** Names documents: by where they come from, and the same as before where they were known under that path. */
export interface Identities {
  idOf(path: string): string;
  /** The documents of a file go on under another name. */
  rename(from: string, to: string): void;
}

/**
 * @param origin domain, tenant and source: what besides the path tells documents apart
 * @param known documents of that source as they are stored
 */
export function createIdentities(origin: readonly string[], known: readonly KnownDocument[]): Identities {
  const byPath = new Map(known.map((document) => [document.path, document]));
  const taken = new Set(known.map(({ id }) => id));
  return {
    idOf(path) {
      const before = byPath.get(path);
      if (before !== undefined) return before.id;
      // The name may be taken by a document that was renamed since it got it.
      for (let n = 0; ; n++) {
        const id = sha256Hex([...origin, path, ...(n === 0 ? [] : [String(n)])].join("\0")).slice(0, 24);
        if (taken.has(id)) continue;
        taken.add(id);
        byPath.set(path, { id, file: path, path });
        return id;
      }
    },
    rename(from, to) {
      for (const document of [...byPath.values()].filter(({ file }) => file === from)) {
        byPath.delete(document.path);
        const path = renamedPath(document.path, from, to);
        byPath.set(path, { ...document, file: to, path });
      }
    },
  };
}
