import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import type { WireAnswer } from "../../src/client/index.ts";
import Conflicts from "./conflicts.tsx";

type WireConflict = WireAnswer["conflicts"][number];

const side = (sid: string, value: string, as_of: string | null): WireConflict["sides"][number] => ({
  sid,
  value,
  quote: `A card costs ${value}.`,
  start: 3,
  end: 20,
  document_id: sid,
  document_version: "v1",
  title: `Doc ${sid}`,
  url: sid === "S1" ? "javascript:alert(1)" : "https://library.example/fees/",
  as_of,
});
const conflict: WireConflict = {
  about: "card costs",
  kind: "value",
  certainty: 0.7,
  sides: [side("S1", "$5", "2024-05-01"), side("S2", "$8<img src=x>", null)],
  resolved_by: null,
};
const rendered = (resolved_by: WireConflict["resolved_by"], kind: WireConflict["kind"] = "value") =>
  renderToStaticMarkup(<Conflicts number={1} answer={{ conflicts: [{ ...conflict, kind, resolved_by }] }} />);

describe("conflicts", () => {
  it("shows both sides as text with value, sentence, source and date, with safe links, and says that no rule decides", () => {
    const html = rendered(null);
    const sides = ["Sources disagree: $5 or $8&lt;img src=x&gt;", "A card costs $5.", "Doc S1", "no date stated"];
    for (const part of [...sides, "no rule says which", 'href="https://library.example/fees/"']) expect(html).toContain(part);
    expect(html).not.toMatch(/<img|javascript:/);
  });

  it("shows only the sentences if they differ in no value", () => {
    const html = rendered(null, "polarity");
    expect(html).toContain("<h3>Sources disagree</h3>");
    expect(html).toContain("<q>A card costs $5.</q>");
    expect(html).not.toContain("conflict-value");
    expect(rendered(null)).toContain("conflict-value");
  });

  it("names the configured rule and the value that it supports", () => {
    expect(rendered({ rule: "newer", holds: "S1" })).toContain("rule (the newer source takes precedence), this applies: $5");
    expect(rendered({ rule: "regulation", holds: "S1" })).toContain("type &quot;regulation&quot; takes precedence), this applies: $5");
    expect(rendered({ rule: "newer", holds: "S1" })).not.toContain("no rule says which");
  });
});

const page = {
  ...{ url: "https://library.example/fees", title: "<img src=x onerror=alert(1)>" },
  retrieved_at: "2026-11-21T10:00:00.000Z",
  verdict: "contradicted" as const,
  claim: "A card costs $5.",
  quote: "A card costs $8. <script>alert(1)</script>",
};
const web = (said: NonNullable<WireAnswer["web"]>) => renderToStaticMarkup(<Conflicts number={1} answer={{ conflicts: [], web: said }} />);

describe("web results on the page", () => {
  it("are marked as no source, with address and date, and their words are text", () => {
    const html = web([{ sid: "S1", verdict: "contradicted", reason: "contradicted by 1 of 1 page", query: "card", pages: [page] }]);
    expect(html).toContain("not a source of this answer");
    expect(html).toContain("contradicts it");
    expect(html).toContain('href="https://library.example/fees"');
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(html).not.toMatch(/<(?:script|img)/);
  });

  it("have no link with an unsafe address", () => {
    const html = web([{ sid: "S1", verdict: "confirmed", reason: "", query: "", pages: [{ ...page, url: "javascript:alert(1)" }] }]);
    expect(html).not.toContain("href");
  });

  it("give the reason when nothing was found, and are absent when the web was not asked", () => {
    const html = web([{ sid: "S1", verdict: "silent", reason: "not checked: down", query: "card", pages: [] }]);
    expect(html).toContain("not checked: down");
    expect(web([])).toBe("");
  });
});
