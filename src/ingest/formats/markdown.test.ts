import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../../test/support/trials.ts";
import { IngestError } from "../../shared/errors.ts";
import { toOriginal } from "../../text/source-map.ts";
import { parseMarkdown, parseMarkdownText } from "./markdown.ts";
import { blocksOf } from "./show-blocks.test-helper.ts";

function blocks(source: string): string[] {
  return blocksOf(parseMarkdownText(source, 0));
}

describe("markdown", () => {
  test.each<[string, string[], string]>([
    ["# A **b** `c`\n\ntext *d*", ["heading1 A b c", "paragraph text d"], "marks vanish"],
    ["A [link](https://x.y/z_*) and ![alt](i.png)", ["paragraph A link and alt"], "links are their text, images their alternative"],
    ["[a][r] and <https://x.y>\n\n[r]: https://r.s", ["paragraph a and https://x.y"], "references resolve, definitions vanish"],
    ["A line\nwrapped  \nbroken", ["paragraph A line wrapped⏎broken"], "hard breaks stay"],
    [
      "- a\n- b\n  - c\n\n  more b\n- d",
      ["list-item1 a", "list-item1 b", "list-item2 c", "list-item1 more b", "list-item1 d"],
      "nested items are blocks",
    ],
    ["- a\n\n  second\n- b", ["list-item1 a⏎second", "list-item1 b"], "paragraphs of an item belong to it"],
    ["Intro:\n- a\n- b", ["paragraph Intro:", "list-item1 a", "list-item1 b"], "a list may follow a line"],
    ["1. a\n2. b", ["list-item1 1. a", "list-item1 2. b"], "numbers are text"],
    [
      "| A | **B** |\n|---|---|\n| 1 | [2](x) |\n| \\| | |",
      ["table-row^0 A | B", "table-row^0 1 | 2", "table-row^0 |"],
      "rows are lines with a header",
    ],
    ["> a\n> b\n>\n> c", ["quote a b", "quote c"], "quotes"],
    ["```js\nif (a)\n  b **c** <d>\n```\nx", ["code if (a)⏎  b **c** <d>", "paragraph x"], "code stays as it is"],
    ["    a  b\n    c", ["code a  b⏎c"], "indented code"],
    ["AT&amp;T &copy; \\*x\\* a\\\\b", ["paragraph AT&T © *x* a\\b"], "entities and escapes"],
    ["A\n===\nB\n---\n***\nC", ["heading1 A", "heading2 B", "paragraph C"], "underlined headings and rules"],
    ["**Note: **text", ["paragraph Note: text"], "bold that is not bold by the letter of the grammar"],
    ["*P < 0.05, **P < 0.01, ***P < 0.001.", ["paragraph *P < 0.05, **P < 0.01, ***P < 0.001."], "signs of notes stay"],
    ["Fee 3** or 4 **due in May", ["paragraph Fee 3** or 4 **due in May"], "what opens nothing closes nothing"],
    ["2 ** 3 and `a**b`", ["paragraph 2 ** 3 and a**b"], "asterisks that mean themselves stay"],
    ["a < b and 5 <6> x", ["paragraph a < b and 5 <6> x"], "comparisons are no tags"],
  ])("%j (%#)", (source, expected) => {
    expect(blocks(source)).toEqual(expected);
  });
});

