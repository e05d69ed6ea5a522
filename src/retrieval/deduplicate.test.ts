import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fakePassage } from "../testing/passages.ts";
import { tokenize } from "../text/tokens.ts";
import { deduplicate, diversify } from "./deduplicate.ts";

const words = { tokens: (text: string) => tokenize(text), idf: () => 1 };

const passage = (id: string, text: string) => fakePassage({ document: id, title: id, segments: [text] });

const base =
  "Veterans who receive the monthly clothing allowance must apply again before August 1 of the following year. The allowance is $800 and is not taxable income for the Department of Veterans Affairs recipient.";

const merged = (other: string, rule: "same-facts" | "cosine" = "same-facts") =>
  deduplicate([passage("a", base), passage("b", other)], rule, words);

describe("deduplicate", () => {
  it("merges a copy, and lists it as a further source of the better ranked one", () => {
    const [kept, ...rest] = merged(base.replace("who receive", "who currently receive"));
    expect(rest).toEqual([]);
    expect(kept?.sid).toBe("S1");
    expect(kept?.twins).toMatchObject([{ documentId: "b", documentVersion: "v1", title: "b" }]);
  });

  it.each([
    ["an amount", base.replace("$800", "$850")],
    ["a date", base.replace("August 1 ", "August 2 ")],
    ["a month", base.replace("August", "October")],
    ["polarity", base.replace("is not taxable", "is taxable")],
    ["a limit", base.replace("before August", "after August")],
    ["the people concerned", base.replace("Department of Veterans Affairs", "Department of Defense Affairs")],
  ])("keeps both when they differ in %s", (_, other) => {
    expect(merged(other).map(({ twins }) => twins)).toEqual([undefined, undefined]);
  });

  it("keeps both when the same values belong to different things", () => {
    const two =
      "The first grant pays 100 dollars to veterans and the second grant pays 200 dollars to veterans and their families at home.";
    const swapped = two.replace("100", "x").replace("200", "100").replace("x", "200");
    expect(deduplicate([passage("a", two), passage("b", swapped)], "same-facts", words)).toHaveLength(2);
  });

  it("drops by cosine alone if the profile says so, but lists no source with other facts", () => {
    const [kept, ...rest] = merged(base.replace("$800", "$850"), "cosine");
    expect(rest).toEqual([]);
    expect(kept?.twins).toBeUndefined();
  });

  it("keeps the order and every text that is not a near-duplicate", () => {
    const texts = fc.array(fc.string({ minLength: 1, maxLength: 60 }), { maxLength: 8 });
    fc.assert(
      fc.property(texts, (made) => {
        const passages = made.map((text, i) => passage(`d${i}`, text));
        const kept = deduplicate(passages, "same-facts", words);
        const ids = kept.map(({ chunkId }) => chunkId);
        expect(ids).toEqual(passages.map(({ chunkId }) => chunkId).filter((id) => ids.includes(id)));
        expect(kept.reduce((sum, { twins = [] }) => sum + 1 + twins.length, 0)).toBe(passages.length);
      }),
    );
  });
});

describe("diversify", () => {
  it("ranks others before the third passage of one document, and loses none", () => {
    const ranked = ["a1", "a2", "a3", "b1", "a4", "c1"];
    expect(diversify(ranked, (one) => one[0] as string, 2)).toEqual(["a1", "a2", "b1", "c1", "a3", "a4"]);
    expect(diversify(ranked, (one) => one[0] as string, null)).toEqual(ranked);
  });
});
