import { describe, expect, it } from "vitest";
import { ModelError } from "../shared/errors.ts";
import { type FakeReader, fakeReader } from "../testing/fake-reader.ts";
import { createReaderKeeper } from "./local-models.ts";

const signal = () => new AbortController().signal;

function keeperOf(open: () => FakeReader) {
  const warnings: string[] = [];
  return { warnings, keeper: createReaderKeeper(open, (message) => warnings.push(message)) };
}

describe("the cross-encoder of an engine", () => {
  it("is opened once if the weights were trained with it", async () => {
    const reader = fakeReader();
    let opened = 0;
    const { keeper, warnings } = keeperOf(() => {
      opened++;
      return reader;
    });
    const read = keeper.of({ reader: reader.weights });
    keeper.of({ reader: reader.weights });
    expect(await read?.(["a", "b"], signal())).toHaveLength(2);
    expect(opened).toBe(1);
    expect(warnings).toEqual([]);
  });

  it("is not used if the weights were trained with another one, with one warning", () => {
    const reader = fakeReader({ name: "new" });
    const learnedWith = fakeReader({ name: "old" }).weights;
    const { keeper, warnings } = keeperOf(() => reader);
    expect(keeper.of({ reader: learnedWith })).toBeNull();
    expect(keeper.of({ reader: { ...learnedWith, name: reader.weights.name } })).toBeNull();
    expect(keeper.of({ reader: learnedWith })).toBeNull();
    expect(reader.calls).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('another one ("old")'), expect.stringContaining('another one ("new")')]);
  });

  it("is replaced by the first-stage score if its weights cannot be opened, with one warning", () => {
    const { keeper, warnings } = keeperOf(() => {
      throw new ModelError("weights_damaged", "The reader's weights are damaged.");
    });
    const { weights } = fakeReader();
    expect(keeper.of({ reader: weights })).toBeNull();
    expect(keeper.of({ reader: weights })).toBeNull();
    expect(warnings).toEqual([expect.stringContaining("weights are damaged")]);
  });

  it("is replaced by the first-stage score if it fails, but cancellations and program errors are thrown", async () => {
    const reader = fakeReader();
    let thrown: unknown = new ModelError("reader_crashed", "A thread of the reader ended.");
    const failing: FakeReader = { ...reader, read: async () => Promise.reject(thrown) };
    const { keeper, warnings } = keeperOf(() => failing);
    const read = keeper.of({ reader: reader.weights });
    expect(await read?.(["a"], signal())).toBeNull();
    expect(warnings).toEqual([expect.stringContaining("A thread of the reader ended")]);
    await expect(read?.(["a"], AbortSignal.abort(thrown))).rejects.toBe(thrown);
    thrown = new TypeError("a fault of ours");
    await expect(read?.(["a"], signal())).rejects.toBe(thrown);
  });
});
