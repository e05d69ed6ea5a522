import { describe, expect, it } from "vitest";
import { encoderDown, fakeEncoder } from "../testing/fake-encoder.ts";
import { pauseAfterFailure } from "./encoder-spec.ts";

describe("an encoder with a pause after a failure", () => {
  it("fails at once until the pause is over, then tries again", async () => {
    let now = 0;
    const inner = fakeEncoder({ failure: (call) => (call === 0 ? encoderDown() : null) });
    const encoder = pauseAfterFailure(inner, { now: () => now, pauseMs: 1000 });
    await expect(encoder.embed(["a"])).rejects.toMatchObject({ code: "encoder_failed" });
    now = 999;
    await expect(encoder.embed(["a"])).rejects.toMatchObject({
      code: "encoder_paused",
      message: expect.stringContaining("tried again in 1 s"),
    });
    expect(inner.calls).toHaveLength(1);
    now = 1000;
    expect(await encoder.embed(["a"])).toHaveLength(1);
  });

  it("does not take a cancelled call for a failure", async () => {
    const inner = fakeEncoder();
    const encoder = pauseAfterFailure(inner, { now: () => 0 });
    await expect(encoder.embed(["a"], { signal: AbortSignal.abort(new Error("left")) })).rejects.toThrow("left");
    expect(await encoder.embed(["a"])).toHaveLength(1);
  });
});
