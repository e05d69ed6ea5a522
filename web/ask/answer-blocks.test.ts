import { describe, expect, it } from "vitest";
import { linesOfWire, type WireCitation } from "../../src/client/index.ts";
import { toBlocks } from "./answer-text.tsx";

const CONTEXT = "Some facts.\n\nPaid are:\n\nbread\nmilk\nsalt\n\nNothing else is paid.";
function cite(n: number, quote: string, parts: Partial<WireCitation> = {}): WireCitation {
  const quote_start = CONTEXT.indexOf(quote);
  return { n, quote, context: CONTEXT, quote_start, document_id: "d", title: "Cards", heading_path: [], ...parts } as WireCitation;
}
const row = (cells: readonly string[], header_start = 5): NonNullable<WireCitation["row"]> => ({
  cells: cells.map((text, i) => ({ name: `c${i}`, text })),
  header: "h",
  header_start,
  header_end: header_start + 1,
});
const blocksOf = (...citations: WireCitation[]) =>
  toBlocks(
    linesOfWire(
      citations.map(({ quote, n, row: cells }) => ({ text: quote, citations: [n], label: cells?.caption })),
      citations,
    ),
  );

describe("an answer's blocks", () => {
  it("joins consecutive list items, also if one quote contains several", () => {
    const blocks = blocksOf(cite(1, "Some facts."), cite(2, "bread"), cite(3, "milk\nsalt"), cite(4, "Nothing else is paid."));
    expect(blocks.map(({ type }) => type)).toEqual(["text", "list", "text"]);
    expect(blocks[1]).toMatchObject({ parts: ["bread", "milk", "salt"].map((text) => ({ text })) });
  });

  it("gives a table the label of its first row", () => {
    const captioned = cite(2, "bread", { row: { ...row(["bread"]), caption: "Some facts." } });
    expect(blocksOf(cite(1, "Nothing else is paid."), captioned)[1]).toMatchObject({ type: "table", label: "Some facts." });
  });

  it.each([
    ["a list", "Paid are:\n\nbread\nmilk", ["bread", "milk"]],
    ["rows that only line breaks lay out", "Charge each month:\nup to 5 tons 12\nup to 9 tons 30", ["up to 5 tons 12", "up to 9 tons 30"]],
  ])("separates an introduction from %s, each line with its place in the quote", (_, quote, rows) => {
    const placed = (text: string) => ({ text, from: quote.indexOf(text), isLast: text === rows.at(-1) });
    const blocks = blocksOf(cite(1, quote, { context: quote, quote_start: 0 }));
    expect(blocks).toMatchObject([
      { type: "text", parts: [placed(quote.slice(0, quote.indexOf("\n")))] },
      { type: "list", parts: rows.map(placed) },
    ]);
  });

  it("joins rows of one table, and separates those of another table or document", () => {
    const blocks = blocksOf(
      cite(1, "a", { row: row(["a", "b"]) }),
      cite(2, "c", { row: row(["c", "d"]) }),
      cite(3, "e", { row: row(["e"], 99) }),
      cite(4, "f", { row: row(["f"], 99), document_id: "other" }),
    );
    expect(
      blocks.map((block) =>
        block.type === "table" ? block.rows.map(({ source }) => source?.row?.cells.map(({ text }) => text).join()) : [],
      ),
    ).toEqual([["a,b", "c,d"], ["e"], ["f"]]);
  });

  it("are text for written sentences, several citations, and quotes that are not in their place", () => {
    const citations = [cite(1, "bread"), cite(2, "milk", { quote_start: 0 })];
    const sentences = [
      { text: "Bread is paid.", citations: [1] },
      { text: "bread", citations: [1, 2] },
      { text: "milk", citations: [2] },
      { text: "bread", citations: [7] },
    ];
    const blocks = toBlocks(linesOfWire(sentences, citations));
    expect(blocks.map(({ type }) => type)).toEqual(["text", "text", "text", "text"]);
    expect(toBlocks([])).toEqual([]);
  });
});
