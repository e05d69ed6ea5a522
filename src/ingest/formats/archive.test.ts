import { describe, expect, test } from "vitest";
import { originalPlaceOf } from "../../text/original-place.ts";
import { readDocuments } from "../parse.ts";
import { docxOf, wordParagraph, zip } from "../testing/made-files.ts";
import { pptxOf, slideShape } from "../testing/made-office.ts";

const read = (path: string, bytes: Uint8Array | string) => readDocuments({ path, bytes: Buffer.from(bytes as Uint8Array) });
const summary = (documents: Awaited<ReturnType<typeof read>>) => documents.map(({ path, text, reading }) => [path, reading.format, text]);

function mail(attachments: readonly (readonly [name: string, content: Uint8Array | string])[]): string {
  const parts = attachments.map(
    ([name, content]) =>
      `--b\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(content as Uint8Array).toString("base64")}\r\n`,
  );
  const head = "From: Ann <ann@example.com>\r\nSubject: Fees\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n";
  return `${head}--b\r\nContent-Type: text/plain\r\n\r\nSee the files.\r\n${parts.join("")}--b--\r\n`;
}

describe("attachments", () => {
  test("are separate documents beside the mail, with places in their own file", async () => {
    const documents = await read(
      "a.eml",
      mail([
        ["fees.docx", docxOf(wordParagraph("Ten a month."))],
        ["fees.csv", "kind,fee\nlate,5\nlost,9\n"],
      ]),
    );
    expect(summary(documents)).toEqual([
      ["a.eml", "eml", "Fees\n\nFrom: Ann ann@example.com\n\nSee the files."],
      ["a.eml#attached/fees.docx", "docx", "Ten a month."],
      ["a.eml#attached/fees.csv", "csv", "kind | fee\nlate | 5\nlost | 9"],
    ]);
    const [, , table] = documents;
    expect(table && originalPlaceOf({ ...table, normaliser: "t" }, { start: 11, end: 15 }).cells).toEqual([{ row: 2, column: 1 }]);
  });

  test("that cannot be read are listed with the reason; names stay distinct, and paths stay inside", async () => {
    const old = Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.from("WordDocument", "utf16le")]);
    const files = [
      ["a.md", "# A\n\nOne."],
      ["a.md", "# B\n\nTwo."],
      ["../../x#1.md", "# C\n\nThree."],
      ["logo.png", "png"],
      ["old.doc", old],
    ] as const;
    const documents = await read("a.eml", mail(files));
    expect(documents.slice(1).map(({ path }) => path)).toEqual([
      "a.eml#attached/a.md",
      "a.eml#attached/a.md~2",
      "a.eml#attached/.._.._x%231.md",
    ]);
    const [notice] = documents[0]?.reading.notices ?? [];
    expect(notice).toMatchObject({ code: "attachments" });
    expect(notice?.message).toMatch(
      /logo\.png \(the format "\.png" is not supported.*old\.doc \(this is a Word 97–2003 document \(\.doc\)/,
    );
  });
});

describe("an archive", () => {
  test("is read like a folder, ordered by path, without hidden and unsupported files", async () => {
    const files = {
      ...{
        "b/no\u202etes.md": "# Notes\n\nOpen at nine.",
        "a.txt": "Closed on Sunday.",
        "__MACOSX/a.txt": "x",
        ".hidden.md": "x",
        "photo.jpg": "x",
      },
      ...{ "talk.pptx": pptxOf([{ shapes: slideShape("<a:p><a:r><a:t>Hello there.</a:t></a:r></a:p>") }]), "bad.docx": "no" },
      "list.json":
        '[{"question":"How long?","answer":"Thirty days from delivery, unless the item was on sale."},{"question":"Who pays?","answer":"We do, for returns inside the country and within the time."}]',
    };
    const documents = await read("box.zip", zip(files));
    expect(documents.map(({ path }) => path)).toEqual([
      ...["box.zip#a.txt", "box.zip#b/no_tes.md", "box.zip#list.json#1", "box.zip#list.json#2", "box.zip#talk.pptx"],
    ]);
    expect(documents[0]?.reading.notices[0]?.message).toMatch(
      /^files of the archive that were not read: photo\.jpg \(its format is not supported\); bad\.docx \(/,
    );
  });

  test("may contain a mail with one nested archive, but no deeper ones", async () => {
    const inner = zip({ "deep.md": "# Deep\n\nFound." });
    const outer = zip({ "a.eml": mail([["in.zip", inner]]) });
    expect((await read("box.zip", outer)).map(({ path }) => path)).toEqual(["box.zip#a.eml", "box.zip#a.eml#attached/in.zip#deep.md"]);
    const deeper = zip({ "a.zip": zip({ "b.zip": zip({ "c.zip": zip({ "d.md": "# D" }) }) }) });
    await expect(read("box.zip", deeper)).rejects.toMatchObject({
      code: "no_document",
      message: expect.stringContaining("nested more than 3 levels deep"),
    });
  });

  test.each([
    ["empty", zip({}), "no_document", /archive is empty/],
    [
      "with paths that lead outside",
      zip({ "../../etc/cron.md": "# x", "/abs.md": "# y", "c:\\z.md": "# z" }),
      "no_document",
      /points outside the archive/,
    ],
    ["with a password", encrypted(zip({ "a.md": "# Secret" })), "encrypted", /password/],
    ["cut off", zip({ "a.md": "# Text of it" }).slice(0, 60), "bad_archive", /damaged or truncated/],
    [
      "with large files",
      zip(Object.fromEntries(["a", "b", "c"].map((name) => [`${name}.md`, new Uint8Array(40 * 1024 * 1024)]))),
      "unpacks_too_far",
      /100 MB/,
    ],
  ])("%s is refused", async (_, bytes, code, message) => {
    await expect(read("box.zip", bytes)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });
});

/** Marks the files in the archive's directory as encrypted. */
function encrypted(archive: Uint8Array): Uint8Array {
  const bytes = Uint8Array.from(archive);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at + 46 < bytes.length; at++) if (view.getUint32(at, true) === 0x02014b50) view.setUint16(at + 8, 1, true);
  return bytes;
}

test.each([
  ["WordDocument", "Word 97–2003 document (.doc): open it, and save it as DOCX"],
  ["Workbook", "Excel 97–2003 workbook (.xls): open it, and save it as XLSX"],
  ["PowerPoint Document", "PowerPoint 97–2003 presentation (.ppt): open it, and save it as PPTX"],
  ["EncryptedPackage", "the file has a password: save it without one"],
  ["__substg1.0_", "Outlook message (.msg): save it as EML"],
  ["Other", "old Office file: open it, and save it as DOCX, XLSX, PPTX or PDF"],
])("a compound file with the stream %s is identified with advice", async (stream, message) => {
  const bytes = Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.from(stream, "utf16le")]);
  await expect(read("a.doc", bytes)).rejects.toMatchObject({ code: "unsupported_format", message: expect.stringContaining(message) });
});
