import { describe, expect, test } from "vitest";
import { placeOf, readFirst } from "../../testing/first-document.ts";
import { rtfOf } from "../../testing/made-office.ts";
import { faultsOf } from "../../testing/soundness.ts";
import { blocksOf } from "../show-blocks.test-helper.ts";

const read = (body: string) => readFirst("a.rtf", Buffer.from(rtfOf(body), "latin1"));
const said = ({ reading }: Awaited<ReturnType<typeof readFirst>>) => reading.notices.map(({ code, message }) => `${code} ${message}`);

describe("RTF", () => {
  test("decodes escapes, code pages of fonts, Unicode with and without fallbacks, and characters beyond 16 bits", async () => {
    const fonts = String.raw`{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Cyr;}{\f3\fcharset2 Sym;}}`;
    const body = String.raw`caf\'e9 \f1\'cf\'f0\'e8 \f0\u8364?5 \uc0\u8364 6 \u-10179 \u-8704 \f3\'b7\f0\endash\~\{x\} \u-10179 y\u8364 \u-8704 `;
    const { text } = await readFirst("a.rtf", Buffer.from(String.raw`{\rtf1\ansi\ansicpg1252${fonts}\pard ${body}\par}`, "latin1"));
    expect(text).toBe("café При €5 €6 😀•– {x} y€\ufffd");
  });

  test.each([
    ["text in a font of an unknown character set", String.raw`Fee \f1\'83\'5c\f0 5`, 1],
    ["Unicode, Latin text and names in such a font", String.raw`\f1 Fee \uc2\u12477\'83\'5c 5`, 0],
    ["text in a Japanese font", String.raw`\f2 Fee \'83\'5c`, 0],
  ])("reports a guessed encoding: %s", async (_, body, count) => {
    const fonts = String.raw`{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset130 \'82\'6c;}{\f2\fcharset128 J;}}`;
    const document = await readFirst("a.rtf", Buffer.from(String.raw`{\rtf1\ansi\ansicpg1252${fonts}\pard ${body}\par}`, "latin1"));
    expect(said(document).filter((one) => one.startsWith("encoding_guessed"))).toHaveLength(count);
  });

  test.each([
    [128, String.raw`\'83\'5c\\`, "ソ\\"],
    [128, String.raw`\'93\'fa\'96\'7b \'b1`, "日本 ｱ"],
    [129, String.raw`\'c7\'d1\'b1\'db 5`, "한글 5"],
    [134, String.raw`\'d6\'d0a\'ce\'c4`, "中a文"],
    [136, "\\'a4\\'a4\\'a4\\'e5\\'b3\\\\", "中文許"],
  ])("decodes fonts with two-byte characters: character set %d", async (charset, body, text) => {
    const fonts = `{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset${charset} A;}}`;
    const source = `{\\rtf1\\ansi\\ansicpg1252${fonts}\\pard\\f1 ${body}\\par}`;
    const document = await readFirst("a.rtf", Buffer.from(source, "latin1"));
    expect(document.text).toBe(text);
    expect(faultsOf(document, source)).toEqual([]);
  });

  test("reads headings by their style or level, lists with numbers or bullets, and plain lines", async () => {
    const body = String.raw`\pard\s1 Fees\par\pard{\listtext 1.\tab}\ls1 First\par{\listtext\'b7\tab}\ls1\ilvl1 Under\par\pard\outlinelevel1 Late\par\pard a\line b\par`;
    expect(blocksOf(await read(body))).toEqual([
      "heading1 Fees",
      "list-item1 1. First",
      "list-item2 Under",
      "heading2 Late",
      "paragraph a⏎b",
    ]);
  });

  test("reads tables with header rows", async () => {
    const row = (...cells: string[]) => `${cells.map((cell) => `\\pard\\intbl ${cell}\\cell`).join("")}\\row`;
    const body = [
      `\\trowd\\trhdr\\cellx1\\cellx2\\cellx3 ${row("Kind", "Day", "Fee")}`,
      `\\trowd\\cellx1\\cellx2\\cellx3 ${row("Late", "Mon", "5")}`,
      `\\trowd\\cellx1\\cellx2\\cellx3 ${row("Late", "Tue", "")}`,
    ];
    expect(blocksOf(await read(`${body.join("\n")}\\pard End.\\par`))).toEqual([
      ...["table-row^0 Kind | Day | Fee", "table-row^0 Late | Mon | 5", "table-row^0 Late | Tue"],
      "paragraph End.",
    ]);
  });

  test("places a note after its paragraph, and shows the result of a field, not its code", async () => {
    const body = String.raw`Open{\super\chftn}{\footnote{\super\chftn} Not on Sunday.} daily, see {\field{\*\fldinst HYPERLINK "x"}{\fldrslt the list}}.\par Next.\par`;
    expect((await read(body)).text).toBe("Open[1] daily, see the list.\n\n[1] Not on Sunday.\n\nNext.");
  });

  test("omits hidden and struck text, margins and comments with a notice, and data of other programs without one", async () => {
    const body = String.raw`{\header Port of Ys}{\*\generator Writer;}Seen{\v\fs24 secret}{\strike old}{\fs2 tiny}{\*\annotation a remark}{\*\unknown x{y}z}.\par\bin4 }}}}End.\par`;
    const document = await read(body);
    expect(document.text).toBe("Seen.\n\nEnd.");
    expect(said(document)).toEqual([
      expect.stringMatching(/^hidden_text 10 /),
      expect.stringMatching(/^struck_text 3 /),
      "left_out comments in the margin were left out",
      "left_out headers and footers of pages were left out: Port of Ys",
    ]);
  });

  test("quotes the description of a picture, and counts pictures without one", async () => {
    const described = String.raw`{\*\shppict{\pict{\*\picprop{\sp{\sn wzDescription}{\sv A map of the quays}}}\pngblip 89504e47}}{\nonshppict{\pict 00}}`;
    const document = await read(String.raw`Text.${described}{\pict\pngblip 8950}\par`);
    expect(document.text).toBe("Text.\n\nImage: A map of the quays");
    expect(said(document)).toEqual([expect.stringMatching(/^figures_without_text 1 /)]);
  });

  test("gives a quote its byte offsets in the file", async () => {
    const source = rtfOf(String.raw`One.\par caf\'e9 \b costs\b0  5.\par`);
    const document = await readFirst("a.rtf", Buffer.from(source, "latin1"));
    const place = placeOf(document, "café costs 5.");
    expect([place.unit, source.slice(place.start, place.end)]).toEqual(["utf16", String.raw`caf\'e9 \b costs\b0  5.`]);
  });

  test.each([
    ["cut off", rtfOf("Some text of it.\\par").slice(0, -1), "bad_rtf"],
    ["with endless groups", `{\\rtf1${"{".repeat(100_000)}`, "too_deep"],
    ["another kind of file", "PLAIN TEXT", "wrong_content"],
  ])("%s is rejected", async (_, source, code) => {
    await expect(readFirst("a.rtf", source)).rejects.toMatchObject({ code, message: expect.stringMatching(/^a\.rtf: .{20,}/) });
  });
});
