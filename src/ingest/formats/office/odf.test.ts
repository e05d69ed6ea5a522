import { describe, expect, test } from "vitest";
import { readFirst } from "../../testing/first-document.ts";
import { odpOf, odsFrom, odtOf } from "../../testing/made-office.ts";
import { blocksOf } from "../show-blocks.test-helper.ts";

const p = (text: string, style = "") => `<text:p${style === "" ? "" : ` text:style-name="${style}"`}>${text}</text:p>`;
const style = (name: string, looks: string, family = "text") =>
  `<style:style style:name="${name}" style:family="${family}"><style:text-properties ${looks}/></style:style>`;
const said = ({ reading }: Awaited<ReturnType<typeof readFirst>>) => reading.notices.map(({ code, message }) => `${code} ${message}`);

describe("OpenDocument text", () => {
  test("numbers lists, continues them, and keeps their levels", async () => {
    const list = (attributes: string, items: string) => `<text:list text:style-name="L" ${attributes}>${items}</text:list>`;
    const item = (content: string) => `<text:list-item>${content}</text:list-item>`;
    const styles =
      '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1"/>' +
      '<text:list-level-style-number text:level="2" style:num-format="a"/></text:list-style>';
    const inner = `<text:list>${item(p("Inner"))}</text:list>`;
    const body = `${list("", item(p("One") + inner) + item(p("Two")))}${p("Between")}${list('text:continue-numbering="true"', item(p("Three")))}`;
    expect(blocksOf(await readFirst("a.odt", odtOf(body, { styles })))).toEqual([
      ...["list-item1 1. One", "list-item2 a. Inner", "list-item1 2. Two", "paragraph Between", "list-item1 3. Three"],
    ]);
  });

  test("places notes after the referring block, and keeps spaces, line breaks and bold run-in headings", async () => {
    const note = `<text:note><text:note-citation>1</text:note-citation><text:note-body>${p("Not on <text:span>Sunday</text:span>.")}</text:note-body></text:note>`;
    const body = `<text:h text:outline-level="1">Hours</text:h>${p(`Open${note} from<text:s text:c="3"/>nine<text:line-break/>to five.`)}${p("Fees", "B")}${p("We answer every letter within a week of it.")}`;
    const document = await readFirst("a.odt", odtOf(body, { styles: style("B", 'fo:font-weight="bold"', "paragraph") }));
    expect(blocksOf(document)).toEqual([
      "heading1 Hours",
      "paragraph Open[1] from nine⏎to five.",
      "paragraph [1] Not on Sunday.",
      "heading2 Fees",
      "paragraph We answer every letter within a week of it.",
    ]);
  });

  test("omits hidden, deleted and struck text, comments, indexes and page headers, with notices", async () => {
    const styles = style("H", 'text:display="none"') + style("S", 'style:text-line-through-style="solid"');
    const deleted = `<text:tracked-changes><text:changed-region><text:deletion>${p("gone")}</text:deletion></text:changed-region></text:tracked-changes>`;
    const body = [
      deleted,
      p('Seen<text:span text:style-name="H">secret</text:span><text:span text:style-name="S">old</text:span>'),
      p(`More<office:annotation>${p("a remark")}</office:annotation>`),
      `<text:table-of-content>${p("Seen 1")}</text:table-of-content>`,
    ];
    const pages = `<office:document-styles><office:master-styles><style:master-page><style:header>${p("Port of Ys, 3 May 2026")}</style:header></style:master-page></office:master-styles></office:document-styles>`;
    const document = await readFirst("a.odt", odtOf(body.join(""), { styles, more: { "styles.xml": pages } }));
    expect(document.text).toBe("Seen\n\nMore");
    expect(document.metadata.asOf).toBe("2026-05-03");
    expect(said(document)).toEqual([
      expect.stringMatching(/^hidden_text 6 /),
      expect.stringMatching(/^struck_text 7 /),
      "left_out comments in the margin were left out",
      "left_out tables of contents were left out",
      "left_out headers and footers of pages were left out: Port of Ys, 3 May 2026",
    ]);
  });

  test("reads titles, quotations, code, text boxes and pictures", async () => {
    const image = (more = "") => `<draw:frame>${more}<draw:image/></draw:frame>`;
    const box = `<draw:frame><draw:text-box>${p("Figure 1: the quays")}</draw:text-box></draw:frame>`;
    const body = [
      ...[p("Handbook", "Title"), p("He said so.", "Quotations"), p("ls -l", "Preformatted_20_Text"), p("cd /", "Preformatted_20_Text")],
      ...[p(`Text.${box}`), p(image("<svg:title>Map</svg:title><svg:desc>Berths 1 to 9</svg:desc>")), p(image())],
    ];
    const document = await readFirst("a.odt", odtOf(body.join("")));
    expect(blocksOf(document)).toEqual([
      ...["heading1 Handbook", "quote He said so.", "code ls -l", "code cd /", "paragraph Text.", "paragraph Figure 1: the quays"],
      "paragraph Image: Map. Berths 1 to 9",
    ]);
    expect(said(document)).toEqual([expect.stringMatching(/^figures_without_text 1 /)]);
  });

  test("repeats merged cells in the rows and columns that they cover", async () => {
    const cell = (text: string, attributes = "") => `<table:table-cell ${attributes}>${p(text)}</table:table-cell>`;
    const row = (...cells: string[]) => `<table:table-row>${cells.join("")}</table:table-row>`;
    const head = `<table:table-header-rows>${row(cell("Kind"), cell("Day"), cell("Fee"))}</table:table-header-rows>`;
    const merged = row(cell("Late", 'table:number-rows-spanned="2"'), cell("Mon"), cell("5"));
    const body = `<table:table>${head}${merged}${row("<table:covered-table-cell/>", cell("Tue"), cell("6"))}</table:table>`;
    expect(blocksOf(await readFirst("a.odt", odtOf(body)))).toEqual([
      ...["table-row^0 Kind | Day | Fee", "table-row^0 Late | Mon | 5", "table-row^0 Late | Tue | 6"],
    ]);
  });

  test("with a password is rejected", async () => {
    const manifest = "<manifest:manifest><manifest:encryption-data></manifest:encryption-data></manifest:manifest>";
    const bytes = odtOf(p("x"), { more: { "META-INF/manifest.xml": manifest } });
    await expect(readFirst("a.odt", bytes)).rejects.toMatchObject({ code: "encrypted" });
  });
});

