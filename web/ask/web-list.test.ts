import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { WebList, type WebListProps } from "./answer-notes.tsx";

const page = {
  url: "https://library.example/fees",
  title: "<img src=x onerror=alert(1)>",
  retrieved_at: "2026-11-21T10:00:00.000Z",
  verdict: "contradicted" as const,
  claim: "A card costs $5.",
  quote: "A card costs $8. <script>alert(1)</script>",
};
const render = (web: WebListProps["web"]) => renderToStaticMarkup(createElement(WebList, { web }));

describe("what the web said, on the page", () => {
  it("is marked as no source, with address and day, and what strangers wrote stands as text", () => {
    const html = render([{ sid: "S1", verdict: "contradicted", reason: "contradicted by 1 of 1 page", query: "card", pages: [page] }]);
    expect(html).toContain("not a source of this answer");
    expect(html).toContain("says otherwise");
    expect(html).toContain('href="https://library.example/fees"');
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(html).not.toMatch(/<(?:script|img)/);
  });

  it("links to no address that is not of the web", () => {
    const html = render([{ sid: "S1", verdict: "confirmed", reason: "", query: "", pages: [{ ...page, url: "javascript:alert(1)" }] }]);
    expect(html).not.toContain("href");
  });

  it("says why nothing was found, and is not there when the web was not asked", () => {
    const html = render([{ sid: "S1", verdict: "silent", reason: "not checked: down", query: "card", pages: [] }]);
    expect(html).toContain("not checked: down");
    expect(render([])).toBe("");
  });
});
