import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { whileHeld } from "./while-held.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

describe("whileHeld", () => {
  it("makes one value for all who hold it, and another once nobody does", async () => {
    let made = 0;
    const share = whileHeld(() => ({ number: ++made }));
    const held = [share(), share()];
    expect(held[0]).toBe(held[1]);
    collectGarbage();
    expect(share().number).toBe(1);
    held.length = 0;
    // What was looked at in this turn is kept until it ends.
    await new Promise((resolve) => setTimeout(resolve, 0));
    collectGarbage();
    expect(share().number).toBe(2);
  });

  it("keeps nothing of a value that could not be made", () => {
    let broken = true;
    const share = whileHeld(() => {
      if (broken) throw new Error("not yet");
      return {};
    });
    expect(share).toThrow("not yet");
    broken = false;
    expect(share()).toBe(share());
  });
});
