import { describe, expect, it } from "vitest";
import { CONTRAST_WEIGHTS } from "../check/contrast.ts";
import { createClaimReader, type ReaderKeeper } from "./reader-keeper.ts";

const PAIR = { question: "Dogs board.", text: "Dogs may board." };

describe("the reader of claims", () => {
  it("is opened with the first claim, once, as the reader that the contrast was measured with", async () => {
    const opened: unknown[] = [];
    const of: ReaderKeeper["of"] = (weights) => {
      opened.push(weights);
      return async () => [];
    };
    const read = createClaimReader({ of });
    expect(opened).toEqual([]);
    expect(await read([PAIR])).toEqual([]);
    await read([PAIR]);
    expect(opened).toEqual([CONTRAST_WEIGHTS]);
  });

  it("reads nothing where that reader is not at hand", async () => {
    expect(await createClaimReader({ of: () => null })([PAIR])).toBeNull();
  });
});
