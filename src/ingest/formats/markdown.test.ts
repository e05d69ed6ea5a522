import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../../test/support/trials.ts";
import { IngestError } from "../../shared/errors.ts";
import { toOriginal } from "../../text/source-map.ts";
import cases from "./markdown.cases.json" with { type: "json" };
import { parseMarkdown, parseMarkdownText } from "./markdown.ts";
import { blocksOf } from "./show-blocks.test-helper.ts";

type Case = [source: string, blocks: string[], why: string];

function blocks(source: string): string[] {
  return blocksOf(parseMarkdownText(source, 0));
}

describe("markdown", () => {
  test.each(cases.marks as Case[])("%j (%#)", (source, expected) => {
    expect(blocks(source)).toEqual(expected);
  });
});

describe("footnotes", () => {
  test.each(cases.footnotes as Case[])("%j (%#)", (source, expected) => {
    expect(blocks(source)).toEqual(expected);
  });

  test("keep every word once and in place", () => {
    const piece = fc.constantFrom(
      ..."[^a] ;[^b];[^c] ;\n;\n\n;\n\n[^a]: ;\n[^b]: ;\n\n[^b]:\n    ;\n\n    ;\n\n  ;\n- ;\n\n  - ;\n> ".split(";"),
      ..."\n\n# ;\n\n| a | b |\n|---|---|\n| ; | ; **x** ;`;<b>;\n\n<ul><li>;</ul>;\n\n```\n;\n---\n;\\".split(";"),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const source = pieces.map((one, i) => `${one} word${i}x `).join("");
        const { text, sourceMap } = parseMarkdownText(source, 0);
        for (const i of pieces.keys()) {
          // The text after a code fence is the info string.
          if (pieces[i]?.includes("```")) continue;
          const word = `word${i}x`;
          expect(text.split(word)).toHaveLength(2);
          const start = source.indexOf(word);
          const found = text.indexOf(word);
          expect(toOriginal(sourceMap, { start: found, end: found + word.length })).toEqual({ start, end: start + word.length });
        }
      }),
      { numRuns: rounds({ all: 800, usually: 200 }) },
    );
  });
});

describe("run-in heads", () => {
  const heads = (source: string) => {
    const { text, blocks } = parseMarkdownText(source, 0);
    return blocks.map(({ start, runIn }) => (runIn === undefined ? null : text.slice(start, runIn)));
  };
  test.each<[string, (string | null)[], string]>([
    ["**Throwing large.** For people who can.", ["Throwing large."], "bold words that end in a stop"],
    ["__Fees:__ ten a month", ["Fees:"], "with a colon, between underscores"],
    ["**Fees** — ten a month", ["Fees"], "whose dash stands behind them"],
    ["**The `x` &amp; y.** text", ["The x & y."], "with code and entities"],
    ["- **Fees:** ten\n- five", ["Fees:", null], "of an item"],
    ["**Never** do this.", [null], "words that only emphasise"],
    ["A **b.** c", [null], "bold words behind others"],
    ["**All of it is bold.**", [null], "a paragraph that is bold throughout"],
    [`**${"long ".repeat(20)}.** text`, [null], "longer than a head"],
    ["*Italic.* text", [null], "words that lean"],
    ["**A.** b\n\nc\n\n**D:** e", ["A.", null, "D:"], "of several paragraphs"],
  ])("%j (%#)", (source, expected) => {
    expect(heads(source)).toEqual(expected);
  });
});

test("a heading within a note does not apply to the text after it", () => {
  const source = "# A\n\nT[^1] here.\n\nMain goes on.\n\n[^1]: One.\n\n    **Terms of others**\n\n    Two.\n\n    # Big\n";
  const types = blocks(source).map((line) => line.split(" ")[0]);
  expect(types.filter((type) => type?.startsWith("heading"))).toEqual(["heading1"]);
  expect(blocks(source).at(-1)).toBe("paragraph Main goes on.");
  const deep = "# A\n\nThe text calls it.[^1]\n\n**Fees**\n\nAnd so it goes on.\n\n[^1]: One.\n\n    ##### Deep\n";
  expect(blocks(deep)).toContain("heading2 Fees");
});

describe("bold paragraphs", () => {
  test.each(cases.bold as Case[])("%j (%#)", (source, expected) => {
    expect(blocks(source)).toEqual(expected);
  });
});

describe("HTML inside markdown", () => {
  test.each(cases.html as Case[])("%j (%#)", (source, expected) => {
    expect(blocks(source)).toEqual(expected);
  });
});

describe("front matter", () => {
  test("becomes metadata, not text", () => {
    const front =
      "---\ntitle: T\ndescription: D\ncanonical: https://a.b/\ndate: 2019-04-30\nauthority: agency\ntopic: x\nsubtopic: y\ntype: policy\naccess: staff\ntenant: acme\nother: [1]\n---\n";
    const parsed = parseMarkdown(`\ufeff${front}text`, "file");
    expect(parsed.metadata).toEqual({
      ...{ title: "T", description: "D", url: "https://a.b/", asOf: "2019-04-30" },
      ...{ authority: "agency", topic: "x", subtopic: "y", type: "policy" },
    });
    expect([parsed.access, parsed.tenant, parsed.text]).toEqual(["staff", "acme", "text"]);
    expect(toOriginal(parsed.sourceMap, { start: 0, end: 4 }).start).toBe(front.length + 1);
  });

  test("defaults to the display title, the first heading, the file name", () => {
    expect(parseMarkdown("---\ndisplay_title: D\n---\n# H", "file").metadata.title).toBe("D");
    expect(parseMarkdown("a\n\n# H", "file").metadata.title).toBe("H");
    expect(parseMarkdown("a", "file").metadata.title).toBe("file");
  });

  test("ignores an unknown `type` and an invalid `date`, but rejects an invalid `as_of`", () => {
    const { metadata } = parseMarkdown("---\ntype: page\ndate: soon\n---\n", "f");
    expect([metadata.type, metadata.asOf]).toEqual([null, null]);
    expect(() => parseMarkdown("---\na: b\nas_of: 2019-02-30\n---\n", "f")).toThrow(/line 3: as_of: must be a date/);
  });

  test.each([
    ["---\na: b\nc: [d\n---\n", /line [34]/],
    ["---\njust text\n---\n", /no `key: value` lines/],
    ["---\naccess: [staff]\n---\n", /line 2: access/],
  ])("names the error in %j (%#)", (source, message) => {
    expect(() => parseMarkdown(source, "f")).toThrow(message);
    expect(() => parseMarkdown(source, "f")).toThrow(IngestError);
  });

  test("inside the text is a horizontal rule", () => {
    expect(blocks("a\n\n---\n\nb")).toEqual(["paragraph a", "paragraph b"]);
    expect(blocks("---\nnever closed")).toEqual(["paragraph never closed"]);
  });
});
