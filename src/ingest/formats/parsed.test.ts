import { describe, expect, it, test } from "vitest";
import { readFirst } from "../testing/first-document.ts";
import { docxOf, wordParagraph } from "../testing/made-files.ts";
import { statedDay } from "./parsed.ts";

describe("the date of a document", () => {
  it.each([
    ["Updated 14 January 2026", "2026-01-14"],
    ["In force from 1 September 2024", "2024-09-01"],
    ["Last reviewed: March 3, 2025.", "2025-03-03"],
    ["Valid until 31 December 2026", null],
    ["Open from 1 May 2026 to 30 June 2026", null],
    ["The harbour due was set on 3 March 2025 and holds for every boat of the town", null],
    ["Revised in March 2025", null],
  ])("is a date in a short line: %s", (line, day) => expect(statedDay([line])).toBe(day));

  it("is at the top, in front matter under any name, or in the page header of a DOCX", async () => {
    expect((await readFirst("due.md", "# Dues\n\nUpdated 14 January 2026\n\nTwelve euros.")).metadata.asOf).toBe("2026-01-14");
    expect((await readFirst("due.md", `${"Text of it.\n\n".repeat(5)}Updated 14 January 2026`)).metadata.asOf).toBeNull();
    expect((await readFirst("due.md", "---\nlast_reviewed: 2025-11-03\n---\nTwelve.")).metadata.asOf).toBe("2025-11-03");
    expect((await readFirst("due.md", "---\nfrom: 2025-11-03\nto: 2026-11-03\n---\nTwelve.")).metadata.asOf).toBeNull();
    const header = `<w:hdr XMLNS>${wordParagraph("HB-12 & annex, revision 4")}${wordParagraph("Valid from 1 March 2026")}${wordParagraph("–")}</w:hdr>`;
    const { metadata, reading } = await readFirst("due.docx", docxOf(wordParagraph("Twelve."), { "word/header1.xml": header }));
    expect(metadata.asOf).toBe("2026-03-01");
    expect(reading.notices[0]).toEqual({
      code: "left_out",
      message: "headers and footers of pages were left out: HB-12 & annex, revision 4; Valid from 1 March 2026",
    });
  });
});

test("the first of several top headings is the title only if the file name agrees", async () => {
  const two = "# Tram\n\nTwo euros.\n\n# Boat\n\nSeven euros.\n";
  const titleOf = async (path: string, source = two) => (await readFirst(path, source)).metadata.title;
  expect(await titleOf("fares.md")).toBe("fares");
  expect(await titleOf("tram.md")).toBe("Tram");
  expect(await titleOf("tram_and_boat.md")).toBe("tram_and_boat");
  expect(await titleOf("fares.md", `# Tram\n\n${two}`)).toBe("fares");
  expect(await titleOf("fares.md", "# Tram\n\nTwo.\n\n# Tram\n\nSeven.\n")).toBe("Tram");
});

test("a file without text is reported", async () => {
  const picture = "<w:p><w:r><w:drawing/></w:r></w:p>";
  expect((await readFirst("scan.docx", docxOf(picture))).reading.notices.map(({ code }) => code)).toEqual(["no_text"]);
  expect((await readFirst("scan.docx", docxOf(wordParagraph("Two euros.")))).reading.notices).toEqual([]);
  expect((await readFirst("empty.txt", " \n")).reading.notices[0]?.message).toBe("no text was found: no question can find the file.");
});
