import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SlotSet } from "./slot-set.ts";

describe("SlotSet", () => {
  it("visits what it holds, each slot once and in rising order", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(3000)), fc.array(fc.nat(3000)), (added, deleted) => {
        const set = new SlotSet();
        for (const slot of added) set.add(slot);
        for (const slot of deleted) set.delete(slot);
        const visited: number[] = [];
        set.forEach((slot) => {
          visited.push(slot);
        });
        expect(visited).toEqual(added.filter((slot) => !deleted.includes(slot)).sort((a, b) => a - b));
      }),
    );
  });
});
