import { describe, expect, test } from "vitest";
import { toOriginal } from "../../text/source-map.ts";
import { readDocuments } from "../parse.ts";
import { docxOf } from "../testing/made-files.ts";
import { parseHtml } from "./html.ts";
import { parseMarkdown } from "./markdown.ts";
import { blocksOf } from "./show-blocks.test-helper.ts";

const PAGE = `<!DOCTYPE html>
<html><head><title>A &amp; B</title><meta name="Description" content="What it is">
<link rel="canonical" href="https://a.b/c"><style>p { color: red }</style></head>
<body><header>Site</header><nav>Home</nav>
<main><header><h1>Topic</h1></header>
<p>First&nbsp;line,<br>second   line &copy; <b>bo</b>ld<p>Next
<ul><li>one<li>two <p>more</p><ol><li>deep</ol></ul>
<dl><dt>Term<dd>Meaning</dl>
<blockquote>Quoted</blockquote>
<pre>if a:
  b &lt; c</pre>
<table><caption>Rates</caption><tr><th>Age<th>Rate<tr><td>29<td>$32.00</table>
<aside>Ad</aside><form><label>Name</label><input value="x"><button>Send</button></form>
<script>alert("<p>no</p>")</script><img alt="A map" src="m.png"></main>
<footer>Imprint</footer></body></html>`;

test("reads the main content of a page as blocks", () => {
  expect(blocksOf(parseHtml(PAGE, "page"))).toEqual([
    "heading1 Topic",
    "paragraph First line,⏎second line © bold",
    "paragraph Next",
    "list-item1 one",
    "list-item1 two⏎more",
    "list-item2 1. deep",
    "paragraph Term",
    "list-item1 Meaning",
    "quote Quoted",
    "code if a:⏎  b < c",
    "paragraph Rates",
    "table-row^11 Age | Rate",
    "table-row^11 29 | $32.00",
    "paragraph Image: A map",
  ]);
});

test("code keeps its indentation, but no blank lines before it, whatever ends or fills them", () => {
  for (const blank of ["\n", "\r", " \r\n", "\u007f\n"])
    expect(blocksOf(parseHtml(`<pre>${blank}${blank}  b</pre>`, "p"))).toEqual(["code   b"]);
});

test("a description is a list item below its term", () => {
  const read = (inner: string) => blocksOf(parseHtml(`<main>${inner}</main>`, "p"));
  expect(
    read(
      "<dl><dt>Lockers <dd>Bring a coin. <dd><p>Ask us.</p><ul><li>Small</li></ul></dd> <div><dt>Pool</dt> <dd>Closed.</dd></div></dl><p>Bye",
    ),
  ).toEqual([
    "paragraph Lockers",
    "list-item1 Bring a coin.",
    "list-item1 Ask us.",
    "list-item2 Small",
    "paragraph Pool",
    "list-item1 Closed.",
    "paragraph Bye",
  ]);
  expect(read("<ul><li>a<dl><dt>T<dd>D</dl></ul>")).toEqual(["list-item1 a⏎T", "list-item2 D"]);
  expect(read("<dl><dt>T<dd><h3>H</h3><p>a</dl>")).toEqual(["paragraph T", "heading3 H", "paragraph a"]);
});

test("takes title, description and address from the head", () => {
  const { metadata } = parseHtml(PAGE, "page");
  expect([metadata.title, metadata.description, metadata.url]).toEqual(["A & B", "What it is", "https://a.b/c"]);
  expect(parseHtml("<h1>H</h1>", "page").metadata.title).toBe("H");
  expect(parseHtml("x", "page").metadata.title).toBe("page");
});

test("does not take a chapter's heading as the title", () => {
  const titleOf = (page: string) => parseHtml(page, "opening-hours").metadata.title;
  expect(titleOf("<h2>Introduction</h2><p>a</p><h2>Sundays</h2><p>b</p>")).toBe("opening-hours");
  expect(titleOf("<h3>Menu</h3><h1>Opening hours of the library</h1><h2>Sundays</h2>")).toBe("Opening hours of the library");
  expect(titleOf("<h2>Opening hours</h2><p>a</p><h3>Sundays</h3><h3>Holidays</h3>")).toBe("Opening hours");
  expect(titleOf("<h1>Opening hours</h1><h1>Sundays</h1>")).toBe("Opening hours");
});

