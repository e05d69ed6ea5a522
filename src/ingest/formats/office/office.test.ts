import { describe, expect, test } from "vitest";
import { originalPlaceOf } from "../../../text/original-place.ts";
import { chunkDocument } from "../../chunk.ts";
import { type ParsedDocument, readDocuments } from "../../parse.ts";
import { placeOf } from "../../testing/first-document.ts";
import type { MadeBlock } from "../../testing/made-files.ts";
import { type MadeOfficeFormat, makeOfficeFile } from "../../testing/made-office.ts";
import { faultsOf } from "../../testing/soundness.ts";

const FORMATS: readonly MadeOfficeFormat[] = ["pptx", "odt", "ods", "odp", "rtf", "vtt", "srt"];
const SUBJECTS = ["The pilot", "A “visiting” boat", "Every crew", "The harbour café", "Line 4 of the ferry", "Zoë's yard", "渡し船"];
const ACTS = ["pays £12.50", "moors at buoy 7", "waits for the tide", "leaves before 06:30", "shows form HB-22 & a pass", "costs < 5 €"];
const WHERE = ["on weekdays", "in the outer basin", "– unless it rains –", "from 1 May to 30 June", "at the north quay 😀"];

/** Twenty documents of known text, each different. */
const DOCUMENTS: readonly (readonly MadeBlock[])[] = Array.from({ length: 20 }, (_, n) => {
  const sentence = (i: number) =>
    `${SUBJECTS[(n + i) % SUBJECTS.length]} ${ACTS[(n * 3 + i) % ACTS.length]} ${WHERE[(n * 7 + i) % WHERE.length]}, rule ${n}.${i}.`;
  const section = (s: number): MadeBlock[] => [
    { type: "heading", level: 1 + ((n + s) % 3), text: `Part ${s} of notice ${n}` },
    { type: "paragraph", text: `${sentence(s * 10)} ${sentence(s * 10 + 1)}` },
    { type: "item", text: sentence(s * 10 + 2) },
    { type: "item", text: sentence(s * 10 + 3) },
    { type: "table", rows: [["Boat", "Fee"], ...Array.from({ length: 3 }, (_, r) => [`Class ${s}${r} {x}`, `£${n + r}.50`])] },
    { type: "paragraph", text: sentence(s * 10 + 4) },
  ];
  return Array.from({ length: 1 + (n % 4) }, (_, s) => section(s)).flat();
});

const lettersOf = (text: string) => text.replace(/[\s|]/g, "");
const spokenIn = (blocks: readonly MadeBlock[]) => blocks.flatMap((block) => (block.type === "table" ? block.rows.flat() : [block.text]));
const readMade = (format: MadeOfficeFormat, blocks: readonly MadeBlock[]) => readDocuments(makeOfficeFile(format, blocks));

describe("twenty files of known text", () => {
  test.each(FORMATS)("as %s keep every character in order and are valid", async (format) => {
    for (const blocks of DOCUMENTS) {
      const [document] = (await readMade(format, blocks)) as [ParsedDocument];
      expect(lettersOf(document.text)).toBe(lettersOf(spokenIn(blocks).join("")));
      expect(faultsOf(document)).toEqual([]);
      expect(document.reading.notices).toEqual([]);
      const chunked = chunkDocument(document).map(({ start, end }) => document.text.slice(start, end));
      for (const said of spokenIn(blocks).flatMap((text) => text.split(/(?<=rule \d+\.\d+\.) /)))
        expect(
          chunked.some((chunk) => chunk.includes(said)),
          said,
        ).toBe(true);
    }
  });

  test.each(["pptx", "odp"] as const)("as %s: a quote is on the page of its slide", async (format) => {
    for (const blocks of DOCUMENTS) {
      const [document] = (await readMade(format, blocks)) as [ParsedDocument];
      let slide = 0;
      for (const block of blocks) {
        if (block.type === "heading") slide++;
        for (const said of spokenIn([block])) {
          const start = document.text.indexOf(said, document.pages?.[slide - 1]);
          const place = originalPlaceOf({ ...document, normaliser: "test" }, { start, end: start + said.length });
          expect([said, place.pages]).toEqual([said, [{ page: slide }]]);
        }
      }
    }
  });

  test("as ods: a quote names its row and column", async () => {
    const blocks = DOCUMENTS[3] ?? [];
    const [document] = (await readMade("ods", blocks)) as [ParsedDocument];
    const rows = blocks.flatMap((block) => (block.type === "table" ? block.rows : [[block.text]]));
    for (const [r, cells] of rows.entries())
      for (const [c, said] of cells.entries()) {
        if (rows.flat().filter((one) => one === said).length > 1) continue;
        expect([said, placeOf(document, said).cells]).toEqual([said, [expect.objectContaining({ row: r + 1, column: c + 1 })]]);
      }
  });

  test.each(["rtf", "vtt", "srt"] as const)("as %s: the place of every sentence in the file is correct", async (format) => {
    for (const blocks of DOCUMENTS) {
      const { path, bytes } = makeOfficeFile(format, blocks);
      const [document] = (await readDocuments({ path, bytes })) as [ParsedDocument];
      const source = Buffer.from(bytes).toString(format === "rtf" ? "latin1" : "utf8");
      for (const { start, end } of document.units) {
        const place = originalPlaceOf({ ...document, normaliser: "test" }, { start, end });
        const quote = document.text.slice(start, end);
        const plain = (text: string) => text.replace(/\\[a-z]+-?\d* ?\??|\\'[0-9a-f]{2}|&\w+;|[^A-Za-z0-9]/g, "");
        expect(plain(source.slice(place.start, place.end))).toBe(plain(quote));
      }
    }
  });
});
