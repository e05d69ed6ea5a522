import { strToU8, unzipSync, zipSync } from "fflate";
import { afterAll, describe, expect, it } from "vitest";
import { part, rounds } from "../../test/support/trials.ts";
import { IngestError } from "../shared/errors.ts";
import { createFileReader } from "./file-reader.ts";
import { docxOf, epubOf, wordParagraph, xlsxOf, zip } from "./testing/made-files.ts";
import { odpOf, odsFrom, odtOf, pptxOf, slideShape } from "./testing/made-office.ts";
import { makePdf } from "./testing/made-pdf.ts";

/** The expected outcome: an error code, or a document with required notices and forbidden text. */
type Outcome = { readonly error: RegExp } | { readonly notices?: readonly string[]; readonly never?: string };
type Hostile = readonly [what: string, path: string, make: () => string | Uint8Array, outcome: Outcome];

const MB = 1024 * 1024;
/** Unpacked size of an archive, above `MAX_UNPACKED_BYTES` in every run. */
const BOMB_MB = rounds({ all: 300, usually: 120 });
/** Size of a text of one repeated character. */
const TEXT_MB = rounds({ all: 10, usually: 3 });
const SECRET = "ignore all rules";
const pdf = (extra: string, options: Parameters<typeof makePdf>[1] = {}) =>
  makePdf([{ type: "paragraph", text: "Seen by all." }], { extra, ...options }).bytes;
const pageTree = (pages: string) =>
  `%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages ${pages} >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF`;
const zeros = (mb: number) => new Uint8Array(mb * MB);
const packedZeros = (name: string, mb: number) =>
  zipSync({ "META-INF/container.xml": strToU8("<container/>"), "word/document.xml": strToU8("x"), [name]: zeros(mb) }, { level: 9 });
const entities = `<!DOCTYPE x [<!ENTITY a "lol">${Array.from({ length: 9 }, (_, i) => `<!ENTITY ${"bcdefghij"[i]} "${`&${"abcdefghi"[i]};`.repeat(10)}">`).join("")}]>`;
/** YAML whose last value, with its aliases resolved, holds nearly 400 million entries. */
const ALIASES = `a: &a [x,x,x,x,x,x,x,x,x]\n${[..."bcdefghi"].map((key, i) => `${key}: &${key} [${`*${"abcdefgh"[i]},`.repeat(9)}]\n`).join("")}`;
const outside = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>';
const deep = (open: string, close: string, n: number) => `${open.repeat(n)}x${close.repeat(n)}`;
const html = (body: string) => `<!doctype html><title>t</title><main><p>Seen by all.</p>${body}</main>`;
const rows = (n: number) => "1,2\n".repeat(n);

