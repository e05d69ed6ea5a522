import { expect, it } from "vitest";
import { FairLock } from "./group-commit.ts";

it("lets holders in one at a time, in the order of asking, also those who ask again at once", async () => {
  const lock = new FairLock();
  const order: string[] = [];
  let inside = 0;
  const work = async (name: string) => {
    for (let round = 0; round < 3; round++) {
      const release = await lock.acquire();
      expect(++inside).toBe(1);
      order.push(`${name}${round}`);
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
      release();
    }
  };
  await Promise.all(["a", "b", "c"].map(work));
  expect(order).toEqual(["a0", "b0", "c0", "a1", "b1", "c1", "a2", "b2", "c2"]);
});
