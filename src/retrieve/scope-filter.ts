import type { Scope } from "../types.ts";
import { SlotSet } from "./slot-set.ts";
import type { VocabularyOwner } from "./vocabulary.ts";

/** Scopes kept at once: a server has a few tenants and labels in use at a time. */
const MAX_SCOPES = 64;

/** May the scope read what belongs to this owner? */
export function scopeSees(scope: Scope, { tenant, access }: VocabularyOwner): boolean {
  return scope.access.includes(access) && (tenant === null || tenant === scope.tenant);
}

/** The windows of a document, and whose it is. */
export interface OwnedWindows {
  readonly document: VocabularyOwner;
  readonly slots: readonly number[];
}

/** The windows that each scope may see, worked out once for a scope until the index changes. */
export class ScopeFilter {
  private readonly documents: () => Iterable<OwnedWindows>;
  private readonly known = new Map<string, SlotSet>();

  /** @param documents all that are indexed now */
  constructor(documents: () => Iterable<OwnedWindows>) {
    this.documents = documents;
  }

  /** The windows that the scope may see. The set is shared and must not be changed; `and` makes a new one. */
  slotsFor(scope: Scope): SlotSet {
    const key = JSON.stringify([scope.tenant, [...scope.access].sort()]);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const visible = new SlotSet();
    for (const { document, slots } of this.documents()) if (scopeSees(scope, document)) for (const slot of slots) visible.add(slot);
    if (this.known.size >= MAX_SCOPES) this.known.clear();
    this.known.set(key, visible);
    return visible;
  }

  /** Must be called whenever a document is added or deleted, or changes its owner. */
  clear(): void {
    this.known.clear();
  }
}
