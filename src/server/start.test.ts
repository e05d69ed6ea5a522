import { afterEach, describe, expect, it, vi } from "vitest";
import { openLibrary } from "../../test/support/engine.ts";
import { SESSION_PURGE_MS, serveEngine } from "./start.ts";

afterEach(() => {
  vi.useRealTimers();
});

describe("serveEngine", () => {
  it("purges every hour, reports a failure, and stops when it closes", async () => {
    const library = await openLibrary({ documents: {}, settings: { "server.port": 0 } });
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    let purges = 0;
    const purge = async () => {
      purges++;
      if (purges === 2) throw new Error("the disk is full");
      return await library.engine.memory.purge();
    };
    const said: string[] = [];
    const engine = { ...library.engine, memory: { ...library.engine.memory, purge } };
    const server = await serveEngine(engine, (line) => said.push(line));
    await vi.advanceTimersByTimeAsync(SESSION_PURGE_MS - 1);
    expect(purges).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(purges).toBe(1);
    await vi.advanceTimersByTimeAsync(SESSION_PURGE_MS);
    expect(said).toEqual([expect.stringContaining("the disk is full")]);
    await server.close();
    await vi.advanceTimersByTimeAsync(5 * SESSION_PURGE_MS);
    expect(purges).toBe(2);
    await library.close();
  });
});
