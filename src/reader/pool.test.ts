import { describe, expect, it } from "vitest";
import { createReaderPool, type ReaderThread, type StartThread, type ThreadEvents, type ThreadTask } from "./pool.ts";
import type { ToRead } from "./reader.ts";

const said = (text: ToRead) => ({ vector: Float32Array.of(Number(text)) });

interface FakeThread extends ReaderThread {
  readonly arenaNumber: number;
  readonly events: ThreadEvents;
  readonly tasks: ThreadTask[];
  held: boolean;
  ended: boolean;
  /** Answers its last task. */
  reply(): void;
  crash(): void;
}

/** Threads that do nothing until the test says so. */
function fakeThreads() {
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
  return { threads, start };
}

describe("createReaderPool", () => {
  it("keeps the process alive only while a thread reads", async () => {
    const { threads, start } = fakeThreads();
    const pool = createReaderPool(start, 1);
    pool.warm();
    expect(threads[0]?.held).toBe(false);
    const reading = pool.read("1", undefined);
    expect(threads[0]?.held).toBe(true);
    threads[0]?.reply();
    await reading;
    expect(threads[0]?.held).toBe(false);
  });

  it("gives a text up that ends two threads, says why, and goes on with the next", async () => {
    const { threads, start } = fakeThreads();
    const pool = createReaderPool(start, 1);
    const reading = pool.read("1", undefined);
    const next = pool.read("2", undefined);
    threads[0]?.crash();
    threads[1]?.crash();
    await expect(reading).rejects.toMatchObject({ code: "reader_crashed", message: expect.stringContaining("out of memory") });
    threads[2]?.reply();
    expect(await next).toEqual(said("2"));
  });

  it("replaces a thread that ended while it had nothing to do with the next text", async () => {
    const { threads, start } = fakeThreads();
    const pool = createReaderPool(start, 1);
    pool.warm();
    threads[0]?.crash();
    const reading = pool.read("1", undefined);
    expect(threads).toHaveLength(2);
    threads[1]?.reply();
    expect(await reading).toEqual(said("1"));
  });

  it("ends its threads and rejects what waits when it is closed", async () => {
    const { threads, start } = fakeThreads();
    const pool = createReaderPool(start, 1);
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
