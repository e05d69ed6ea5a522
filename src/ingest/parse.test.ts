import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { part, rounds } from "../../test/support/trials.ts";
import { IngestError } from "../shared/errors.ts";
import { sha256Hex } from "../text/hash.ts";
import { textExtensions } from "./formats/formats.ts";
import { MAX_TEXT_BYTES } from "./limits.ts";
import { type ParsedDocument, parseFile } from "./parse.ts";
import { faultsOf } from "./testing/soundness.ts";

const DATA = process.env.SOURCEBOUND_DATA ?? "";

function parse(path: string, text: string | Uint8Array): ParsedDocument[] {
  return parseFile({ path, bytes: typeof text === "string" ? Buffer.from(text) : text });
}

describe("a file that is not English", () => {
  const noticed = (path: string, text: string) =>
    parse(path, text).flatMap(({ reading }) => reading.notices.map(({ code, message }) => `${code} ${message}`));

  test("has a notice with its language, in every format", () => {
    const german = "Der Urlaub wird nicht ausgezahlt, wenn er bis zum Ende des Jahres nicht genommen ist. Das gilt auch für Aushilfen.";
    const french = "Les congés ne sont pas payés lorsque le contrat est rompu avant la fin de la période d'essai, sauf avec un accord.";
    for (const [path, text, name] of [
      ["a.md", `# Urlaub\n\n${german}\n`, "German"],
      ["a.html", `<h1>Congés</h1><p>${french}</p>`, "French"],
      ["a.txt", "休暇は年末までに取らなければなりません。", "Chinese or Japanese"],
    ] as const)
      expect(noticed(path, text), path).toEqual([
        expect.stringMatching(new RegExp(`^not_english .*\\(${name}\\): this version supports only English`)),
      ]);
  });

  test("has none for English files with foreign names and words, or for bare data", () => {
    for (const text of [
      "# Leave\n\nThe leave of Herr von der Heide is not paid out in Baden-Baden.\n",
      "| a | b |\n|---|---|\n| 1 | 2 |\n",
      "x\n",
    ])
      expect(noticed("a.md", text), text).toEqual([]);
  });
});

describe("a file that cannot become documents", () => {
  test.each<[string, Uint8Array, string, RegExp]>([
    [
      "a.md",
      Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]),
      "bad_encoding",
      /^a\.md: this is UTF-32 text, which is not supported: save it as UTF-8/,
    ],
    ["a.txt", Buffer.from("text \x01 with a control character \xff", "latin1"), "binary_file", /byte 5 is a control character/],
    ["a.md", Buffer.from("PNG\0\0"), "binary_file", /byte 3 is NUL, so the file is not text/],
    ["a.pdf", Buffer.from("no PDF"), "wrong_content", /the name says pdf, but the content is different/],
    ["a.docx", Buffer.from("x"), "wrong_content", /the name says docx, but the content is different/],
    ["a.txt", Buffer.from("PK\x05\x06".padEnd(22, "\0")), "unsupported_format", /zip is not a text format: use readDocuments/],
    ["a.txt", Buffer.alloc(MAX_TEXT_BYTES + 1, 32), "file_too_large", /20\.0 MB; the limit is 20 MB/],
    ["a.exe", Buffer.from("x"), "unsupported_format", /the format "\.exe" is not supported: use one of \.md/],
    ["a.md", Buffer.from("---\na: [\n---\n"), "bad_front_matter", /^a\.md: front matter, line/],
    ["a.json", Buffer.from('{"entry_id": "", "content": ""}'), "bad_entry", /^a\.json: entry 0, field entry_id/],
    ["a.html", Buffer.from("<div>".repeat(20_000)), "too_deep", /nested more than 6000 levels deep/],
  ])("%s (%#): gives the reason and advice", (path, bytes, code, message) => {
    expect(() => parseFile({ path, bytes })).toThrow(IngestError);
    expect(() => parseFile({ path, bytes })).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
  });
});

