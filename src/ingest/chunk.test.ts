import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../test/support/trials.ts";
import { countTokens } from "../text/cl100k.ts";
import {
  CHUNK_MAX_TOKENS,
  CHUNK_MIN_TOKENS,
  CHUNK_OVERLAP_TOKENS,
  type ChunkDraft,
  chunkDocument,
  WINDOW_MAX_TOKENS,
  WINDOW_MIN_TOKENS,
} from "./chunk.ts";
import type { ParsedDocument } from "./parse.ts";
import { parseFirst } from "./testing/first-document.ts";

const parse = (text: string, path = "a.md") => parseFirst(path, text);

function textOf(document: ParsedDocument, { start, end }: { start: number; end: number }): string {
  return document.text.slice(start, end);
}

function expectSound(document: ParsedDocument, chunks: readonly ChunkDraft[]): void {
  let covered = 0;
  for (const [i, chunk] of chunks.entries()) {
    expect(chunk.ordinal).toBe(i);
    expect(chunk.tokens).toBe(countTokens(textOf(document, chunk)));
    expect(chunk.tokens).toBeLessThanOrEqual(CHUNK_MAX_TOKENS);
    expect(textOf(document, chunk)).not.toMatch(/\p{Cs}/u);
    expect(document.text.slice(covered, chunk.start).trim()).toBe("");
    expect(chunk.end).toBeGreaterThan(covered);
    if (i > 0) expect(chunk.start).toBeGreaterThan(chunks[i - 1]?.start ?? 0);
    if (chunk.start < covered) expect(countTokens(document.text.slice(chunk.start, covered))).toBeLessThanOrEqual(CHUNK_OVERLAP_TOKENS + 1);
    covered = chunk.end;
    let inside = chunk.start;
    for (const window of chunk.windows) {
      expect(document.text.slice(inside, window.start).trim()).toBe("");
      expect(window.tokens).toBe(countTokens(textOf(document, window)));
      expect(window.tokens).toBeLessThanOrEqual(WINDOW_MAX_TOKENS);
      expect(textOf(document, window)).not.toMatch(/\p{Cs}/u);
      inside = window.end;
    }
    expect(inside).toBe(chunk.end);
  }
  expect(document.text.slice(covered).trim()).toBe("");
}

const SENTENCE = "You may be able to get this benefit if you meet all of the requirements listed below. ";
const paragraphs = (count: number, sentences = 4): string =>
  Array.from({ length: count }, (_, i) => `${i}: ${SENTENCE.repeat(sentences)}`).join("\n\n");

