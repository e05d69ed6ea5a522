import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseFile } from "./parse.ts";
import { parseFirst } from "./testing/first-document.ts";

const pagesOf = (text: string, path = "a.txt") => {
  const { pages, text: parsed } = parseFirst(path, text);
  return pages === null ? null : pages.map((start, i) => parsed.slice(start, pages[i + 1]).trim());
};

describe("pages", () => {
  it.each<[string, string, string[] | null]>([
    ["no page break", "One.\n\nTwo.", null],
    ["breaks between paragraphs", "One.\n\n\fTwo.\n\n\fThree.", ["One.", "Two.", "Three."]],
    ["a break after every page, as from PDFs", "One.\n\fTwo.\n\f", ["One.", "Two."]],
    ["a blank page", "One.\n\f\n\fThree.", ["One.", "", "Three."]],
    ["a blank first page", "\fTwo.", ["", "Two."]],
    ["a sentence that continues across the break", "It runs\n\fon.", ["It runs", "on."]],
    ["only a page break", "\f\f", [""]],
    ["a break inside a word", "ham\fmer", ["ham", "mer"]],
    ["composed characters", "Cafe\u0301.\n\fNoe\u0308l.", ["Caf\u00e9.", "No\u00ebl."]],
  ])("%s", (_what, text, pages) => {
    expect(pagesOf(text)).toEqual(pages);
    expect(pagesOf(text, "a.md")).toEqual(pages);
  });

  it("recognise a heading that opens a page", () => {
    const headings = (path: string, text: string) =>
      parseFile({ path, bytes: Buffer.from(text) })[0]?.blocks.filter(({ type }) => type === "heading").length;
    expect(headings("a.txt", "It is told in\n\fchapter and verse by him.")).toBe(0);
    expect(headings("a.md", "The end.\n\f# Chapter 2\n\nText.")).toBe(1);
  });

  it("are unknown in formats without page breaks", () => {
    expect(pagesOf("<p>One.</p>\f<p>Two.</p>", "a.html")).toBeNull();
  });

  it("keep every word on its page", () => {
    const word = fc.constantFrom("alpha", "beta gamma", "delta.", "# eps", "- item", "| a | b |", "`code`", "  x");
    const page = fc.array(fc.tuple(word, fc.constantFrom(" ", "\n", "\n\n")), { maxLength: 6 });
    fc.assert(
      fc.property(fc.array(page, { minLength: 1, maxLength: 6 }), fc.constantFrom("a.txt", "a.md"), (pages, path) => {
        // A marker at the end of each page identifies the page of its text.
        const source = pages.map((words, n) => `${words.map(([one, gap]) => one + gap).join("")}\n\nmark${n}x`).join("\n\n\f\n\n");
        const found = pagesOf(source, path) ?? [source];
        expect(found).toHaveLength(pages.length);
        for (const [n, text] of found.entries()) expect(text.match(/mark\d+x/g)).toEqual([`mark${n}x`]);
      }),
    );
  });
});
