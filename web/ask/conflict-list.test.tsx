import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { ConflictList, type ConflictListProps } from "./answer-notes.tsx";

type WireConflict = ConflictListProps["conflicts"][number];

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
  renderToStaticMarkup(<ConflictList number={1} conflicts={[{ ...conflict, kind, resolved_by }]} />);

describe("ConflictList", () => {
  it("shows both sides with value, sentence, source and date, and that nothing decides", () => {
    const html = rendered(null);
    for (const part of [
      "Sources disagree: $5 or $8&lt;img src=x&gt;",
      "$5",
      "A card costs $5.",
      "Doc S1",
      "no date stated",
      "Nothing here decides which holds",
    ])
      expect(html).toContain(part);
  });

  it("shows two sources against one in one box, each with its date", () => {
    const three = (second: WireConflict["kind"]) =>
      renderToStaticMarkup(
        <ConflictList
          number={1}
          conflicts={[conflict, { ...conflict, kind: second, sides: [side("S1", "$5", "2024-05-01"), side("S3", "$8", "2026-01-01")] }]}
        />,
      );
    const html = three("value");
    expect(html.match(/<section/g)).toHaveLength(1);
    expect(html.match(/<li/g)).toHaveLength(3);
    expect(html.match(/conflict-date">[^<]*/g)?.map((date) => date.slice(15))).toEqual([
      "as of January 1, 2026",
      "as of May 1, 2024",
      "no date stated",
    ]);
    expect(html).toContain("check all");
    expect(three("date").match(/<section/g)).toHaveLength(2);
  });

  it("shows the sentences alone where what differs is no value", () => {
    const html = rendered(null, "polarity");
    expect(html).toContain("<h3>Sources disagree</h3>");
    expect(html).toContain('<q class="conflict-quote">A card costs $5.</q>');
    expect(html).not.toContain("conflict-value");
    expect(rendered(null)).toContain("conflict-value");
  });

  it("names the declared rule and the value that holds", () => {
    expect(rendered({ rule: "newer", holds: "S1" })).toContain("Decided by a declared rule, the newer source holds: $5");
    expect(rendered({ rule: "regulation", holds: "S1" })).toContain("a source of kind &quot;regulation&quot; holds: $5");
    expect(rendered({ rule: "newer", holds: "S1" })).not.toContain("Nothing here decides");
  });

  it("renders texts as text, and links only to http addresses", () => {
    const html = rendered(null);
    expect(html).not.toContain("<img");
    expect(html).not.toContain("javascript:");
    expect(html).toContain('href="https://library.example/fees/"');
  });
});
