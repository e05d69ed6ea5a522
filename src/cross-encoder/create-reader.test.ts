import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../package.ts";
import { fakeReader } from "../testing/fake-reader.ts";
import { describeReaderContract } from "../testing/reader-contract.ts";
import {
  createPooledReader,
  createReader,
  createReaderPool,
  createSharing,
  createThreadStarter,
  openSharedReader,
  type ReaderThread,
  readingKey,
} from "./create-reader.ts";
import type { Reader, TextReading, ToRead } from "./reader.ts";
import { loadReaderWeights } from "./weights.ts";

const path = join(import.meta.dirname, "parity", "tiny.bin");

describeReaderContract("WebAssembly, two threads", async () => opened({ path, threads: 2 }));
describeReaderContract("WebAssembly, calling thread", async () => opened({ path, threads: 0 }));

function opened(options: Parameters<typeof createReader>[0]) {
  const reader = createReader(options);
  return { reader, close: () => reader.close() };
}

const passage = "Water is turned on from 1 April to 31 October.";

describe("createReader", () => {
  it("returns the same numbers with and without threads", async () => {
    const readings = await Promise.all(
      [{ threads: 2 }, { threads: 0 }].map(async (options) => {
        const reader = createReader({ path, ...options });
        const [reading] = await reader.read([passage]);
        await reader.close();
        return reading;
      }),
    );
    expect(readings[1]).toEqual(readings[0]);
  });

  it("does not block the event loop while threads run", async () => {
    const reader = createReader({ path, threads: 1 });
    await reader.read([passage]);
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await reader.read(Array.from({ length: 60 }, (_, i) => `${i} ${passage.repeat(20)}`));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(1);
    await reader.close();
  });

  it("continues when a thread ends in the middle of a passage", async () => {
    const start = createThreadStarter(loadReaderWeights(path, 1));
    const threads: ReaderThread[] = [];
    const pool = createReaderPool((arenaNumber, events) => {
      const thread = start(arenaNumber, events);
      threads.push(thread);
      return thread;
    }, 1);
    const reading = pool.read(passage.repeat(100), undefined);
    await threads[0]?.end();
    expect((await reading).vector).toHaveLength(64);
    expect(threads).toHaveLength(2);
    await pool.close();
  });

  it("starts its threads in a process with flags that threads do not accept", () => {
    const entry = pathToFileURL(join(PACKAGE_ROOT, "dist", "src", "cross-encoder", "create-reader.js")).href;
    const program = `
      import { createReader } from ${JSON.stringify(entry)};
      const reader = createReader(${JSON.stringify({ path, threads: 1 })});
      console.log((await reader.read(["a"])).length);`;
    // The program does not close the reader, because idle threads do not keep a process alive.
    expect(execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8", timeout: 120_000 })).toBe("1\n");
  });
});

function watched() {
  const seen = { opened: 0, closed: 0 };
  const open = (): Reader => {
    seen.opened++;
    return {
      ...fakeReader(),
      close: async () => {
        seen.closed++;
      },
    };
  };
  return { seen, open };
}

describe("a shared reader", () => {
  it("opens one reader for all, and closes it with the last user", async () => {
    const { seen, open } = watched();
    const openShared = createSharing();
    const [one, two] = [openShared(open), openShared(open)];
    expect(await two.read(["a"])).toHaveLength(1);
    await one.close();
    await one.close();
    expect(seen).toEqual({ opened: 1, closed: 0 });
    await two.close();
    expect(seen).toEqual({ opened: 1, closed: 1 });
  });

  it("opens a new one after the last was closed, and recovers from a failed opening", async () => {
    const { seen, open } = watched();
    const openShared = createSharing();
    await openShared(open).close();
    const broken = () => {
      throw new Error("no weights");
    };
    expect(() => openShared(broken)).toThrow("no weights");
    const again = openShared(open);
    expect(seen.opened).toBe(2);
    await again.close();
    expect(seen.closed).toBe(2);
  });
});

describe("the bundled cross-encoder", () => {
  const reader = openSharedReader();
  afterAll(() => reader.close());
  /** Returns the log odds that each text answers the question. */
  async function oddsOf(question: string, ...texts: readonly string[]): Promise<number[]> {
    return (await reader.read(texts.map((text) => ({ question, text })))).map(({ answer }) => answer);
  }

  it.each([
    ["What does a child pay for the sauna?", "Children pay $3 for the sauna.", "Children pay $3 for the pool."],
    ["What does it cost to replace a lost card?", "Replacing a lost card costs 3 dollars.", "A card costs 5 dollars per year."],
    [
      "When does the first boat leave on Sunday?",
      "The first boat leaves at 8:15 on Sundays.",
      "The first boat leaves at 6:40 on weekdays.",
    ],
  ])("scores for %s that %s answers it rather than %s", async (question, answering, near) => {
    const [right, wrong] = await oddsOf(question, answering, near);
    expect(right).toBeGreaterThan((wrong as number) + 1);
  });

  it.each([
    ["How much does the boat cost?", "The first boat leaves the pier at 6:40 on weekdays."],
    ["How much is the fine for a late book?", "A library card costs 5 dollars per year."],
    ["How deep is the pool?", "Children under eight must be accompanied by an adult in the water."],
  ])("scores that this does not answer %s: %s", async (question, text) => {
    expect((await oddsOf(question, text))[0]).toBeLessThan(0);
  });

  it.each([
    ["How much does a library card cost?", "What do I pay for a library card?", "What do I pay for a lost library card?"],
    ["In which zones do visitor permits hold?", "Where can I use a visitor permit?", "How long do visitor permits hold?"],
  ])("scores that %s asks the same as %s rather than %s", async (stored, same, other) => {
    const [right, wrong] = await reader.read([same, other].map((text) => ({ question: stored, text })));
    expect(right?.same).toBeGreaterThan(0);
    expect(right?.same).toBeGreaterThan((wrong?.same as number) + 1);
  });
});

/** Returns a result that takes about 1,900 bytes in the cache. */
const readingOf = (value: number): TextReading => ({ vector: new Float32Array(375).fill(value) });
const one = readingOf(1);
const two = readingOf(2);

describe("readingKey", () => {
  it("depends on the weights and on every text", () => {
    const texts = ["a", "ab", "a\nb", "a b", "", { question: "a", text: "b" }, { question: "b", text: "a" }, { question: "ab", text: "" }];
    const keys = ["one", "two"].flatMap((weights) => texts.map((text) => readingKey(weights, text)));
    expect(new Set(keys).size).toBe(2 * texts.length);
    expect(readingKey("one", "a")).toBe(keys[0]);
  });
});

describe("createPooledReader", () => {
  function counted(cacheBytes = 10_000) {
    const asked: ToRead[] = [];
    const reader = createPooledReader(
      {
        read: async (text) => {
          asked.push(text);
          if (text === "broken") throw new Error("it broke");
          return readingOf(asked.length);
        },
        warm: () => undefined,
        close: async () => undefined,
      },
      { name: "test", hash: "0" },
      cacheBytes,
    );
    return { reader, asked };
  }

  it("scores the same text once, within a batch and across batches", async () => {
    const { reader, asked } = counted();
    expect(await reader.read(["x", "longer than x", "x"])).toEqual([two, one, two]);
    expect(await reader.read(["x"])).toEqual([two]);
    expect(asked).toHaveLength(2);
  });

  it("caches nothing with a size of 0", async () => {
    const { reader, asked } = counted(0);
    await reader.read(["x"]);
    await reader.read(["x"]);
    expect(asked).toHaveLength(2);
  });

  it("rethrows a failure and does not cache it", async () => {
    const { reader, asked } = counted();
    await expect(reader.read(["x", "broken"])).rejects.toThrow("it broke");
    await expect(reader.read(["broken"])).rejects.toThrow("it broke");
    expect(asked.filter((text) => text === "broken")).toHaveLength(2);
  });
});
