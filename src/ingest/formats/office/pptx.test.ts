import { describe, expect, test } from "vitest";
import { readFirst } from "../../testing/first-document.ts";
import { drawingParagraph, pptxOf, slideShape, slideTable } from "../../testing/made-office.ts";
import { blocksOf } from "../show-blocks.test-helper.ts";

const title = (text: string) => slideShape(drawingParagraph(text), "title");
const picture = (attributes: string, more = "") =>
  `<p:pic><p:nvPicPr><p:cNvPr id="4" name="Picture 4" ${attributes}>${more}</p:cNvPr></p:nvPicPr></p:pic>`;
const codesOf = ({ reading }: Awaited<ReturnType<typeof readFirst>>) => reading.notices.map(({ code, message }) => `${code} ${message}`);

describe("slides", () => {
  test("follow the presentation's list, with marked notes and hidden slides, and numbers for missing titles", async () => {
    const slides = [
      {
        shapes: title("Fees") + slideShape(drawingParagraph("Ten a month."), "body"),
        notes: slideShape(drawingParagraph("Say it slowly."), "body"),
      },
      { shapes: title("Old fees") + slideShape(drawingParagraph("Nine a month.")), isHidden: true },
      { shapes: slideShape(drawingParagraph("Ask at the desk.")) },
      { shapes: "" },
    ];
    const document = await readFirst("a.pptx", pptxOf(slides));
    expect(blocksOf(document)).toEqual([
      ...["heading1 Fees", "list-item1 Ten a month.", "heading2 Speaker notes", "paragraph Say it slowly."],
      ...["heading1 Old fees (hidden slide)", "paragraph Nine a month.", "heading1 Slide 3", "paragraph Ask at the desk."],
    ]);
    expect(document.metadata.title).toBe("Fees");
    expect(document.pages?.map((at) => document.text.slice(at, at + 8))).toEqual(["Fees\n\nTe", "Old fees", "Slide 3\n", ""]);
  });

  test("start their own lists", async () => {
    const items = (text: string) => slideShape(drawingParagraph(text), "body");
    const document = await readFirst("a.pptx", pptxOf([{ shapes: title("A") + items("One") }, { shapes: title("B") + items("Two") }]));
    expect(blocksOf(document)).toEqual(["heading1 A", "list-item1 One", "heading1 B", "list-item1 Two"]);
  });

  test("show the title first and members of groups in place, and omit comments, footers and hidden shapes with a notice", async () => {
    const group = `<p:grpSp><p:nvGrpSpPr><p:cNvPr id="9" name="G"/></p:nvGrpSpPr>${slideShape(drawingParagraph("Second."))}</p:grpSp>`;
    const hiddenGroup = `<p:grpSp><p:nvGrpSpPr><p:cNvPr id="9" name="G" hidden="1"/></p:nvGrpSpPr>${slideShape(drawingParagraph("gone"))}</p:grpSp>`;
    const shapes = [
      ...[slideShape(drawingParagraph("First.")), group, hiddenGroup, slideShape(drawingParagraph("secret"), "", 'hidden="1"')],
      ...[slideShape(drawingParagraph("Confidential"), "ftr"), slideShape(drawingParagraph("7"), "sldNum"), title("Head")],
    ];
    const relations =
      '<Relationship Id="c" Type="http://schemas.microsoft.com/office/2018/10/relationships/comments" Target="../comments/c.xml"/>';
    const document = await readFirst("a.pptx", pptxOf([{ shapes: shapes.join(""), relations }]));
    expect(document.text).toBe("Head\n\nFirst.\n\nSecond.");
    expect(codesOf(document)).toEqual([
      "left_out comments were left out",
      "left_out headers and footers of pages were left out: Confidential",
      "hidden_text 10 characters of hidden shapes were left out",
    ]);
  });

  test("keep levels and numbers of lists, line breaks and superscripts, and omit struck text", async () => {
    const run = (text: string, properties = "") => `<a:r><a:rPr ${properties}/><a:t>${text}</a:t></a:r>`;
    const numbered = (text: string) => drawingParagraph(text, '<a:pPr><a:buAutoNum type="arabicPeriod" startAt="3"/></a:pPr>');
    const paragraphs = [
      ...[drawingParagraph("Top"), drawingParagraph("Under", '<a:pPr lvl="1"/>'), numbered("Third"), numbered("Fourth")],
      drawingParagraph("Plain", "<a:pPr><a:buNone/></a:pPr>"),
      `<a:p>${run("10")}${run("6", 'baseline="30000"')}<a:br/>${run("old", 'strike="sngStrike"')}${run("new")}</a:p>`,
    ];
    const document = await readFirst("a.pptx", pptxOf([{ shapes: slideShape(paragraphs.join(""), "body") }]));
    expect(blocksOf(document).slice(1)).toEqual([
      ...["list-item1 Top", "list-item2 Under", "list-item1 3. Third", "list-item1 4. Fourth", "paragraph Plain", "list-item1 10⁶⏎new"],
    ]);
    expect(codesOf(document)[0]).toMatch(/^struck_text 3 struck/);
  });

  test("give tables their header and merged cells", async () => {
    const cell = (text: string, attributes = "") => `<a:tc ${attributes}><a:txBody>${drawingParagraph(text)}</a:txBody></a:tc>`;
    const row = (...cells: string[]) => `<a:tr>${cells.join("")}</a:tr>`;
    const table = slideTable([]).replace(
      "</a:tbl>",
      `${row(cell("Kind"), cell("Summer"), cell("Winter"))}${row(cell("Late"), cell("5", 'gridSpan="2"'), cell("", 'hMerge="1"'))}</a:tbl>`,
    );
    const document = await readFirst("a.pptx", pptxOf([{ shapes: title("T") + table }]));
    expect(blocksOf(document).slice(1)).toEqual(["table-row^1 Kind | Summer | Winter", "table-row^1 Late | 5 | 5"]);
  });

  test("quote the alternative text of pictures, and count pictures without any", async () => {
    const decorative = '<a:extLst><a:ext><adec:decorative val="1"/></a:ext></a:extLst>';
    const shapes = title("T") + picture('descr="A map of the quays"') + picture("") + picture("", decorative);
    const document = await readFirst("a.pptx", pptxOf([{ shapes }]));
    expect(document.text).toBe("T\n\nImage: A map of the quays");
    expect(codesOf(document)).toEqual([expect.stringMatching(/^figures_without_text 1 /)]);
  });
});

test("report a presentation without its slides", async () => {
  const bytes = pptxOf([{ shapes: "" }], { "ppt/_rels/presentation.xml.rels": "<Relationships/>" });
  await expect(readFirst("a.pptx", bytes)).rejects.toMatchObject({
    code: "bad_archive",
    message: expect.stringContaining("save it again as PPTX"),
  });
});
