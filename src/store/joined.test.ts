import { describe, expect, it } from "vitest";
import { StoreError } from "../shared/errors.ts";
import { joined } from "./interactions.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
/** Creates a write that takes one turn of the event loop and records its batches. */
function recorded(fail: (items: readonly number[]) => unknown = () => null) {
  const batches: (readonly number[])[] = [];
  const write = async (items: readonly number[]) => {
    batches.push(items);
    await turn();
    const error = fail(items);
    if (error !== null) throw error;
    return items.map((item) => `done ${item}`);
  };
  return { batches, write };
}

describe("joined", () => {
  it("batches calls during a write, in order, and returns each its own result", async () => {
    const { batches, write } = recorded();
    const add = joined(write, { most: 3 });
    expect(await Promise.all([1, 2, 3, 4, 5, 6].map(add))).toEqual([1, 2, 3, 4, 5, 6].map((n) => `done ${n}`));
    expect(batches).toEqual([[1], [2, 3, 4], [5, 6]]);
    expect(await add(7)).toBe("done 7");
  });

  it("fails only the invalid call, and continues", async () => {
    const { batches, write } = recorded((items) => (items.includes(3) ? new Error("not 3") : null));
    const add = joined(write);
    const ends = await Promise.allSettled([1, 2, 3, 4].map(add));
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
    expect(batches).toEqual([[1], [2, 3, 4], [2], [3], [4]]);
    expect(await add(5)).toBe("done 5");
  });

  it("does not repeat calls one by one when the database or disk fails", async () => {
    const { batches, write } = recorded(() => new StoreError("store_busy", "locked"));
    const add = joined(write);
    const ends = await Promise.allSettled([1, 2, 3].map(add));
    expect(ends.map((end) => (end.status === "rejected" ? end.reason.code : "done"))).toEqual(Array(3).fill("store_busy"));
    expect(batches).toEqual([[1], [2, 3]]);
  });

  it("writes the remainder of a batch before later calls", async () => {
    const { batches, write } = recorded();
    const add = joined(async (items: readonly number[]) => (await write(items)).slice(0, 2), { most: 4 });
    expect(await Promise.all([1, 2, 3, 4, 5, 6].map(add))).toEqual([1, 2, 3, 4, 5, 6].map((n) => `done ${n}`));
    expect(batches).toEqual([[1], [2, 3, 4, 5], [4, 5, 6], [6]]);
  });

  it("runs a limited number of writes at once if allowed", async () => {
    const { batches, write } = recorded();
    const add = joined(write, { atOnce: 2 });
    expect(await Promise.all([1, 2, 3, 4].map(add))).toEqual([1, 2, 3, 4].map((n) => `done ${n}`));
    expect(batches).toEqual([[1], [2], [3, 4]]);
  });

  it("stops when a write makes no progress", async () => {
    const add = joined(async (): Promise<string[]> => []);
    await expect(add(1)).rejects.toThrow("nothing was written");
  });
});