describe("chunks", () => {
  test("a short document has one chunk with one window", () => {
    const document = parse("# A\n\nText.");
    const chunks = chunkDocument(document);
    expect(chunks).toEqual([{ start: 0, end: 8, ordinal: 0, tokens: 4, headingPath: ["A"], windows: [{ start: 0, end: 8, tokens: 4 }] }]);
    expect(chunkDocument(parse(""))).toEqual([]);
  });

  test("keep the size limits, overlap by whole units and end with a paragraph", () => {
    const document = parse(paragraphs(60));
    const chunks = chunkDocument(document);
    expectSound(document, chunks);
    const ends = new Set(document.blocks.map((block) => block.end));
    const starts = new Set(document.units.map((unit) => unit.start));
    for (const [i, chunk] of chunks.entries()) {
      expect(chunk.tokens).toBeGreaterThanOrEqual(CHUNK_MIN_TOKENS);
      expect(ends.has(chunk.end)).toBe(true);
      expect(starts.has(chunk.start)).toBe(true);
      if (i > 0) expect(chunk.start).toBeLessThan(chunks[i - 1]?.end ?? 0);
    }
  });

  test("balance the last two instead of leaving a small one", () => {
    const document = parse(paragraphs(17));
    expect(countTokens(document.text)).toBeGreaterThan(CHUNK_MAX_TOKENS);
    const chunks = chunkDocument(document);
    expect(chunks.length).toBe(2);
    for (const chunk of chunks) expect(chunk.tokens).toBeGreaterThanOrEqual(CHUNK_MIN_TOKENS);
  });

  test("never end with a heading, and contain the headings of their section", () => {
    const source = Array.from({ length: 40 }, (_, i) => `## Section ${i}\n\n### Part\n\n${SENTENCE.repeat(4)}`).join("\n\n");
    const document = parse(`# Title\n\n${source}`);
    const chunks = chunkDocument(document);
    expectSound(document, chunks);
    for (const chunk of chunks) {
      expect(document.blocks.find((block) => block.end === chunk.end)?.type).toBe("paragraph");
      const section = /Section \d+/.exec(
        document.text
          .slice(0, chunk.start + 10)
          .split("\n")
          .reverse()
          .join("\n"),
      )?.[0];
      expect(chunk.headingPath.slice(0, 2)).toEqual(section === undefined ? ["Title"] : ["Title", section]);
    }
  });

  test("keep a small table whole with its heading, and split a larger one between rows", () => {
    const rows = (count: number): string => Array.from({ length: count }, (_, i) => `| ${i} | $${i}0.00 for each month |`).join("\n");
    const table = (count: number): string => `## Rates\n\n| Age | Rate |\n|---|---|\n${rows(count)}`;
    const whole = parse(`${paragraphs(6)}\n\n${table(70)}\n\n${paragraphs(6)}`);
    const chunks = chunkDocument(whole);
    expectSound(whole, chunks);
    const rowBlocks = whole.blocks.filter((block) => block.type === "table-row");
    const [first, last] = [rowBlocks[0], rowBlocks.at(-1)];
    const holder = chunks.find((chunk) => chunk.start <= (first?.start ?? 0) && chunk.end >= (last?.end ?? 0));
    expect(holder && textOf(whole, holder)).toContain("Rates");
    const large = parse(table(300));
    const parts = chunkDocument(large);
    expectSound(large, parts);
    expect(parts.length).toBeGreaterThan(2);
    const rowEnds = new Set(large.blocks.map((block) => block.end));
    for (const part of parts) expect(rowEnds.has(part.end)).toBe(true);
  });

  /** Checks, for every position in a document of many paragraphs, that a part stays in one chunk. */
  const expectTogether = (part: string, first: string, last: string) => {
    for (let before = 1; before <= 24; before++) {
      const document = parse(`${paragraphs(before)}\n\n${part}\n\n${paragraphs(12)}`);
      const chunks = chunkDocument(document);
      expectSound(document, chunks);
      const [start, end] = [document.text.indexOf(first), document.text.indexOf(last) + last.length];
      expect(start).toBeGreaterThan(0);
      expect(
        chunks.some((chunk) => chunk.start <= start && chunk.end >= end),
        `after ${before} paragraphs`,
      ).toBe(true);
    }
  };

  test("keep a quotation together with its attribution", () => {
    const said = Array.from({ length: 14 }, (_, i) => `> Verse ${i} says that all of it was long ago, and that it was raining.`).join(
      "\n>\n",
    );
    expectTogether(`${said}\n\n— A. Poet, 1851`, "Verse 0", "A. Poet, 1851");
    expectTogether(`${said}\n>\n> — A. Poet, 1851`, "Verse 0", "A. Poet, 1851");
  });

  test("keep a table with the sentence before it", () => {
    const rows = Array.from({ length: 30 }, (_, i) => `| ${i} | $${i}0.00 for each month |`).join("\n");
    // Longer than the overlap of chunks.
    const before = `The rates of Table 7 are paid each month${", as it was said of the others before".repeat(20)}.`;
    const table = `Nothing of this. ${before}\n\n| Age | Rate |\n|---|---|\n${rows}`;
    expectTogether(table, "The rates of Table 7", "29 | $290.00 for each month");
  });

  test.each([
    ["[1]", "[1]"],
    ["1", "1"],
    ["*", "*"],
  ])("keep a note with the paragraph that refers to it by %s", (call, mark) => {
    const notes = `The fee is forty dollars ${call} in all. ${SENTENCE.repeat(12)}\n\n\\${mark} Raised in May of that year.\n\nA further paragraph.`;
    expectTogether(notes, "The fee is forty dollars", "Raised in May of that year.");
  });

  test("split a quotation larger than a chunk between its sentences", () => {
    const large = parse(`${paragraphs(3)}\n\n> ${SENTENCE.repeat(120)}\n\n— A. Poet`);
    const chunks = chunkDocument(large);
    expectSound(large, chunks);
    expect(chunks.length).toBeGreaterThan(2);
  });

  test.each([
    ["at spaces", "word ".repeat(5_000)],
    ["at any character if there are no spaces", "😀語".repeat(2_000)],
  ])("split an over-long unit %s", (_, text) => {
    const document = parse(text, "a.txt");
    const chunks = chunkDocument(document);
    expectSound(document, chunks);
    expect(chunks.length).toBeGreaterThan(3);
  });
});

describe("windows", () => {
  test("have 128 to 256 tokens unless the chunk has fewer", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 90 }), fc.constantFrom("\n\n", " ", "\n- ")), { minLength: 1, maxLength: 120 }),
        (pieces) => {
          const document = parse(pieces.map(([words, separator]) => `${"Word then ".repeat(words)}end.${separator}`).join(""));
          for (const chunk of chunkDocument(document)) {
            // A chunk slightly larger than one window cannot always be split into equal halves.
            const least = chunk.tokens < WINDOW_MIN_TOKENS ? chunk.tokens : chunk.tokens < 320 ? 96 : WINDOW_MIN_TOKENS;
            for (const window of chunk.windows) expect(window.tokens).toBeGreaterThanOrEqual(least);
          }
        },
      ),
      { numRuns: rounds({ all: 150, usually: 50 }) },
    );
  });
});

test("any document gives valid chunks", () => {
  const piece = fc.oneof(
    fc.constantFrom("\n\n", "\n", " ", "# H\n\n", "- item\n", "| a | b |\n|--|--|\n| c | d |\n\n", "> quote\n\n"),
    fc.integer({ min: 1, max: 400 }).map((count) => "Some words here, ".repeat(count)),
    fc.integer({ min: 1, max: 60 }).map((count) => SENTENCE.repeat(count)),
    fc.integer({ min: 1, max: 2_000 }).map((count) => "x".repeat(count)),
    fc.string({ unit: "grapheme" }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.constantFrom("a.md", "a.txt"), (pieces, path) => {
      const document = parse(
        `\n${pieces
          .join("")
          .replaceAll("\0", "")
          .replace(/\p{Cs}/gu, "")}`,
        path,
      );
      const chunks = chunkDocument(document);
      expectSound(document, chunks);
      const hasTables = document.blocks.some((block) => block.type === "table-row");
      if (countTokens(document.text) >= CHUNK_MIN_TOKENS && !hasTables) {
        const soft = chunks.filter((chunk) => chunk.tokens < CHUNK_MIN_TOKENS);
        // Splits fall between units, so only a large unit may leave a small chunk next to it.
        if (document.units.every((unit) => countTokens(textOf(document, unit)) < 60)) expect(soft).toEqual([]);
      }
    }),
    { numRuns: rounds({ all: 150, usually: 50 }) },
  );
});
