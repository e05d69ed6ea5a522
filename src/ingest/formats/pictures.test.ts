import { describe, expect, test } from "vitest";
import { labelOriginal } from "../../text/original-place.ts";
import { placeOf, readFirst } from "../testing/first-document.ts";
import { docxOf, epubOf, type MoreParts, wordParagraph } from "../testing/made-files.ts";
import { drawingParagraph, odpOf, odtOf, pptxOf, slideShape } from "../testing/made-office.ts";
import { faultsOf } from "../testing/soundness.ts";
import type { Recogniser } from "./pdf/recognise.ts";
import { recognisePictures } from "./pictures.ts";

function png(width = 400, height = 100): Buffer {
  const bytes = Buffer.from("\x89PNG\r\n\x1a\n".padEnd(30, "\0"), "latin1");
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}
const JPEG = Buffer.from("ffd8ffe000040000ffc000110800640190030122", "hex");
const words = ["Quiet", "please.", "No", "dogs."].map((text, i) => ({
  ...{ text, x: 20 + 100 * (i % 2), y: i < 2 ? 10 : 60, width: 80, height: 20, line: i < 2 ? 0 : 1, lineHeight: 20 },
}));
const recogniser: Recogniser = { recognise: async () => words, close: async () => {} };

const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const relation = (target: string) => `<Relationship Id="i1" Type="${OFFICE}/image" Target="${target}"/>`;
const blip = '<a:blip r:embed="i1"/>';
const wordPicture = `<w:p xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><w:r><w:drawing><wp:inline><wp:docPr id="1" name="P" descr="A sign"/><a:graphic><a:graphicData><pic:pic><pic:blipFill>${blip}</pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;
const slidePicture = `<p:pic><p:nvPicPr><p:cNvPr id="4" name="P" descr="A sign"/></p:nvPicPr><p:blipFill>${blip}</p:blipFill></p:pic>`;
const frame = '<draw:frame xmlns:xlink="x"><draw:image xlink:href="Pictures/a.png"/><svg:desc>A sign</svg:desc></draw:frame>';
const page = (src: string) =>
  `<html><body><h1>Rules</h1><p>Read this:</p><p><img src="${src}" alt="A sign"/></p><p>Thanks.</p></body></html>`;
const odf: MoreParts = { "Pictures/a.png": png() };
const FILES: readonly (readonly [path: string, bytes: string | Uint8Array])[] = [
  [
    "a.docx",
    docxOf(`${wordParagraph("Rules")}${wordPicture}${wordParagraph("Thanks.")}`, {
      "word/_rels/document.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relation("media/a.jpeg")}</Relationships>`,
      "word/media/a.jpeg": JPEG,
    }),
  ],
  [
    "a.pptx",
    pptxOf([{ shapes: slideShape(drawingParagraph("Rules"), "title") + slidePicture, relations: relation("../media/a.png") }], {
      "ppt/media/a.png": png(),
    }),
  ],
  ["a.odt", odtOf(`<text:p>Rules</text:p><text:p>${frame}</text:p><text:p>Thanks.</text:p>`, { more: odf })],
  ["a.odp", odpOf(`<draw:page>${frame}</draw:page>`, { more: odf })],
  ["a.epub", epubOf(["<html><body><p>First.</p></body></html>", page("../art/a%20b.png")], { "OEBPS/art/a b.png": png() })],
  ["a.html", page(`data:image/png;base64,${png().toString("base64")}`)],
];

describe("pictures in a file", () => {
  test.each(FILES)("are read if OCR is installed, and their quotes say so: %s", async (path, bytes) => {
    const document = await readFirst(path, bytes, recogniser);
    expect(document.text).toContain("Image: A sign\n\nQuiet please.");
    for (const quote of ["Quiet please.", "No dogs."])
      expect(labelOriginal(placeOf(document, quote))).toMatch(/, read by OCR, may be wrong$/);
    for (const quote of ["A sign", ...(document.text.includes("Thanks") ? ["Thanks."] : [])])
      expect(placeOf(document, quote).recognised).toBeUndefined();
    expect(document.reading.notices).toMatchObject([{ code: "recognised_text", count: 1 }]);
    expect(faultsOf(document)).toEqual([]);
  });

  test.each(FILES)("change nothing without OCR, or if it finds nothing: %s", async (path, bytes) => {
    const [plain, blank] = [await readFirst(path, bytes), await readFirst(path, bytes, { ...recogniser, recognise: async () => [] })];
    expect([plain.text, plain.reading.notices]).toEqual([blank.text, blank.reading.notices]);
    expect(plain.text).not.toContain("Quiet");
  });

  test("are counted without text when OCR fails; equal pictures give their text once", async () => {
    const page = `<p>Text.</p>${`<p><img src="data:image/png;base64,${png().toString("base64")}"></p>`.repeat(2)}`;
    const failing = { ...recogniser, recognise: () => Promise.reject(new Error("broken")) };
    expect((await readFirst("a.html", page, failing)).reading.notices).toMatchObject([{ code: "figures_without_text", count: 2 }]);
    expect((await readFirst("a.html", page, recogniser)).text.match(/Quiet/g)).toHaveLength(1);
  });
});

test("hostile pictures are limited: huge ones are skipped, small ones end at a limit, three failures end the file", async () => {
  const triedOf = async (pictures: readonly Uint8Array[], recognise = recogniser.recognise) => {
    let tried = 0;
    const counting: Recogniser = {
      ...recogniser,
      recognise(picture) {
        tried++;
        return recognise(picture);
      },
    };
    await recognisePictures(
      pictures.map((bytes, i) => [String(i), bytes]),
      counting,
    );
    return tried;
  };
  expect(await triedOf([png(60_000, 60_000), png().subarray(0, 20), Buffer.from("GIF89a"), Buffer.from("ffd8ff", "hex"), JPEG])).toBe(1);
  expect(await triedOf(Array.from({ length: 5_000 }, () => png(1, 1)))).toBe(1_000);
  expect(
    await triedOf(
      Array.from({ length: 9 }, () => png()),
      () => Promise.reject(new Error("broken")),
    ),
  ).toBe(3);
});
