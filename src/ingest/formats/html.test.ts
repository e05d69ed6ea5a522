import { expect, test } from "vitest";
import { toOriginal } from "../../text/source-map.ts";
import { parseHtml } from "./html.ts";
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
    "list-item2 deep",
    "paragraph Term",
    "list-item1 Meaning",
    "quote Quoted",
    "code if a:⏎  b < c",
    "paragraph Rates",
    "table-row^11 Age | Rate",
    "table-row^11 29 | $32.00",
    "paragraph A map",
  ]);
});

test("a description is an item below its term", () => {
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

test("takes no chapter's heading for the title", () => {
  const titleOf = (page: string) => parseHtml(page, "opening-hours").metadata.title;
  expect(titleOf("<h2>Introduction</h2><p>a</p><h2>Sundays</h2><p>b</p>")).toBe("opening-hours");
  expect(titleOf("<h3>Menu</h3><h1>Opening hours of the library</h1><h2>Sundays</h2>")).toBe("Opening hours of the library");
  expect(titleOf("<h2>Opening hours</h2><p>a</p><h3>Sundays</h3><h3>Holidays</h3>")).toBe("Opening hours");
  expect(titleOf("<h1>Opening hours</h1><h1>Sundays</h1>")).toBe("Opening hours");
});

test("maps entities as a whole and words one to one", () => {
  const { text, sourceMap } = parseHtml(PAGE, "page");
  const at = text.indexOf("© bold");
  const place = toOriginal(sourceMap, { start: at, end: at + 6 });
  expect(PAGE.slice(place.start, place.end)).toBe("&copy; <b>bo</b>ld");
});

test("prefers articles only if they hold most of the page", () => {
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

test("bold words at the beginning of a paragraph are its run-in head, whatever marks them", () => {
  const { text, blocks } = parseHtml(
    "<main><p><strong>Fees.</strong> Ten.</p><p><b>When</b>: May.</p><p>Not <b>here.</b> No.</p></main>",
    "a",
  );
  expect(blocks.map(({ start, runIn }) => (runIn === undefined ? null : text.slice(start, runIn)))).toEqual(["Fees.", "When", null]);
});

test("what is bold around several paragraphs makes none of them a heading", () => {
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
