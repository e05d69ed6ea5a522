import { describe, expect, it } from "vitest";
import type { Place } from "../app/route.ts";
import { locatePlace } from "./reader-pane.tsx";

const TEXT = "One fact. Another fact. One fact. The end.";
const place = (parts: Partial<Place>): Place => ({
  ...{ document: "d", start: 10, end: 23, version: "v1", quote: "Another fact.", domain: null, tenant: null },
  ...parts,
});
const locate = (text: string, version: string, parts: Partial<Place> = {}) => locatePlace({ text, version }, place(parts));

describe("a link to a place", () => {
  it("is valid in the version for which it was made", () => {
    expect(locate(TEXT, "v1")).toEqual({ type: "same", start: 10, end: 23 });
    expect(locate(TEXT, "v1", { start: null, end: null, quote: null })).toEqual({ type: "none" });
    expect(locate(TEXT, "v1", { version: null, quote: null })).toEqual({ type: "same", start: 10, end: 23 });
  });

  it("is found by its words alone if they occur once", () => {
    const byWords = (quote: string) => locate(TEXT, "v1", { start: null, end: null, quote });
    expect(byWords("Another fact.")).toEqual({ type: "same", start: 10, end: 23 });
    expect(byWords("One fact.")).toEqual({ type: "none" });
    expect(byWords("Invented.")).toEqual({ type: "changed" });
  });

  it("is found again if its words moved, or in another version", () => {
    expect(locate(`New. ${TEXT}`, "v2")).toEqual({ type: "moved", start: 15, end: 28 });
    expect(locate(TEXT, "v2")).toEqual({ type: "moved", start: 10, end: 23 });
    expect(locate(TEXT, "v2", { start: 10, end: 23, quote: "Another" })).toEqual({ type: "moved", start: 10, end: 23 });
  });

  it("is changed if its words are missing or ambiguous", () => {
    expect(locate("Nothing of it.", "v2")).toEqual({ type: "changed" });
    expect(locate(`xx${TEXT}`, "v2", { start: 0, end: 9, quote: "One fact." })).toEqual({ type: "changed" });
    expect(locate(TEXT, "v1", { quote: "Invented." })).toEqual({ type: "changed" });
    expect(locate(TEXT, "v1", { start: 10, end: 9999, quote: null })).toEqual({ type: "changed" });
    expect(locate(TEXT, "v2", { quote: null })).toEqual({ type: "changed" });
    expect(locate("Another", "v2", { quote: "Another", start: 3, end: 99 })).toEqual({ type: "changed" });
  });
});
