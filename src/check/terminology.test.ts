import { describe, expect, it } from "vitest";
import { domainSchema } from "../engine/domain.ts";
import { findTermViolations, terminologyOf } from "../guard/terminology.ts";
import { checkTerminology } from "./guards.ts";

const { tenants } = domainSchema.parse({
  name: "retail",
  title: "Retail",
  tenants: {
    nova: { title: "Nova", terms: { STOCK_CHECK: "availability scan", RETURN: "hand-back", POLICY: "care policy", TILL: "POS" } },
    shelf: { title: "Shelf", terms: { STOCK_CHECK: "stock check", RETURN: "return box", POLICY: "policy", TILL: "IT" } },
    third: { title: "Third", terms: { STOCK_CHECK: "shelf count" } },
  },
});
const nova = terminologyOf(tenants, "nova");
const found = (text: string, quotes: readonly string[] = []) => checkTerminology(text, quotes, nova, "warn");

describe("terminologyOf", () => {
  it("knows no rules for nobody, for an unknown tenant and for a domain without tenants", () => {
    expect(terminologyOf(tenants, null)).toEqual([]);
    expect(terminologyOf(tenants, "unknown")).toEqual([]);
    expect(terminologyOf({}, "nova")).toEqual([]);
    expect(checkTerminology("Run a stock check.", [], [], "warn").verdict).toBe("pass");
  });

  it("takes no term that the tenant uses itself for a rival's", () => {
    const shared = { a: { terms: { X: "order", Y: "parcel" } }, b: { terms: { X: "Parcel", Y: "box" } } };
    expect(terminologyOf(shared, "a")).toEqual([{ canonical: "Y", right: "parcel", rivals: [{ term: "box", of: "b" }] }]);
  });
});

describe("checkTerminology", () => {
  it.each([
    ["a rival's term", "Run a stock check first.", "stock check"],
    ["another rival's", "Do a shelf count.", "shelf count"],
    ["a plural", "Two stock checks a day.", "stock checks"],
    ["an irregular plural", "All policies apply.", "policies"],
    ["another letter case", "Stock Check first.", "Stock Check"],
    ["a hyphen or a line break", "A stock-check or stock\ncheck.", "stock-check"],
    ["the internal name", "Call STOCK_CHECK now.", "STOCK_CHECK"],
    ["a possessive", "The stock check's result.", "stock check"],
    ["a term with characters without width", "A st\u200bock check.", "st\u200bock check"],
    ["an acronym", "Ask IT for it.", "IT"],
  ])("finds %s", (_what, text, term) => {
    const { verdict, spans, score } = found(text);
    expect({ verdict, score }).toEqual({ verdict: "warn", score: 0 });
    expect(text.slice(spans[0]?.start, spans[0]?.end)).toBe(term);
    expect(checkTerminology(text, [], nova, "remove").verdict).toBe("fail");
  });

  it.each([
    ["the right term", "Run an availability scan."],
    ["the right term beside a rival's", "An availability scan, elsewhere called stock check."],
    ["part of another word", "The stock checker and the restock check-in are here."],
    ["a rival's term inside the tenant's own", "The care policy and all care policies apply."],
    ["an acronym in small letters", "Is it here?"],
    ["words apart", "Check the stock."],
  ])("lets %s pass", (_what, text) => {
    expect(found(text)).toMatchObject({ verdict: "pass", score: 1 });
  });

  it("lets a rival's term stand in a verbatim quote, and only there", () => {
    const quotes = ["A stock check takes an hour."];
    expect(found("A stock check takes an hour.", quotes).verdict).toBe("pass");
    expect(found('They write: "A stock check takes an hour."', quotes).verdict).toBe("pass");
    expect(found("They write “stock check takes a day”.", quotes).verdict).toBe("warn");
    expect(found("Do a stock check today.", quotes).verdict).toBe("warn");
  });

  it("says who says it and what to say instead", () => {
    expect(found("Do a stock check, then a stock check.").reason).toBe('"stock check" (shelf) instead of "availability scan"');
  });

  it("reads terms with signs of patterns as they stand", () => {
    const odd = { a: { terms: { X: "plain" } }, b: { terms: { X: "C++ (beta) [x]" } } };
    expect(findTermViolations("Use C++ (beta) [x] now.", terminologyOf(odd, "a"))).toHaveLength(1);
    expect(findTermViolations("Use C now.", terminologyOf(odd, "a"))).toEqual([]);
  });
});