test("maps entities as a whole and words character by character", () => {
  const { text, sourceMap } = parseHtml(PAGE, "page");
  const at = text.indexOf("© bold");
  const place = toOriginal(sourceMap, { start: at, end: at + 6 });
  expect(PAGE.slice(place.start, place.end)).toBe("&copy; <b>bo</b>ld");
});

test("prefers articles only if they contain most of the page", () => {
  expect(blocksOf(parseHtml("<p>Menu</p><article>A long enough article</article>", "p"))).toEqual(["paragraph A long enough article"]);
  expect(blocksOf(parseHtml(`<article>Teaser</article><p>${"The page itself. ".repeat(3)}</p>`, "p"))).toHaveLength(2);
});

test("reads front matter of site generators", () => {
  const parsed = parseHtml("---\ntitle: T\n---\n<p>a</p>", "p");
  expect([parsed.metadata.title, blocksOf(parsed)]).toEqual(["T", ["paragraph a"]]);
});

test("reads a page without tags, with broken tags, and an empty one", () => {
  expect(blocksOf(parseHtml("just text", "p"))).toEqual(["paragraph just text"]);
  expect(blocksOf(parseHtml("<p>a <b>b</p></i></div> c < d <", "p"))).toEqual(["paragraph a b", "paragraph c < d <"]);
  expect(blocksOf(parseHtml("", "p"))).toEqual([]);
});

test("bold words at the beginning of a paragraph are its run-in heading, in any markup", () => {
  const { text, blocks } = parseHtml(
    "<main><p><strong>Fees.</strong> Ten.</p><p><b>When</b>: May.</p><p>Not <b>here.</b> No.</p></main>",
    "a",
  );
  expect(blocks.map(({ start, runIn }) => (runIn === undefined ? null : text.slice(start, runIn)))).toEqual(["Fees.", "When", null]);
});

test("paragraphs inside one bold element are not headings", () => {
  const types = (html: string) => parseHtml(html, "a").blocks.map(({ type }) => type);
  expect(
    types(
      "<main><p>One two three four five six.<b><p>Room is free on Mondays</p><p>Lunch costs pounds</p><p>Soup is for all.</p></b></main>",
    ),
  ).toEqual(["paragraph", "paragraph", "paragraph", "paragraph"]);
  expect(
    types("<main><h1>One</h1><p>Two three four five six.<b><p>Room is free</p><p>Lunch costs pounds</p></b><p>Soup is for all.</main>"),
  ).toEqual(["heading", "paragraph", "paragraph", "paragraph", "paragraph"]);
  expect(types("<body><b>Title<br>Ann Bell<p>Mole Road<p>Tel<p>Good bye.")).toEqual(["paragraph", "paragraph", "paragraph", "paragraph"]);
});

const SECRET = "The fee is waived for everybody.";
const page = (body: string, head = "") => `<html><head>${head}</head><body><p>The fee is 5 dollars.</p>${body}</body></html>`;
const LINKED = `<link rel="stylesheet" href="a.css">`;
const style = (rules: string) => `<style>${rules}</style>`;

describe("text hidden by styles is omitted with a notice", () => {
  test.each([
    ["not displayed", `<p style="display: none">${SECRET}</p>`, ""],
    ["invisible", `<div style="visibility:hidden"><p>${SECRET}</p></div>`, ""],
    ["transparent", `<p style="opacity:0.0">${SECRET}</p>`, ""],
    ["zero size", `<p><span style="font-size:0">${SECRET}</span></p>`, ""],
    ["of one pixel", `<p style="font-size:1px">${SECRET}</p>`, ""],
    ["in a box without height", `<div style="height:0;overflow:hidden">${SECRET}</div>`, ""],
    ["left of the page", `<p style="position:absolute; left:-9999px">${SECRET}</p>`, ""],
    ["clipped away", `<p style="position:absolute;clip:rect(0, 0, 0, 0)">${SECRET}</p>`, ""],
    ["white text on the white page", `<p style="color:#FFF">${SECRET}</p>`, ""],
    ["by a class", `<p class="a b">${SECRET}</p>`, style("p.b { display:none }")],
    ["by an id, after a comment", `<p id="x">${SECRET}</p>`, style("/* } */ #x, #y { visibility : hidden }")],
    ["by the attribute", `<div hidden>${SECRET}</div>`, ""],
    ["hidden and never closed", `<div style="display:none">${SECRET}`, ""],
  ])("%s", (_, body, head) => {
    for (const parsed of [parseHtml(page(body, head), "a"), parseMarkdown(`${head}\n\nThe fee is 5 dollars.\n\n${body}\n`, "a")]) {
      expect(parsed.text).toBe("The fee is 5 dollars.");
      expect(parsed.notices).toEqual([
        { code: "hidden_text", message: `${SECRET.length} characters that the page does not show were left out` },
      ]);
    }
  });
});

