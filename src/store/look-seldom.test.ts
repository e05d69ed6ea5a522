import { expect, it } from "vitest";
import { createSeldom } from "./sessions.ts";

it("is due with the first addition, and again when as many have followed as were said", () => {
  const seldom = createSeldom();
  expect(seldom.isDue(1)).toBe(true);
  seldom.done(1, 3);
  const due: boolean[] = [];
  for (let n = 0; n < 8; n++) {
    due.push(seldom.isDue(1));
    seldom.done(1, seldom.isDue(1) ? 3 : undefined);
  }
  expect(due).toEqual([false, false, false, true, false, false, false, true]);
});

it("is due for many at once that go beyond it, and stays due until somebody has looked", () => {
  const seldom = createSeldom();
  seldom.done(1, 10);
  expect([seldom.isDue(10), seldom.isDue(11)]).toEqual([false, true]);
  // Another one, on its way at the same time, was committed without a look.
  seldom.done(64);
  expect(seldom.isDue(1)).toBe(true);
});

it("answers the same until something is committed", () => {
  const seldom = createSeldom();
  expect([seldom.isDue(5), seldom.isDue(5), seldom.isDue(5)]).toEqual([true, true, true]);
});
