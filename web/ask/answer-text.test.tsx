import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { linesOfWire, type WireCitation } from "../../src/client/index.ts";
import { AnswerText, type AnswerTextProps } from "./answer-text.tsx";
import type { CitationState } from "./use-citation-states.ts";

const SENTENCES = ["A card costs 5 dollars.", "It is valid for two years."];
const CONTEXT = SENTENCES.join(" ");
const nothing = () => {};

function cite(quote: string, at: number): WireCitation {
  const start = CONTEXT.indexOf(quote);
  const place = { start, end: start + quote.length, unit: "utf16" } as const;
  return {
    ...{ n: at + 1, url: null, title: "Cards", quote, context: CONTEXT, quote_start: start, as_of: null, heading_path: [], ...place },
    ...{ document_id: "d", document_version: "v", original: { path: "cards.md", sha256: "0", normaliser: "1", ...place } },
  };
}

const given: Omit<AnswerTextProps, "states"> = {
  lines: linesOfWire(
    SENTENCES.map((text, i) => ({ text, citations: [i + 1] })),
    SENTENCES.map(cite),
  ),
  citations: SENTENCES.map(cite),
  claims: SENTENCES.map((text, i) => ({ sentence: i, text, status: "supported", citations: [i + 1], reason: "is the quote" })),
  ...{ checks: [], warnings: [], spans: [], number: 1, active: [], open: null },
  ...{ onOpen: nothing, onPoint: nothing, sourceId: (n) => `source-${n}` },
};

/** Renders two sentences as HTML. `second` is the state of the second quote; `null`: no state was loaded. */
function rendered(second: CitationState["state"] | null): string[] {
  const state = (n: number, is: CitationState["state"]): [number, CitationState] => [n, { n, state: is, likeness: 1, now: null }];
  const states = new Map(second === null ? [] : [state(1, "same"), state(2, second)]);
  return renderToStaticMarkup(<AnswerText {...given} states={states} />)
    .split("</p>")
    .slice(0, 2);
}

describe("an answer whose documents have changed", () => {
  it.each([
    ["changed", "The document has changed since"],
    ["gone", "The source no longer exists"],
  ] as const)("warns at the sentence whose quote is %s, and at no other", (state, words) => {
    const [first, second] = rendered(state);
    expect(first).not.toContain("since");
    expect(second).toContain(words);
  });

  it.each(["same", "moved", null] as const)("does not warn if its quotes are %s", (state) => {
    for (const sentence of rendered(state)) {
      expect(sentence).not.toContain("since");
    }
  });
});

describe("a quote with the introduction of its list", () => {
  it("is a paragraph and a list, without an empty item, and names its source once, at the end", () => {
    const quote = "Paid are:\n\nbread\nmilk";
    const [cited] = SENTENCES.map(cite);
    const citations = cited === undefined ? [] : [{ ...cited, quote, context: quote, quote_start: 0 }];
    const spans = [{ sentence: 0, start: 17, end: 21 }];
    const lines = linesOfWire([{ text: quote, citations: [1] }], citations);
    const props = { ...given, lines, citations, claims: [], spans, states: new Map() };
    const html = renderToStaticMarkup(<AnswerText {...props} />);
    const bare = html.replaceAll(/<(?!\/?(?:p|ul|li|strong)\b)[^>]*>/g, "").replaceAll(/<(\w+)[^>]*>/g, "<$1>");
    expect(bare).toBe("<p>Paid are:</p><ul><li>bread</li><li><strong>milk</strong>1</li></ul>");
  });
});

describe("a table row", () => {
  const header = "Tool | Price per day | Deposit";
  const rows = ["Tiller | €25 | €100", "Chipper | €40 | €150"];
  const context = [header, ...rows].join("\n");
  const citations = rows.map((quote, i): WireCitation => {
    const names = header.split(" | ");
    const cells = quote.split(" | ").map((text, column) => ({ name: names[column] ?? "", text }));
    const row = { cells, header, header_start: 0, header_end: header.length };
    return { ...cite("A card costs 5 dollars.", i), quote, context, quote_start: context.indexOf(quote), row };
  });
  const shown = (asked_cell?: number) => {
    const sentences = rows.map((text, i) => ({ text, citations: [i + 1], ...(i === 1 && { asked_cell }) }));
    const lines = linesOfWire(sentences, citations);
    return renderToStaticMarkup(<AnswerText {...given} {...{ lines, citations, claims: [], states: new Map() }} />).replaceAll(
      /<[^>]*>/g,
      " ",
    );
  };

  it("shows the answering cell first, then the rest of its row, with the other rows collapsed", () => {
    expect(shown(2).replaceAll(/\s+/g, " ").trim()).toMatch(
      /^Chipper: €150 Deposit 2 Price per day €40 1 more row of this table .*Tiller €25 €100 1$/,
    );
  });

  it("is a table if no column is requested", () => {
    expect(shown()).not.toContain("of this table");
  });
});
