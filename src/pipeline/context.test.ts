import { expect, it } from "vitest";
import { createTrace } from "./context.ts";

const parts = { clock: () => 0, turn: async () => undefined };

it.each([
  [undefined, { pieces: 2 }, 0],
  [false, { pieces: 2 }, 0],
  [true, { pieces: 2, first: "a" }, 1],
] as const)("computes details if verbose is %s", async (verbose, facts, times) => {
  let worked = 0;
  const trace = createTrace(parts, { verbose });
  const events = trace.stage("decide", (log) => {
    log.fact("pieces", 2);
    log.detail("first", () => {
      worked++;
      return "a";
    });
  });
  expect(await Array.fromAsync(events)).toEqual([{ type: "decide-start" }, { type: "decide-end", ms: 0, facts }]);
  expect(worked).toBe(times);
});
