import { expect, it, test } from "vitest";
import { readDocuments } from "../parse.ts";
import { docxOf, wordParagraph } from "../testing/made-files.ts";
import { parseHtml } from "./html.ts";
import { parseMarkdown } from "./markdown.ts";
import { ordinal } from "./ordinal.ts";

const textOf = (html: string) => parseHtml(`<main>${html}</main>`, "page").text;

it("formats numbers as digits, letters and Roman numerals", () => {
  expect([1, 4, 26, 27, 702].map((n) => ordinal(n, "a"))).toEqual(["a", "d", "z", "aa", "zz"]);
  expect([1, 4, 9, 14, 1994].map((n) => ordinal(n, "I"))).toEqual(["I", "IV", "IX", "XIV", "MCMXCIV"]);
  expect([0, 7, 4_000].map((n) => ordinal(n, "i"))).toEqual(["0", "vii", "4000"]);
});

test("numbers of HTML lists follow type, start and value", () => {
  expect(textOf("<ol><li>Sift.<li>Knead.</ol>")).toBe("1. Sift.\n2. Knead.");
  expect(textOf('<ol type="I" start="3"><li>Sift.<li value="9">Knead.<li>Bake.</ol>')).toBe("III. Sift.\nIX. Knead.\nX. Bake.");
  expect(textOf("<ol><li>Dough<ol type=a><li>Sift.<li>Knead.</ol><li>Oven</ol>")).toBe("1. Dough\na. Sift.\nb. Knead.\n2. Oven");
  expect(textOf("<ol><li><h3>Dough</h3><p>Knead it.</p></li><li><h3>Oven</h3></li></ol>")).toBe("1. Dough\n\nKnead it.\n\n2. Oven");
  for (const plain of ['<ol style="list-style: none"><li>Sift.</ol>', "<ol reversed><li>Sift.</ol>", "<ul><li>Sift.</ul>"])
    expect(textOf(plain)).toBe("Sift.");
});

test("numbers of Markdown lists continue if the source repeats one", () => {
  expect(parseMarkdown("3) Sift.\n3) Knead.\n\n   Well.\n3) Bake.", "a").text).toBe("3) Sift.\n4) Knead.\nWell.\n5) Bake.");
  expect(parseMarkdown("1. - Sift.\n2.\n3. Bake.", "a").text).toBe("1. Sift.\n3. Bake.");
});

test("numbers of Word lists follow format, levels, restarts and styles", async () => {
  const level = (n: number, format: string, text: string, start = 1) =>
    `<w:lvl w:ilvl="${n}"><w:start w:val="${start}"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
  const list = (id: number, content: string) => `<w:abstractNum w:abstractNumId="${id}">${content}</w:abstractNum>`;
  const num = (id: number, of: number, more = "") => `<w:num w:numId="${id}"><w:abstractNumId w:val="${of}"/>${more}</w:num>`;
  const numbering = [
    list(0, level(0, "decimal", "Article %1.", 4) + level(1, "lowerLetter", "(%2)") + level(2, "lowerRoman", "%1.%2.%3")),
    list(1, level(0, "bullet", "•")),
    num(1, 0),
    num(2, 1),
    num(3, 0, '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="9"/></w:lvlOverride>'),
  ];
  const styles = `<w:style w:type="paragraph" w:styleId="Base"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style><w:style w:type="paragraph" w:styleId="Mine"><w:basedOn w:val="Base"/></w:style>`;
  const at = (id: number, n: number) => `<w:pPr><w:numPr><w:ilvl w:val="${n}"/><w:numId w:val="${id}"/></w:numPr></w:pPr>`;
  const body = [
    wordParagraph("Guilds", '<w:pPr><w:pStyle w:val="Mine"/></w:pPr>'),
    wordParagraph("Bakers.", at(1, 1)),
    wordParagraph("", at(1, 1)),
    wordParagraph("Millers.", at(1, 1)),
    wordParagraph("Of wheat.", at(1, 2)),
    wordParagraph("Fees", at(1, 0)),
    wordParagraph("Paid in flour.", at(1, 1)),
    wordParagraph("No number.", at(2, 0)),
    wordParagraph("Courts", at(3, 0)),
  ];
  const parts = {
    "word/numbering.xml": `<w:numbering XMLNS>${numbering.join("")}</w:numbering>`,
    "word/styles.xml": `<w:styles XMLNS>${styles}</w:styles>`,
  };
  const [document] = await readDocuments({ path: "a.docx", bytes: docxOf(body.join(""), parts) });
  expect(document?.text.split(/\n+/)).toEqual([
    ...["Article 4. Guilds", "(a) Bakers.", "(c) Millers.", "4.c.i Of wheat.", "Article 5. Fees", "(a) Paid in flour.", "No number."],
    "Article 9. Courts",
  ]);
});
