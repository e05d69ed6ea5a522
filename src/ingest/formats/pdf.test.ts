import { describe, expect, test } from "vitest";
import { labelOriginal, originalPlaceOf } from "../../text/original-place.ts";
import type { ParsedDocument } from "../parse.ts";
import { placeOf, readFirst } from "../testing/first-document.ts";
import { makePdf, type PdfMadeBlock, type PdfMadeOptions } from "../testing/made-pdf.ts";
import { scorePdf } from "../testing/pdf-truth.ts";
import { faultsOf } from "../testing/soundness.ts";

const SUBJECTS = ["The office", "A veteran", "The surviving spouse", "Every applicant", "The finance team", "A school official"];
const ACTIONS = [
  "files the form within",
  "confirms eligibility after",
  "receives the first payment in",
  "reflects the final decision of",
  "must officially qualify by",
];
const sentence = (i: number) =>
  `${SUBJECTS[i % 6]} ${ACTIONS[i % 5]} ${i + 3} working days, and a confirmation of number ${i} follows by letter.`;
const BLOCKS: readonly PdfMadeBlock[] = Array.from({ length: 10 }, (_, i): PdfMadeBlock[] => [
  { type: "heading", level: i === 0 ? 1 : 2, text: `Findings of part ${i}` },
  {
    type: "paragraph",
    text: Array.from({ length: 7 }, (__, k) => sentence(i * 7 + k)).join(" "),
    ...(i % 4 === 1 ? { note: `See the rule that ${SUBJECTS[i % 6]?.toLowerCase()} follows first.` } : {}),
  },
  ...(i % 3 === 2
    ? [
        {
          type: "table" as const,
          isRuled: i % 2 === 0,
          rows: [
            ["Kind", "Rate", "Until"],
            [`Alpha ${i}`, "10 percent", "May"],
            [`Beta ${i}`, "20 percent", "June"],
          ],
        },
      ]
    : []),
]).flat();

const read = (bytes: Uint8Array) => readFirst("made.pdf", bytes);

