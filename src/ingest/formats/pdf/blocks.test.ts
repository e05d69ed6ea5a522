import { describe, expect, it } from "vitest";
import { blocksOf, type PdfBlock, styleOf, textOf } from "./blocks.ts";
import { furtherPartsOfItems, joinParted } from "./join-parted.ts";
import { type PdfLine, toLine } from "./lines.ts";
import type { PdfWord } from "./words.ts";
import { writePdf } from "./write.ts";

const BODY = 11;
const LEFT = 50;
const OUTLINE = new Map<string, number>();

interface LineLook {
  readonly size?: number;
  readonly x?: number;
  readonly isMono?: boolean;
  readonly isBold?: boolean;
}

/** Creates a line with letters six points wide. Words between backticks are code in smaller letters. */
function line(row: number, text: string, { size = BODY, x = LEFT, isMono = false, isBold = false }: LineLook = {}): PdfLine {
  let at = x;
  const words = text.split(" ").map((written): PdfWord => {
    const isCode = written.startsWith("`");
    const shown = written.replaceAll("`", "");
    const own = isCode ? size * 0.85 : size;
    const box = { x: at, y: row * 15, right: at + shown.length * 6, bottom: row * 15 + own };
    const word = { ...box, text: shown, baseline: row * 15 + size, size: own, run: row };
    at = box.right + (isMono ? 6 : 4);
    return { ...word, isBold, isMono: isMono || isCode, isSpaced: true, isArtifact: false, hidden: null, isTurned: false };
  });
  return toLine(words.filter(({ text }) => text !== ""));
}

function code(row: number, text: string): PdfLine {
  return line(row, text, { isMono: true, size: 9.5 });
}

const WIDEST = "Whatever stands on the widest line of a column says how far its text can go here";
const FULL = "If the flag is there, this command takes out all packages that are named in your";

/** Returns the blocks of one column that begins with a paragraph of its widest lines at the usual distance. */
function read(rows: readonly PdfLine[], { number = 1 } = {}): PdfBlock[] {
  const lines = [...Array.from({ length: 8 }, (_, i) => line(i - 7, WIDEST)), ...rows];
  return blocksOf([{ type: "column", lines }], { number, height: 800, dots: [] }, styleOf(lines, OUTLINE)).slice(1);
}

function blocks(...rows: readonly PdfLine[]): string[] {
  return read(rows).map((block) => (block.type === "table" ? "" : textOf(block.lines)));
}

/** Returns the types and texts after writing. */
function written(...parts: readonly (readonly PdfBlock[])[]): string[] {
  const { text, blocks } = writePdf(furtherPartsOfItems(joinParted(parts.flat())), [], new Map());
  return blocks.map(({ type, start, end }) => `${type} ${text.slice(start, end)}`);
}

describe("lines shorter than the page", () => {
  it("are rows of one paragraph, even if one has several lines or a sentence ends between them", () => {
    const lines = [
      line(2, "5201 Arm, limitation of motion of:"),
      line(3, "Midway between side and shoulder level, or more than that but no further than a"),
      line(4, "hand 30"),
      line(5, "At shoulder level 20"),
      line(6, "To 25 from side 40"),
    ];
    expect(written(read(lines))).toEqual([
      "paragraph 5201 Arm, limitation of motion of:\nMidway between side and shoulder level, or more than that but no further than a hand 30\nAt shoulder level 20\nTo 25 from side 40",
    ]);
  });

  it("are wrapped prose if the next ones continue the sentence, or are in mid-page", () => {
    expect(written(read([line(2, "It beside"), line(3, "the picture goes"), line(4, "on and on."), line(6, "Next.")]))).toEqual([
      "paragraph It beside the picture goes on and on.",
      "paragraph Next.",
    ]);
    expect(written(read([line(2, "The Effects of Rain", { x: 200 }), line(3, "Upon the Growth of Barley", { x: 183 })]))).toEqual([
      "paragraph The Effects of Rain Upon the Growth of Barley",
    ]);
  });

  it("separate paragraphs without a gap if they end sentences", () => {
    expect(written(read([line(2, "It is one."), line(3, "This is another."), line(4, "And a third.")]))).toEqual([
      "paragraph It is one.",
      "paragraph This is another.",
      "paragraph And a third.",
    ]);
  });
});

describe("bold words", () => {
  const heads = (rows: readonly PdfLine[]) => {
    const { text, blocks } = writePdf(read(rows), [], new Map());
    return blocks.map(
      ({ type, start, end, runIn }) => `${type} ${text.slice(start, runIn ?? end)}|${runIn === undefined ? "" : text.slice(runIn, end)}`,
    );
  };
  const mixed = (row: number, bold: string, plain: string) =>
    toLine([...line(row, bold, { isBold: true }).words, ...line(row, plain, { x: LEFT + bold.length * 6 + 10 }).words]);

  it("at the start of a paragraph are its run-in heading, even if its first line ends within them", () => {
    expect(heads([mixed(3, "Throwing large.", "Taught by Ben.")])).toEqual(["paragraph Throwing large.| Taught by Ben."]);
    const wrapped = [
      line(3, "Throwing very large and other pots than those that are small in every", { isBold: true }),
      mixed(4, "way.", "Taught by Ben."),
    ];
    expect(heads(wrapped).at(-1)).toContain("Taught by Ben.");
    expect(heads([mixed(3, "Never", "dry them in the sun."), line(6, "They crack.")])).toEqual([
      "paragraph Never dry them in the sun.|",
      "paragraph They crack.|",
    ]);
  });

  it("that announce something, or are exclamations, are not headings", () => {
    expect(heads([line(3, "We need:", { isBold: true }), line(6, "A passport.")])).toEqual([
      "paragraph We need:|",
      "paragraph A passport.|",
    ]);
    for (const call of ["Warning!", "(Do not touch.)", "And so on…"]) {
      expect(heads([line(3, call, { isBold: true }), line(6, "It is hot.")])).toEqual([`paragraph ${call}|`, "paragraph It is hot.|"]);
    }
    expect(heads([line(3, "In person", { isBold: true }), line(6, "At the desk.")])).toEqual([
      "heading In person|",
      "paragraph At the desk.|",
    ]);
  });
});

