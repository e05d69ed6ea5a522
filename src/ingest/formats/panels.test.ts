import { describe, expect, test } from "vitest";
import { documentQuotes } from "../document-quotes.ts";
import { parseFile } from "../parse.ts";
import { faultsOf } from "../testing/soundness.ts";

/** The sentences of a page, each with the headings above it. */
function read(body: string, path = "a.html"): string[] {
  const bytes = Buffer.from(path.endsWith(".md") ? body : `<html><title>T</title><body><main>${body}</main></body></html>`);
  return parseFile({ path, bytes }).flatMap((document) => {
    expect(faultsOf(document).filter((fault) => !fault.startsWith("segment"))).toEqual([]);
    expect(document.reading.notices).toEqual([]);
    return documentQuotes(document).map(({ above, text }) => `${above.slice(1).join(" > ")}: ${text}`);
  });
}

const BOTH = ["Swims > Adults: It costs $9.", "Swims > Pensioners: It costs $4.", "Swims: Closed on Mondays."];
const page = (tabs: string, panels: string) => `<h1>Swims</h1>${tabs}${panels}<p>Closed on Mondays.</p>`;
const panelsOf = (one: string, two: string) => `<div ${one}><p>It costs $9.</p></div>\n<div ${two}><p>It costs $4.</p></div>`;

describe("each panel stands under the words of its own control", () => {
  test.each([
    [
      "by what the tab says it controls",
      '<ul><li><button role="tab" aria-controls="a">Adults</button></li><li><button role="tab" aria-controls="b">Pensioners</button></li></ul>',
      panelsOf('id="a"', 'id="b" hidden'),
    ],
    [
      "in whatever order the panels stand",
      '<div><button role="tab" aria-controls="b">Pensioners</button> <button role="tab" aria-controls="a">Adults</button></div>',
      panelsOf('id="a" hidden', 'id="b" style="display:none"'),
    ],
    [
      "also where the tabs are navigation",
      '<nav><button role="tab" aria-controls="a">Adults</button><button role="tab" aria-controls="b">Pensioners</button></nav>',
      panelsOf('id="a"', 'id="b" hidden'),
    ],
    [
      "by the address of a link",
      '<ul><li><a role="tab" href="#a">Adults</a></li><li><a role="tab" href="#b">Pensioners</a></li></ul>',
      panelsOf('id="a"', 'id="b" aria-hidden="true"'),
    ],
    [
      "by a target",
      '<button data-bs-toggle="tab" data-bs-target="#a">Adults</button><button data-bs-toggle="tab" data-bs-target="#b">Pensioners</button>',
      panelsOf('id="a"', 'id="b" hidden'),
    ],
    [
      "by what the panel says labels it",
      '<div><span role="tab" id="s">Adults</span><span role="tab" id="t">Pensioners</span></div>',
      panelsOf('role="tabpanel" aria-labelledby="s"', 'role="tabpanel" aria-labelledby="t" hidden'),
    ],
    [
      "by their order, as many as there are",
      '<div><button role="tab">Adults</button><button role="tab">Pensioners</button></div>',
      panelsOf('role="tabpanel"', 'role="tabpanel" hidden'),
    ],
  ])("%s", (_, tabs, panels) => {
    expect(read(page(tabs, panels))).toEqual(BOTH);
    expect(read(page(tabs, panels), "a.md")).toEqual(BOTH);
  });

  test("accordions, with headings around their buttons and without ids", () => {
    const item = (head: string, text: string) =>
      `<div><h3><button aria-expanded="false">${head}</button></h3></div><div hidden>${text}</div>`;
    const accordion = `<div>${item("Adults", "It costs $9.")}${item("Pensioners", "It costs $4.")}</div>`;
    expect(read(page(accordion, ""))).toEqual(BOTH);
  });

  test("of tabs within a panel too", () => {
    const inner = '<button role="tab" aria-controls="x">Day</button><button role="tab" aria-controls="y">Year</button>';
    const body = `<div id="a">${inner}<div id="x">$9</div><div id="y">$90</div></div><div id="b">$4</div>`;
    const tabs = '<button role="tab" aria-controls="a">Adults</button><button role="tab" aria-controls="b">Pensioners</button>';
    expect(read(tabs + body)).toEqual(["Adults > Day: $9", "Adults > Year: $90", "Pensioners: $4"]);
  });
});

describe("a control heads nothing", () => {
  test("where more tabs than panels are left", () => {
    const tabs = '<button role="tab">Adults</button><button role="tab">Pensioners</button><button role="tab">Schools</button>';
    expect(read(page(tabs, panelsOf('role="tabpanel"', 'role="tabpanel"')))).toEqual([
      "Swims: It costs $9.\n\nIt costs $4.\n\nClosed on Mondays.",
    ]);
  });

  test("where it opens what is no text, or the page, or is a link in a sentence", () => {
    const menu = '<button aria-controls="m" aria-expanded="false">Menu</button><nav id="m">Home</nav>';
    const link = '<p>See <a href="#f" aria-controls="f">the fees</a> below.</p><div id="f">Ten a month.</div>';
    expect(read(`${menu}<p>Open daily.</p>${link}`)).toEqual([": Open daily.\n\nSee the fees below.\n\nTen a month."]);
  });
});

describe("what a section holds ends with it, and the heading before it holds again", () => {
  const section = "<details><summary>May I bring a dog?</summary><p>On a lead.</p></details>";

  test.each([
    ["of a page", `<h2>Ferry</h2>${section}<p>Not on Sundays.</p>`, "a.html"],
    [
      "of markdown",
      `## Ferry\n\n<details>\n<summary>May I bring a dog?</summary>\n\nOn a lead.\n\n</details>\n\nNot on Sundays.\n`,
      "a.md",
    ],
  ])("%s", (_, source, path) => {
    expect(read(source, path)).toEqual(["Ferry > May I bring a dog?: On a lead.", "Ferry: Not on Sundays."]);
  });

  test("with headings in it, of whatever level, and sections within", () => {
    const inner = `<details><summary>All</summary><h2>Fees</h2><p>Ten.</p>${section}<p>Cash only.</p></details>`;
    expect(read(`<h2>Ferry</h2>${inner}<p>Not on Sundays.</p><h3>Quays</h3><p>North.</p>`)).toEqual([
      "Fees: Ten.",
      "Fees > May I bring a dog?: On a lead.",
      "Fees: Cash only.",
      "Ferry: Not on Sundays.",
      "Ferry > Quays: North.",
    ]);
  });

  test("with bold lines that are headings", () => {
    const bold = "<details><summary>All</summary><p><b>Winter fees</b></p><p>Ten a month, whatever the weather is.</p></details>";
    expect(read(`<h2>Ferry</h2>${bold}<p>Not on Sundays.</p>`)).toEqual([
      "Ferry > All > Winter fees: Ten a month, whatever the weather is.",
      "Ferry: Not on Sundays.",
    ]);
  });
});
