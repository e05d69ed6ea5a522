import { expect, test } from "vitest";
import { inGroups, prepareAhead } from "../ingest.ts";

async function* after(items: readonly (readonly [ms: number, item: string])[]): AsyncGenerator<string, void> {
  for (const [ms, item] of items) {
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
    if (item === "broken") throw new Error("broken");
    yield item;
  }
}

async function groupsOf(items: readonly (readonly [number, string])[], size: number, waitMs: number): Promise<string[][]> {
  const groups: string[][] = [];
  for await (const group of inGroups(after(items), { isFull: (group) => group.length >= size, waitMs })) groups.push(group);
  return groups;
}

test("ends a group when it is full, and gives the rest at the end", async () => {
  expect(
    await groupsOf(
      [..."abcde"].map((item) => [0, item]),
      2,
      10_000,
    ),
  ).toEqual([["a", "b"], ["c", "d"], ["e"]]);
});

test("ends a group when its first item has waited long enough, and loses nothing of what comes later", async () => {
  const slow = [
    [0, "a"],
    [0, "b"],
    [300, "c"],
    [0, "d"],
  ] as const;
  expect(await groupsOf(slow, 100, 60)).toEqual([
    ["a", "b"],
    ["c", "d"],
  ]);
});

test("gives what came before a failure, then throws it", async () => {
  const groups: string[][] = [];
  const failing = async () => {
    for await (const group of inGroups(
      after([
        [0, "a"],
        [0, "b"],
        [0, "broken"],
      ]),
      { isFull: (group) => group.length >= 2, waitMs: 10_000 },
    ))
      groups.push(group);
  };
  await expect(failing()).rejects.toThrow("broken");
  expect(groups).toEqual([["a", "b"]]);
});

test("has no groups of nothing", async () => {
  expect(await groupsOf([], 2, 10)).toEqual([]);
});

test("prepares small items ahead, of large ones one, and gives them in order", async () => {
  const MB = 1024 * 1024;
  const begun: number[] = [];
  const prepare = async (bytes: number) => {
    begun.push(bytes);
    return bytes;
  };
  const sizes = [1, 2, 3, 4, 5, 9 * MB, 8 * MB, 7 * MB];
  const given: number[] = [];
  const begunAt: number[] = [];
  for await (const bytes of prepareAhead(sizes, prepare, { room: 3, bytesOf: (one) => one })) {
    given.push(bytes);
    begunAt.push(begun.length);
  }
  expect(given).toEqual(sizes);
  expect(begunAt).toEqual([4, 5, 5, 5, 6, 7, 8, 8]);
});
