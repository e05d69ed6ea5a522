import { describe, expect, test } from "vitest";
import { parseFirst, readFirst } from "../testing/first-document.ts";
import { docxOf, wordParagraph } from "../testing/made-files.ts";
import { faultsOf } from "../testing/soundness.ts";

const page = (body: string) => parseFirst("a.html", `<!doctype html><title>t</title><main>${body}</main>`);
const figuresIn = ({ reading }: ReturnType<typeof parseFirst>) =>
  reading.notices.filter(({ code }) => code === "figures_without_text").map(({ message }) => Number.parseInt(message, 10));

describe("pictures of a web page", () => {
  test("alone in their block are quoted as images with captions; within a sentence they are part of it", () => {
    const { text } = page(
      '<figure><img src=a alt="Map of the quays"><figcaption>Figure 1: berths</figcaption></figure><p>Press <img alt="Save"> to store.</p>' +
        '<p><img alt="One"> <img alt="Two"></p><h2><img alt="Fees"></h2><p>Ten.</p>',
    );
    expect(text).toBe("Image: Map of the quays\n\nFigure 1: berths\n\nPress Save to store.\n\nImage: One\n\nImage: Two\n\nFees\n\nTen.");
  });

  test("without text are counted, except decoration and spacers", () => {
    expect(figuresIn(page('<p>Text.<img src=c></p><img alt=""><img width=1 height=1 src=d><figure><img src=b></figure>'))).toEqual([2]);
    expect(figuresIn(page('<p>Text.</p><img alt="A map">'))).toEqual([]);
  });
});

describe("pictures in Markdown", () => {
  test("alone in their paragraph are quoted as images at their place; those without text are counted", () => {
    const source = "Text ![ok](a.png) here.\n\n![Map of *quays*](b.png)\n![Two](c.png)\n\n![](d.png)\n";
    const document = parseFirst("a.md", source);
    expect(document.text).toBe("Text ok here.\n\nImage: Map of quays\n\nImage: Two");
    expect(faultsOf(document, source)).toEqual([]);
    expect(figuresIn(document)).toEqual([1]);
  });
});

test("pictures of a DOCX are quoted by their description, and counted without one", async () => {
  const picture = (description: string) =>
    `<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="P" descr="${description}"/><a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:embed="i1"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;
  const names =
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"';
  const relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="i1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="media/a.png"/></Relationships>`;
  const body = `${wordParagraph("Text.")}${picture("A map")}${picture("")}`.replaceAll("<w:p>", `<w:p ${names}>`);
  const document = await readFirst("a.docx", docxOf(body, { "word/_rels/document.xml.rels": relations, "word/media/a.png": "x" }));
  expect(document.text).toBe("Text.\n\nImage: A map");
  expect(figuresIn(document)).toEqual([1]);
});
