import { DenseIndex } from "./dense.ts";
import { SlotSet } from "./slot-set.ts";
import type { Scored } from "./top-k.ts";

/** Vectors of one model in one index, searched group by group: a group never sees another's. */
export class VectorGroups {
  private readonly index: DenseIndex;
  private readonly groups = new Map<string, SlotSet>();
  private readonly groupOf = new Map<number, string>();

  constructor(model: string) {
    this.index = new DenseIndex({ model });
  }

  /** Returns the vector's slot. */
  add(group: string, vector: Float32Array): number {
    const slot = this.index.add(vector);
    const slots = this.groups.get(group) ?? new SlotSet();
    slots.add(slot);
    this.groups.set(group, slots);
    this.groupOf.set(slot, group);
    return slot;
  }

  delete(slot: number): void {
    const group = this.groupOf.get(slot);
    if (group === undefined) return;
    this.index.delete(slot);
    this.groupOf.delete(slot);
    this.groups.get(group)?.delete(slot);
  }

  /** The `k` nearest of a group by cosine, best first. */
  search(group: string, vector: Float32Array, k: number): Scored[] {
    const slots = this.groups.get(group);
    return slots === undefined ? [] : this.index.search(vector, k, slots);
  }
}