describe("footnotes", () => {
  test.each<[string, string[], string]>([
    [
      "A fee[^1] is due.\n\nB\n\n[^1]: Five *a* day.",
      ["paragraph A fee[1] is due.", "paragraph [1] Five a day.", "paragraph B"],
      "behind their call",
    ],
    [
      "A[^b] c[^1].\n\nD[^e]\n\n[^1]: One.\n[^B]: Two\nlines.\n\n[^e]: Three.\n\nF",
      ["paragraph A[b] c[1].", "paragraph [B] Two lines.", "paragraph [1] One.", "paragraph D[e]", "paragraph [e] Three.", "paragraph F"],
      "several, in the order of their calls",
    ],
    [
      "A[^1]\n\nB\n\n[^1]:\n    One.\n\n    Two.\n\n\t- c\n\nD",
      ["paragraph A[1]", "paragraph [1] One.", "paragraph Two.", "list-item1 c", "paragraph B", "paragraph D"],
      "of several paragraphs",
    ],
    [
      "A\n\n[^1]: One.\n[^late]: Two.\n\nB",
      ["paragraph A", "paragraph [1] One.", "paragraph [late] Two.", "paragraph B"],
      "that nothing calls",
    ],
    ["A[^1]\n\n- [^1]: b\n- c", ["paragraph A[^1]", "list-item1 [^1]: b", "list-item1 c"], "not in an item"],
    [
      "A[^1]\n\nB[^1]\n\n[^1]: One.\n\n[^1]: Two.",
      ["paragraph A[1]", "paragraph [1] One.", "paragraph B[1]", "paragraph [1] Two."],
      "called or defined twice",
    ],
    [
      "- a[^1]\n- b\n\n  c\n\nD\n\n[^1]: One.",
      ["list-item1 a[1]", "list-item1 b⏎c", "paragraph [1] One.", "paragraph D"],
      "behind the list",
    ],
    [
      "| a | b |\n|---|---|\n| c[^1] | d |\n| e | f |\n\n[^1]: One.",
      ["table-row^0 a | b", "table-row^0 c[1] | d", "table-row^0 e | f", "paragraph [1] One."],
      "behind the table",
    ],
    ["> a[^1]\n>\n> b\n\nC\n\n[^1]: One.", ["quote a[1]", "quote b", "paragraph [1] One.", "paragraph C"], "behind the quotation"],
    [
      "`[^1]` \\[^1] **`[^1]`**\n\n```\n[^1]: a\n```\n\n    [^1]\n\n[^1]: One.\n\n    ~~~\n[^2]: b",
      ["paragraph [^1] [^1] [^1]", "code [^1]: a", "code [^1]", "paragraph [1] One.", "paragraph [2] b"],
      "not in code",
    ],
  ])("%j (%#)", (source, expected) => {
    expect(blocks(source)).toEqual(expected);
  });

  test("lose, double and misplace no word", () => {
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

test("a heading within a note heads nothing of the text behind it", () => {
  const source = "# A\n\nT[^1] here.\n\nMain goes on.\n\n[^1]: One.\n\n    **Terms of others**\n\n    Two.\n\n    # Big\n";
  const types = blocks(source).map((line) => line.split(" ")[0]);
  expect(types.filter((type) => type?.startsWith("heading"))).toEqual(["heading1"]);
  expect(blocks(source).at(-1)).toBe("paragraph Main goes on.");
  const deep = "# A\n\nThe text calls it.[^1]\n\n**Fees**\n\nAnd so it goes on.\n\n[^1]: One.\n\n    ##### Deep\n";
  expect(blocks(deep)).toContain("heading2 Fees");
});

describe("bold paragraphs", () => {
  test.each<[string, string[], string]>([
    ["# A\n\n**In person**\n\nAt the desk.", ["heading1 A", "heading2 In person", "paragraph At the desk."], "head what follows"],
    [
      "# A\n\n**What do I need?**\n- a\n- b c d e f g h i j k",
      ["heading1 A", "heading2 What do I need?", "list-item1 a", "list-item1 b c d e f g h i j k"],
      "also a list, as questions",
    ],
    ["**We need:**\n\n- a", ["paragraph We need:", "list-item1 a"], "that announce are no headings"],
    ["**Free for members.**\n\nb", ["paragraph Free for members.", "paragraph b"], "that are sentences are none"],
    ["**A**__b__\n\nc d e", ["heading2 Ab", "paragraph c d e"], "in several parts are one"],
    ["**A** b\n\nc", ["paragraph A b", "paragraph c"], "that are not bold throughout are none"],
    ["**Call 555-0100**\n\nc d e f g h i j k", ["paragraph Call 555-0100", "paragraph c d e f g h i j k"], "that hold a figure are none"],
    [
      "a b c d e f g h i\n\n**In person**\n\nj",
      ["paragraph a b c d e f g h i", "paragraph In person", "paragraph j"],
      "that stand alone within a text are none",
    ],
    [
      "# A\n\n**Fees**\n\n| a |\n|---|\n| b |",
      ["heading1 A", "paragraph Fees", "table-row^2 a", "table-row^2 b"],
      "above a table are its caption",
    ],
    ["###### A\n\n**B**\n\nc", ["heading6 A", "paragraph B", "paragraph c"], "below the deepest heading are none"],
  ])("%j (%#)", (source, expected) => {
    expect(blocks(source)).toEqual(expected);
  });
});

describe("HTML inside markdown", () => {
  test.each<[string, string[], string]>([
    ['<div class="a">\n\n## T\n\n- **a**\n\n</div>', ["heading2 T", "list-item1 a"], "markdown inside a wrapper"],
    ["<div>\n### T\n[a](b) **c**\n</div>", ["heading3 T", "paragraph a c"], "markdown right after a tag"],
    [
      "<ul>\n  <li>a <strong>b</strong></li>\n  <li>c<ul><li>d</li></ul></li>\n</ul>",
      ["list-item1 a b", "list-item1 c", "list-item2 d"],
      "HTML lists",
    ],
    ["a <b>b</b><i>c</i> <!-- no --> d<br>e <br/>\nf", ["paragraph a bc d⏎e⏎f"], "inline tags vanish, breaks stay"],
    ["<h3>A [b](c)</h3><p>d &amp; e</p>f", ["heading3 A b", "paragraph d & e", "paragraph f"], "HTML blocks and entities"],
    [
      "a\n<script>\n\nif (x < 1) { b }\n\n</script>\n<style>p { c: d }</style>\ne",
      ["paragraph a", "paragraph e"],
      "scripts and styles vanish, empty lines or not",
    ],
    [
      "<table><thead><tr><th>A<th>B</thead><tr><td>1<td><p>x</p><p>y</p></table>",
      ["table-row^0 A | B", "table-row^0 1 | x · y"],
      "tables, also with tags left out",
    ],
    ["<table><tr><td>1</td><td></td><td>3</td></tr></table>", ["table-row 1 | | 3"], "no header, empty cells"],
    [
      "| a | b |\n|---|---|\n| x <br> y | <ul><li>p</li><li>q</li></ul> |",
      ["table-row^0 a | b", "table-row^0 x y | p · q"],
      "HTML in cells of a pipe table",
    ],
    ["x</div></p></li> y </table>", ["paragraph x", "paragraph y"], "stray closing tags"],
    ["<div><div>\n\n- a\n<p>b", ["list-item1 a", "paragraph b"], "tags that stay open"],
    [
      '<ul class="acc"><li><button aria-controls="x">Title</button><div id="x">\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n</div></li></ul>',
      ["heading2 Title", "table-row^1 a | b", "table-row^1 1 | 2"],
      "accordions are headings with sections",
    ],
    ["<button>Send</button><select><option>A</option></select> x", ["paragraph x"], "controls vanish"],
    ["`<b>` and ```<i>```\n\n~~~\n<p>\n~~~", ["paragraph <b> and <i>", "code <p>"], "tags in code are text"],
    ['a <i class="icon" aria-hidden="true">★</i> b', ["paragraph a b"], "hidden icons do not break a line"],
    ["<nav>Home</nav>a", ["paragraph a"], "navigation vanishes"],
    ["<nav>Home\n\na", ["paragraph Home", "paragraph a"], "unless it is never closed"],
    [
      "    <div>\n        <p>a</p>\n\n        <ul>\n\n            <li>b</li>\n        </ul>",
      ["paragraph a", "list-item1 b"],
      "indented HTML is no code",
    ],
    ["<pre>a\n  b &lt; c</pre>", ["code a⏎  b < c"], "preformatted text"],
    ["<pre>a<br>  b<br/></pre>", ["code a⏎  b"], "preformatted text whose lines end with an element"],
  ])("%j (%#)", (source, expected) => {
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

  test("falls back to the display title, the first heading, the file name", () => {
    expect(parseMarkdown("---\ndisplay_title: D\n---\n# H", "file").metadata.title).toBe("D");
    expect(parseMarkdown("a\n\n# H", "file").metadata.title).toBe("H");
    expect(parseMarkdown("a", "file").metadata.title).toBe("file");
  });

  test("ignores an unknown `type` and a `date` that is none, but not a wrong `as_of`", () => {
    const { metadata } = parseMarkdown("---\ntype: page\ndate: soon\n---\n", "f");
    expect([metadata.type, metadata.asOf]).toEqual([null, null]);
    expect(() => parseMarkdown("---\na: b\nas_of: 2019-02-30\n---\n", "f")).toThrow(/line 3: as_of: must be a date/);
  });

  test.each([
    ["---\na: b\nc: [d\n---\n", /line [34]/],
    ["---\njust text\n---\n", /no `key: value` lines/],
    ["---\naccess: [staff]\n---\n", /line 2: access/],
  ])("says where %j is wrong (%#)", (source, message) => {
    expect(() => parseMarkdown(source, "f")).toThrow(message);
    expect(() => parseMarkdown(source, "f")).toThrow(IngestError);
  });

  test("is not a rule in the text", () => {
    expect(blocks("a\n\n---\n\nb")).toEqual(["paragraph a", "paragraph b"]);
    expect(blocks("---\nnever closed")).toEqual(["paragraph never closed"]);
  });
});
