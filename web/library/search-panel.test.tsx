import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import type { WireSearch } from "../../src/client/index.ts";
import { Passages } from "./search-panel.tsx";

const scores = { dense: 0.61, bm25: 4.2, fused: 0.5, cross: null, reading: 0.42 };
const passage: WireSearch["passages"][number] = {
  ...{ sid: "S1", document_id: "d", document_version: "v", title: "Fines", url: null, as_of: null, heading_path: [], page: null },
  ...{ text: "Overdue books cost 20 cents.", start: 0, end: 28, unit: "utf16", scores },
};
const shown = (search: Partial<WireSearch>) =>
  renderToStaticMarkup(
    <Passages
      {...{ query: "fines", domain: null, tenant: null }}
      search={{ passages: [passage], encoder: "words", reader: "reader-1", warnings: [], ...search }}
    />,
  ).replaceAll(/<[^>]+>/g, "");

describe("what a search found", () => {
  it("shows the reader's score beside meaning and words, and names of scores that nobody gave are left out", () => {
    const text = shown({});
    expect(text).toContain("in all .50meaning .61words 4.20reader .42");
    expect(text).not.toContain("not scored");
    expect(text).toContain("The cross-encoder’s score says");
    const reranked = shown({ passages: [{ ...passage, scores: { ...scores, cross: 0.9 } }] });
    expect(reranked).toContain("cross-encoder .90");
    expect(reranked).not.toContain("reranker");
  });

  it("says so where there is no reader", () => {
    const unread = { ...passage, scores: { ...scores, reading: null } };
    const text = shown({
      passages: [unread],
      reader: null,
      warnings: [{ code: "reader_missing", message: "The passages were not read." }],
    });
    expect(text).toContain("reader not scored");
    expect(text).toContain("The passages were not read.");
    expect(text).not.toContain("The cross-encoder’s score says");
  });
});
