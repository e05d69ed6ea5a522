import { afterEach, describe, expect, it, vi } from "vitest";
import type { Engine } from "../engine/engine.ts";
import { SESSION_PURGE_MS, serveEngine } from "./start.ts";

afterEach(() => {
  vi.useRealTimers();
});

describe("serveEngine", () => {
  it("purges every hour, says when that fails, and stops when it closes", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    let purges = 0;
    const purge = async () => {
      purges++;
      if (purges === 2) throw new Error("the disk is full");
    };
    const said: string[] = [];
    const config = { server: { host: "127.0.0.1", port: 0 } };
    const server = await serveEngine({ config, store: {}, memory: { purge } } as unknown as Engine, (line) => said.push(line));
    await vi.advanceTimersByTimeAsync(SESSION_PURGE_MS - 1);
    expect(purges).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(purges).toBe(1);
    await vi.advanceTimersByTimeAsync(SESSION_PURGE_MS);
    expect(said).toEqual([expect.stringContaining("the disk is full")]);
    await server.close();
    await vi.advanceTimersByTimeAsync(5 * SESSION_PURGE_MS);
    expect(purges).toBe(2);
  });
});
