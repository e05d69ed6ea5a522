import { expect, it } from "vitest";
import { createTurns } from "./asking.ts";

it("gives the first caller the first turn, however often each has to wait", async () => {
  const join = createTurns();
  const done: string[] = [];
  const question = async (name: string, pieces: number) => {
    const turn = join();
    for (let piece = 0; piece < pieces; piece++) await turn();
    done.push(name);
  };
  await Promise.all([question("long", 20), question("short", 1), question("medium", 5)]);
  expect(done).toEqual(["long", "short", "medium"]);
});

it("lets others continue while the first waits for something else", async () => {
  const join = createTurns();
  const order: string[] = [];
  const first = join();
  const second = join();
  await first();
  const asking = new Promise((resolve) => setTimeout(resolve, 30)).then(async () => {
    await first();
    order.push("first");
  });
  await second();
  order.push("second");
  await asking;
  expect(order).toEqual(["second", "first"]);
});

it.each([
  ["short work shares rounds of the event loop", 0, 5],
  ["work that takes long has a round of its own", 5, 60],
])("%s", async (_, msPerTurn, rounds) => {
  let now = 0;
  const join = createTurns(() => now);
  let counted = 0;
  let isOver = false;
  const count = () => {
    counted++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(
    Array.from({ length: 60 }, async () => {
      await join()();
      now += msPerTurn;
    }),
  );
  isOver = true;
  if (msPerTurn === 0) expect(counted).toBeLessThanOrEqual(rounds);
  else expect(counted).toBeGreaterThanOrEqual(rounds);
});
