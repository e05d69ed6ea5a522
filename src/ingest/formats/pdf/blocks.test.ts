import { describe, expect, it } from "vitest";
import { blocksOf, styleOf, textOf } from "./blocks.ts";
import { type PdfLine, toLine } from "./lines.ts";
import type { PdfWord } from "./words.ts";

const PAGE = { number: 1, height: 800, dots: [] };
const BODY = 11;

/** A line of words, six points a letter, from the left edge on; words between backticks are code in smaller letters. */
function line(row: number, text: string, size = BODY): PdfLine {
  let x = 50;
  const words = text.split(" ").map((written): PdfWord => {
    const isCode = written.startsWith("`");
    const shown = written.replaceAll("`", "");
    const own = isCode ? size * 0.85 : size;
    const word = { text: shown, x, y: row * 15, width: shown.length * 6, height: own, baseline: row * 15 + own, size: own, run: row };
    x += word.width + 4;
    return { ...word, isBold: false, isSpaced: true, isArtifact: false, hidden: null, isTurned: false };
  });
  return toLine(words);
}

/** Texts of the blocks of one column, whose first line is the widest. */
function blocks(...rows: readonly PdfLine[]): string[] {
  const lines = [line(0, "Whatever stands on the widest line of a column says how far its text can go here"), ...rows];
  const read = blocksOf([{ type: "column", lines }], PAGE, styleOf(lines, new Map()));
  return read.map((block) => (block.type === "table" ? "" : textOf(block.lines)));
}

describe("lines of another size", () => {
  const FULL = "If the flag is there, this command takes out all packages that are named in your";

  it("run on in the sentence that fills the line before them: code within a paragraph", () => {
    const read = blocks(
      line(3, FULL),
      line(4, "`devDependencies` `optionalDependencies` and leaves the others."),
      line(5, "It says which."),
    );
    expect(read).toEqual([expect.any(String), `${FULL} devDependencies optionalDependencies and leaves the others.`, "It says which."]);
  });

  it("are something else where the line before them ended, or had room", () => {
    const ended = FULL.replace("in your", "herein.");
    expect(blocks(line(3, ended), line(4, "`npm` `prune` `--production`"))).toEqual([expect.any(String), ended, "npm prune --production"]);
    expect(blocks(line(3, "See the example"), line(4, "`npm` `prune`"))).toEqual([expect.any(String), "See the example", "npm prune"]);
  });

  it("are something else where they open with the mark of a note, or are larger", () => {
    expect(blocks(line(3, FULL), line(4, "3 As decided in May.", BODY * 0.8))).toHaveLength(3);
    expect(blocks(line(3, FULL), line(4, "Chapter of larger letters", BODY * 1.5))).toHaveLength(3);
  });
});