describe("a generated PDF", () => {
  test.each<[string, PdfMadeOptions]>([
    ["one column", {}],
    ["two columns", { columns: 2 }],
    [
      "two justified columns with hyphenated words and running heads",
      { columns: 2, isJustified: true, hasHyphens: true, hasRunningHeads: true },
    ],
    ["rotated pages, ligatures, an outline", { hasLigatures: true, isRotated: true, hasOutline: true }],
  ])("%s: keeps words, pages, boxes, cells and order", async (_, options) => {
    const made = makePdf(BLOCKS, options);
    const document = await read(made.bytes);
    expect(faultsOf(document)).toEqual([]);
    const score = scorePdf(document, made);
    expect(score.found / score.quotes).toBeGreaterThanOrEqual(0.95);
    expect(score.rightPage / score.found).toBeGreaterThanOrEqual(0.99);
    expect(score.boxed / score.words).toBeGreaterThanOrEqual(0.98);
    expect(score.rightCells / score.cells).toBeGreaterThanOrEqual(0.95);
    expect(score.lost / score.characters).toBeLessThanOrEqual(0.005);
    const headings = document.blocks.filter(({ type }) => type === "heading").map(({ start, end }) => document.text.slice(start, end));
    expect(headings).toEqual(BLOCKS.flatMap((block) => (block.type === "heading" ? [block.text] : [])));
    expect(document.text).not.toMatch(/Handbook of made files|Page \d/);
  });

  test("a place names the printed page number if it differs, unless it is too long or has control characters", async () => {
    const labels = (nums: string) => ({ catalogue: `/PageLabels << /Nums [${nums}] >>` });
    const placeIn = async (options: PdfMadeOptions) => {
      const document = await read(makePdf([{ type: "paragraph", text: "Seen." }], options).bytes);
      return labelOriginal(originalPlaceOf({ ...document, normaliser: "" }, { start: 0, end: 4 }));
    };
    expect(await placeIn(labels("0 << /S /r /St 12 >>"))).toBe("p. 1 (printed xii), characters 0–4");
    const unusable = [labels("0 << /S /A /St 26000 >>"), labels("0 << /P (a\\nb) >>")];
    for (const none of [labels("0 << /S /D >>"), {}, ...unusable]) expect(await placeIn(none)).toBe("p. 1, characters 0–4");
  });

  test("a table at the top of a column is separate from the text beside it and the heading below it", async () => {
    const rows = [
      ["Kind", "Rate", "Until"],
      ["Alpha", "10 percent", "May"],
      ["Beta", "20 percent", "June"],
    ];
    const blocksOf = (sentences: number): PdfMadeBlock[] => [
      { type: "paragraph", text: Array.from({ length: sentences }, (_, i) => sentence(i)).join(" ") },
      { type: "table", isRuled: false, rows },
      { type: "heading", level: 2, text: "Findings of the last part" },
      { type: "paragraph", text: sentence(1) },
    ];
    const isOnTop = (count: number) => {
      const cells = makePdf(blocksOf(count), { columns: 2 }).words.filter(({ row }) => row !== null);
      return cells.every(({ x, y }) => x > 300 && y < 140);
    };
    const count = Array.from({ length: 60 }, (_, i) => i + 1).find(isOnTop) ?? 0;
    expect(count).toBeGreaterThan(0);
    const { text, blocks } = await read(makePdf(blocksOf(count), { columns: 2 }).bytes);
    const shown = blocks.map(({ type, start, end }) => `${type} ${text.slice(start, end).replace(/\s+/g, " ")}`);
    expect(shown).toEqual([
      `paragraph ${Array.from({ length: count }, (_, i) => sentence(i)).join(" ")}`,
      "table-row Kind | Rate | Until",
      "table-row Alpha | 10 percent | May",
      "table-row Beta | 20 percent | June",
      "heading Findings of the last part",
      `paragraph ${sentence(1)}`,
    ]);
  });

  test("a note follows the paragraph that refers to it, and its marker is not part of a number", async () => {
    const made = makePdf([
      { type: "paragraph", text: "The fee is $32.00", note: "As of May." },
      { type: "paragraph", text: "It is paid once, at the end of the month in which it was asked for." },
    ]);
    expect((await read(made.bytes)).text).toBe(
      "The fee is $32.00 1\n\n1 As of May.\n\nIt is paid once, at the end of the month in which it was asked for.",
    );
  });

  test("lines after a drawn dot are list items, even without other spacing", async () => {
    const text = Array.from({ length: 9 }, (_, i) => sentence(i).replace(/[.,]/g, "")).join(" ");
    const { words } = makePdf([{ type: "paragraph", text }]);
    const opening = words.filter(({ x }) => x === 72);
    const dotted = [opening[1], opening[3], opening[4]].flatMap((word) => word ?? []);
    // A disc of four curves, as browsers draw it.
    const dot = ({ y }: { readonly y: number }) => {
      const [x, middle] = [62, 792 - y - 5];
      const at = (dx: number, dy: number) => `${x + dx} ${middle + dy}`;
      return `${at(2, 0)} m ${at(2, 1)} ${at(1, 2)} ${at(0, 2)} c ${at(-1, 2)} ${at(-2, 1)} ${at(-2, 0)} c ${at(-2, -1)} ${at(-1, -2)} ${at(0, -2)} c ${at(1, -2)} ${at(2, -1)} ${at(2, 0)} c f`;
    };
    const { text: read_, blocks } = await read(makePdf([{ type: "paragraph", text }], { extra: dotted.map(dot).join("\n") }).bytes);
    expect(blocks.map(({ type }) => type)).toEqual(["paragraph", "list-item", "list-item", "list-item"]);
    expect(blocks.slice(1).map(({ start }) => read_.slice(start).split(/\s/)[0])).toEqual(dotted.map(({ text: word }) => word));
  });

  test("a heading of several lines in mid-page is one heading, separate from the next, for any line spacing of the text", async () => {
    const line = (font: string, x: number, y: number, words: string) => `BT /${font} Tf 1 0 0 1 ${x} ${y} Tm (${words}) Tj ET`;
    const body = Array.from({ length: 12 }, (_, i) => line("F1 10", 72, 640 - 20 * i, sentence(i).slice(0, 60)));
    const heads = [
      line("F2 18", 180, 380, "Connecting cards with"),
      line("F2 18", 230, 358, "other programs"),
      line("F2 18", 230, 318, "What can be done"),
    ];
    const { text, blocks } = await read(makePdf([{ type: "paragraph", text: "Seen." }], { extra: [...body, ...heads].join("\n") }).bytes);
    const headings = blocks.filter(({ type }) => type === "heading").map(({ start, end }) => text.slice(start, end));
    expect(headings).toEqual(["Connecting cards with other programs", "What can be done"]);
  });

  describe("lines in a monospaced font", () => {
    const draw = (x: number, y: number, words: string) => `BT /F3 10 Tf 1 0 0 1 ${x} ${y} Tm (${words}) Tj ET`;
    const shownOf = ({ text, blocks }: ParsedDocument) => blocks.map(({ type, start, end }) => `${type} ${text.slice(start, end)}`);
    const code = ["{", '  "a": [', "    1,", "    2", "  ],", '  "b":   3', "}", "{", "}", "{", "}"];
    const above: readonly PdfMadeBlock[] = [{ type: "paragraph", text: Array.from({ length: 9 }, (_, i) => sentence(i)).join(" ") }];

    test("are code: their indents and white space do not form columns", async () => {
      const extra = code.map((line, i) => draw(72 + 6 * line.search(/\S/), 300 - 12 * i, line.trim())).join("\n");
      const document = await read(makePdf(above, { extra }).bytes);
      expect(faultsOf(document)).toEqual([]);
      expect(shownOf(document)).toEqual([expect.stringMatching(/^paragraph /), `code ${code.join("\n")}`]);
    });

    test("are text if the whole document uses that font", async () => {
      const lines = ["Dear Sir, the office has received your letter of May", "and will answer it within ten working days of its date."];
      const extra = lines.map((line, i) => draw(72, 300 - 12 * i, line)).join("\n");
      expect(shownOf(await read(makePdf([], { extra }).bytes))).toEqual([`paragraph ${lines.join(" ")}`]);
    });
  });

  test("invisible text is omitted with a notice, and pages without text are listed", async () => {
    const extra =
      "BT /F1 10 Tf 3 Tr 1 0 0 1 80 300 Tm (invisible secret) Tj ET BT 0 Tr 1 1 1 rg /F1 10 Tf 1 0 0 1 80 280 Tm (white secret) Tj ET 0 g BT /F1 0.5 Tf 1 0 0 1 80 260 Tm (tiny secret) Tj ET BT /F1 10 Tf 1 0 0 1 900 260 Tm (secret beyond) Tj ET";
    const made = makePdf([{ type: "paragraph", text: "Seen by all." }], {
      extra,
      emptyPages: 2,
      catalogue: "/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>",
    });
    const document = await read(made.bytes);
    expect(document.text).toBe("Seen by all.");
    expect(document.reading.notices.map(({ code, pages }) => [code, pages])).toEqual([
      ["pages_without_text", [2, 3]],
      ["hidden_text", [1]],
    ]);
  });

  test("a quote has its page, and one box per line", async () => {
    const made = makePdf(BLOCKS);
    const document = await read(made.bytes);
    const { pages, unit } = placeOf(document, "The surviving spouse receives the first payment in 5 working days");
    expect(unit).toBe("extracted_utf16");
    expect(pages).toMatchObject([{ page: 1, width: 612, height: 792, boxes: expect.any(Array) }]);
    expect(pages?.[0]?.boxes?.length).toBeLessThanOrEqual(2);
  });

  test("a damaged file is reported", async () => {
    const { bytes } = makePdf(BLOCKS);
    await expect(read(Buffer.from("%PDF-1.7\nno objects here"))).rejects.toMatchObject({ code: "bad_pdf" });
    // A truncated file must be parsed in part or rejected, never accepted as complete.
    const cut = await read(bytes.slice(0, bytes.length >> 1)).catch((error: unknown) => error);
    if (!(cut instanceof Error)) expect((cut as ParsedDocument).text.length).toBeLessThan(BLOCKS.length * 1_000);
    else expect(cut).toMatchObject({ code: "bad_pdf" });
  });
});

