import { expect, it } from "vitest";
import { createFairLock, createSharedSync } from "./write-log.ts";

const soon = () => new Promise((resolve) => setTimeout(resolve, 5));

it("acknowledges nothing before it is on disk, and syncs waiting writes together", async () => {
  const disk: (() => void)[] = [];
  const { sync } = createSharedSync(() => new Promise((resolve) => disk.push(resolve)));
  const acknowledged: number[] = [];
  const write = (n: number) => sync().then(() => acknowledged.push(n));
  const writes = [write(0)];
  await soon();
  writes.push(write(1), write(2));
  await soon();
  expect([acknowledged, disk.length]).toEqual([[], 1]);
  disk[0]?.();
  await soon();
  expect([acknowledged, disk.length]).toEqual([[0], 2]);
  disk[1]?.();
  await Promise.all(writes);
  expect([acknowledged, disk.length]).toEqual([[0, 1, 2], 2]);
});

it("acknowledges nothing after the disk failed", async () => {
  let looks = 0;
  const { sync, assertUsable } = createSharedSync(async () => {
    looks++;
    throw new Error("EIO");
  });
  assertUsable();
  await expect(sync()).rejects.toThrow("EIO");
  await expect(sync()).rejects.toThrow("EIO");
  expect(assertUsable).toThrow("EIO");
  expect(looks).toBe(1);
});

it("runs one at a time, in order", async () => {
  const acquire = createFairLock();
  const order: number[] = [];
  let inside = 0;
  await Promise.all(
    [1, 2, 3].map(async (n) => {
      const release = await acquire();
      expect(++inside).toBe(1);
      await soon();
      order.push(n);
      inside--;
      release();
    }),
  );
  expect(order).toEqual([1, 2, 3]);
});
