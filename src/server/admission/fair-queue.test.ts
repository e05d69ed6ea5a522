import { describe, expect, it } from "vitest";
import { RequestError } from "../../shared/errors.ts";
import { failureOf } from "../../testing/failure-of.ts";
import { createFairQueue } from "./fair-queue.ts";

const codeOf = async (work: Promise<unknown>) => (await failureOf(work))?.code ?? "entered";
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("the queue", () => {
  it("runs a limited number at once, and the next one when one ends", async () => {
    const queue = createFairQueue({ atOnce: 2, most: 10, timeoutMs: 1000 });
    const first = await queue.enter("a");
    await queue.enter("a");
    let begun = false;
    const third = queue.enter("a").then((release) => {
      begun = true;
      return release;
    });
    await settled();
    expect([begun, queue.counts()]).toEqual([false, { running: 2, waiting: 1 }]);
    first();
    first();
    (await third)();
    expect(queue.counts()).toEqual({ running: 1, waiting: 0 });
  });

  it("takes lanes in turn: a single request waits for one of a flood, not for all", async () => {
    const queue = createFairQueue({ atOnce: 1, most: 100, timeoutMs: 5000 });
    const held = await queue.enter("flood");
    const order: string[] = [];
    const enter = (lane: string, name: string) =>
      queue.enter(lane).then((release) => {
        order.push(name);
        release();
      });
    const flood = Array.from({ length: 40 }, (_, i) => enter("flood", `flood ${i}`));
    const others = [enter("reader", "reader"), enter("other", "other")];
    held();
    await Promise.all([...flood, ...others]);
    expect(order.slice(0, 4)).toEqual(["flood 0", "reader", "other", "flood 1"]);
    expect(order).toHaveLength(42);
  });

  it("rejects requests above its places: half of them for one lane, all for everybody", async () => {
    const queue = createFairQueue({ atOnce: 1, most: 4, timeoutMs: 5000 });
    await queue.enter("a");
    const waiting = [queue.enter("a"), queue.enter("a")];
    expect(await codeOf(queue.enter("a"))).toBe("too_many_waiting");
    waiting.push(queue.enter("b"), queue.enter("c"));
    expect(await codeOf(queue.enter("d"))).toBe("busy");
    expect(queue.counts()).toEqual({ running: 1, waiting: 4 });
    await queue.enter("d").catch((error: RequestError) => expect(error.data.retry_after_s).toBeGreaterThan(0));
    for (const one of waiting) one.catch(() => {});
  });

  it("rejects requests that wait too long, and forgets those that leave", async () => {
    const queue = createFairQueue({ atOnce: 1, most: 4, timeoutMs: 20 });
    const release = await queue.enter("a");
    const abort = new AbortController();
    const left = codeOf(queue.enter("b", abort.signal));
    abort.abort(new RequestError("left", "left"));
    expect(await left).toBe("left");
    expect(await codeOf(queue.enter("b"))).toBe("busy");
    expect(queue.counts()).toEqual({ running: 1, waiting: 0 });
    release();
    expect(await codeOf(queue.enter("b"))).toBe("entered");
  });

  it("loses none of a thousand random requests", async () => {
    const queue = createFairQueue({ atOnce: 3, most: 2000, timeoutMs: 3_600_000 });
    let running = 0;
    let most = 0;
    const one = async (i: number) => {
      const abort = new AbortController();
      if (i % 7 === 0) setTimeout(() => abort.abort(new Error("left")), i % 5);
      const release = await queue.enter(`lane ${i % 11}`, abort.signal).catch(() => null);
      if (release === null) return "left";
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, i % 3));
      running--;
      release();
      return "done";
    };
    const ends = await Promise.all(Array.from({ length: 1000 }, (_, i) => one(i)));
    expect(most).toBe(3);
    expect(ends.filter((end) => end === "done").length).toBeGreaterThanOrEqual(857);
    expect(queue.counts()).toEqual({ running: 0, waiting: 0 });
  });
});
