import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../../../package.ts";
import { IngestError } from "../../../shared/errors.ts";
import { labelOriginal } from "../../../text/original-place.ts";
import { placeOf, readFirst } from "../../testing/first-document.ts";
import { createRecogniser, findRecognition, type Picture, RECOGNITION_PACKAGES, type Recogniser } from "./recognise.ts";

/** A scanned page: a picture of 1,530 × 1,980 pixels on a page of 612 × 792 points. */
const SCAN = new Uint8Array(readFileSync(join(PACKAGE_ROOT, "test", "fixtures", "scan.pdf")));

const read = (recogniser: Recogniser | null) => readFirst("scan.pdf", new Uint8Array(SCAN), recogniser);

function scripted(words: Awaited<ReturnType<Recogniser["recognise"]>> | Error): Recogniser & { readonly pictures: Picture[] } {
  const pictures: Picture[] = [];
  return {
    pictures,
    async recognise(picture) {
      if (!(picture instanceof Uint8Array)) pictures.push(picture);
      if (words instanceof Error) throw words;
      return words;
    },
    close: async () => {},
  };
}

describe("a page that is a picture", () => {
  it("is reported without OCR, with the package to install", async () => {
    const { text, reading } = await read(null);
    expect(text).toBe("");
    expect(reading.notices).toMatchObject([
      { code: "pages_without_text", pages: [1], message: expect.stringContaining(RECOGNITION_PACKAGES[0]) },
    ]);
  });

  it("has words with boxes on the page, and each quote is marked as recognised", async () => {
    const recogniser = scripted([
      { text: "Quiet", x: 153, y: 198, width: 255, height: 40, line: 0, lineHeight: 40 },
      { text: "please", x: 430, y: 198, width: 255, height: 40, line: 0, lineHeight: 40 },
    ]);
    const document = await read(recogniser);
    expect(document.text).toBe("Quiet please");
    expect(recogniser.pictures.map(({ width, height }) => [width, height])).toEqual([[1530, 1980]]);
    const place = placeOf(document, "Quiet");
    expect(place).toMatchObject({ recognised: true, pages: [{ page: 1, boxes: [{ x: 61.2, y: 79.2, width: 102, height: 16 }] }] });
    expect(labelOriginal(place)).toMatch(/^p\. 1, characters \d+–\d+, read by OCR, may be wrong$/);
    expect(document.reading.notices.map(({ code }) => code)).toEqual(["recognised_text"]);
  });

  it("has no text, and is reported, when recognition fails or finds nothing", async () => {
    for (const outcome of [[], new IngestError("recognition_failed", "broken")])
      expect((await read(scripted(outcome))).reading.notices).toMatchObject([{ pages: [1] }]);
  });

  it.skipIf(findRecognition() === null)(
    `is read by ${RECOGNITION_PACKAGES.join(" and ")} (skipped if these are not installed)`,
    { timeout: 120_000 },
    async () => {
      const recogniser = createRecogniser(findRecognition() ?? { program: "", language: "" });
      try {
        const document = await read(recogniser);
        expect(document.text).toContain("A locker in the reading room costs 4 dollars per day.");
        const [box] = placeOf(document, "photographed").pages?.[0]?.boxes ?? [];
        expect(box).toMatchObject({ x: expect.closeTo(150, -2) });
      } finally {
        await recogniser.close();
      }
    },
  );
});