test("keeps path, hash of the bytes, and offsets that include a byte order mark", () => {
  const bytes = Buffer.from("\ufeff# Title\n\nText");
  const [document] = parseFile({ path: "a/b.MD", bytes });
  expect(document).toMatchObject({
    path: "a/b.MD",
    originalHash: sha256Hex(bytes),
    text: "Title\n\nText",
    sourceMap: [0, 5, 3, 8, 7, 11, 10, 14],
  });
  const entry = JSON.stringify({ entry_id: "x/1", topic: "t", content: "c", type: "policy" });
  expect(parse("k.json", entry)[0]?.path).toBe("k.json#x/1");
});

test.each(textExtensions.filter((extension) => !/^\.(?:json|ndjson|ya?ml)/.test(extension)))(
  "an empty %s file is a document without text",
  (extension) => {
    const [document] = parse(`empty${extension}`, "");
    expect(document).toMatchObject({ text: "", blocks: [], units: [], sourceMap: [], metadata: { title: "empty" } });
  },
);

test("units are sentences of paragraphs, whole rows, headings and short items, sentences of long items", () => {
  const long = `${"A sentence of an item. ".repeat(20)}End.`;
  const [document] = parse("a.md", `# One. Two.\n\nOne. Two.\n\n- One. Two.\n- ${long}\n\n| a. B | c |\n|-|-|\n\n> One. Two.`);
  const count = (type: string): number => document?.units.filter((unit) => unit.type === type).length ?? 0;
  expect([count("heading"), count("paragraph"), count("list-item"), count("table-row"), count("quote")]).toEqual([1, 2, 1 + 21, 1, 2]);
});

describe("any text", () => {
  const piece = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 6 }),
    fc.constantFrom(..."\n|\n\n| |  |\t|\r\n|\u00a0|\u200b|\ufeff|e\u0301|😀|\u202e".split("|")),
    fc.constantFrom(..."# ¦- ¦1. ¦> ¦```\n¦**¦_¦[a](b)¦![¦](¦|a|b|\n|-|-|\n|c|d|\n¦---\n¦`¦&amp;¦&lt;b¦\\".split("¦")),
    fc.constantFrom(
      ...'<p>;</p>;<ul><li>;</ul>;<table><tr><td>;</table>;<br>;<script>;</script>;<!--;-->;<h2>;</h2>;<b;>;<i a="'.split(";"),
    ),
    fc.constantFrom("One. ", "Two! ", "U.S. ", "$1,000.50 "),
  );
  test("ends a block of code at its last visible character", () => {
    const source = "```\nOne. \u200b";
    for (const document of parse("x.md", source)) expect(faultsOf(document, source)).toEqual([]);
  });

  test.each([".md", ".html", ".txt"])("gives valid documents as %s", (extension) => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const source = pieces
          .join("")
          .replaceAll("\0", "")
          .replace(/\p{Cs}/gu, "");
        try {
          for (const document of parse(`x${extension}`, source)) expect(faultsOf(document, source)).toEqual([]);
        } catch (error) {
          if (!(error instanceof IngestError)) throw error;
          expect(error.code).toBe("bad_front_matter");
        }
      }),
      { numRuns: rounds({ all: 400, usually: 100 }) },
    );
  });
});

const naughty = join(DATA, "xss-and-naughty-strings");
const hasNaughty = DATA !== "" && existsSync(naughty);
test.skipIf(!hasNaughty)(
  `naughty strings give valid documents${hasNaughty ? "" : " (skipped: SOURCEBOUND_DATA names no folder with xss-and-naughty-strings)"}`,
  () => {
    const strings = new Set(
      readdirSync(naughty)
        .filter((file) => file.endsWith(".jsonl"))
        .flatMap((file) => readFileSync(join(naughty, file), "utf8").trim().split("\n"))
        .flatMap((line) => Object.values(JSON.parse(line) as Record<string, unknown>))
        .filter((value): value is string => typeof value === "string"),
    );
    expect(strings.size).toBeGreaterThan(500);
    for (const string of part([...strings], 150)) {
      for (const extension of [".md", ".html", ".txt"]) {
        const source = string.replaceAll("\0", "").replace(/\p{Cs}/gu, "");
        for (const document of parse(`x${extension}`, source)) expect(faultsOf(document, source)).toEqual([]);
      }
    }
  },
);
