import { rmSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { csvOf, docxOf, epubOf, wordParagraph, xlsxOf, zip } from "../src/ingest/testing/made-files.ts";
import { startCli } from "./support/cli.ts";
import { collect, openLibrary } from "./support/engine.ts";
import { createSandbox, type Sandbox } from "./support/library.ts";
import { rounds } from "./support/trials.ts";

const sandboxes: Sandbox[] = [];
afterAll(() => {
  for (const { folder } of sandboxes) rmSync(folder, { recursive: true, force: true });
});

/** Files are as large as this makes them: a tenth by default. */
const SIZE = rounds({ all: 1, usually: 0.1 });
const MANY = 50_000 * SIZE;
const nested = (n: number, line: (i: number) => string) => Array.from({ length: n }, (_, i) => line(i)).join("\n");
const sized = (n: number) => Math.round(n * SIZE);
const lines = (n: number, line: (i: number) => string) => nested(sized(n), line);
/** Seconds after which an ingest is told to end. */
const MOMENTS = rounds({ all: [0.3, 1, 2, 3, 5, 8], usually: [1] });
const bytes = (n: number, byte: (i: number) => number) => Uint8Array.from({ length: n }, (_, i) => byte(i) & 255);

/** Sixty files that no reader wants; one good one is among them. */
function hostileFiles(): Record<string, string | Uint8Array> {
  const bomb = { "word/document.xml": "\0".repeat(rounds({ all: 80_000_000, usually: 20_000_000 })) };
  const entities = `<!DOCTYPE d [<!ENTITY a "${"x".repeat(1000)}">${nested(20, (i) => `<!ENTITY a${i} "&a;&a;&a;&a;&a;&a;&a;&a;">`)}]><d>&a19;</d>`;
  const files: Record<string, string | Uint8Array> = {
    "good.md": "# Hours\n\nThe hall opens at nine.\n",
    "word.md": "x".repeat(sized(3_000_000)),
    "word.txt": "x".repeat(sized(3_000_000)),
    "references.md": lines(20_000, (i) => `[r${i}]: /u${i}`),
    "paragraphs.md": lines(MANY, (i) => `${i}\n`),
    "brackets.md": "[".repeat(MANY),
    "images.md": "![](".repeat(MANY),
    "stars.md": "*a **b ".repeat(MANY / 4),
    "ticks.md": "`a``b```".repeat(MANY / 4),
    "quotes.md": `${">".repeat(5_000)} x`,
    "lists.md": lines(400, (i) => `${" ".repeat(2 * i)}- x`),
    "tags.md": "<a ".repeat(MANY),
    "pipes.md": `|a|\n|-|\n${"|".repeat(MANY)}`,
    "front.md": `---\n${lines(5_000, (i) => `k${i}: [${i}`)}\n---\nText.`,
    "alias.yaml": `a: &a [x, x, x]\n${nested(30, (i) => `b${i}: &b${i} [${i === 0 ? "*a, *a, *a" : `*b${i - 1}, *b${i - 1}, *b${i - 1}`}]`)}`,
    "deep.yaml": lines(2_000, (i) => `${" ".repeat(i)}k:`),
    "flow.yaml": "[".repeat(MANY),
    "deep.json": `${"[".repeat(MANY)}${"]".repeat(MANY)}`,
    "open.json": `{"a":${"[".repeat(MANY)}`,
    "string.json": JSON.stringify({ text: "x".repeat(sized(2_000_000)) }),
    "wide.json": JSON.stringify(Array.from({ length: sized(20_000) }, (_, i) => ({ [`k${i}`]: i }))),
    "proto.json": '{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}}',
    "rows.jsonl": lines(20_000, (i) => `{"a":${i}`),
    "quote.csv": `a,b\n"${"x\n".repeat(MANY)}`,
    "columns.csv": `${"a,".repeat(sized(20_000))}\n${"1,".repeat(sized(20_000))}`,
    "rows.csv": csvOf(Array.from({ length: sized(10_000) }, (_, i) => [`${i}`, "x"])),
    "tabs.tsv": "\t".repeat(MANY),
    "deep.html": "<div>".repeat(MANY),
    "open.html": `<p ${'a="'.repeat(MANY)}`,
    "script.html": `<script>${"x".repeat(sized(1_000_000))}`,
    "comment.html": `<!--${"-".repeat(sized(1_000_000))}`,
    "tables.html": "<table><tr><td>".repeat(sized(2_000)),
    "entities.html": "&#x110000;&bogus;".repeat(MANY / 4),
    "entities.xhtml": entities,
    "sections.rst": lines(5_000, (i) => `T${i}\n--`),
    "directives.rst": ".. ".repeat(MANY),
    "blocks.adoc": "====\n".repeat(MANY / 5),
    "include.adoc": "include::/etc/passwd[]\n".repeat(sized(1_000)),
    "headers.eml": lines(20_000, (i) => `X-${i}: v`),
    "parts.eml": `Content-Type: multipart/mixed; boundary=b\n\n${"--b\n".repeat(sized(20_000))}`,
    "nested.eml": lines(500, (i) => `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}`),
    "base64.eml": `Content-Transfer-Encoding: base64\n\n${"!".repeat(MANY)}`,
    "mails.mbox": "From \n".repeat(sized(5_000)),
    "bomb.docx": zip(bomb),
    "bomb.epub": zip({ mimetype: "application/epub+zip", "META-INF/container.xml": entities }),
    "bomb.xlsx": zip({ "xl/workbook.xml": entities }),
    "paths.epub": zip({ "../../../../tmp/out.html": "<p>x</p>", "META-INF/container.xml": "<container/>" }),
    "paragraphs.docx": docxOf(Array.from({ length: sized(5_000) }, (_, i) => wordParagraph(`${i}`)).join("")),
    "deep.docx": docxOf("<w:p>".repeat(sized(5_000))),
    "chapters.epub": epubOf(Array.from({ length: sized(300) }, (_, i) => `<h1>${i}</h1>${"<b>".repeat(200)}`)),
    "rows.xlsx": xlsxOf([{ name: "s", rows: Array.from({ length: sized(5_000) }, (_, i) => [`${i}`, "x"]) }]),
    "cut.docx": docxOf(wordParagraph("x")).slice(0, 200),
    "cut.pdf": "%PDF-1.7\n1 0 obj\n<<",
    "loop.pdf": "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 1 0 R/Kids[1 0 R]/Count 99999999>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF",
    "streams.pdf": `%PDF-1.4\n${lines(5_000, (i) => `${i} 0 obj<</Length 9999999>>stream\nendstream endobj`)}\ntrailer<</Root 1 0 R>>`,
    "zeros.txt": bytes(sized(1_000_000), () => 0),
    "noise.md": bytes(sized(1_000_000), (i) => (i * 2_654_435_761) >>> 13),
    "surrogates.txt": "\uFEFF\uD800".repeat(MANY),
    "marks.txt": `a${"\u0301".repeat(MANY)}`,
    "bidi.txt": "\u202E\u2066".repeat(MANY),
    "stops.txt": ". ".repeat(MANY * 4),
    "inside.txt.gz": gzipSync(gzipSync("x")),
    "bomb.txt.gz": gzipSync("\0".repeat(rounds({ all: 100_000_000, usually: 25_000_000 }))),
  };
  return files;
}

/** Made once: the archives among them take seconds. */
const hostile = hostileFiles();

function sandboxOf(documents: Record<string, string | Uint8Array>): Sandbox {
  const sandbox = createSandbox(documents);
  sandboxes.push(sandbox);
  return sandbox;
}

describe("a folder of hostile files", () => {
  it("is read, with every file reported or taken in, and the good one answers", {
    timeout: 300_000,
  }, async () => {
    const documents = hostile;
    expect(Object.keys(documents).length).toBeGreaterThanOrEqual(60);
    const library = await openLibrary({ documents: {} });
    try {
      const { folder } = sandboxOf(documents);
      const events = await collect(library.engine.ingest(`${folder}/documents`, { source: "documents" }));
      const reported = new Set(events.flatMap((event) => ("path" in event ? [event.path] : [])));
      expect(Object.keys(documents).filter((name) => !reported.has(name))).toEqual([]);
      const { citations } = await library.ask("When does the hall open?");
      expect(citations.map(({ quote }) => quote).join(" ")).toContain("opens at nine");
    } finally {
      await library.close();
    }
  });

  it.each(MOMENTS)("is left at SIGTERM, %d s after it began", async (after) => {
    const { folder, env } = sandboxOf(hostile);
    const { child, finished } = startCli(["ingest", "documents"], { cwd: folder, env });
    await new Promise((resolve) => setTimeout(resolve, after * 1000));
    child.kill("SIGTERM");
    const { code, signal } = await finished;
    // A process that ignores the signal reads on to the end and leaves with 4. That takes several seconds, so later moments may find it done.
    expect(code ?? signal).toBeOneOf(after <= 1 ? [130, "SIGTERM"] : [0, 4, 130, "SIGTERM"]);
  });
});
