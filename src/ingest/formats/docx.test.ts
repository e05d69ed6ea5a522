import { describe, expect, test } from "vitest";
import { readDocuments } from "../parse.ts";
import { readFirst } from "../testing/first-document.ts";
import { docxOf, wordParagraph } from "../testing/made-files.ts";
import { blocksOf } from "./show-blocks.test-helper.ts";

const STYLES = ["Title", "Subtitle", "Author", "Date", "Block Text", "Quotations", "Source Code"];
const styles = `<w:styles XMLNS>${["heading 1", ...STYLES]
  .map((name) => `<w:style w:type="paragraph" w:styleId="${name.replaceAll(" ", "")}"><w:name w:val="${name}"/></w:style>`)
  .join("")}</w:styles>`;
function paragraph(text: string, style = ""): string {
  return wordParagraph(text, style === "" ? "" : `<w:pPr><w:pStyle w:val="${style.replaceAll(" ", "")}"/></w:pPr>`);
}

async function read(...paragraphs: readonly string[]) {
  const bytes = docxOf(paragraphs.join(""), { "word/styles.xml": styles });
  const { text, metadata, blocks } = await readFirst("a.docx", bytes);
  return { metadata, blocks: blocks.map(({ type, level, start, end }) => `${type}${level || ""} ${text.slice(start, end)}`) };
}

describe("quotations", () => {
  test.each(["Block Text", "Quotations"])("in the style %s are quotes", async (style) => {
    const { blocks } = await read(paragraph("Boats may wait.", style), paragraph("So it says."));
    expect(blocks).toEqual(["quote Boats may wait.", "paragraph So it says."]);
  });
});

test("adjacent blocks of code stay separate", async () => {
  const { blocks } = await read(paragraph("moor --now", "Source Code"), paragraph("moor --later", "Source Code"));
  expect(blocks).toEqual(["code moor --now", "code moor --later"]);
});

test("keeps the lines of a title block", async () => {
  const block = [paragraph("Port of Ys", "Title"), paragraph("A. Bell", "Author"), paragraph("In force from May 2026", "Date")];
  const { blocks, metadata } = await read(...block, paragraph("Harbour fees", "heading 1"));
  expect(blocks).toEqual(["heading1 Port of Ys", "paragraph A. Bell", "paragraph In force from May 2026", "heading1 Harbour fees"]);
  expect(metadata.title).toBe("Port of Ys");
});

test("reports omitted comments only if there are any, because programs also write an empty part", async () => {
  const noticed = async (comments: string) => {
    const bytes = docxOf(paragraph("Fees."), {
      "word/comments.xml": `<w:comments XMLNS>${comments}</w:comments>`,
      "word/styles.xml": styles,
    });
    return (await readDocuments({ path: "a.docx", bytes }))[0]?.reading.notices.map(({ code }) => code);
  };
  expect(await noticed("")).toEqual([]);
  expect(await noticed('<w:comment w:id="0"><w:p/></w:comment>')).toEqual(["left_out"]);
});

test("takes its title from the file name if only bold lines serve as headings", async () => {
  const bold = (text: string) => `<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>${text}</w:t></w:r></w:p>`;
  const parts = [
    paragraph("We answer every letter within a week of it."),
    bold("In person"),
    paragraph("At the desk."),
    bold("By mail"),
    paragraph("Send it."),
  ];
  const core = "<cp:coreProperties><dc:title>Ways to write to us</dc:title></cp:coreProperties>";
  const [document] = await readDocuments({ path: "a.docx", bytes: docxOf(parts.join(""), { "docProps/core.xml": core }) });
  expect(document?.metadata.title).toBe("Ways to write to us");
  expect(document?.blocks.filter(({ type }) => type === "heading")).toHaveLength(2);
});

describe("tables without a marked header", () => {
  const tableStyle = (id: string, content: string) =>
    `<w:style w:type="table" w:styleId="${id}"><w:name w:val="${id}"/>${content}</w:style>`;
  const FIRST_ROW = '<w:tblStylePr w:type="firstRow"><w:tcPr><w:shd w:fill="4472C4"/></w:tcPr></w:tblStylePr>';
  const tableStyles = `<w:styles XMLNS>${tableStyle("Plain", "")}${tableStyle("Fancy", FIRST_ROW)}${tableStyle("Mine", '<w:basedOn w:val="Fancy"/>')}</w:styles>`;
  const PAY = [
    ["Year", "Monthly pay"],
    ["Second", "€ 1,190"],
    ["Third", "€ 1,285"],
  ];
  const rowsOf = async (look: string, rows: readonly (readonly string[])[], looks = "", styles = tableStyles) => {
    const cell = (text: string) => `<w:tc><w:p><w:r>${looks}<w:t>${text}</w:t></w:r></w:p></w:tc>`;
    const table = `<w:tbl><w:tblPr>${look}</w:tblPr>${rows.map((row) => `<w:tr>${row.map(cell).join("")}</w:tr>`).join("")}</w:tbl>`;
    return blocksOf(await readFirst("a.docx", docxOf(table, { "word/styles.xml": styles })));
  };
  const headed = ["table-row Year | Monthly pay", "table-row^0 Second | € 1,190", "table-row^0 Third | € 1,285"];
  const plain = headed.map((row) => row.replace("^0", ""));

  test("have their first row as header if their style formats it differently", async () => {
    expect(await rowsOf('<w:tblStyle w:val="Fancy"/><w:tblLook w:val="04A0" w:firstRow="1"/>', PAY)).toEqual(headed);
    expect(await rowsOf('<w:tblStyle w:val="Mine"/><w:tblLook w:val="0020"/>', PAY, "<w:rPr><w:i/></w:rPr>")).toEqual(headed);
    expect(await rowsOf('<w:tblStyle w:val="Mine"/><w:tblLook w:val="0020"/>', PAY, "<w:rPr/>")).toEqual(headed);
  });

  test("have none if the table does not use the style's first row, the style has none, or the row contains values", async () => {
    expect(await rowsOf('<w:tblStyle w:val="Fancy"/><w:tblLook w:val="0480" w:firstRow="0"/>', PAY)).toEqual(plain);
    expect(await rowsOf('<w:tblStyle w:val="Fancy"/><w:tblLook w:val="0480"/>', PAY)).toEqual(plain);
    expect(await rowsOf('<w:tblStyle w:val="Plain"/><w:tblLook w:val="04A0" w:firstRow="1"/>', PAY)).toEqual(plain);
    expect(await rowsOf('<w:tblStyle w:val="Fancy"/><w:tblLook w:firstRow="1"/>', [["First", "€ 1,120"], ...PAY.slice(1)])).toEqual([
      "table-row First | € 1,120",
      ...plain.slice(1),
    ]);
  });
});