describe("text that readers see, or can open, is kept", () => {
  test.each([
    ["white text on a coloured box", `<div style="background:#003"><p style="color:white">${SECRET}</p></div>`, ""],
    ["white text in a cell with a background", `<table><tr bgcolor="navy"><td style="color:#fff">${SECRET}</td></tr></table>`, ""],
    ["white text where another file's style may set the background", `<div class="banner" style="color:#fff">${SECRET}</div>`, LINKED],
    ["behind a control", `<button aria-controls="x">Fees</button><div id="x" style="display:none">${SECRET}</div>`, ""],
    ["behind a link of the page", `<a href="#x">Fees</a><div id="x" style="display:none">${SECRET}</div>`, ""],
    ["hidden only in print", `<p class="screen">${SECRET}</p>`, style("@media print { .screen { display:none } }")],
    ["shown again by a later rule", `<p class="tab open">${SECRET}</p>`, style(".tab{display:none} .tab.open{display:block}")],
    ["hidden only inside another element", `<p class="b">${SECRET}</p>`, style(".menu .b { display:none }")],
    ["slightly indented", `<p style="text-indent:-2em;font-size:9pt">${SECRET}</p>`, ""],
  ])("%s", (_, body, head) => {
    const parsed = parseHtml(page(body, head), "a");
    expect(parsed.text).toContain(SECRET);
    expect(parsed.notices).toEqual([]);
  });
});

describe("superscript and subscript", () => {
  test.each([
    ["a power", "The limit is 10<sup>6</sup> cells", "The limit is 10⁶ cells"],
    ["a power below one, in tags", "3 × <i>10</i><sup>&minus;<b>3</b></sup> g", "3 × 10⁻³ g"],
    ["a note mark", "Rent is 40<sup>1</sup> dollars", "Rent is 40¹ dollars"],
    ["a note mark that links to its note", 'Rent is 40<sup><a href="#fn1">1</a></sup> dollars', "Rent is 40[1] dollars"],
    ["a note mark before a number", "<sup>1</sup>40 dollars", "¹40 dollars"],
    ["text without superscript characters", "2<sup>1.5</sup> times", "2^1.5 times"],
    ["cents", "only $19<sup>99</sup>", "only $19⁹⁹"],
    ["letters after a number", "the 1<sup>st</sup> of May", "the 1st of May"],
    ["a formula", "H<sub>2</sub>O and SO<sub>4</sub><sup>2-</sup>", "H2O and SO4²⁻"],
    ["a fraction", "<sup>1</sup>/<sub>2</sub> litre", "¹/₂ litre"],
  ])("%s does not become another number", (_, source, shown) => {
    expect(parseHtml(`<main><p>${source}.</p></main>`, "a").text).toBe(`${shown}.`);
    expect(parseMarkdown(`Words.\n\n- ${source}.\n`, "a").text).toBe(`Words.\n\n${shown}.`);
  });

  test("keeps its place in the file, also in code and tables", () => {
    const source = "Up to 10<sup>6</sup> cells\n\n| a |\n|---|\n| 5<sup>2</sup> |\n\n<pre>7<sup>3</sup></pre>\n";
    const { text, sourceMap } = parseMarkdown(source, "a");
    expect(text).toBe("Up to 10⁶ cells\n\na\n5²\n\n7³");
    const { start, end } = toOriginal(sourceMap, { start: text.indexOf("⁶"), end: text.indexOf("⁶") + 1 });
    expect(source.slice(start, end)).toBe("<sup>6</sup>");
  });

  test("is recognised in Word files", async () => {
    const run = (text: string, position = "") => `<w:r><w:rPr>${position}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
    const raised = run("3", '<w:vertAlign w:val="superscript"/>');
    const lowered = run("2", '<w:vertAlign w:val="subscript"/>');
    const bytes = docxOf(`<w:p>${run("At most 10")}${raised}${run(" tonnes of H")}${lowered}${run("O.")}</w:p>`);
    expect((await readDocuments({ path: "a.docx", bytes }))[0]?.text).toBe("At most 10³ tonnes of H2O.");
  });
});
