import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ReadRequest } from "./reader.ts";
import { createSequenceBuilder, OVERLAP_TOKENS, WINDOW_TOKENS, windowStarts } from "./sequence.ts";
import { createWordpiece } from "./wordpiece.ts";

const pieces = ["[PAD]", "[unused0]", "[unused1]", "[unused2]", "[UNK]", "[CLS]", "[SEP]", "|", "›", ..."abcdefghij"];
const builder = createSequenceBuilder(createWordpiece(pieces));
const words = (count: number) => Array.from({ length: count }, (_, i) => "abcdefghij"[i % 10]).join(" ");

function windowsOf(request: ReadRequest) {
  return [...builder.build(request).windows].map(({ sequence: { ids, second }, from, first, count }) => ({
    read: Array.from(ids, (id) => pieces[id]),
    second,
    from,
    first,
    count,
  }));
}

describe("createSequenceBuilder", () => {
  it("writes [CLS] TASK a [SEP] head | b [SEP]", () => {
    expect(windowsOf({ task: "answers", question: "a b", head: "c › d", passage: "e f" })).toEqual([
      { read: ["[CLS]", "[unused0]", "a", "b", "[SEP]", "c", "›", "d", "|", "e", "f", "[SEP]"], second: 5, from: 9, first: 0, count: 2 },
    ]);
    const [bare] = windowsOf({ task: "claims", claim: "a", evidence: "b" });
    expect(bare?.read).toEqual(["[CLS]", "[unused1]", "a", "[SEP]", "b", "[SEP]"]);
    expect(windowsOf({ task: "answers", question: "a", head: "  ", passage: "" })[0]?.read).toEqual([
      "[CLS]",
      "[unused0]",
      "a",
      "[SEP]",
      "[SEP]",
    ]);
    expect(windowsOf({ task: "pairs", a: "a", b: "b" })[0]?.read).toEqual(["[CLS]", "[unused2]", "a", "[SEP]", "b", "[SEP]"]);
  });

  it("cuts the first text at 64 tokens, a claim at 96, a head at 64, and a second question where the window ends", () => {
    expect(windowsOf({ task: "answers", question: words(300), head: words(300), passage: "a" })[0]).toMatchObject({
      second: 67,
      from: 132,
    });
    expect(windowsOf({ task: "claims", claim: words(300), evidence: "a" })[0]).toMatchObject({ second: 99 });
    const all = windowsOf({ task: "pairs", a: words(300), b: words(300) });
    expect(all.map(({ read, second }) => [read.length, second])).toEqual([[WINDOW_TOKENS, 67]]);
  });

  it("cuts a long text into windows that repeat the question and the head", () => {
    const all = windowsOf({ task: "answers", question: "a", head: "b", passage: words(600) });
    expect(all.length).toBeGreaterThan(2);
    for (const { read, from, count } of all) {
      expect(read.slice(0, from)).toEqual(["[CLS]", "[unused0]", "a", "[SEP]", "b", "|"]);
      expect(read).toHaveLength(WINDOW_TOKENS);
      expect(from + count + 1).toBe(WINDOW_TOKENS);
    }
    expect(all.at(-1)).toMatchObject({ first: 600 - (WINDOW_TOKENS - 7) });
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