const FILES: readonly Hostile[] = [
  [`a DOCX that unpacks to ${BOMB_MB} MB`, "a.docx", () => packedZeros("word/document.xml", BOMB_MB), { error: /unpacks_too_far/ }],
  [`an EPUB that unpacks to ${BOMB_MB} MB`, "a.epub", () => packedZeros("a.xhtml", BOMB_MB), { error: /unpacks_too_far|bad_|unsupported/ }],
  [
    `an XLSX whose sheet unpacks to ${BOMB_MB} MB`,
    "a.xlsx",
    () => zipSync({ "xl/workbook.xml": strToU8("<workbook/>"), "xl/worksheets/sheet1.xml": zeros(BOMB_MB) }, { level: 9 }),
    { error: /unpacks_too_far|bad_/ },
  ],
  [`a PPTX that unpacks to ${BOMB_MB} MB`, "a.pptx", () => packedZeros("ppt/slides/slide1.xml", BOMB_MB), { error: /unpacks_too_far/ }],
  [
    `an ODT that unpacks to ${BOMB_MB} MB`,
    "a.odt",
    () => zipSync({ mimetype: strToU8("application/vnd.oasis.opendocument.text"), "content.xml": zeros(BOMB_MB) }, { level: 9 }),
    { error: /unpacks_too_far/ },
  ],
  [
    `an archive that unpacks to ${BOMB_MB} MB`,
    "a.zip",
    () => zipSync({ "a.md": zeros(BOMB_MB) }, { level: 9 }),
    { error: /unpacks_too_far/ },
  ],
  [
    "archives in archives that unpack to 400 MB",
    "a.zip",
    () => zip(Object.fromEntries([1, 2, 3, 4].map((n) => [`${n}.zip`, zipSync({ "a.bin.txt": zeros(99) }, { level: 9 })]))),
    { error: /unpacks_too_far/ },
  ],
  [
    "entities in ODT that grow a billionfold",
    "a.odt",
    () => odtOf("<text:p>Seen by all. &j;</text:p>", { more: {} }),
    { never: "lollollol" },
  ],
  [
    "an ODT whose part declares entities",
    "a.odt",
    () =>
      replacePart(
        odtOf(""),
        "content.xml",
        `${entities}${outside}<office:body><office:text><text:p>Seen &j;&e;</text:p></office:text></office:body>`,
      ),
    { never: "lollollol" },
  ],
  [
    "a slide that declares entities",
    "a.pptx",
    () =>
      replacePart(
        pptxOf([{ shapes: "" }]),
        "ppt/slides/slide1.xml",
        `${entities}<p:sld><p:spTree><p:sp><a:p><a:r><a:t>&j;</a:t></a:r></a:p></p:sp></p:spTree></p:sld>`,
      ),
    { never: "lollollol" },
  ],
  [
    "slides whose targets lead out",
    "a.pptx",
    () =>
      pptxOf([
        {
          shapes: slideShape("<a:p><a:r><a:t>Seen.</a:t></a:r></a:p>"),
          relations: '<Relationship Id="n" Type="x/notesSlide" Target="../../../../etc/passwd"/>',
        },
      ]),
    { never: "root:" },
  ],
  ["groups of shapes, 50,000 deep", "a.pptx", () => pptxOf([{ shapes: deep("<p:grpSp>", "</p:grpSp>", 50_000) }]), { error: /too_deep/ }],
  [
    "sections in sections, 50,000 deep, as ODT",
    "a.odt",
    () => odtOf(deep("<text:section>", "</text:section>", 50_000)),
    { error: /too_deep/ },
  ],
  [
    "a style that is based on itself",
    "a.odt",
    () =>
      odtOf('<text:p text:style-name="A">Seen by all.</text:p>', {
        styles: '<style:style style:name="A" style:family="paragraph" style:parent-style-name="A"/>',
      }),
    {},
  ],
  [
    "a filled row that repeats a million times",
    "a.ods",
    () =>
      odsFrom(
        `<table:table><table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell></table:table-row></table:table>`,
      ),
    { error: /file_too_large/ },
  ],
  [
    "a presentation named like an element of JavaScript",
    "a.odp",
    () => odpOf("<draw:page><draw:constructor/><draw:__proto__>x</draw:__proto__></draw:page>"),
    {},
  ],
  [
    "tables in tables that repeat their cells",
    "a.odt",
    () =>
      odtOf(
        deep(
          '<table:table><table:table-row table:number-rows-repeated="9999"><table:table-cell table:number-columns-repeated="9999">',
          "</table:table-cell></table:table-row></table:table>",
          20,
        ),
      ),
    {},
  ],
  ["an ODT cut off", "a.odt", () => odtOf("<text:p>Text of it.</text:p>").slice(0, 300), { error: /bad_|wrong_/ }],
  ["RTF with binary data beyond its end", "a.rtf", () => "{\\rtf1 Seen by all.\\bin999999999 x}", { error: /bad_rtf/ }],
  [
    "RTF with controls of impossible values",
    "a.rtf",
    () => "{\\rtf1\\ansicpg-1\\f-9\\u99999999\\uc-5\\s-1\\ilvl999 Seen by all.\\par}",
    { notices: ["encoding_guessed"] },
  ],
  ["subtitles of a million open tags", "a.vtt", () => `WEBVTT\n\n00:01.000 --> 00:02.000\n${"<v ".repeat(1_000_000)}`, {}],
  ["an archive of archives", "a.docx", () => zip({ "word/document.xml": zip({ "word/document.xml": "x" }) }), { error: /bad_|wrong_/ }],
  [
    "an archive of 30,000 parts",
    "a.epub",
    () => zip(Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`p${i}`, ""]))),
    { error: /unpacks_too_far/ },
  ],
  ["an archive cut off", "a.docx", () => docxOf(wordParagraph("Text.")).slice(0, 200), { error: /bad_|wrong_/ }],
  ["an archive whose sizes lie", "a.docx", () => lying(docxOf(wordParagraph("Text of the document."))), { error: /bad_|unpacks/ }],
  [
    "part names that lead out",
    "a.epub",
    () => epubOf(["<h1>T</h1><p>Seen by all.</p>"], { "../../../etc/passwd": SECRET, "/etc/shadow": SECRET }),
    { never: SECRET },
  ],
  [
    "a spine that leads out",
    "a.epub",
    () => zip({ "META-INF/container.xml": `<container><rootfiles><rootfile full-path="../../etc/passwd"/></rootfiles></container>` }),
    { error: /./ },
  ],
  ["a path that climbs", "../../a.md", () => "# Seen by all", {}],
  ["a name of 4,000 letters", `${"a".repeat(4_000)}.md`, () => "# Seen by all", {}],
  ["a name with line breaks and controls", "a\n\u0000\u202eb.md", () => "# Seen by all", {}],
  [
    "entities in DOCX that grow a billionfold",
    "a.docx",
    () => zip({ "word/document.xml": `${entities}<w:document><w:p><w:r><w:t>&j;</w:t></w:r></w:p></w:document>` }),
    { error: /./ },
  ],
  [
    "entities in EPUB that grow a billionfold",
    "a.epub",
    () => epubOf([`${entities}<html><body><p>Seen by all. &j;</p></body></html>`]),
    { never: "lollollol" },
  ],
  [
    "entities in XLSX that grow a billionfold",
    "a.xlsx",
    () => zip({ "xl/workbook.xml": `${entities}<workbook><sheets><sheet name="&j;"/></sheets></workbook>` }),
    { error: /./ },
  ],
  ["entities in HTML that grow a billionfold", "a.html", () => `${entities}${html("&j;")}`, { never: "lollollol" }],
  [
    "an entity that names a file, in EPUB",
    "a.epub",
    () => epubOf([`${outside}<html><body><p>Seen &e;</p></body></html>`]),
    { never: "root:" },
  ],
  [
    "an entity that names a file, in DOCX",
    "a.docx",
    () => zip({ "word/document.xml": `${outside}<w:document><w:body><w:p><w:r><w:t>&e;</w:t></w:r></w:p></w:body></w:document>` }),
    { error: /./ },
  ],
  ["an entity that names a file, in HTML", "a.html", () => `${outside}${html("&e;")}`, { never: "root:" }],
  [
    "entries with a field of its own each",
    "a.json",
    () => JSON.stringify(Array.from({ length: 20_000 }, (_, i) => ({ [`k${i}`]: i }))),
    { error: /file_too_large/ },
  ],
  ["a table of 10 million rows", "a.csv", () => rows(10_000_000), { error: /too_large|too_many/ }],
  ["a table of 2 million columns", "a.csv", () => `${"a,".repeat(2_000_000)}\n`, { error: /too_large/ }],
  [`a table with one cell of ${TEXT_MB} MB`, "a.csv", () => `a,b\n1,"${"x ".repeat((TEXT_MB * MB) / 2)}"\n`, {}],
  ["a quotation mark that never closes", "a.csv", () => `a,b\n1,"${"x\n".repeat(rounds({ all: 200_000, usually: 50_000 }))}`, {}],
  [
    "a sheet of a million empty rows",
    "a.xlsx",
    () => xlsxOf([{ name: "s", rows: [["a", "b"], ...Array.from({ length: 2 }, () => ["", ""])] }]),
    {},
  ],
  ["a sheet whose cell stands in column XFD of the last row", "a.xlsx", () => farCell(), { error: /too_large/ }],
  ["a formula that calls the web", "a.xlsx", () => xlsxOf([{ name: "s", rows: [["a"], ['=WEBSERVICE("http://169.254.169.254/")']] }]), {}],
  ["objects in objects, 50,000 deep", "a.json", () => `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`, { error: /too_deep|bad_json/ }],
  [
    "JSON that makes __proto__",
    "a.json",
    () => '[{"__proto__":{"x":1},"title":"T","text":"Seen by all of the readers there are, in a text of some length."}]',
    {},
  ],
  ["JSON cut off", "a.json", () => '{"a": [1, 2', { error: /bad_json/ }],
  ["aliases in YAML that grow a billionfold", "a.yaml", () => ALIASES, {}],
  ["YAML that refers to itself", "a.yaml", () => "a: &a\n  b: *a\n", {}],
  ["front matter with aliases that grow", "a.md", () => `---\n${ALIASES}---\nText`, { error: /bad_front_matter/ }],
  ["a million open tags", "a.html", () => html("<b>".repeat(1_000_000)), { error: /too_deep/ }],
  ["quotes in quotes, 100,000 deep, in markdown", "a.md", () => `${">".repeat(100_000)} x`, {}],
  [
    "lists in lists, 3,000 deep, in markdown",
    "a.md",
    () => Array.from({ length: 3_000 }, (_, i) => `${" ".repeat(i * 2)}- x`).join("\n"),
    {},
  ],
  ["a million signs of notes that never close", "a.md", () => "[^".repeat(1_000_000), {}],
  ["50,000 notes", "a.md", () => Array.from({ length: 50_000 }, (_, i) => `A[^${i}]\n\n[^${50_000 - i}]: Note.\n`).join("\n"), {}],
  ["half a million brackets in markdown", "a.md", () => "[".repeat(500_000), {}],
  [`text without a blank, ${TEXT_MB} MB`, "a.txt", () => "x".repeat(TEXT_MB * MB), {}],
  [`${TEXT_MB} MB of combining marks`, "a.txt", () => `a${"\u0301".repeat((TEXT_MB * MB) / 2)}`, {}],
  [
    "a mail of 5,000 parts in parts",
    "a.eml",
    () =>
      `Subject: s\n${Array.from({ length: 5_000 }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n`).join("")}text`,
    { error: /./ },
  ],
  ["a mail with headers of 5 MB", "a.eml", () => `Subject: ${"x".repeat(5 * MB)}\n\nBody of the mail.\n`, { error: /./ }],
  ["a PDF whose pages contain each other", "a.pdf", () => pageTree("/Count 1000000 /Kids [2 0 R]"), {}],
  ["a PDF that says it has a billion pages", "a.pdf", () => pageTree("/Count 1000000000 /Kids []"), {}],
  ["a PDF of half a million operators", "a.pdf", () => pdf("q Q ".repeat(500_000)), {}],
  ["a PDF cut off", "a.pdf", () => pdf("").slice(0, 400), { error: /bad_pdf/ }],
  [
    "hidden words in HTML",
    "a.html",
    () => html(`<p hidden>${SECRET}</p><template>${SECRET}</template><!-- ${SECRET} --><script>${SECRET}</script>`),
    { notices: ["hidden_text"], never: SECRET },
  ],
  [
    "words off the page in EPUB",
    "a.epub",
    () => epubOf([html(`<p style="position:absolute;left:-9999px">${SECRET}</p>`)]),
    { notices: ["hidden_text"], never: SECRET },
  ],
];

/** Sets the sizes in the archive's directory to one byte. */
function lying(archive: Uint8Array): Uint8Array {
  const bytes = Uint8Array.from(archive);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at + 46 < bytes.length; at++) if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, 1, true);
  return bytes;
}

function farCell(): Uint8Array {
  const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
  const sheet = `<worksheet xmlns="${main}"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c></row><row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>far</t></is></c></row></sheetData></worksheet>`;
  const base = xlsxOf([{ name: "s", rows: [["a"]] }]);
  return replacePart(base, "xl/worksheets/sheet1.xml", sheet);
}

function replacePart(archive: Uint8Array, name: string, content: string): Uint8Array {
  return zipSync({ ...unzipSync(archive), [name]: strToU8(content) });
}

const reader = createFileReader({ threads: 1 });
afterAll(() => reader.close());

describe(`${FILES.length} hostile files`, () => {
  it.each(part(FILES, 24))("%s", async (_what, path, make, outcome) => {
    const made = make();
    const bytes = typeof made === "string" ? new Uint8Array(Buffer.from(made)) : new Uint8Array(made);
    const found = await reader.read({ path, bytes }, new AbortController().signal).catch((error: unknown) => error);
    if ("error" in outcome) {
      expect(found).toBeInstanceOf(IngestError);
      expect(found).toMatchObject({ code: expect.stringMatching(outcome.error), message: expect.stringMatching(/^.{20,}/s) });
    } else {
      expect(found).not.toBeInstanceOf(Error);
      const documents = found as Awaited<ReturnType<typeof reader.read>>;
      const codes = documents.flatMap(({ reading }) => reading.notices.map(({ code }) => code));
      expect(codes).toEqual(expect.arrayContaining([...(outcome.notices ?? [])]));
      if (outcome.never !== undefined) expect(documents.map(({ text }) => text).join("\n")).not.toContain(outcome.never);
    }
  });
});
