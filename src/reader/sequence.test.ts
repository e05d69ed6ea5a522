import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ReadRequest } from "./reader.ts";
import { createSequenceBuilder, OVERLAP_TOKENS, WINDOW_TOKENS, windowStarts } from "./sequence.ts";
import { createWordpiece } from "./wordpiece.ts";

const pieces = ["[PAD]", "[unused0]", "[unused1]", "[unused2]", "[UNK]", "[CLS]", "[SEP]", "|", "›", ..."abcdefghij"];
const builder = createSequenceBuilder(createWordpiece(pieces));
const words = (count: number) => Array.from({ length: count }, (_, i) => "abcdefghij"[i % 10]).join(" ");

function windowsOf(request: ReadRequest) {
  return [...builder.build(request)].map(({ ids, second }) => ({ read: Array.from(ids, (id) => pieces[id]), second }));
}

describe("createSequenceBuilder", () => {
  it("writes [CLS] TASK a [SEP] head | b [SEP]", () => {
    expect(windowsOf({ question: "a b", head: "c › d", passage: "e f" })).toEqual([
      { read: ["[CLS]", "[unused0]", "a", "b", "[SEP]", "c", "›", "d", "|", "e", "f", "[SEP]"], second: 5 },
    ]);
    expect(windowsOf({ question: "a", head: "  ", passage: "" })[0]?.read).toEqual(["[CLS]", "[unused0]", "a", "[SEP]", "[SEP]"]);
  });

  it("cuts a question at 64 tokens and a head at 64", () => {
    const [headed] = windowsOf({ question: words(300), head: words(300), passage: "a" });
    expect(headed).toMatchObject({ second: 67 });
    expect(headed?.read.slice(131)).toEqual(["|", "a", "[SEP]"]);
  });

  it("cuts a long text into windows that repeat the question and the head", () => {
    const all = windowsOf({ question: "a", head: "b", passage: words(600) });
    expect(all.length).toBeGreaterThan(2);
    for (const { read } of all) {
      expect(read.slice(0, 6)).toEqual(["[CLS]", "[unused0]", "a", "[SEP]", "b", "|"]);
      expect(read).toHaveLength(WINDOW_TOKENS);
    }
    expect(all.at(-1)?.read.slice(6, -1)).toEqual(
      words(600)
        .split(" ")
        .slice(600 - (WINDOW_TOKENS - 7)),
    );
  });

  it("needs the special pieces", () => {
    expect(() => createSequenceBuilder(createWordpiece(["[UNK]", "[CLS]"]))).toThrow('no piece "[SEP]"');
  });
});

describe("windowStarts", () => {
  it("covers every token, and every run of up to the overlap in one window", () => {
    expect(windowStarts(0, 100)).toEqual([0]);
    expect(windowStarts(100, 100)).toEqual([0]);
    expect(windowStarts(101, 100)).toEqual([0, 1]);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: OVERLAP_TOKENS + 1, max: 250 }), (length, room) => {
        const starts = windowStarts(length, room);
        expect(starts[0]).toBe(0);
        for (const [i, start] of starts.slice(1).entries()) {
          expect(start).toBeGreaterThan(starts[i] as number);
          expect((starts[i] as number) + room - start).toBeGreaterThanOrEqual(OVERLAP_TOKENS);
        }
        expect((starts.at(-1) as number) + room).toBeGreaterThanOrEqual(length);
        if (length > room) expect((starts.at(-1) as number) + room).toBe(length);
      }),
    );
  });
});
