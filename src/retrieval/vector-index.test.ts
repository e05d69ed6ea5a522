import { describe, expect, it } from "vitest";
import { SlotSet } from "./slot-set.ts";
import { VectorIndex } from "./vector-index.ts";

const near = Float32Array.of(1, 0);
const far = Float32Array.of(0, 1);

describe("VectorIndex", () => {
  it("ranks vectors that came after the same windows were searched, and none that went", () => {
    const index = new VectorIndex("encoder");
    const windows = SlotSet.from(4, (slot) => slot !== 2);
    const found = () => index.search(near, 9, windows).map(({ slot }) => slot);
    index.add(3, far);
    expect(found()).toEqual([3]);
    index.add(2, near);
    index.add(1, near);
    expect(found()).toEqual([1, 3]);
    index.delete(3);
    expect(found()).toEqual([1]);
    expect(index.size).toBe(2);
  });

  it("gives the best of some windows, and nothing of windows without a vector", () => {
    const index = new VectorIndex("encoder");
    index.add(7, far);
    index.add(3, near);
    expect(index.best(near, [7, 3, 5])).toBe(1);
    expect(index.best(near, [7])).toBe(0);
    expect(index.best(near, [5])).toBeNull();
    expect(index.best(near, [])).toBeNull();
  });
});
