import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../package.ts";
import { describeReaderContract } from "../testing/reader-contract.ts";
import { createReader } from "./create-reader.ts";
import { createReaderPool, createThreadStarter, type ReaderThread } from "./pool.ts";
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
  it("gives the same numbers in threads and in the calling thread", async () => {
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

  it("leaves the event loop free while threads read", async () => {
    const reader = createReader({ path, threads: 1 });
    await reader.read([passage]);
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const started = performance.now();
    await reader.read(Array.from({ length: 60 }, (_, i) => `${i} ${passage.repeat(20)}`));
    const tookMs = performance.now() - started;
    clearInterval(timer);
    expect(turns).toBeGreaterThan(Math.min(20, tookMs / 20));
    await reader.close();
  });

  it("reads on when a thread ends in the middle of a passage", async () => {
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

  it("starts its threads in a process that was started with flags which threads do not take", () => {
    const entry = pathToFileURL(join(PACKAGE_ROOT, "dist", "src", "reader", "create-reader.js")).href;
    const program = `
      import { createReader } from ${JSON.stringify(entry)};
      const reader = createReader(${JSON.stringify({ path, threads: 1 })});
      console.log((await reader.read(["a"])).length);`;
    // No close: threads that have nothing to do keep no process alive.
    expect(execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8", timeout: 120_000 })).toBe("1\n");
  });

  it("says which file is missing", () => {
    expect(() => createReader({ path: "/nowhere/reader.bin" })).toThrow(/\/nowhere\/reader\.bin cannot be read .*reinstall/);
  });
});
