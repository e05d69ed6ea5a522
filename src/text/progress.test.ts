import { describe, expect, it } from "vitest";
import { progressOf } from "./progress.ts";

async function drain<T>(steps: AsyncGenerator<{ done: number; total: number }, T>): Promise<{ shown: string[]; gave: T }> {
  const shown: string[] = [];
  for (;;) {
    const step = await steps.next();
    if (step.done) return { shown, gave: step.value };
    shown.push(`${step.value.done}/${step.value.total}`);
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 1));

describe("progress of work that reports", () => {
  it("shows every report in order, those of the last moment too, and gives what the work gave", async () => {
    const steps = progressOf(async (report) => {
      report(1, 3);
      await pause();
      report(2, 3);
      report(3, 3);
      return "made";
    });
    expect(await drain(steps)).toEqual({ shown: ["1/3", "2/3", "3/3"], gave: "made" });
  });

  it("gives the result of work that reports nothing", async () => {
    expect(await drain(progressOf(async () => 7))).toEqual({ shown: [], gave: 7 });
  });

  it("throws what the work throws, after what it reported", async () => {
    const steps = progressOf(async (report) => {
      report(1, 2);
      await pause();
      throw new Error("encoder is down");
    });
    expect((await steps.next()).value).toEqual({ done: 1, total: 2 });
    await expect(steps.next()).rejects.toThrow("encoder is down");
  });
});
