import type { Postings } from "./postings.ts";
import type { SlotSet } from "./slot-set.ts";

/** How many entries there are, and how many of them hold a term: what a word is weighed by. */
export interface TermCounts {
  readonly size: number;
  holding(term: number): number;
}

/** Counts among some entries of an index; each term is counted when it is first asked of. They hold until entries are added, deleted or moved. */
export function countAmong(slots: SlotSet, postings: Postings): TermCounts {
  const known = new Map<number, number>();
  return {
    size: slots.size,
    holding(term) {
      const before = known.get(term);
      if (before !== undefined) return before;
      const start = postings.start(term);
      const end = start + postings.length(term);
      let count = 0;
      for (let i = start; i < end; i++) if (slots.has(postings.slots[i] as number)) count++;
      known.set(term, count);
      return count;
    },
  };
}
