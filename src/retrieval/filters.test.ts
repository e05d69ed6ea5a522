import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Filters } from "../shared/types.ts";
import type { DocumentOutline } from "../store/document-rows.ts";
import { resolveFilters } from "./filters.ts";
import { ScopeFilter, scopeSees } from "./indexed-windows.ts";

/** Headings at intervals of 100 characters. `## Text` has level 2. */
function outline(title: string, headings: readonly string[], over: Partial<DocumentOutline> = {}): DocumentOutline {
  return {
    id: `id-${title}`,
    version: "v",
    path: `books/${title.toLowerCase()}.md`,
    title,
    headings: headings.map((line, i) => ({ start: i * 100, level: line.indexOf(" "), text: line.replace(/^#+ /, "") })),
    pages: null,
    ...over,
  };
}

const BOOK = outline(
  "Whale",
  ["# Whale", "## Chapter 1. Loomings", "### Notes", "## CHAPTER XXXII. Cetology.", "### Book I. (Folio)", "### Notes"],
  { pages: [0, 150, 150, 320, 480] },
);
const RULES = outline("Rules", ["## § 4.25 Combined ratings table", "## § 4.26 Bilateral factor", "### (a) Order"]);
const ESSAY = outline("Essay", ["# 32. On Oil"]);
const ALL = [BOOK, ESSAY, RULES];

const NONE: Filters = { document: null, chapter: null, section: null, pages: null };
const resolve = (filters: Partial<Filters>, documents: readonly DocumentOutline[] = ALL) =>
  resolveFilters({ ...NONE, ...filters }, documents);
const found = (filters: Partial<Filters>, documents?: readonly DocumentOutline[]) =>
  [...resolve(filters, documents).area].map(
    ([id, { ranges }]) => `${id} ${ranges.map(({ start, end }) => `${start}-${end > 1e9 ? "" : end}`).join(" ")}`,
  );

describe("resolveFilters", () => {
  it.each<[Partial<Filters>, string[], string]>([
    [{ document: "whale" }, ["id-Whale 0-"], "a title, in any case"],
    [{ document: "books/whale.md" }, ["id-Whale 0-"], "a path"],
    [{ document: "id-Rules" }, ["id-Rules 0-"], "an id"],
    [{ chapter: "chapter  1. LOOMINGS" }, ["id-Whale 100-300"], "a whole heading, in any case and spacing"],
    [{ chapter: "Chapter 32" }, ["id-Whale 300-"], "a Roman number in Arabic digits; an essay's number is no chapter's"],
    [{ chapter: "32" }, ["id-Whale 300-", "id-Essay 0-"], "a bare number; the title of a file of one chapter counts"],
    [{ chapter: "Cetology" }, ["id-Whale 300-"], "the name after the number"],
    [{ chapter: "4.25" }, ["id-Rules 0-100"], "the top level where no title stands above"],
    [{ section: "§4.26" }, ["id-Rules 100-"], "a section sign"],
    [{ section: "notes" }, ["id-Whale 200-300 500-"], "every heading of that name"],
    [{ section: "Notes", chapter: "1" }, ["id-Whale 200-300"], "a section inside a chapter"],
    [{ pages: { first: 1, last: 1 } }, ["id-Whale 0-150"], "a page"],
    [{ pages: { first: 5, last: 900 } }, ["id-Whale 480-"], "pages beyond the last"],
    [{ pages: { first: 3, last: 4 }, chapter: "1" }, ["id-Whale 150-300"], "pages inside a chapter"],
  ])("%j finds %j: %s", (filters, expected) => {
    expect(found(filters)).toEqual(expected);
  });

  it("does not match parts of names or numbers", () => {
    for (const filters of [{ section: "4.2" }, { section: "Combined" }, { chapter: "3" }, { document: "Wha" }, { chapter: "Book I" }]) {
      expect(() => resolve(filters)).toThrow(/There is no/);
    }
  });

  it.each<[Partial<Filters>, string, RegExp]>([
    [{ document: "Wale" }, "unknown_document", /no document "Wale"\. Most similar: "Whale" and \d+ more/],
    [{ chapter: "Chapter 33" }, "unknown_chapter", /no chapter "Chapter 33"\. Most similar: "Chapter 1/],
    [{ document: "Whale", chapter: "Loomngs" }, "unknown_chapter", /in "Whale"\. Most similar: .*Loomings/],
    [{ chapter: "32", section: "Order" }, "unknown_section", /no section "Order" in chapter "32" of "Whale", "Essay"\. Most similar: /],
    [{ pages: { first: 99, last: 99 } }, "unknown_page", /nothing on page 99\. Available pages: 1–5 of "Whale"/],
    [
      { pages: { first: 5, last: 5 }, chapter: "1" },
      "unknown_page",
      /in chapter "Chapter 1. Loomings" of "Whale"\. Available pages: 1–3 of/,
    ],
    [{ pages: { first: 1, last: 1 }, document: "Rules" }, "unknown_page", /in "Rules"\. None of these documents has page breaks/],
  ])("%j is %s", (filters, code, message) => {
    expect(() => resolve(filters)).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
  });

  it("returns what it found", () => {
    const { applied } = resolve({ chapter: "32", pages: { first: 4, last: 5 } });
    expect(applied).toMatchObject({ chapter: "32", searchedIn: 'pages 4–5, chapter "CHAPTER XXXII. Cetology." of "Whale"' });
    expect(resolve({ document: "rules" }).applied.searchedIn).toBe('"Rules"');
    expect(resolve({ document: ["rules", "Essay"] }).applied.searchedIn).toBe('"Essay", "Rules"');
    expect(() => resolve({ document: ["rules", "Poems"] })).toThrow('There is no document "Poems"');
  });

  it("suggests at most a few existing names", () => {
    const many = Array.from({ length: 20_000 }, (_, i) => outline(`Title ${i}`, [`# Title ${i}`, `## Part ${i}`]));
    expect(() => resolve({ section: "x".repeat(300) }, many)).toThrow(/and \d+ more/);
  });

  it("returns an empty area for an empty domain, without an error", () => {
    expect(resolve({ chapter: "1", document: "x" }, []).area.size).toBe(0);
  });
});

const owner = fc.record({ tenant: fc.constantFrom(null, "acme", "other"), access: fc.constantFrom("public", "staff", "pub,lic") });
const scope = fc.record({
  domain: fc.constant("d"),
  tenant: fc.constantFrom(null, "acme", "other"),
  access: fc.array(fc.constantFrom("public", "staff", "pub,lic", "none"), { maxLength: 3 }),
});

describe("ScopeFilter", () => {
  it("accepts what the predicate accepts, in any order of calls", () => {
    fc.assert(
      fc.property(fc.array(owner, { maxLength: 40 }), fc.array(scope, { minLength: 1, maxLength: 8 }), (owners, scopes) => {
        const documents = owners.map((document, i) => ({ document, slots: [3 * i, 3 * i + 2] }));
        const filter = new ScopeFilter(() => documents);
        for (const one of scopes) {
          const slots = filter.slotsFor(one);
          const expected = documents.filter(({ document }) => scopeSees(one, document)).flatMap((document) => document.slots);
          const found = Array.from({ length: 3 * owners.length }, (_, slot) => slot).filter((slot) => slots.has(slot));
          expect(found).toEqual(expected);
        }
      }),
    );
  });
});