describe("lines in another font size", () => {
  it("within the sentence of the line above are code in a paragraph", () => {
    const read = blocks(
      line(3, FULL),
      line(4, "`devDependencies` `optionalDependencies` and leaves the others."),
      line(5, "It says which."),
    );
    expect(read).toEqual([`${FULL} devDependencies optionalDependencies and leaves the others.`, "It says which."]);
  });
});

describe("lines in a monospaced font", () => {
  it("are code with their indents, whatever characters they begin with", () => {
    const lines = [code(3, "install:"), code(4, "  - npm ci"), code(5, "1. key:  value")];
    expect(written(read([line(2, "See the example:"), ...lines, line(8, "It says which.")]))).toEqual([
      "paragraph See the example:",
      "code install:\n  - npm ci\n1. key:  value",
      "paragraph It says which.",
    ]);
  });

  it("stay in the sentence whose line they fill", () => {
    expect(written(read([line(3, FULL), code(4, "devDependencies"), line(6, "It says which.")]))).toEqual([
      `paragraph ${FULL} devDependencies`,
      "paragraph It says which.",
    ]);
  });

  it("are a heading if they are bold and alone after code", () => {
    const heading = line(5, "auth-type", { isMono: true, isBold: true });
    expect(written(read([code(2, "npm prune"), code(3, "npm ci"), heading]))).toEqual(["code npm prune\nnpm ci", "heading auth-type"]);
  });
});

describe("a line that begins like a list item", () => {
  it("continues the sentence if the word did not fit on the line above", () => {
    const full = `${FULL} lis`;
    for (const next of ["3) .", "(b) cleavage of them", "E. coli cells", "27) ."]) {
      expect(blocks(line(3, full), line(4, next))).toEqual([`${full} ${next}`]);
    }
    expect(blocks(line(3, `1. ${full}`), line(4, "- shown above", { x: 66 }))).toHaveLength(1);
  });

  it("is a list item if the word would have fitted, is elsewhere, or is the next of its list", () => {
    expect(blocks(line(3, "See the list"), line(4, "1. alpha"), line(5, "2. beta"))).toEqual(["See the list", "1. alpha", "2. beta"]);
    expect(blocks(line(3, FULL), line(4, "1. alpha", { x: 60 }))).toHaveLength(2);
    const ended = FULL.replace("in your", "herein.");
    expect(blocks(line(3, `1. ${ended}`), line(4, "2. beta"))).toHaveLength(2);
    expect(blocks(line(3, `1. ${ended}`), line(4, "7. beta"))).toHaveLength(1);
  });

  it("loses its bullet in an item; a number or letter stays", () => {
    const rows = [
      line(2, "See:"),
      line(3, "1. alpha"),
      line(4, "2. beta"),
      line(6, "7. gamma"),
      line(8, "(a) delta"),
      line(10, "• epsilon"),
    ];
    expect(written(read(rows)).slice(1)).toEqual([
      "list-item 1. alpha",
      "list-item 2. beta",
      "list-item 7. gamma",
      "paragraph (a) delta",
      "list-item epsilon",
    ]);
  });
});

describe("later paragraphs of an item", () => {
  it("belong to it if they are below its text, also after code", () => {
    const rows = [
      line(3, "1. alpha", { x: 60 }),
      line(5, "More of it.", { x: 76 }),
      code(7, "npm ci"),
      code(8, "npm fund"),
      line(9, "And then.", { x: 76 }),
      line(11, "Text."),
    ];
    expect(written(read(rows))).toEqual([
      "list-item 1. alpha\nMore of it.",
      "code npm ci\nnpm fund",
      "list-item And then.",
      "paragraph Text.",
    ]);
  });
});

describe("a paragraph below nested items", () => {
  it("belongs to the outer one", () => {
    const rows = [line(3, "1. alpha", { x: 60 }), line(4, "• inner", { x: 90 }), line(6, "More of alpha.", { x: 76 }), line(8, "Text.")];
    expect(written(read(rows))).toEqual(["list-item 1. alpha", "list-item inner", "list-item More of alpha.", "paragraph Text."]);
  });
});

describe("a block at the end of a page", () => {
  const next = (text: string, x = LEFT) => read([line(3, text, { x })], { number: 2 });
  const full = `${FULL} lis`;

  it("continues with a capital on the next page if it fills its line within a sentence", () => {
    expect(written(read([line(50, full)]), next("ACTEMRA at once."))).toEqual([`paragraph ${full} ACTEMRA at once.`]);
    expect(written(read([line(50, full)]), next("4) there."))).toEqual([`paragraph ${full} 4) there.`]);
    expect(written(read([line(50, "A line that had room")]), next("ACTEMRA at once."))).toHaveLength(2);
    expect(written(read([line(50, full.replace(" lis", "."))]), next("ACTEMRA at once."))).toHaveLength(2);
  });

  it("continues as the same item", () => {
    const item = read([line(50, `1. ${FULL}`, { x: 60 })]);
    expect(written(item, next("lists.", 76))).toEqual([`list-item 1. ${FULL} lists.`]);
    const ended = FULL.replace("in your", "herein.");
    expect(written(read([line(50, `1. ${ended}`, { x: 60 })]), next("Others stay.", 76))).toEqual([`list-item 1. ${ended} Others stay.`]);
  });
});
