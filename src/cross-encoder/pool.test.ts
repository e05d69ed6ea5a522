import { describe, expect, it } from "vitest";
import { createReaderPool, type ReaderThread, type StartThread, type ThreadEvents, type ThreadTask } from "./create-reader.ts";
import type { ToRead } from "./reader.ts";

const said = (text: ToRead) => ({ vector: Float32Array.of(Number(text)) });

interface FakeThread extends ReaderThread {
  readonly arenaNumber: number;
  readonly events: ThreadEvents;
  readonly tasks: ThreadTask[];
  held: boolean;
  ended: boolean;
  /** Replies to the last task that the thread got. */
  reply(): void;
  crash(): void;
}

/** Creates a pool of threads that only act when the test tells them to. */
function poolOf(count: number) {
  const threads: FakeThread[] = [];
  const start: StartThread = (arenaNumber, events) => {
    const thread: FakeThread = {
      arenaNumber,
      events,
      tasks: [],
      held: false,
      ended: false,
      post: (task) => thread.tasks.push(task),
      hold: (busy) => {
        thread.held = busy;
      },
      end: async () => {
        thread.ended = true;
        events.onEnd(new Error("terminated"));
      },
      reply: () => {
        const { id, read } = thread.tasks.at(-1) as ThreadTask;
        events.onReply({ id, reading: said(read) });
      },
      crash: () => events.onEnd(new Error("out of memory")),
    };
    threads.push(thread);
    return thread;
  };
  return { threads, pool: createReaderPool(start, count) };
}

describe("createReaderPool", () => {
  it("keeps the process alive only while a thread works", async () => {
    const { threads, pool } = poolOf(1);
    pool.warm();
    expect(threads[0]?.held).toBe(false);
    const reading = pool.read("1", undefined);
    expect(threads[0]?.held).toBe(true);
    threads[0]?.reply();
    await reading;
    expect(threads[0]?.held).toBe(false);
  });

  it("rejects a text that ends two threads, with the reason, and continues with the next", async () => {
    const { threads, pool } = poolOf(1);
    const reading = pool.read("1", undefined);
    const next = pool.read("2", undefined);
    threads[0]?.crash();
    threads[1]?.crash();
    await expect(reading).rejects.toMatchObject({ code: "reader_crashed", message: expect.stringContaining("out of memory") });
    threads[2]?.reply();
    expect(await next).toEqual(said("2"));
  });

  it("replaces a thread that ended while idle", async () => {
    const { threads, pool } = poolOf(1);
    pool.warm();
    threads[0]?.crash();
    const reading = pool.read("1", undefined);
    expect(threads).toHaveLength(2);
    threads[1]?.reply();
    expect(await reading).toEqual(said("1"));
  });

  it("starts a thread only when there is work and no other is free", async () => {
    const { threads, pool } = poolOf(2);
    expect(threads).toHaveLength(0);
    const first = pool.read("1", undefined);
    expect(threads).toHaveLength(1);
    threads[0]?.reply();
    expect(await first).toEqual(said("1"));
    const both = [pool.read("2", undefined), pool.read("3", undefined), pool.read("4", undefined)];
    expect(threads.map(({ arenaNumber }) => arenaNumber)).toEqual([0, 1]);
    threads[1]?.reply();
    expect(threads[1]?.tasks).toHaveLength(2);
    threads[1]?.reply();
    threads[0]?.reply();
    expect(await Promise.all(both)).toEqual(["2", "3", "4"].map(said));
  });

  it("replaces a thread that ended, in the same arena, and repeats its text", async () => {
    const { threads, pool } = poolOf(1);
    const reading = pool.read("5", undefined);
    const waiting = pool.read("6", undefined);
    threads[0]?.crash();
    expect(threads).toHaveLength(2);
    expect(threads[1]?.arenaNumber).toBe(0);
    threads[1]?.reply();
    expect(await reading).toEqual(said("5"));
    threads[1]?.reply();
    expect(await waiting).toEqual(said("6"));
  });

  it("reports what a thread could not score", async () => {
    const { threads, pool } = poolOf(1);
    const reading = pool.read("1", undefined);
    threads[0]?.events.onReply({ id: threads[0].tasks[0]?.id as number, failure: "no such piece" });
    await expect(reading).rejects.toMatchObject({ code: "reader_failed", message: expect.stringContaining("no such piece") });
  });

  it("removes a cancelled text from the queue, and lets a thread finish what it began", async () => {
    const { threads, pool } = poolOf(1);
    const stop = new AbortController();
    const reading = pool.read("1", stop.signal);
    const waiting = pool.read("2", stop.signal);
    const other = pool.read("3", undefined);
    stop.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
    await expect(waiting).rejects.toThrow("enough");
    // The thread is still busy; it becomes free with its reply.
    expect(threads[0]?.tasks).toHaveLength(1);
    threads[0]?.reply();
    expect(threads[0]?.tasks).toHaveLength(2);
    threads[0]?.reply();
    expect(await other).toEqual(said("3"));
    await expect(pool.read("4", stop.signal)).rejects.toThrow("enough");
  });

  it("ends its threads and rejects waiting texts when it is closed", async () => {
    const { threads, pool } = poolOf(1);
    const all = [pool.read("1", undefined), pool.read("2", undefined)];
    const outcomes = Promise.allSettled(all);
    await pool.close();
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ status: "rejected", reason: { code: "reader_closed" } });
    expect(threads.map(({ ended }) => ended)).toEqual([true]);
    await expect(pool.read("3", undefined)).rejects.toMatchObject({ code: "reader_closed" });
    pool.warm();
    expect(threads).toHaveLength(1);
  });
});