describe("a table over two pages", () => {
  const HEADER = ["Station", "Opened", "Platforms"];
  const rows = Array.from({ length: 50 }, (_, i) => [`Halt ${"ABCDEFGHIJ"[i % 10]}${i}`, String(1850 + i), `${(i % 4) + 1} wide`]);
  const table = (all: readonly (readonly string[])[], isRuled: boolean) => ({ type: "table" as const, rows: all, isRuled });
  const headersOf = async (blocks: Parameters<typeof makePdf>[0]) => {
    const { blocks: written, text } = await read(makePdf(blocks, { hasRunningHeads: true }).bytes);
    return written.flatMap(({ type, header }) => (type === "table-row" ? [text.slice(written[header]?.start, written[header]?.end)] : []));
  };

  test.each([true, false])("keeps its column names if the second page does not repeat them (ruled: %s)", async (isRuled) => {
    const headers = await headersOf([table([HEADER, ...rows], isRuled)]);
    expect(headers).toHaveLength(51);
    expect(new Set(headers)).toEqual(new Set([HEADER.join(" | ")]));
  });

  test("keeps the header of another table on the next page", async () => {
    const other = [
      ["Depot", "Closed", "Tracks"],
      ["North", "1961", "4 long"],
      ["South", "1972", "6 long"],
    ];
    const headers = await headersOf([table([HEADER, ...rows.slice(0, 19)], true), table(other, true), table([HEADER, ...rows], true)]);
    expect(headers.filter((header) => header.startsWith("Depot"))).toHaveLength(3);
  });
});
