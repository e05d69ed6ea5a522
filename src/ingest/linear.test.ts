import { describe, it } from "vitest";
import { part } from "../../test/support/trials.ts";
import { expectLinearTime } from "../testing/growth.ts";
import { csvOf, docxOf, epubOf, wordParagraph, xlsxOf } from "./testing/made-files.ts";
import { odpOf, odsFrom, odtOf, pptxOf, rtfOf, slideShape } from "./testing/made-office.ts";
import { makePdf } from "./testing/made-pdf.ts";
import { draftDocuments } from "./to-document.ts";

const lines = (n: number, line: (i: number) => string) => Array.from({ length: n }, (_, i) => line(i)).join("\n");

const noteCall = '<w:p><w:r><w:t>Text.</w:t><w:footnoteReference w:id="1"/></w:r></w:p>';
const noteOf = (text: string) => `<w:footnotes XMLNS><w:footnote w:id="1">${wordParagraph(text)}</w:footnote></w:footnotes>`;

type Shape = readonly [path: string, what: string, n: number, make: (n: number) => string | Uint8Array];

/** Inputs with potentially quadratic reading time. */
const SHAPES: readonly Shape[] = [
  ["a.md", "link references", 2_000, (n) => lines(n, (i) => `[r${i}]: /u${i}`)],
  ["a.md", "one paragraph", 5_000, (n) => lines(n, (i) => `Line ${i} of one paragraph.`)],
  ["a.md", "headings", 2_000, (n) => lines(n, (i) => `# H${i}\n\ntext\n`)],
  ["a.md", "open brackets", 40_000, (n) => "[".repeat(n)],
  ["a.md", "open calls of notes", 40_000, (n) => "[^".repeat(n)],
  ["a.md", "notes", 2_000, (n) => `${lines(n, (i) => `A[^${i}] *b*\n`)}\n${lines(n, (i) => `[^${i}]: Note ${i}.`)}`],
  ["a.md", "notes in elements", 2_000, (n) => lines(n, (i) => `<p>A[^${n - i}]</p>\n\n[^${i}]: Note ${i}.\n`)],
  ["a.md", "notes that call the next", 2_000, (n) => `A[^0]\n\n${lines(n, (i) => `[^${i}]: Note[^${i + 1}]`)}`],
  ["a.md", "stars", 16_000, (n) => "*a ".repeat(n)],
  ["a.md", "backticks", 4_000, (n) => "`a``b".repeat(n)],
  ["a.md", "open marks of two sorts", 8_000, (n) => "_a ".repeat(n) + "b* ".repeat(n)],
  ["a.md", "quotes in each other", 2_000, (n) => `${">".repeat(n)}\n${"a\n".repeat(n)}`],
  ["a.md", "blanks below a row", 40_000, (n) => `a | b\n${" ".repeat(n)}x`],
  ["a.md", "one list", 2_000, (n) => lines(n, (i) => `- item ${i}`)],
  ["a.md", "one table", 1_000, (n) => `|a|b|\n|-|-|\n${lines(n, (i) => `|${i}|x|`)}`],
  ["a.md", "blanks in a cell", 40_000, (n) => `| a | b |\n| - | - |\n| *a*${" ".repeat(n)}c | d |`],
  ["a.md", "blanks in front matter", 40_000, (n) => `---\ng: a\n  b${" ".repeat(n)}c\nh: ${" ".repeat(n)}d${" ".repeat(n)}e\n---\nText.`],
  ["a.md", "open tags", 16_000, (n) => "<a ".repeat(n)],
  ["a.txt", "blanks", 2_000_000, (n) => `${" ".repeat(n)}end`],
  ["a.txt", "paragraphs", 10_000, (n) => lines(n, (i) => `Line ${i}.\n`)],
  ["a.txt", "lines below plus signs", 20_000, (n) => `+++\n${lines(n, () => "   ")}`],
  ["a.html", "open tags", 40_000, (n) => "<b>x".repeat(n)],
  ["a.html", "elements in each other", 2_000, (n) => `${"<div>".repeat(n)}x`],
  ["a.html", "tabs without ids", 4_000, (n) => `${"<b role=tab>x</b>".repeat(n)}${"<p role=tabpanel>y</p>".repeat(n)}`],
  ["a.html", "accordions", 4_000, (n) => "<h3><button aria-expanded>x</button></h3><div>y</div>".repeat(n)],
  ["a.html", "controls in cells", 2_000, (n) => `<table>${"<tr><td><button aria-expanded>x</button><td>y</tr>".repeat(n)}</table>`],
  ["a.html", "sections in each other", 1_500, (n) => "<details><summary>x</summary>y".repeat(n)],
  ["a.html", "styles that hide", 5_000, (n) => `<style>.a{display:none}</style>${'<p class="a">'.repeat(n)}`],
  ...["/*", "p{", "a,", "@a{", ".a{display:none}"].map((unit): Shape => {
    return ["a.html", `${unit} as styles`, 30_000, (n) => `<style>${unit.repeat(n)}</style>`];
  }),
  ["a.html", "rows", 2_000, (n) => `<table><tr><th>a<th>b</tr>${lines(n, (i) => `<tr><td>${i}<td>x</tr>`)}</table>`],
  ["a.html", "cells over many rows", 1_000, (n) => `<table>${lines(n, (i) => `<tr><td rowspan=65534 colspan=9>${i}<td>x</tr>`)}</table>`],
  ["a.json", "rows", 3_000, (n) => JSON.stringify(Array.from({ length: n }, (_, i) => ({ id: i, text: `Row ${i}` })))],
  ["a.jsonl", "rows", 3_000, (n) => lines(n, (i) => JSON.stringify({ title: `T${i}`, text: `Row ${i}` }))],
  ["a.csv", "rows", 2_000, (n) => csvOf([["a", "b"], ...Array.from({ length: n }, (_, i) => [`${i}`, `x${i}`])])],
  ["a.csv", "columns", 2_000, (n) => `${"a,".repeat(n)}\n${"1,".repeat(n)}`],
  ["a.csv", "an open quote", 20_000, (n) => `a,b\n"${"x\n".repeat(n)}`],
  ["a.md", "marks of struck text", 7_500, (n) => "~~a ".repeat(n)],
  ["a.md", "marks of struck text in links", 7_500, (n) => "~~](".repeat(n)],
  ["a.html", "tables in each other", 400, (n) => "<table><tr><td>".repeat(n)],
  ["a.adoc", "sections", 2_000, (n) => lines(n, (i) => `== Title ${i}\n\nText ${i}.\n`)],
  ["a.adoc", "open comments and listings", 10_000, (n) => lines(n, (i) => ["////x", "-----", ":a:b", "[]x"][i % 4] ?? "")],
  ["a.eml", "lines", 10_000, (n) => `Subject: s\nFrom: a@b.example\n\n${lines(n, (i) => `Line ${i}`)}`],
  ["a.eml", "answers to answers", 4_000, (n) => `Subject: s\n\n${lines(n, (i) => `${">".repeat(i % 3)} Line ${i}`)}`],
  ["a.mbox", "mails", 300, (n) => lines(n, (i) => `From a@b.example Mon Jan 1 00:00:00 2024\nSubject: s${i}\n\nBody ${i}.\n`)],
  ["a.docx", "paragraphs", 1_000, (n) => docxOf(Array.from({ length: n }, (_, i) => wordParagraph(`Line ${i}.`)).join(""))],
  ["a.docx", "open colours in a run", 10_000, (n) => docxOf(`<w:p><w:r><!-- ${"<w:color ".repeat(n)} --></w:r></w:p>`)],
  ["a.docx", "open levels", 10_000, (n) => docxOf(wordParagraph("Text."), { "word/numbering.xml": "<w:lvl ".repeat(n) })],
  ["a.docx", "blanks in a note", 20_000, (n) => docxOf(noteCall, { "word/footnotes.xml": noteOf(`a${" ".repeat(n)}b`) })],
  [
    "a.epub",
    "notes",
    500,
    (n) => {
      const calls = Array.from({ length: n }, (_, i) => `<p>Text.<a id="r${i}" href="#n${i}" epub:type="noteref">${i % 999}</a></p>`);
      const notes = Array.from({ length: n }, (_, i) => `<li id="n${i}"><p>Note ${i}. <a href="#r${i}">x</a></p></li>`);
      return epubOf([`${calls.join("")}<ol>${notes.join("")}</ol>`]);
    },
  ],
  ["a.xlsx", "rows", 1_000, (n) => xlsxOf([{ name: "s", rows: Array.from({ length: n }, (_, i) => [`${i}`, `x${i}`]) }])],
  [
    "a.pptx",
    "slides",
    200,
    (n) => pptxOf(Array.from({ length: n }, (_, i) => ({ shapes: slideShape(`<a:p><a:r><a:t>Line ${i}.</a:t></a:r></a:p>`) }))),
  ],
  ["a.odt", "paragraphs", 2_000, (n) => odtOf(lines(n, (i) => `<text:p>Line ${i}.</text:p>`))],
  [
    "a.odt",
    "lists",
    1_000,
    (n) => odtOf(lines(n, (i) => `<text:list><text:list-item><text:p>Item ${i}</text:p></text:list-item></text:list>`)),
  ],
  [
    "a.odt",
    "notes",
    1_000,
    (n) =>
      odtOf(`<text:p>${lines(n, (i) => `x<text:note><text:note-body><text:p>N ${i}.</text:p></text:note-body></text:note>`)}</text:p>`),
  ],
  [
    "a.odp",
    "slides",
    500,
    (n) =>
      odpOf(lines(n, (i) => `<draw:page><draw:frame><draw:text-box><text:p>Line ${i}.</text:p></draw:text-box></draw:frame></draw:page>`)),
  ],
  [
    "a.ods",
    "rows",
    1_000,
    (n) =>
      odsFrom(
        `<table:table>${lines(n, (i) => `<table:table-row><table:table-cell><text:p>${i}</text:p></table:table-cell></table:table-row>`)}</table:table>`,
      ),
  ],
  ["a.rtf", "paragraphs", 4_000, (n) => rtfOf(lines(n, (i) => `\\pard Line ${i}.\\par`))],
  ["a.rtf", "groups", 8_000, (n) => rtfOf("{\\b x} ".repeat(n))],
  ["a.rtf", "escapes", 8_000, (n) => rtfOf("\\'e9\\u8364?".repeat(n))],
  ["a.rtf", "rows", 500, (n) => rtfOf(lines(n, (i) => `\\trowd\\cellx1\\cellx2\\intbl ${i}\\cell x\\cell\\row`))],
  ["a.vtt", "cues", 4_000, (n) => `WEBVTT\n\n${lines(n, (i) => `00:00:01.000 --> 00:00:02.000\n<v A${i % 3}>Line ${i}.\n`)}`],
  ["a.vtt", "open tags", 20_000, (n) => `WEBVTT\n\n00:01.000 --> 00:02.000\n${"<v ".repeat(n)}`],
  ["a.html", "figures", 2_000, (n) => "<figure><img alt=x>".repeat(n)],
  [
    "a.pdf",
    "paragraphs",
    100,
    (n) => makePdf(Array.from({ length: n }, (_, i) => ({ type: "paragraph", text: `Line ${i} of it.` }))).bytes,
  ],
];

describe("reading, chunking and sentence splitting take linear time", () => {
  it.each(part(SHAPES, 16))("%s: %s (%d, and four times as many)", async (path, _what, n, make) => {
    // Rejecting a file must take linear time too.
    const read = (bytes: Uint8Array) => draftDocuments({ path, bytes }).catch(() => []);
    await expectLinearTime(4 * n, (size) => new Uint8Array(Buffer.from(make(size) as Uint8Array)), read, 2);
  });
});
