import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectLinearTime } from "../testing/growth.ts";
import { composeMaps, normalisePiece, TextBuilder, toOriginal } from "./source-map.ts";

/** Generates text with all characters that normalisation changes, in random order. */
const dirtyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(" ", "  ", "\n", "\r\n", "\r", "\t", "\u00a0", "\u2003", "\u2028", "\u200b", "\u00ad", "\ufeff", "\u0000", "\u202e"),
      fc.constantFrom("e\u0301", "\u0301", "\u212b", "\u1100\u1161", "😀", "\ud83d", "\ude00", "\u{e0041}", "ﬁ", "़", "क़"),
      fc.string({ unit: "grapheme", maxLength: 5 }),
      fc.constantFrom("word", "a", "Ω", "— ", "$1,000"),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));

function build(original: string) {
  const builder = new TextBuilder(original);
  builder.append(0, original.length);
  return builder.finish();
}

test("lists every character that normalisation changes, alone and doubled", () => {
  for (let code = 0; code < 0x10000; code++) {
    const char = String.fromCharCode(code);
    for (const original of [`a${char}b`, `a${char}${char}b`]) {
      const closely = new TextBuilder(original);
      closely.appendOpaque(original, 0, original.length);
      if (build(original).text !== closely.finish().text) expect.fail(`U+${code.toString(16)}`);
    }
  }
});

describe("normalisation", () => {
  test.each([
    ["a\r\nb\rc", "a b c", "line ends are white space"],
    ["a \u00a0\u2003 b", "a b", "Unicode spaces collapse"],
    ["so\u00adft\u200b \ufeffx\u0007", "soft x", "invisible characters vanish"],
    ["e\u0301", "é", "NFC"],
    ["\u{e0041}a\u202eb", "ab", "tags and direction controls vanish"],
    ["a\ud83db", "a\ufffdb", "a lone surrogate is replaced"],
    ["  a  ", "a", "blanks at the ends are not written"],
  ])("turns %j into %j (%s)", (original, expected) => {
    expect(build(original).text).toBe(expected);
  });

  test("keeps lines and spaces of code", () => {
    const original = "if a:\r\n\tb  c\u200b";
    const builder = new TextBuilder(original);
    builder.appendPreformatted(0, original.length);
    expect(builder.finish().text).toBe("if a:\n b  c");
  });

  test("collapses white space across pieces and drops it before a separator", () => {
    const builder = new TextBuilder("a  b  c");
    builder.append(0, 2);
    builder.append(2, 6);
    builder.appendSynthetic("\n\n");
    builder.append(5, 7);
    expect(builder.finish().text).toBe("a b\n\nc");
  });
});

describe("the source map", () => {
  test("covers the text in order, and identity segments equal their normalised original", () => {
    fc.assert(
      fc.property(dirtyText, (original) => {
        const { text, sourceMap } = build(original);
        let at = 0;
        for (let i = 0; i < sourceMap.length; i += 4) {
          const [outStart = -1, outEnd = -1, start = -1, end = -1] = sourceMap.slice(i, i + 4);
          expect(outStart).toBe(at);
          expect(outEnd).toBeGreaterThan(outStart);
          expect(start).toBeGreaterThanOrEqual(sourceMap[i - 1] ?? 0);
          expect(end).toBeLessThanOrEqual(original.length);
          expect(normalisePiece(original.slice(start, end))).toBe(text.slice(outStart, outEnd));
          at = outEnd;
        }
        expect(at).toBe(text.length);
        expect(text).not.toMatch(/\p{Cs}/u);
      }),
      { numRuns: 500, examples: [["\u0301\u093c"]] },
    );
  });

  test("maps every word of the text to an original that normalises to that word", () => {
    fc.assert(
      fc.property(dirtyText, (original) => {
        const { text, sourceMap } = build(original);
        for (const { 0: word, index } of text.matchAll(/\S+/g)) {
          const place = toOriginal(sourceMap, { start: index, end: index + word.length });
          expect(build(original.slice(place.start, place.end)).text).toBe(word);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("maps an opaque piece as a whole, wherever the range begins inside it", () => {
    const original = "x &amp; y";
    const builder = new TextBuilder(original);
    builder.append(0, 2);
    builder.appendOpaque("&and", 2, 7);
    builder.append(7, 9);
    const { text, sourceMap } = builder.finish();
    expect(text).toBe("x &and y");
    expect(toOriginal(sourceMap, { start: 3, end: 5 })).toEqual({ start: 2, end: 7 });
    expect(toOriginal(sourceMap, { start: 0, end: 8 })).toEqual({ start: 0, end: 9 });
  });

  test("maps a separator to the gap between its neighbours", () => {
    const builder = new TextBuilder("ab--cd");
    builder.append(0, 2);
    builder.appendSynthetic("\n\n");
    builder.append(4, 6);
    const { sourceMap } = builder.finish();
    expect(toOriginal(sourceMap, { start: 2, end: 4 })).toEqual({ start: 2, end: 4 });
    expect(toOriginal(sourceMap, { start: 1, end: 5 })).toEqual({ start: 1, end: 5 });
    expect(toOriginal(sourceMap, { start: 3, end: 3 })).toEqual({ start: 2, end: 2 });
    expect(toOriginal([], { start: 0, end: 3 })).toEqual({ start: 0, end: 0 });
  });

  test("composes with the map of a decoded string", () => {
    // The file contains `a\nb cd`; the decoded string is a, line break, "b cd"; the text is "a b cd".
    const inner = [0, 1, 10, 11, 1, 2, 11, 13, 2, 6, 13, 17];
    const composed = composeMaps([0, 6, 0, 6], inner);
    expect(composed).toEqual([0, 1, 10, 11, 1, 2, 11, 13, 2, 6, 13, 17]);
    expect(toOriginal(composed, { start: 1, end: 3 })).toEqual({ start: 11, end: 14 });
  });

  test("takes linear time for many combining marks", () => expectLinearTime(50_000, (n) => `a${"\u0301\u0323".repeat(n)}`, build));
});