test("an OpenDocument presentation marks hidden slides and speaker notes, and omits comments with a notice", async () => {
  const box = (text: string, kind: string) =>
    `<draw:frame presentation:class="${kind}"><draw:text-box>${p(text)}</draw:text-box></draw:frame>`;
  const hidden =
    '<style:style style:name="dp" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>';
  const pages = [
    `<draw:page>${box("Body.", "outline")}${box("Head", "title")}${box("3", "page-number")}<presentation:notes>${box("Slowly.", "notes")}</presentation:notes></draw:page>`,
    `<draw:page draw:style-name="dp"><draw:custom-shape>${p(`Shape.<office:annotation>${p("a remark")}</office:annotation>`)}</draw:custom-shape></draw:page>`,
  ];
  const document = await readFirst("a.odp", odpOf(pages.join(""), { styles: hidden }));
  expect(said(document)).toEqual(["left_out comments in the margin were left out"]);
  expect(blocksOf(document)).toEqual([
    ...["heading1 Head", "paragraph Body.", "heading2 Speaker notes", "paragraph Slowly."],
    ...["heading1 Slide 2 (hidden slide)", "paragraph Shape."],
  ]);
});

describe("OpenDocument spreadsheet", () => {
  const cell = (text: string, attributes = "") => `<table:table-cell ${attributes}>${text === "" ? "" : p(text)}</table:table-cell>`;
  const row = (cells: string, attributes = "") => `<table:table-row ${attributes}>${cells}</table:table-row>`;
  const sheet = (name: string, rows: string, attributes = "") => `<table:table table:name="${name}" ${attributes}>${rows}</table:table>`;

  test("shows displayed values, and repeats rows and cells including empty ones", async () => {
    const rows = [
      row(cell("Kind") + cell("Fee")),
      row(cell("", 'table:number-columns-repeated="2"'), 'table:number-rows-repeated="3"'),
      row(cell("late") + cell("£5.00", 'office:value="5"'), 'table:number-rows-repeated="2"'),
      row(cell("lost") + cell("", 'office:value="9.5"')),
      row(cell(""), 'table:number-rows-repeated="1048000"'),
    ];
    const document = await readFirst("a.ods", odsFrom(sheet("S", rows.join(""))));
    expect(document.text).toBe("Kind | Fee\nlate | £5.00\nlate | £5.00\nlost | 9.5");
    expect(document.reading.places).toMatchObject({ cells: expect.arrayContaining([7, 2]) });
  });

  test("omits hidden sheets, rows and columns and comments, and reports errors and missing results", async () => {
    const styles = '<style:style style:name="ta" style:family="table"><style:table-properties table:display="false"/></style:style>';
    const columns = '<table:table-column table:number-columns-repeated="2"/><table:table-column table:visibility="collapse"/>';
    const rows = [
      row(cell("a") + cell("b") + cell("c")),
      row(cell("1") + cell("2") + cell("3"), 'table:visibility="filter"'),
      row(
        `<table:table-cell><office:annotation>${p("remark")}</office:annotation>${p("x")}</table:table-cell>${cell("#DIV/0!", 'calcext:value-type="error"')}`,
      ),
      row(cell("y") + cell("", 'table:formula="of:=SUM([.A1])"')),
    ];
    const sheets = sheet("Open", columns + rows.join("")) + sheet("Closed", row(cell("z")), 'table:style-name="ta"');
    const document = await readFirst("a.ods", odsFrom(sheets, { styles }));
    expect(document.text).toBe("a | b\nx | #DIV/0!\ny | =SUM([.A1])");
    expect(said(document)).toEqual([
      "hidden_text hidden sheets were left out: Closed",
      "hidden_text hidden columns (1) and rows (1) were left out",
      expect.stringMatching(/^cells_without_value .*1 with an error, 1 with a formula/),
    ]);
  });
});
