import type { Scope } from "../types.ts";
import { SlotSet } from "./slot-set.ts";
import type { VocabularyOwner } from "./vocabulary.ts";

/** Scopes kept at once: a server has a few tenants and labels in use at a time. */
const MAX_SCOPES = 64;

/** May the scope read what belongs to this owner? */
export function scopeSees(scope: Scope, { tenant, access }: VocabularyOwner): boolean {
  return scope.access.includes(access) && (tenant === null || tenant === scope.tenant);
}

/** The windows that each scope may see, worked out once for a scope until the index changes. */
export class ScopeFilter {
  private readonly ownerOf: (slot: number) => VocabularyOwner | null;
  private readonly known = new Map<string, SlotSet>();

  /** @param ownerOf whose document a window is of; `null`: deleted */
  constructor(ownerOf: (slot: number) => VocabularyOwner | null) {
    this.ownerOf = ownerOf;
  }

  /**
   * The windows below `slots` that the scope may see. The set is shared and must not be changed; `and` makes a new one.
   */
  slotsFor(scope: Scope, slots: number): SlotSet {
    const key = JSON.stringify([scope.tenant, [...scope.access].sort()]);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const visible = SlotSet.from(slots, (slot) => {
      const owner = this.ownerOf(slot);
      return owner !== null && scopeSees(scope, owner);
    });
    if (this.known.size >= MAX_SCOPES) this.known.clear();
    this.known.set(key, visible);
    return visible;
  }

  /** Must be called whenever a window is added, deleted, or changes its owner. */
  clear(): void {
    this.known.clear();
  }
}
