import { describe, expect, it } from "vitest";
import { type PdfLine, toLine } from "./lines.ts";
import type { PdfWord } from "./words.ts";
import { seamsOf } from "./write.ts";

function word(text: string): PdfWord {
  const place = { x: 0, y: 0, right: 6, bottom: 10, baseline: 10, size: 10, run: 0 };
  return { text, ...place, isBold: false, isMono: false, isSpaced: true, isArtifact: false, hidden: null, isTurned: false };
}

function linesOf(text: string): PdfLine[] {
  return text.split("\n").map((line) => toLine(line.split(" ").map(word)));
}

function joined(text: string): string {
  const lines = linesOf(text);
  const seamOf = seamsOf([lines]);
  return lines.reduce((before, { words }, i) => {
    const after = words.map(({ text }) => text).join(" ");
    const last = lines[i - 1]?.words.at(-1);
    if (last === undefined) return after;
    const seam = seamOf(last, words[0] as PdfWord);
    return seam === "cut" ? before.slice(0, -1) + after : `${before}${seam === "blank" ? " " : ""}${after}`;
  }, "");
}

describe("a hyphen at the end of a line", () => {
  it("is kept if the document breaks lines only at written hyphens", () => {
    expect(joined("an anti-\nviral agent of low-\nincome lands; antiviral, anti-viral and viral, or an income")).toBe(
      "an anti-viral agent of low-income lands; antiviral, anti-viral and viral, or an income",
    );
  });

  it("is removed if English or the document has the whole word, or the halves are not words", () => {
    expect(joined("the appli-\ncation of levothy-\nroxine and of dexi-\nlant, dexilant")).toBe(
      "the application of levothyroxine and of dexilant, dexilant",
    );
  });

  it("is kept between two words that form no word together", () => {
    expect(joined("a long-\nterm state-\nof-the-art plan")).toBe("a long-term state-of-the-art plan");
  });

  it("joins parts without a space between them", () => {
    expect(joined("npm diff -\n-diff=pkg- \nfork@1".replace(" \n", "\n"))).toBe("npm diff --diff=pkg-fork@1");
    expect(joined("in 2009-\n2010 and/\nor later")).toBe("in 2009-2010 and/or later");
  });

  it("keeps the space after a suspended hyphen and after a dash", () => {
    expect(joined("short-\nand long-term –\nor none")).toBe("short- and long-term – or none");
  });

  it("is always removed if it is a soft hyphen", () => {
    expect(joined("infor\u00ad\nmation")).toBe("information");
  });
});
