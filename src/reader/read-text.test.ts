import { describe, expect, it } from "vitest";
import { createSequenceBuilder, MAX_PAIR_TOKENS, MAX_QUESTION_TOKENS, MAX_TOKENS } from "./read-text.ts";
import type { ToRead } from "./reader.ts";

const pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "|", "›", ..."abcdefghij"];
const build = createSequenceBuilder(pieces);
const read = (one: ToRead) => Array.from(build(one), (id) => pieces[id]);

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

  it("writes [CLS] question [SEP] text [SEP], whatever either holds", () => {
    expect(read({ question: "a b", text: "c › d" })).toEqual(["[CLS]", "a", "b", "[SEP]", "c", "›", "d", "[SEP]"]);
    expect(read({ question: "", text: "" })).toEqual(["[CLS]", "[SEP]", "[SEP]"]);
    expect(read({ question: "[SEP]", text: "a" }).filter((piece) => piece === "[SEP]")).toHaveLength(2);
  });

  it("cuts a long question beside a text, and then the text, and leaves a short question's room to the text", () => {
    const [many, some] = ["a ".repeat(300), "b ".repeat(300)];
    const both = read({ question: many, text: some });
    expect(both).toHaveLength(MAX_PAIR_TOKENS);
    expect(both.indexOf("[SEP]")).toBe(1 + MAX_QUESTION_TOKENS);
    expect(both.filter((piece) => piece === "b")).toHaveLength(MAX_PAIR_TOKENS - 3 - MAX_QUESTION_TOKENS);
    expect(both.at(-1)).toBe("[SEP]");
    expect(read({ question: "a", text: some }).filter((piece) => piece === "b")).toHaveLength(MAX_PAIR_TOKENS - 4);
  });

  it("needs the special pieces", () => {
    expect(() => createSequenceBuilder(["[UNK]", "[CLS]"])).toThrow('no piece "[SEP]"');
  });
});
