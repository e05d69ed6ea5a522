import { describe, expect, it } from "vitest";
import { chooseSeeAlso } from "../answer/assemble.ts";
import { fakeEvidence, fakePassage } from "../testing/passages.ts";
import type { Evidence } from "../types.ts";
import { createAnswerSheet } from "./sheet.ts";

const page = (document: string): Evidence =>
  fakeEvidence(fakePassage({ document, title: `Page ${document}`, pieces: [{ type: "heading", text: `About ${document}` }, "One."] }));
const cite = ({ passage }: Evidence) => {
  const sheet = createAnswerSheet();
  sheet.add("One.", [{ passage, start: passage.range.end - 4, end: passage.range.end, text: "One." }]);
  return sheet.citations;
};

describe("chooseSeeAlso", () => {
  it("names the best document that is not cited, with the heading and the address", () => {
    const [a, b, c] = [page("a"), page("b"), page("c")];
    expect(chooseSeeAlso([a, b, c], cite(a))).toEqual({
      documentId: "b",
      documentVersion: "v1",
      title: "Page b",
      heading: "About b",
      url: "https://example.org/b/",
    });
    expect(chooseSeeAlso([a, b, c], cite(b))?.title).toBe("Page a");
  });

  it("passes over what was found but hardly bears on the question", () => {
    const [a, b, c] = [page("a"), page("b"), page("c")];
    const unsure: Evidence = { ...b, verdict: "uncertain" };
    expect(chooseSeeAlso([a, unsure, c], cite(a))?.title).toBe("Page c");
    expect(chooseSeeAlso([a, unsure], cite(a))).toBeNull();
  });

  it("is nothing when everything is cited", () => {
    expect(chooseSeeAlso([page("a")], cite(page("a")))).toBeNull();
    expect(chooseSeeAlso([], [])).toBeNull();
  });
});
