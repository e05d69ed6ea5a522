import { describe, expect, it } from "vitest";
import { createSequenceBuilder, MAX_TOKENS } from "./sequence.ts";
import { createWordpiece } from "./wordpiece.ts";

const pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "|", "›", ..."abcdefghij"];
const build = createSequenceBuilder(createWordpiece(pieces));
const read = (text: string) => Array.from(build(text), (id) => pieces[id]);

describe("createSequenceBuilder", () => {
  it("writes [CLS] text [SEP]", () => {
    expect(read("a › b\nc")).toEqual(["[CLS]", "a", "›", "b", "c", "[SEP]"]);
    expect(read("  ")).toEqual(["[CLS]", "[SEP]"]);
  });

  it("cuts a long text, and keeps its end mark", () => {
    const long = read("abcdefghij ".split("").join(" ").repeat(100));
    expect(long).toHaveLength(MAX_TOKENS);
    expect(long[1]).toBe("a");
    expect(long.at(-1)).toBe("[SEP]");
  });

  it("needs the special pieces", () => {
    expect(() => createSequenceBuilder(createWordpiece(["[UNK]", "[CLS]"]))).toThrow('no piece "[SEP]"');
  });
});
