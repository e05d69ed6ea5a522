import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RequestError } from "../errors.ts";
import type { FilterRequest } from "../types.ts";
import { readFilters } from "./filters.ts";

describe("readFilters", () => {
  it("reads names and pages", () => {
    expect(readFilters({ document: "  Moby\n Dick ", page: "12 – 15" })).toEqual({
      document: "Moby Dick",
      chapter: null,
      section: null,
      pages: { first: 12, last: 15 },
    });
    expect(readFilters({ page: 7 })?.pages).toEqual({ first: 7, last: 7 });
    expect(readFilters({ page: 1e9 })?.pages).toEqual({ first: 1e9, last: 1e9 });
  });

  it.each([null, undefined, {}, { chapter: undefined }])("%j filters nothing", (request) => {
    expect(readFilters(request)).toBeNull();
  });

  it.each<[unknown, RegExp]>([
    [{ chapter: "" }, /"chapter" is empty/],
    [{ chapter: " \n\t" }, /"chapter" is empty/],
    [{ section: "x".repeat(301) }, /301 characters; at most 300/],
    [{ document: "a\u202eb" }, /invisible/],
    [{ document: "a\u0000b" }, /control/],
    [{ document: "\ud800" }, /invisible/],
    [{ chapter: 32 }, /"chapter" is no text/],
    [{ chapter: null }, /"chapter" is no text/],
    [{ section: ["a"] }, /"section" is no text/],
    [{ page: 0 }, /pages count from 1/],
    [{ page: "0-3" }, /pages count from 1/],
    [{ page: -3 }, /"-3" is no page/],
    [{ page: "-3" }, /is no page/],
    [{ page: 1.5 }, /is no page/],
    [{ page: Number.NaN }, /is no page/],
    [{ page: 1e300 }, /is no page/],
    [{ page: "15-12" }, /runs backwards: write 12-15/],
    [{ page: "twelve" }, /such as 12-15/],
    [{ page: "" }, /is no page/],
    [{ page: "1-2-3" }, /is no page/],
    [{ page: [3] }, /is no page/],
    [{ page: null }, /is no page/],
    [{ page: "٣" }, /is no page/],
    [{ page: "9".repeat(400) }, /is no page/],
  ])("refuses %j", (request, message) => {
    expect(() => readFilters(request as FilterRequest)).toThrow(message);
  });

  it("says of an object without a text that it is no page", () => {
    const bare = Object.create(null) as unknown as number;
    expect(() => readFilters({ page: bare })).toThrow('"an object" is no page');
  });

  it("reads anything or says what is wrong with it", () => {
    const value = fc.oneof(fc.string({ unit: "binary" }), fc.double(), fc.constant(undefined), fc.object());
    fc.assert(
      fc.property(fc.record({ document: value, chapter: value, section: value, page: value }), (request) => {
        try {
          const filters = readFilters(request as FilterRequest);
          if (filters?.pages) expect(filters.pages.first).toBeLessThanOrEqual(filters.pages.last);
          for (const name of [filters?.document, filters?.chapter, filters?.section]) expect(name).not.toBe("");
        } catch (error) {
          expect(error).toBeInstanceOf(RequestError);
          expect(error).toMatchObject({ code: "filter_invalid" });
        }
      }),
    );
  });
});
