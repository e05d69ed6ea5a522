import { describe, expect, test } from "vitest";
import { documentQuotes } from "../document-quotes.ts";
import { parseFile, readDocuments } from "../parse.ts";
import { faultsOf } from "../testing/soundness.ts";
import { blocksOf } from "./show-blocks.test-helper.ts";

/** Returns the text of a page with its heading path. */
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

describe("each panel follows the label of its own control", () => {
  test.each([
    [
      "by the element that the tab controls",
      '<ul><li><button role="tab" aria-controls="a">Adults</button></li><li><button role="tab" aria-controls="b">Pensioners</button></li></ul>',
      panelsOf('id="a"', 'id="b" hidden'),
    ],
    [
      "in any order of the panels",
      '<div><button role="tab" aria-controls="b">Pensioners</button> <button role="tab" aria-controls="a">Adults</button></div>',
      panelsOf('id="a" hidden', 'id="b" style="display:none"'),
    ],
    [
      "if the tabs are navigation",
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
  ])("%s", (_, tabs, panels) => {
    expect(read(page(tabs, panels))).toEqual(BOTH);
    expect(read(page(tabs, panels), "a.md")).toEqual(BOTH);
  });

  test("of tabs within a panel too", () => {
    const inner = '<button role="tab" aria-controls="x">Day</button><button role="tab" aria-controls="y">Year</button>';
    const body = `<div id="a">${inner}<div id="x">$9</div><div id="y">$90</div></div><div id="b">$4</div>`;
    const tabs = '<button role="tab" aria-controls="a">Adults</button><button role="tab" aria-controls="b">Pensioners</button>';
    expect(read(tabs + body)).toEqual(["Adults > Day: $9", "Adults > Year: $90", "Pensioners: $4"]);
  });
});

describe("a control is not a heading", () => {
  test("if tabs name no panel: the panels are text", () => {
    const tabs = '<button role="tab">Adults</button><button role="tab">Pensioners</button>';
    expect(read(page(tabs, panelsOf('role="tabpanel"', 'role="tabpanel" hidden')))).toEqual([
      "Swims: It costs $9.\n\nIt costs $4.\n\nClosed on Mondays.",
    ]);
  });

  test("if it opens something other than text", () => {
    const menu = '<button aria-controls="m" aria-expanded="false">Menu</button><nav id="m">Home</nav>';
    expect(read(`${menu}<p>Open daily.</p>`)).toEqual([": Open daily."]);
  });
});

/** Returns the title and the blocks of a page without a title element. */
async function linesAndTitle(body: string): Promise<{ readonly title: string | undefined; readonly lines: string[] }> {
  const [document] = await readDocuments({ path: "rooms.html", bytes: Buffer.from(body) });
  return { title: document?.metadata.title, lines: document === undefined ? [] : blocksOf(document) };
}

describe("a table row stays whole", () => {
  const table = (cell: string, more: string) =>
    `<h1>Inn</h1><table><tr><th>Room</th><th>Price</th></tr><tr><td>${cell}</td><td>50 euros</td></tr>${more}</table>`;
  const row = '<tr id="r1" hidden><td colspan="2">Has a sea view.</td></tr>';

  test.each([
    ["aria-controls", '<button aria-controls="r1" aria-expanded="false">Blue room</button>'],
    ["a target", '<b><button data-bs-toggle="collapse" data-bs-target="#r1">Blue room</button></b>'],
    ["a link", '<a href="#r1" aria-controls="r1">Blue room</a>'],
  ])("with a control that opens another row, by %s", async (_, control) => {
    const { lines } = await linesAndTitle(table(control, row));
    expect(lines).toEqual([
      "heading1 Inn",
      "table-row^1 Room | Price",
      "table-row^1 Blue room | 50 euros",
      expect.stringMatching(/^table-row\^1 Has a sea view\./),
    ]);
  });

  test("without buttons beside a cell's text, those of menus, and hidden ones", async () => {
    const buttons = [
      'Blue room <button aria-controls="r1" aria-expanded="false">More</button>',
      'Blue room</td><td><button aria-haspopup="menu" aria-expanded="false">Actions</button>',
      'Blue room</td><td><button hidden aria-expanded="false">More</button>',
    ];
    for (const cell of buttons) {
      const { lines } = await linesAndTitle(table(cell, row));
      expect(lines.join()).toContain("Blue room |");
      expect(lines.join()).not.toMatch(/More|Actions/);
    }
  });
});

describe("the page itself is not a panel", () => {
  const text = "<p>Each room has a view of the sea and a bath.</p>";

  test.each([
    ["beside what the button names", '<nav id="n">Home</nav><button aria-controls="n" aria-expanded="false">Menu</button>', text],
    ["named by the button", '<button aria-controls="root">Menu</button>', `<h1>Inn</h1>${text}`],
  ])("%s", async (_, control, body) => {
    const { lines } = await linesAndTitle(`${control}<div id="root">${body}</div><p>© Inn</p>`);
    expect(lines.join()).not.toContain("Menu");
    expect(lines.length).toBeGreaterThan(1);
  });

  test("but a part is, even if only it has headings", async () => {
    const named = `<button aria-controls="a">Rooms</button><div id="a"><h2>Blue</h2>At sea.</div><p>We bake our own bread every day.</p>`;
    expect((await linesAndTitle(named)).lines).toContain("heading2 Rooms");
  });

  test("but a button that opens nothing belongs to its heading", async () => {
    const { lines } = await linesAndTitle(
      '<h1>Inn</h1><h2><button aria-expanded="false">Prices</button></h2>Fifty euros.<p>Cash only.</p>',
    );
    expect(lines).toEqual(["heading1 Inn", "heading2 Prices", "paragraph Fifty euros.", "paragraph Cash only."]);
  });
});

test("the document's title is never the label of a control", async () => {
  const shown = '<button aria-controls="a">Show all</button><button aria-controls="a">Hide all</button><div id="a">Ten rooms.</div>';
  const heading = '<h2><button aria-controls="a">Rooms</button></h2><div id="a">Ten.</div>';
  const summary = "<details><summary>Rooms</summary>Ten.</details>";
  for (const body of [shown, heading, summary])
    expect((await linesAndTitle(`${body}<p>We bake our own bread every day.</p>`)).title).toBe("rooms");
});

describe("a section ends with its element, and the previous heading applies again", () => {
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

  test("with nested headings of any level and nested sections", () => {
    const inner = `<details><summary>All</summary><h2>Fees</h2><p>Ten.</p>${section}<p>Cash only.</p></details>`;
    expect(read(`<h2>Ferry</h2>${inner}<p>Not on Sundays.</p><h3>Quays</h3><p>North.</p>`)).toEqual([
      "Fees: Ten.",
      "Fees > May I bring a dog?: On a lead.",
      "Fees: Cash only.",
      "Ferry: Not on Sundays.",
      "Ferry > Quays: North.",
    ]);
  });
});
