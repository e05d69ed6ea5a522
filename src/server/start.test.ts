import { afterEach, describe, expect, it, vi } from "vitest";
import type { Engine } from "../engine/engine.ts";
import { serverSchema } from "../server-config.ts";
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
    const config = { server: serverSchema.parse({ port: 0 }), experiments: {}, data_dir: "never-written" };
    const parts = { config, store: { secret: async () => "s" }, memory: { purge }, watchCalls: () => () => undefined };
    const server = await serveEngine(parts as unknown as Engine, (line) => said.push(line));
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
